"""Several texts or ids in one field: the separator between them, as it was given or as most fields show it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np
import pyarrow as pa

from ragauge.core import compute as pc
from ragauge.core.arrow import to_numpy
from ragauge.core.lazy import lazy_pattern
from ragauge.core.messages import Argument, Message
from ragauge.core.sample import SCHEMA
from ragauge.errors import ColumnError, OptionError
from ragauge.formats.column_names import known_name
from ragauge.formats.fields import BadFieldError, is_list, items, parsed, plain
from ragauge.formats.source import Values

SEPARATORS = ("|||", "||", "<sep>", "[SEP]", "\n---\n", "\n\n", "###", " | ", "|")
"""Separators that people put between passages, longer ones first."""
_CERTAIN = ("|||", "<sep>", "[SEP]", "\n---\n", "\n\n")
"""Separators of which one field is worth a note; the others occur within passages, so most fields must hold them."""
OF_IDS = (*SEPARATORS, " > ", "->", ";", ",", "、", "，", "；", "،", "؛", "\n", "\t", " ")
"""Separators that people put between ids too; the blank, which is within much else, is the last."""
_PASSAGES = ("contexts", "reference_contexts")
_IDS = ("retrieved", "relevance")
_ID = lazy_pattern(r"(?:\d+[.)]\s+)?\S*[\d._/:#-]\S*(?:\s+\([-+]?[\d.]+\))?")
"""A word that is an id rather than a word of a title, as "Texas" in "Paris, Texas"; with its rank before or its score
behind."""
_AROUND = ",;:.()[]>-–،؛、，；"
"""Marks at the end of a word, which show that a blank beside it is no separator."""
_NUMBER = lazy_pattern(r"[-+]?\d*\.?\d+(?:e[-+]?\d+)?", re.IGNORECASE)
_LOOKED_AT = 1000
"""Rows whose fields are looked at."""
_SHOWN = 40  # characters of an example
_SEVERAL = tuple(name for name, kind in SCHEMA.items() if kind != "text")
_ONE_TEXT = (
    "RG-NOTE-001 {name}: every field was read as one text, and {n} of {total} contain {separator!r}; if that separates "
    "texts, pass {split}"
)
_CUT = (
    "RG-NOTE-035 {columns}: several ids in a field were split at {separator!r}; if that is part of an id, write ids as "
    "JSON lists"
)

_LEFT = (
    "RG-NOTE-054 {name}: {n} of {total} ids contain {separator!r} after the split at {split!r}; if it separates ids "
    "too, write those fields as JSON lists"
)

_NOT_TEXTS = (
    "RG-NOTE-061 {name}: {n} of {total} look like ids and not like texts, as {example!r}; if they are the ids of what "
    "was retrieved, pass {map}"
)
_NAME = lazy_pattern(r"(?=\S*\d)[A-Za-z]\S*|\d+[._/:#-]\S*|\S+\.[A-Za-z]\w{1,4}")
_BETWEEN = lazy_pattern(r"[,;|、，；،\s]+")


def check_split(split: Mapping[str, str]) -> None:
    """Raise OptionError where ``split`` names a column of one text a field, or a separator is empty."""
    for column, separator in split.items():
        if SCHEMA.get(column) == "text":
            raise _not_several(column, separator)
        if not separator:
            raise OptionError(
                "RG-DATA-006 {split}: the separator must not be empty", Argument("split", {column: separator})
            )


def _not_several(column: str, separator: str) -> OptionError:
    given = Argument("split", {column: separator})
    return OptionError("RG-DATA-005 {split}: name one of {columns_of_texts}", given, ", ".join(_SEVERAL))


def by_known_name(split: Mapping[str, str], sources: Mapping[str, str]) -> dict[str, str]:
    """Return ``split`` by the known names of its columns, which may be called as in the source.

    >>> by_known_name({"found": ";", "references": "|"}, {"retrieved": "found", "references": "gold"})
    {'retrieved': ';', 'references': '|'}
    """
    known_by_source = {source: known for known, source in sources.items()}
    return {known_by_source.get(name) or known_name(name) or name: separator for name, separator in split.items()}


def check_split_columns(split: Mapping[str, str], sources: Mapping[str, str]) -> None:
    """Raise ColumnError where the data do not have a column of ``split``; OptionError where it holds one text a field.

    ``sources``: column -> its name in the source.
    """
    for column, separator in split.items():
        [known] = by_known_name({column: separator}, sources)
        if known not in sources:
            has = ", ".join(sources) or "none"
            template = "RG-DATA-007 {split}: the data have no column {column}; available: {has}"
            raise ColumnError(template, Argument("split", {column: separator}), column, has)
        if known not in _SEVERAL:
            raise _not_several(column, separator)


def split_ids(
    columns: Mapping[str, Values], sources: Mapping[str, str], split: Mapping[str, str]
) -> tuple[dict[str, str], list[str]]:
    """Return the separator of each column of ids, and of their scores, that ``split`` does not name, and a note.

    A column has one where most of its texts hold it, or another column of ids has it.

    Args:
        columns: name in the source -> the fields of its first rows.
        sources: known column -> its name in the source.
        split: known column -> the separator that the user gave.
    """
    free = [name for name in _IDS if sources.get(name) in columns and name not in split]
    given = dict.fromkeys([split[name] for name in _IDS if name in split])
    found = _between_ids({name: columns[sources[name]] for name in free}, list(given))
    if found and not split.keys() & {"retrieved_scores"} and "retrieved_scores" in sources:
        scores = _texts(columns.get(sources["retrieved_scores"], ()))
        own = next((one for one in OF_IDS if scores and all(_are_numbers(text, one) for text in scores)), None)
        found["retrieved_scores"] = own or found.get("retrieved") or next(iter(found.values()))
    cut: dict[str, list[str]] = {}
    for name in free:
        if name in found and any(found[name] in text for text in _texts(columns[sources[name]])):
            cut.setdefault(found[name], []).append(sources[name])
    return found, [Message(_CUT, ", ".join(names), separator) for separator, names in cut.items()]


def _between_ids(columns: Mapping[str, Values], given: Sequence[str]) -> dict[str, str]:
    """Return the separator of ids of each column: one that is ``given``, or that most of its texts hold, or another's.

    A text is no list of ids where another column has it as one id, or holds the separator in most of its ids.
    """
    texts = {name: _texts(values) for name, values in columns.items()}
    ids = set(chain.from_iterable([_listed(values) for values in columns.values()]))
    found: dict[str, str] = {}
    for separator in (*given, *OF_IDS):
        for name in [one for one in texts if one not in found]:
            within = [text for text in texts[name] if separator in text]
            enough = len(within) > (0 if separator in given else len(texts[name]) / 2) and ids.isdisjoint(within)
            if not enough or sum([separator in one for one in ids]) * 2 > len(ids):
                continue
            if separator in given or all(_are_ids(text, separator) for text in within):
                found[name] = separator
        ids.update(chain.from_iterable([_parts(one, to) for name, to in found.items() for one in texts[name]]))
    first = next(iter([*found.values(), *given]), None)
    if first is None:
        return {}
    return {name: found.get(name) or _of_known(texts[name], ids, first) for name in columns}


def _of_known(texts: Sequence[str], ids: Collection[str], other: str) -> str:
    """Return the separator of the texts that hold several of ``ids``, where none holds the ``other`` column's."""
    for separator in () if any(other in text for text in texts) else OF_IDS[:-1]:
        within = [text for text in texts if separator in text]
        if within and all(part in ids for text in within for part in _parts(text, separator)):
            return separator
    return other


