"""Several texts or ids in one field: the separator between them, as it was given or as most fields show it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

import pyarrow as pa

from ragauge.core.lazy import lazy_pattern
from ragauge.core.messages import Argument, Joined, Message
from ragauge.core.sample import SCHEMA
from ragauge.errors import ColumnError, OptionError
from ragauge.formats.column_names import (
    folded,
    known_name,
    suggests_passages,
    suggests_right,
    suggests_right_documents,
)
from ragauge.formats.fields import is_list, is_number, items, plain
from ragauge.formats.numbered_passages import is_numbering, numbered_passages, numbering_of
from ragauge.formats.scored_ids import note_on_scores, without_scores
from ragauge.formats.source import Values
from ragauge.formats.written_lists import A_NUMBER, AN_ID, is_written, list_in, number_in

SEPARATORS = ("|||", "||", "<sep>", "[SEP]", "\n---\n", "\n\n", "###", " | ", "|")
"""Separators that people put between passages, longer ones first."""
OF_IDS = (*SEPARATORS, " > ", "->", " / ", ";", ",", "、", "，", "；", "،", "؛", "\n", "\t", " ")
"""Separators that people put between ids too; the blank, which is within much else, is the last."""
IDS = ("retrieved", "relevance")
COLUMNS_OF_IDS = (*IDS, "retrieved_scores")
"""Columns of ids, and of a number for each id."""
_AROUND = ",;:.()[]>-–،؛、，；"
"""Marks at the end of a word, which show that a blank beside it is no separator."""
_MIXED = "; or ,"
"""Both separators, each in some fields of a column."""
BETWEEN_IDS = lazy_pattern(r"[,;|、，；،\s]+")
"""Marks and blanks, one of which parts ids in a text."""
_PER_CENT = ("%", "\uff05", "\u066a")
_LOOKED_AT = 1000
"""Rows whose fields are looked at."""
_SEVERAL = (*[name for name, kind in SCHEMA.items() if kind != "text"], "nuggets")
_LISTED = ", ".join(_SEVERAL)
_UNKNOWN = (
    "RG-DATA-243 {split}: column {column} is not read as a known column; name the one that it is, as in {both}; of "
    "several texts are {columns_of_texts}"
)
_CUT = (
    "RG-NOTE-035 {columns}: several ids in a field were split at {separator!r}; if that is part of an id, write ids as "
    "JSON lists"
)

_PASSAGES = ("contexts", "reference_contexts")
_OF_PASSAGES = ("|||", "||", "<sep>", "[SEP]", "\n---\n", " | ")
"""Separators of passages at which fields are split unasked."""
_TABLE = lazy_pattern(r"(?m)^\s*\||\|\s*$")
_CUT_TEXTS = (
    "RG-NOTE-283 {columns}: several passages in a field were split at {separator!r}; if that is part of a passage, "
    "write passages as JSON lists"
)


def check_split(split: Mapping[str, str]) -> None:
    """Raise OptionError where ``split`` names a column of one text a field, or a separator is empty."""
    for column, separator in split.items():
        if SCHEMA.get(column) == "text":
            raise _not_several(column, separator)
        if not separator:
            raise OptionError(
                "RG-DATA-006 {split}: the separator must not be empty", Argument("split", {column: separator})
            )


def _likely(column: str, parts: Sequence[Any]) -> str:
    """Return the known column of several texts that a header and the parts of its fields suggest."""
    header = folded(column)
    if parts and all(isinstance(one, str) and AN_ID.fullmatch(one) for one in parts):
        return "relevance" if suggests_right_documents(header) or suggests_right(header) else "retrieved"
    if suggests_right_documents(header):
        return "reference_contexts"
    return "references" if suggests_right(header) and not suggests_passages(header) else "contexts"


def _not_several(column: str, separator: str) -> OptionError:
    given = Argument("split", {column: separator})
    return OptionError("RG-DATA-005 {split}: name one of {columns_of_texts}", given, _LISTED)


def by_known_name(split: Mapping[str, str], sources: Mapping[str, str]) -> dict[str, str]:
    """Return ``split`` by the known names of its columns, which may be called as in the source, in any case.

    >>> by_known_name({"Found": ";", "references": "|"}, {"retrieved": "found", "references": "gold"})
    {'retrieved': ';', 'references': '|'}
    """
    exact = {source: known for known, source in sources.items()}
    alike = {folded(source): known for known, source in sources.items()}
    return {
        exact.get(name) or known_name(name) or alike.get(folded(name)) or name: separator
        for name, separator in split.items()
    }


def check_split_columns(split: Mapping[str, str], sources: Mapping[str, str], tables: Sequence[pa.Table] = ()) -> None:
    """Raise ColumnError where the data do not have a column of ``split``; OptionError where it holds one text a field.

    ``sources``: column -> its name in the source. ``tables``: the rows, whose fields say what a column may be.
    """
    for column, separator in split.items():
        [known] = by_known_name({column: separator}, sources)
        if known not in sources:
            has = ", ".join(sources) or "none"
            template = "RG-DATA-007 {split}: the data have no column {column}; available: {has}"
            raise ColumnError(template, Argument("split", {column: separator}), column, has)
        if known in SCHEMA and known not in _SEVERAL:
            raise _not_several(column, separator)
        if known not in _SEVERAL:
            there = [one[known][:_LOOKED_AT] for one in tables[:1] if known in one.column_names]
            # Its fields were split already.
            likely = _likely(column, [part for values in there for one in values.to_pylist() for part in one or ()])
            given, meant = Argument("split", {column: separator}), Argument("map", {likely: column})
            raise OptionError(_UNKNOWN, given, column, Joined([meant, given], " "), _LISTED)


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
    free = [name for name in IDS if sources.get(name) in columns and name not in split]
    given = dict.fromkeys([split[name] for name in IDS if name in split])
    found = _between_ids({name: columns[sources[name]] for name in free}, list(given))
    if found and not split.keys() & {"retrieved_scores"} and "retrieved_scores" in sources:
        scores = _texts(columns.get(sources["retrieved_scores"], ()))
        own = next((one for one in OF_IDS if scores and all(_are_numbers(text, one) for text in scores)), None)
        found["retrieved_scores"] = own or found.get("retrieved") or next(iter(found.values()))
    both = {**found, **split}
    cut: dict[str, list[str]] = {}
    for name in free:
        if name in found and any(len(_parts(text, found[name])) > 1 for text in _texts(columns[sources[name]])):
            cut.setdefault(found[name], []).append(sources[name])
    notes: list[str] = [Message(_CUT, ", ".join(names), separator) for separator, names in cut.items()]
    if sources.get("retrieved") in columns:
        values = columns[sources["retrieved"]][:_LOOKED_AT]
        ids = split_fields(values, both["retrieved"], of_ids=True) if "retrieved" in both else plain(values)
        notes += note_on_scores(sources["retrieved"], ids, without_scores(plain(values), ids))
    return found, notes


def split_passages(
    columns: Mapping[str, Values], sources: Mapping[str, str], split: Mapping[str, str]
) -> tuple[dict[str, str], list[str]]:
    """Return the separator of each column of passages that ``split`` does not name, and a note; as of `split_ids`.

    Only what is hardly within passages separates them: rows of tables have bars, too.

    >>> split_passages({"docs": ["茶 | 酒", "tea | jam"]}, {"contexts": "docs"}, {})[0]
    {'contexts': ' | '}
    """
    found: dict[str, str] = {}
    for name in [one for one in _PASSAGES if sources.get(one) in columns and one not in split]:
        values = plain(columns[sources[name]][:_LOOKED_AT])
        separator = separator_of(values)
        if separator in _OF_PASSAGES and not any(_TABLE.search(text) for text in values if isinstance(text, str)):
            found[name] = separator
        elif numbering := numbering_of(values):
            found[name] = numbering
    notes = [Message(_CUT_TEXTS, sources[name], separator) for name, separator in found.items()]
    return found, [*notes]


def _between_ids(columns: Mapping[str, Values], given: Sequence[str]) -> dict[str, str]:
    """Return the separator of ids of each column: one that is ``given``, or that most of its texts hold, or another's.

    A text is no list of ids where another column has it as one id, or holds the separator in most of its ids.
    """
    texts = {name: _texts(values) for name, values in columns.items()}
    ids = set(chain.from_iterable([_listed(values) for values in columns.values()]))
    listed = frozenset(ids)
    found: dict[str, str] = {}
    for separator in (*given, *OF_IDS):
        for name in [one for one in texts if one not in found]:
            within = [text for text in texts[name] if separator in text]
            of_others = {text for other, some in texts.items() if other != name for text in some}
            meet = separator == "," and [text for text in within if not of_others.isdisjoint(_parts(text, separator))]
            are_listed = bool(within) and all(listed.issuperset(_parts(text, separator)) for text in within)
            some = separator in given or are_listed or bool(meet and len(meet) == len(within))
            enough = len(within) > (0 if some else len(texts[name]) / 2) and ids.isdisjoint(within)
            if not enough or sum([separator in one for one in ids]) * 2 > len(ids):
                continue
            if some or all(_are_ids(text, separator) for text in within):
                found[name] = separator
        ids.update(chain.from_iterable([_parts(one, to) for name, to in found.items() for one in texts[name]]))
    found |= {name: _MIXED for name in texts if name not in given and _are_mixed(texts[name], found.get(name), listed)}
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
        return all(AN_ID.fullmatch(part) and part.strip(_AROUND + "/&+") == part for part in parts)
    in_doubt = separator in (" > ", "->", " / ") or (separator == "," and ", " in text)
    # As "doc 1, doc 2".
    alike = len({re.sub(r"\d+", "0", part) for part in parts}) == 1 and any(map(str.isdigit, parts[0][-1:]))
    return not in_doubt or alike or all(map(AN_ID.fullmatch, parts))


def _are_mixed(texts: Sequence[str], found: str | None, ids: frozenset[str]) -> bool:
    """Return whether some texts are ids between commas and others between semicolons, and most are one of the two."""
    by_separator = {one: [text for text in texts if one in text] for one in (";", ",")}
    within = set(chain.from_iterable(by_separator.values()))
    if found not in (None, *by_separator) or not all(by_separator.values()) or not ids.isdisjoint(within):
        return False
    several = [text for some in by_separator.values() for text in some]
    certain = all(map(AN_ID.fullmatch, chain.from_iterable([_parts(text, _MIXED) for text in within])))
    return certain and len(several) == len(within) and len(several) * 2 > len(texts)


def _are_numbers(text: str, separator: str) -> bool:
    """Return whether a text has several parts, each of them a number."""
    parts = _parts(text, separator)
    return len(parts) > 1 and all(map(A_NUMBER.fullmatch, parts))


def numbers_in(field: Any, count: int) -> list[float] | None:
    """Return the ``count`` numbers that a field holds, a list or a text of one in any form; None where it does not.

    >>> numbers_in("[0.1, 0.9]", 2), numbers_in("0,1; 0,9", 2), numbers_in("9%, 85%", 2), numbers_in([["#2", 1]], 2)
    ([0.1, 0.9], [0.1, 0.9], [9.0, 85.0], [2.0, 1.0])
    >>> numbers_in("0.1,0.9", 3), numbers_in("high, low", 2), numbers_in("5, 85%", 2)
    (None, None, None)
    """
    within = list_in(field) if isinstance(field, str) and is_written(field) else field
    given = items(within) if is_list(within) else []
    # Chroma's lists are one for each question.
    given = items(given[0]) if len(given) == 1 and is_list(given[0]) else given
    listed = _all_numbers(given, count)
    if listed is not None or not isinstance(field, str):
        return listed
    text = field.strip().strip("[](){}")
    found = (_all_numbers(_parts(text, separator), count) for separator in (", ", *OF_IDS))
    return next((numbers for numbers in found if numbers is not None), None)


def _all_numbers(parts: Sequence[Any], count: int) -> list[float] | None:
    """Return parts as numbers; None where one is none, they are not ``count``, or some are per cent and others not."""
    if len(parts) != count:
        return None
    read = [number_in(one) if isinstance(one, str) else float(one) if is_number(one) else None for one in parts]
    numbers = [one for one in read if one is not None]
    in_percent = {one.rstrip()[-1:] in _PER_CENT for one in parts if isinstance(one, str)}
    return numbers if len(numbers) == count and len(in_percent) < 2 else None


def _texts(values: Values) -> list[str]:
    return [one.strip() for one in plain(values[:_LOOKED_AT]) if isinstance(one, str) and not is_written(one)]


def _listed(values: Values) -> Iterator[str]:
    """Yield the texts in the lists of a column, also in those that are written as JSON."""
    for one in plain(values[:_LOOKED_AT]):
        within = list_in(one) if isinstance(one, str) and is_written(one) else one
        yield from [item for item in (items(within) if is_list(within) else ()) if isinstance(item, str)]


def lists_of(name: str, values: Values, split: Mapping[str, str], *, ids_only: bool) -> Values:
    """Return the fields of a column, texts as lists where ``split`` says so; ids without their scores.

    ``ids_only``: a number in the column is an id and no grade.

    >>> lists_of("retrieved", ["d1 (0.9), d2 (0.5)", None], {"retrieved": ","}, ids_only=False)
    [['d1', 'd2'], None]
    """
    given = values
    if name in split:
        values = split_fields(values, split[name], of_ids=name in COLUMNS_OF_IDS)
        values = as_numbers(values) if name in COLUMNS_OF_IDS and name != "retrieved" and not ids_only else values
    if name == "retrieved" and not (isinstance(given, pa.Array) and pa.types.is_nested(given.type)):
        values = without_scores(plain(given), plain(values))
    return values


def split_fields(values: Values, separator: str, *, of_ids: bool = False) -> list[Any]:
    """Return the fields with each text as the list of its parts, without white space around them or empty parts.

    ``of_ids``: a text that is written as a list or an object stays.

    >>> split_fields(["tea ||| jam", None, ["tea"]], "|||")
    [['tea', 'jam'], None, ['tea']]
    """
    return [
        _parts(field, separator) if isinstance(field, str) and not (of_ids and is_written(field)) else field
        for field in plain(values)
    ]


def _parts(text: str, separator: str) -> list[str]:
    if is_numbering(separator):
        return numbered_passages(text, separator) or [text.strip()]
    parts = text.replace(";", ",").split(",") if separator == _MIXED else text.split(separator)
    return [part.strip() for part in parts if part.strip()]


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
