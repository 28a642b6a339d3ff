"""``ragauge metrics``: list the metrics, or explain one by its docstring and its options."""

from __future__ import annotations

from collections.abc import Mapping
from inspect import cleandoc, getdoc, unwrap
from typing import TYPE_CHECKING, Any, cast

import rich_click as click

if TYPE_CHECKING:
    from ragauge.core.registry import Entry


@click.command("metrics")
@click.argument("name", required=False)
def command(name: str | None) -> None:
    """List the metrics, or explain the one called NAME."""
    from ragauge.core.registry import lookup
    from ragauge.core.spec import parse_spec

    click.echo(_explanation(lookup("metric", parse_spec(name).name)) if name else _list())


def _list() -> str:
    from ragauge.core.protocol import STAGES
    from ragauge.core.registry import entries

    titles = {_title(entry): entry for entry in entries("metric").values()}
    width = max(map(len, titles)) + 2
    stages: dict[str, list[str]] = {stage: [] for stage in (*STAGES, "other")}
    for title, entry in titles.items():
        # It may depend on the options.
        stage = getattr(entry.instance or entry.cls, "stage", None)
        summary = _doc(entry).partition("\n")[0]
        stages[stage if stage in stages else "other"].append(f"  {title:{width}}{summary}")
    lines = [line for stage, rows in stages.items() if rows for line in (stage, *rows, "")]
    return "\n".join([*lines, "ragauge metrics NAME explains one, with its options."])


def _explanation(entry: Entry) -> str:
    lines = [_title(entry), "", _doc(entry), ""]
    if entry.fixed:
        lines += [f"{entry.name} stands for: {_in_words(entry.fixed)}", ""]
    lines += [*_options(entry), *(f"compat={name}: {_in_words(preset)}" for name, preset in entry.compat.items())]
    return "\n".join(lines).rstrip()


def _options(entry: Entry) -> list[str]:
    from dataclasses import MISSING

    from ragauge.core.options import default_of, describe, option_fields, option_hints
    from ragauge.core.spec import write

    if entry.instance is not None:
        return []
    hints = option_hints(entry.cls)
    inherited = _inherited(entry.cls)
    lines = ["options:"]
    for field in option_fields(entry.cls):
        default = default_of(field)
        shown = "" if default is MISSING else f" (default {write(default)})"
        lines.append(f"  {field.name}={describe(hints[field.name])}{shown}")
        lines += [f"      {line}" for line in inherited.get(field.name, ())]
    return [*lines, ""]


def _inherited(cls: type) -> dict[str, list[str]]:
    """Return the help of options that the docstrings of bases explain, and that of ``cls`` does not."""
    explained: dict[str, list[str]] = {}
    for base in reversed(cls.__mro__[1:-1]):
        explained |= _arguments(base)
    return {name: lines for name, lines in explained.items() if name not in _arguments(cls)}


def _arguments(cls: type) -> dict[str, list[str]]:
    """Return the lines under ``Args:`` in a docstring, by argument."""
    section = cleandoc(cls.__doc__ or "").partition("\nArgs:\n")[2].partition("\n\n")[0]
    explained: dict[str, list[str]] = {}
    name = ""
    for line in section.splitlines():
        text = line.strip()
        if not line.startswith("     "):
            name, _, text = text.partition(": ")
        explained.setdefault(name, []).append(text)
    return explained


def _title(entry: Entry) -> str:
    title = f"{entry.name}[@{entry.at}]" if entry.at else entry.name
    return f"{title} = {entry.alias_of}" if entry.alias_of else title


def _doc(entry: Entry) -> str:
    """Return the docstring of a metric, or of the function that it was made from."""
    return getdoc(unwrap(cast("Any", entry.instance or entry.cls))) or ""


def _in_words(options: Mapping[str, str]) -> str:
    return ", ".join(f"{key}={text}" for key, text in options.items())