def _are_ids(text: str, separator: str) -> bool:
    """Return whether the parts of a text are ids; with blanks or arrows between them, it may be one title."""
    parts = _parts(text, separator)
    if separator == " ":
        return all(_ID.fullmatch(part) and part.strip(_AROUND) == part for part in parts)
    in_doubt = separator in (" > ", "->") or (separator == "," and ", " in text)
    return not in_doubt or all(map(_ID.fullmatch, parts))


def _are_numbers(text: str, separator: str) -> bool:
    """Return whether a text has several parts, each of them a number."""
    parts = _parts(text, separator)
    return len(parts) > 1 and all(map(_NUMBER.fullmatch, parts))


def _texts(values: Values) -> list[str]:
    return [one.strip() for one in plain(values[:_LOOKED_AT]) if isinstance(one, str) and not _is_written(one)]


def _listed(values: Values) -> Iterator[str]:
    """Yield the texts in the lists of a column, also in those that are written as JSON."""
    for one in plain(values[:_LOOKED_AT]):
        within = _parsed(one) if isinstance(one, str) and _is_written(one) else one
        yield from [item for item in (items(within) if is_list(within) else ()) if isinstance(item, str)]


_BARE = lazy_pattern(r"""\[([^\[\]{}"']*)\]|\{([^\[\]{}"':]*)\}""")
"""A list without quotes, as Postgres writes arrays in braces."""


