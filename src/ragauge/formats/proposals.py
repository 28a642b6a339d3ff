"""The first rows of a file, and what its columns probably are."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ragauge import languages
from ragauge.core.sample import SCHEMA
from ragauge.formats.column_names import LOOKED_AT, folded, known_for_certain
from ragauge.formats.fields import plain
from ragauge.formats.file_formats import opened_source
from ragauge.formats.reading import SEPARATORS
from ragauge.formats.source import Chunk


class Proposal(NamedTuple):
    """The probable meaning of a file's columns.

    ``columns``: their names. ``known``: known column -> name, where it is certain. ``guessed``: the same, by a word in
    the name. ``split``: column -> the probable separator of its texts.
    """

    columns: tuple[str, ...]
    known: Mapping[str, str]
    guessed: Mapping[str, str]
    split: Mapping[str, str]


def peek(path: str) -> Proposal:
    """Return a proposal from the first rows of a file; DataError where it cannot be read."""
    with opened_source(path) as source:
        chunk = next(iter(source.chunks), Chunk({}, ()))
    columns = {name: plain(values[:LOOKED_AT]) for name, values in chunk.columns.items()}
    known = known_for_certain(list(columns))
    likely = guessed(columns, known)
    split = {}
    for name in ("contexts", "reference_contexts"):
        source_name = known.get(name, likely.get(name))
        separator = None if source_name is None else separator_of(columns[source_name])
        if separator is not None:
            split[name] = separator
    return Proposal(tuple(columns), known, likely, split)


def guessed(columns: Mapping[str, Sequence[Any]], known: Mapping[str, str]) -> dict[str, str]:
    """Return known column -> the name of a column that is not ``known`` but has a fitting word and fitting fields."""
    chosen: dict[str, str] = {}
    for name, words in languages.table("columns")["suggest"].items():
        free = [one for one in columns if one not in known.values() and one not in chosen.values()]
        fitting = [one for one in free if re.search("".join(words.split()), folded(one)) and _holds(columns[one], name)]
        if name not in known and name not in columns and fitting:
            chosen[name] = fitting[0]
    return {name: chosen[name] for name in (*SCHEMA, "failure") if name in chosen}


def _holds(values: Sequence[Any], name: str) -> bool:
    """Return whether the fields fit the column: texts, or for passages and references also lists."""
    kinds = (str, list) if name in ("contexts", "references") else (str,)
    return any(value is not None for value in values) and all(
        value is None or isinstance(value, kinds) for value in values
    )


def separator_of(values: Sequence[Any]) -> str | None:
    """Return the separator that most fields hold; None if one of them is a list.

    >>> separator_of(["tea ||| jam", "rum ||| gin"]), separator_of(["tea", "jam"])
    ('|||', None)
    """
    texts = [value for value in values if isinstance(value, str)]
    if len(texts) < sum(value is not None for value in values) or any(text.lstrip().startswith("[") for text in texts):
        return None
    return next((one for one in SEPARATORS if sum(one in text for text in texts) * 2 > len(texts)), None)
