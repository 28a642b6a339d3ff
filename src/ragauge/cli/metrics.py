"""``ragauge metrics``: list the metrics, or explain one by what its docstring says to users, and its options."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from inspect import cleandoc, getdoc, unwrap
from typing import TYPE_CHECKING, Any, cast

import rich_click as click

from ragauge.cli.output import interface
from ragauge.cli.terminal import width, words

if TYPE_CHECKING:
    from ragauge.core.registry import Entry


_NARROWEST = 30  # columns of a summary


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
    from ragauge.display.text import wrapped

    known = entries("metric").values()
    longest = max(len(_spec(entry)) for entry in known)
    columns = width(sys.stdout) - longest - 4
    stages: dict[str, list[str]] = {stage: [] for stage in (*STAGES, "other")}
    for entry in known:
        # It may depend on the options.
        stage = getattr(entry.instance or entry.cls, "stage", None)
        summary = f"= {entry.alias_of}" if entry.alias_of else words()(_summary(entry))
        first, *more = wrapped(summary, max(columns, _NARROWEST))
        lines = [f"  {_spec(entry):{longest}}  {first}", *[" " * (longest + 4) + line for line in more]]
        stages[stage if stage in stages else "other"] += lines
    shown = [line for stage, rows in stages.items() if rows for line in (words()(stage), *rows, "")]
    return "\n".join([*shown, words()("ragauge metrics NAME explains one, with its options.")])


def _explanation(entry: Entry) -> str:
    example = words()(f"score it: ragauge score DATA {_flags(entry)}")
    in_words = words()(_summary(entry))
    lines = [_title(entry), "", _for_users(_doc(entry)), "", example, ""]
    if in_words != _summary(entry):
        lines = [_title(entry), "", in_words, "", example, "", words()("in full:"), "", _for_users(_doc(entry)), ""]
    if entry.fixed:
        lines += [words()(f"{entry.name} stands for: {_in_words(entry.fixed)}"), ""]
    lines += [*_options(entry), *(f"compat={name}: {_in_words(preset)}" for name, preset in entry.compat.items())]
    return "\n".join(lines).rstrip()


def _for_users(doc: str) -> str:
    """Return a docstring without what is for callers in Python: examples, arguments (options follow) and errors."""
    kept = [text for text in doc.split("\n\n") if not text.startswith((">>> ", "Args:\n", "Raises:\n"))]
    return "\n\n".join(kept).replace("``", "`")


def _options(entry: Entry) -> list[str]:
    from dataclasses import MISSING

    from ragauge.core.options import default_of, describe, option_fields, option_hints
    from ragauge.core.spec import write

    if entry.instance is not None:
        return []
    hints = option_hints(entry.cls)
    explained = _explained(entry.cls)
    lines = [words()("options:")]
    for field in option_fields(entry.cls):
        default = default_of(field)
        shown = "" if default is MISSING else words()(f" (default {write(default)})")
        lines.append(f"  {field.name}={_choices(describe(hints[field.name]))}{shown}")
        lines += [f"      {line}" for line in explained.get(field.name, ())]
    return [*lines, ""]


def _choices(choices: str) -> str:
    if interface() != "zh":
        return choices
    from ragauge.cli.chinese import choices_in_chinese

    return choices_in_chinese(choices)


def _explained(cls: type) -> dict[str, list[str]]:
    """Return the help of options that the docstrings of ``cls`` and its bases explain."""
    explained: dict[str, list[str]] = {}
    for base in reversed(cls.__mro__[:-1]):
        explained |= _arguments(base)
    return explained


def _arguments(cls: type) -> dict[str, list[str]]:
    """Return the lines under ``Args:`` in a docstring, by argument."""
    section = cleandoc(cls.__doc__ or "").partition("\nArgs:\n")[2].partition("\n\n")[0]
    explained: dict[str, list[str]] = {}
    name = ""
    for line in section.splitlines():
        text = line.strip()
        if not line.startswith("     "):
            name, _, text = text.partition(": ")
        explained.setdefault(name, []).append(text.replace("``", "`"))
    return explained


def _flags(entry: Entry) -> str:
    """Return the flags that ask for a metric, with the options that must be given."""
    from dataclasses import MISSING

    from ragauge.core.options import default_of, option_fields

    fields = [] if entry.instance is not None else option_fields(entry.cls)
    required = [f"{one.name}=..." for one in fields if default_of(one) is MISSING]
    judge = " --judge URL --judge-model NAME" if any(one.name == "judge" for one in fields) else ""
    return f"-m {entry.name}{'@10' if entry.at == 'k' else ''}{':' if required else ''}{','.join(required)}{judge}"


def _title(entry: Entry) -> str:
    return f"{_spec(entry)} = {entry.alias_of}" if entry.alias_of else _spec(entry)


def _spec(entry: Entry) -> str:
    return f"{entry.name}[@{entry.at}]" if entry.at else entry.name


def _summary(entry: Entry) -> str:
    """Return the first sentence of the docstring of a metric, in one line."""
    return " ".join(_doc(entry).partition("\n\n")[0].replace("``", "`").split())


def _doc(entry: Entry) -> str:
    """Return the docstring of a metric, or of the function that it was made from."""
    return getdoc(unwrap(cast("Any", entry.instance or entry.cls))) or ""


def _in_words(options: Mapping[str, str]) -> str:
    return ", ".join(f"{key}={text}" for key, text in options.items())
