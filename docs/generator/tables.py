"""Markdown tables, and the table of a class's options."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import MISSING
from typing import Any

from docs.generator.docstrings import arguments_of
from docs.generator.language import ENGLISH, Language
from ragauge.core.options import default_of, describe, option_fields, option_hints
from ragauge.core.spec import write

NOTE = "<!-- Written by `python -m docs.generator` from {source}. Change it there. -->"


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Write a Markdown table."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(_cell(cell) for cell in line) + " |" for line in lines)


def option_table(cls: type, names: Iterable[str] | None = None, language: Language = ENGLISH) -> str:
    """Write what options ``cls`` has, in the order of ``names``; nothing if it has none."""
    fields = {field.name: field for field in option_fields(cls)}
    hints = option_hints(cls)
    said = arguments_of(cls)
    rows = [
        (
            f"`{name}`",
            language.describe(hints[name]),
            language.say(_default(default_of(fields[name]))),
            language.say(_meaning(name, hints[name], said)),
        )
        for name in (fields if names is None else names)
    ]
    return table([language.say(head) for head in ("option", "takes", "default", "meaning")], rows) if rows else ""


def preset_table(compat: Any, language: Language = ENGLISH) -> str:
    """Write what options each preset fills in."""
    rows = [
        (f"`compat={name}`", language.say(", ").join(f"`{key}={text}`" for key, text in options.items()))
        for name, options in compat.items()
    ]
    return table([language.say(head) for head in ("preset", "sets")], rows) if rows else ""


def paragraphs(parts: Iterable[str]) -> str:
    """Join the parts of a page that say something."""
    return "\n\n".join(part for part in parts if part).rstrip() + "\n"


def section(title: str, *parts: str) -> str:
    """Write a section; nothing if it would be empty."""
    body = [part for part in parts if part]
    return "\n\n".join([f"## {title}", *body]) if body else ""


def _meaning(name: str, hint: Any, said: Mapping[str, str]) -> str:
    only_samples = name == "average" and describe(hint) == "samples"
    return "the mean of the samples' scores; there is no other." if only_samples else said.get(name, "")


def _default(value: object) -> str:
    if value is MISSING:
        return "must be given"
    return f"`{write(value)}`" if write(value) else ""


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
