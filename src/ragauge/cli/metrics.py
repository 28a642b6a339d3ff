"""``ragauge metrics``: list the metrics, or explain one by what its docstring says to users, and its options."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from inspect import cleandoc, getdoc, unwrap
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, Union, cast, get_args, get_origin

import rich_click as click

from ragauge.cli.terminal import width, words
from ragauge.core.lazy import lazy_pattern
from ragauge.core.messages import Message
from ragauge.errors import alternatives

if TYPE_CHECKING:
    from ragauge.core.registry import Entry


_NARROWEST = 30  # columns of a summary


@click.command("metrics")
@click.argument("name", required=False)
def command(name: str | None) -> None:
    """List the metrics, or explain the one called NAME."""
    from ragauge.core.registry import lookup
    from ragauge.core.spec import parse_spec
    from ragauge.metrics.other_names import in_our_words

    click.echo(explanation(lookup("metric", parse_spec(in_our_words(name) or name).name)) if name else _list())


def _list() -> str:
    from ragauge.core.protocol import STAGES
    from ragauge.core.registry import entries, meaning_of
    from ragauge.display.text import wrapped

    known = entries("metric").values()
    longest = max(len(spec_of(entry)) for entry in known)
    columns = width(sys.stdout) - longest - 4
    stages: dict[str, list[str]] = {stage: [] for stage in (*STAGES, "other")}
    for entry in known:
        # It may depend on the options.
        stage = getattr(entry.instance or entry.cls, "stage", None)
        summary = f"= {entry.alias_of}" if entry.alias_of else words()(meaning_of(entry))
        first, *more = wrapped(summary, max(columns, _NARROWEST))
        lines = [f"  {spec_of(entry):{longest}}  {first}", *[" " * (longest + 4) + line for line in more]]
        stages[stage if stage in stages else "other"] += lines
    shown = [line for stage, rows in stages.items() if rows for line in (words()(stage), *rows, "")]
    return "\n".join([*shown, words()("ragauge metrics NAME explains one, with its options.")])


def explanation(entry: Entry) -> str:
    """Return the definition and the options of a metric, in the width of standard output."""
    from ragauge.core.registry import meaning_of

    example = words()(Message("score it: {command}", f"ragauge score DATA {_flags(entry)}"))
    summary = meaning_of(entry)
    explained = _explained(entry.cls)
    stands_for = (
        [*_wrapped(words()(Message("{name} is short for: {options}", entry.name, _in_words(entry.fixed)))), ""]
        if entry.fixed
        else []
    )
    lines = [_wrapped(f"compat={name}: {_in_words(preset)}", more=4) for name, preset in entry.compat.items()]
    presets = [line for one in lines for line in one]
    heads = _options(entry)
    options = [line for name, head in heads.items() for line in (*_item(head), *_sentences(explained.get(name, "")))]
    after = [*([words()("options:"), *options, ""] if options else []), *presets]
    if words()(summary) == summary:
        own = [*_wrapped(summary), ""] if entry.meaning else []
        return "\n".join(
            [_title(entry), "", *own, *_for_users(_doc(entry)), "", example, "", *stands_for, *after]
        ).rstrip()
    # English comes last, the sentences of options with it.
    english = [line for name in heads if name in explained for line in _item(f"{name}: {explained[name]}")]
    short = [words()("options:"), *[line for head in heads.values() for line in _item(head)], ""] if heads else []
    definition = [*_wrapped(words()(summary)), "", example, "", *stands_for, *short, *presets]
    full = [*_for_users(_doc(entry)), *(["", "Options:", *english] if english else [])]
    return "\n".join([_title(entry), "", *definition, *[""][: len(presets)], words()("in full:"), "", *full]).rstrip()


def _for_users(doc: str) -> list[str]:
    """Return the lines of a docstring without what is for callers in Python: examples, arguments and errors.

    Options follow the arguments. Sentences are wrapped; formulas and other indented lines stay as they are.
    """
    kept = [text for text in doc.split("\n\n") if not text.startswith((">>> ", "Args:\n", "Raises:\n"))]
    lines: list[str] = []
    for paragraph in kept:
        text = paragraph.replace("``", "`")
        joined = text if "\n " in text else _NO_START.sub(" ", text)
        lines += ["", *[one for line in joined.split("\n") for one in ([line] if line[:1] == " " else _wrapped(line))]]
    return lines[1:]


_NO_START = lazy_pattern(r"\n(?!`[^`]+`: )")
"""The end of a line after which no new item starts."""


def _wrapped(text: str, indent: int = 0, more: int = 0) -> list[str]:
    """Break a text at the width of the screen; its lines stand in by ``indent``, and those after the first by more."""
    from ragauge.display.text import wrapped

    lines = wrapped(text, max(width(sys.stdout) - indent - more, _NARROWEST))
    return [" " * (indent + (more if place else 0)) + line for place, line in enumerate(lines)]


def _item(text: str) -> list[str]:
    return _wrapped(text, indent=2, more=4)


def _sentences(text: str) -> list[str]:
    return _wrapped(text, indent=6) if text else []


def _options(entry: Entry) -> dict[str, str]:
    """Return the options of a metric, as ``name=values (default value)``; those of one value are left out."""
    from dataclasses import MISSING

    from ragauge.core.options import default_of, describe, option_fields, option_hints
    from ragauge.core.spec import write

    if entry.instance is not None:
        return {}
    hints = option_hints(entry.cls)
    heads = {}
    for field in option_fields(entry.cls):
        values, default = describe(hints[field.name]), default_of(field)
        if default is not MISSING and values == write(default):
            continue
        if default is None and "," not in values:
            # The default says it.
            values = alternatives(_choices(hints[field.name]))
        shown = "" if default is MISSING else words()(Message(" (default {value})", write(default)))
        heads[field.name] = f"{field.name}={words()(values)}{shown}"
    return heads


def _choices(hint: Any) -> list[str]:
    """Return which values an option takes beside none."""
    from ragauge.core.options import describe

    choices = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
    return [describe(one) for one in choices if one is not NoneType]


def _explained(cls: type) -> dict[str, str]:
    """Return the help of options that the docstrings of ``cls`` and its bases explain."""
    explained: dict[str, str] = {}
    for base in reversed(cls.__mro__[:-1]):
        explained |= _arguments(base)
    return explained


def _arguments(cls: type) -> dict[str, str]:
    """Return the sentences under ``Args:`` in a docstring, by argument; ``None`` as it is written on a command line."""
    section = cleandoc(cls.__doc__ or "").partition("\nArgs:\n")[2].partition("\n\n")[0]
    explained: dict[str, str] = {}
    name = ""
    for line in section.splitlines():
        text = line.strip()
        if not line.startswith("     "):
            name, _, text = text.partition(": ")
        explained[name] = f"{explained.get(name, '')} {text}".strip()
    return {name: re.sub(r"\bNone\b", "none", text.replace("``", "`")) for name, text in explained.items()}


def _flags(entry: Entry) -> str:
    """Return the flags that ask for a metric, with the options that must be given."""
    from dataclasses import MISSING

    from ragauge.core.options import default_of, option_fields

    fields = [] if entry.instance is not None else option_fields(entry.cls)
    required = [f"{one.name}=..." for one in fields if default_of(one) is MISSING]
    judge = " --judge URL --judge-model NAME" if any(one.name == "judge" for one in fields) else ""
    return f"-m {entry.name}{'@10' if entry.at == 'k' else ''}{':' if required else ''}{','.join(required)}{judge}"


def _title(entry: Entry) -> str:
    return f"{spec_of(entry)} = {entry.alias_of}" if entry.alias_of else spec_of(entry)


def spec_of(entry: Entry) -> str:
    """Return how a metric is asked for, as in ``ndcg[@k]``."""
    return f"{entry.name}[@{entry.at}]" if entry.at else entry.name


def _doc(entry: Entry) -> str:
    """Return the docstring of a metric, or of the function that it was made from."""
    return getdoc(unwrap(cast("Any", entry.instance or entry.cls))) or ""


def _in_words(options: Mapping[str, str]) -> str:
    return ", ".join(f"{key}={text}" for key, text in options.items())
