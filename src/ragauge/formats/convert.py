"""Columns of a source as the columns that ragauge knows, with their types; all other columns are kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ragauge.core.arrow import to_arrow
from ragauge.core.sample import SCHEMA
from ragauge.errors import OptionError
from ragauge.formats import fields
from ragauge.formats.arrow_types import NUMBERS, TEXT, TEXTS, fast_lists, fast_texts, inferred, lists_of_one
from ragauge.formats.column_names import RELEVANT_IDS, ColumnMap, folded
from ragauge.formats.documents import judgements, passages, rankings, score_problems
from ragauge.formats.source import Chunk, Problem, Values

_NO_SPLIT: Mapping[str, str] = MappingProxyType({})


def canonical(
    chunk: Chunk, names: ColumnMap, *, written: bool = False, split: Mapping[str, str] = _NO_SPLIT
) -> tuple[pa.RecordBatch, list[Problem]]:
    """Convert one chunk.

    Args:
        chunk: columns under the names of the source.
        names: the known columns among them.
        written: fields are texts as CSV files have them.
        split: column of texts -> the separator between the texts of a field.

    Returns:
        All rows, known columns first, with null for a wrong field; and the problems, with the places of their rows.
    """
    conversion = _Conversion(chunk, names, written=written, split=split)
    conversion.add_known()
    conversion.add_others()
    columns = {name: conversion.columns[name] for name in (*SCHEMA, *conversion.columns) if name in conversion.columns}
    problems = [Problem(chunk.places[row], what) for row, what in conversion.problems]
    return pa.RecordBatch.from_arrays(list(columns.values()), names=list(columns)), problems


class _Conversion:
    """The columns of one chunk that are converted so far, and the problems by row index."""

    def __init__(self, chunk: Chunk, names: ColumnMap, *, written: bool, split: Mapping[str, str]) -> None:
        self._chunk = chunk
        self._names = names
        self._written = written
        self._split = split
        self.columns: dict[str, pa.Array] = {}
        self.problems: list[Problem] = []

    def add_known(self) -> None:
        """Convert the known columns; `retrieved` and its scores come before the columns that imply them."""
        converters: Mapping[str, Callable[[Values, str], pa.Array]] = {
            "id": partial(self._texts, fields.identifier),
            "question": partial(self._texts, fields.question),
            "answer": partial(self._texts, fields.text),
            "language": partial(self._texts, fields.text),
            "references": self._references,
            "retrieved": self._retrieved,
            "retrieved_scores": self._scores,
            "contexts": self._contexts,
            "reference_contexts": self._reference_contexts,
            "relevance": self._relevance,
        }
        for name, convert in converters.items():
            if name in self._names.sources:
                column = fields.label(name, self._names.sources[name])
                values = self._values(name, column)
                if values is not None:
                    self._put(name, convert(values, column))
        self.problems += score_problems(self.columns)

    def add_others(self) -> None:
        """Add every other column as the type of its values."""
        for name, source in self._names.sources.items():
            if name not in SCHEMA and source in self._chunk.columns:
                self.columns[name] = inferred(self._chunk.columns[source])

    def _values(self, name: str, column: str) -> Values | None:
        values = self._chunk.columns.get(self._names.sources[name])
        if values is not None and name in self._split:
            return split_fields(values, self._split[name])
        if values is None or not self._written:
            return values
        values, problems = fields.parsed(values, name, column)
        self.problems += problems
        return values

    def _put(self, name: str, array: pa.Array | None) -> None:
        """Set column ``name``; values that it has already win over those that another column implies."""
        if array is not None:
            present = self.columns.get(name)
            self.columns[name] = array if present is None else pc.coalesce(present, array)

    def _each(self, values: Values, column: str, convert: Callable[[Any], Any], kind: pa.DataType) -> pa.Array:
        converted, problems = fields.each(values, column, convert)
        self.problems += problems
        return to_arrow(converted, kind)

    def _texts(self, convert: Callable[[Any], str], values: Values, column: str) -> pa.Array:
        array = fast_texts(values)
        return self._each(values, column, convert, TEXT) if array is None else array

    def _references(self, values: Values, column: str) -> pa.Array:
        array = fast_lists(values, TEXTS)
        if array is not None:
            return array
        single = fast_texts(values)
        return self._each(values, column, _references, TEXTS) if single is None else lists_of_one(single)

    def _retrieved(self, values: Values, column: str) -> pa.Array:
        ids, scores, problems = rankings(values, column)
        self.problems += problems
        self._put("retrieved_scores", scores)
        return ids

    def _scores(self, values: Values, column: str) -> pa.Array:
        # The column's own values win over scores that `retrieved` implies.
        implied = self.columns.pop("retrieved_scores", None)
        array = fast_lists(values, NUMBERS)
        array = self._each(values, column, _numbers, NUMBERS) if array is None else array
        return array if implied is None else pc.coalesce(array, implied)

    def _contexts(self, values: Values, column: str) -> pa.Array:
        texts, ids, scores, problems = passages(values, column)
        self.problems += problems
        if "retrieved" not in self.columns:
            self._put("retrieved_scores", scores)
        self._put("retrieved", ids)
        return texts

    def _reference_contexts(self, values: Values, column: str) -> pa.Array:
        converted = passages(values, column)
        self.problems += converted.problems
        return converted.texts

    def _relevance(self, values: Values, column: str) -> pa.Array:
        ids_only = folded(self._names.sources["relevance"].rpartition(".")[2]) in RELEVANT_IDS
        relevance, retrieved, problems = judgements(values, column, self.columns.get("retrieved"), ids_only=ids_only)
        self.problems += problems
        if retrieved is not None:
            self.columns["retrieved"] = retrieved
        return relevance


def _references(value: object) -> list[str]:
    return [fields.text(value)] if isinstance(value, str | bytes) else fields.listed(value, "texts", fields.text)


def _numbers(value: object) -> list[float]:
    return fields.listed(value, "numbers", fields.number)


_COLUMNS_OF_TEXTS = tuple(name for name, kind in SCHEMA.items() if kind == "texts")
_PASSAGES = ("contexts", "reference_contexts")
_SEPARATORS = ("|||", "||", "<sep>", "[SEP]", "\n---\n", "\n\n", "###", " | ")
"""Separators that people put between passages, longer ones first."""


def check_split(split: Mapping[str, str]) -> None:
    """Check the option ``split``.

    Raises:
        OptionError: it names another column than one of texts, or a separator is empty.
    """
    for column, separator in split.items():
        if column not in _COLUMNS_OF_TEXTS:
            raise OptionError.value("read", "split", f"of {' or '.join(_COLUMNS_OF_TEXTS)}", column)
        if not separator:
            raise OptionError.value("read", f"split {column}", "the separator between the texts", separator)


def split_fields(values: Values, separator: str) -> list[Any]:
    """Return the fields with each text as the list of its parts, without white space around them or empty parts.

    >>> split_fields(["tea ||| jam", None, ["tea"]], "|||")
    [['tea', 'jam'], None, ['tea']]
    """
    return [_parts(field, separator) if isinstance(field, str) else field for field in fields.plain(values)]


def _parts(field: str, separator: str) -> list[str]:
    return [bare for part in field.split(separator) if (bare := part.strip())]


def separator_of(values: Sequence[Any]) -> str | None:
    """Return the separator that most fields hold; None if one of them is a list.

    >>> separator_of(["tea ||| jam", "rum ||| gin"]), separator_of(["tea", "jam"])
    ('|||', None)
    """
    texts = [value for value in values if isinstance(value, str)]
    if len(texts) < sum(value is not None for value in values) or any(text.lstrip().startswith("[") for text in texts):
        return None
    return next((one for one in _SEPARATORS if sum(one in text for text in texts) * 2 > len(texts)), None)


class JoinedPassages:
    """Counts passages that look like several texts in one, over all batches."""

    def __init__(self, split: Mapping[str, str]) -> None:
        self._columns = [name for name in _PASSAGES if name not in split]
        self._fields: Counter[str] = Counter()
        self._single: Counter[str] = Counter()
        self._with: Counter[tuple[str, str]] = Counter()

    def add(self, batch: pa.RecordBatch) -> None:
        """Count the fields of a batch that hold one text, and those texts that hold a separator."""
        for name in self._columns:
            if name in batch.schema.names:
                column = batch.column(name)
                lengths = pc.list_value_length(column).drop_null()
                self._fields[name] += len(lengths)
                self._single[name] += pc.sum(pc.equal(lengths, 1)).as_py() or 0
                texts = pc.list_flatten(column)
                for separator in _SEPARATORS:
                    self._with[name, separator] += pc.sum(pc.match_substring(texts, separator)).as_py() or 0

    def notes(self) -> list[str]:
        """Return a note for each column where every field is one text and most hold the same separator."""
        notes = []
        for name in self._columns:
            total = self._fields[name]
            separator = next((one for one in _SEPARATORS if self._with[name, one] * 2 > total), None)
            if separator is not None and total == self._single[name]:
                notes.append(
                    f"{name}: every field was read as one text, and {self._with[name, separator]} of {total} contain "
                    f"{separator!r}; if that separates texts, pass split={{{name!r}: {separator!r}}}"
                )
        return notes