def with_bare_lists(values: Values) -> list[Any]:
    """Return fields of ids with each list in brackets without quotes as a list, and each object; other JSON stays.

    >>> with_bare_lists(["[d1, d2]", "{d1,7}", "[1, 2]", '["d1"]', "[Draft]", None])
    [['d1', 'd2'], ['d1', '7'], '[1, 2]', '["d1"]', '[Draft]', None]
    """
    return [(_bare(one) or _scored(one)) if isinstance(one, str) and _is_written(one) else one for one in plain(values)]


def _scored(text: str) -> Any:
    """Return an object id -> number that is written as JSON; any other text as it is."""
    within = _parsed(text) if text.lstrip().startswith("{") else None
    return within if isinstance(within, dict) else text


def _bare(text: str) -> list[str]:
    found = _BARE.fullmatch(text.strip())
    parts = _parts(found[1] or found[2] or "", ",") if found else []
    if found and found[1] and all(map(_NUMBER.fullmatch, parts)):
        return []
    return parts if all(_ID.fullmatch(one) or (len(parts) > 1 and " " not in one) for one in parts) else []


def _is_written(text: str) -> bool:
    return text.lstrip().startswith(("[", "{"))


def _parsed(text: str) -> Any:
    try:
        return parsed(text, "judgements")
    except BadFieldError:
        return None


def split_fields(values: Values, separator: str, *, of_ids: bool = False) -> list[Any]:
    """Return the fields with each text as the list of its parts, without white space around them or empty parts.

    ``of_ids``: a text that is written as a list or an object stays.

    >>> split_fields(["tea ||| jam", None, ["tea"]], "|||")
    [['tea', 'jam'], None, ['tea']]
    """
    return [
        _parts(field, separator) if isinstance(field, str) and not (of_ids and _is_written(field)) else field
        for field in plain(values)
    ]


def _parts(text: str, separator: str) -> list[str]:
    return [part.strip() for part in text.split(separator) if part.strip()]


def as_numbers(values: Sequence[Any]) -> Sequence[Any]:
    """Return lists of texts as lists of numbers; as they are where one of the texts is not a number.

    >>> as_numbers([["3", "0.5"], None]), as_numbers([["3"], ["d1"]])
    ([[3.0, 0.5], None], [['3'], ['d1']])
    """
    try:
        return [[float(one) for one in field] if isinstance(field, list) else field for field in values]
    except (TypeError, ValueError):
        return values


def separator_of(values: Sequence[Any]) -> str | None:
    """Return the separator that most fields hold; None if one of them is a list.

    >>> separator_of(["tea ||| jam", "rum ||| gin"]), separator_of(["tea", "jam"])
    ('|||', None)
    """
    texts = [value for value in values if isinstance(value, str)]
    if len(texts) < sum(value is not None for value in values) or any(text.lstrip().startswith("[") for text in texts):
        return None
    return next((one for one in SEPARATORS if sum(one in text for text in texts) * 2 > len(texts)), None)


def joined_notes(
    tables: Sequence[pa.Table], split: Mapping[str, str], apart: Collection[str], *, written: bool
) -> list[str]:
    """Return a note for each column of passages or ids of one text each with separators in it.

    Of the columns of ``split``, those of ids have a note where some ids hold another separator still.

    Args:
        tables: the columns as they were read.
        split: known column -> the separator at which its fields were split.
        apart: columns of which no field holds several texts in one.
        written: whether a field of passages may be a text; in a list, a blank line separates none.
    """
    notes: list[str] = []
    for name in [one for one in (*_PASSAGES, *_IDS) if one not in apart]:
        lengths = [to_numpy(pc.drop_null(pc.list_value_length(column))) for column in _columns(tables, name)]
        if not lengths or (name in split and name not in _IDS):
            continue
        if name in split:
            total = sum([int(part.sum()) for part in lengths])
            held = _held(tables, name, OF_IDS[:-1])
            left = [Message(_LEFT, name, n, total, one, split[name]) for one, n in held.items() if 0 < n * 2 <= total]
            notes += left[:1]
        elif (np.concatenate(lengths) <= 1).all():
            total = sum(map(len, lengths))
            certain = _CERTAIN if name in _PASSAGES else OF_IDS[:-1]
            held = _held(tables, name, certain if name in _IDS else SEPARATORS if written else ("|||",))
            telling = {one: n for one, n in held.items() if n * 2 > total or (n and one in certain)}
            if telling:
                # The first of those that as many hold: "|||" holds "|" too.
                separator = max(telling, key=lambda one: telling[one])
                given = name, telling[separator], total, separator, Argument("split", {name: separator})
                notes.append(Message(_ONE_TEXT, *given))
    return [*notes, *_notes_on_ids(tables)]


def _notes_on_ids(tables: Sequence[pa.Table]) -> list[str]:
    """Return a note where most of the passages that were retrieved look like ids; none where there are ids, too."""
    if any("retrieved" in table.column_names for table in tables):
        return []
    first = next(_columns(tables, "contexts"), None)
    texts = [] if first is None else _flat(first)[:_LOOKED_AT].to_pylist()
    ids = [text for text in texts if text and all(map(_NAME.fullmatch, filter(None, _BETWEEN.split(text))))]
    given = "contexts", len(ids), len(texts), (ids or [""])[0][:_SHOWN], Argument("map", {"retrieved": "COLUMN"})
    return [Message(_NOT_TEXTS, *given)] if len(ids) * 2 > len(texts) else []


def _held(tables: Sequence[pa.Table], name: str, separators: Iterable[str]) -> dict[str, int]:
    """Return how many texts of a column hold each separator."""
    having = [table for table in tables if name in table.column_names]
    return {one: sum([_holding(table, name, one) for table in having]) for one in separators}


def _holding(table: pa.Table, name: str, separator: str) -> int:
    """Return how many texts of a column hold a separator; not those that the other column of ids has as one id."""
    texts = _flat(table[name])
    texts = pc.filter(texts, pc.match_substring(texts, separator))
    others = [one for one in _IDS if one != name and name in _IDS and one in table.column_names]
    return len(texts) - sum([pc.sum(pc.is_in(texts, value_set=_flat(table[one]))).as_py() or 0 for one in others])


def _flat(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return the texts in a column of lists; of judgements, their ids."""
    flat = pc.list_flatten(column)
    return pc.struct_field(flat, "id") if pa.types.is_struct(flat.type) else flat


def _columns(tables: Sequence[pa.Table], name: str) -> Iterator[pa.ChunkedArray]:
    """Yield the column of each table that has it; one table at a time is in memory."""
    return (table[name] for table in tables if name in table.column_names)
