"""Read samples from anything: all rows are checked before the first is scored."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from numbers import Integral
from os import PathLike
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pyarrow as pa

from ragauge.core.batch import Dataset
from ragauge.core.sample import SCHEMA
from ragauge.errors import ColumnError, DataError, OptionError
from ragauge.formats.column_names import Fields, check_mapping, quoted, resolve, unnested
from ragauge.formats.columns import TEXT
from ragauge.formats.convert import TYPES, canonical
from ragauge.formats.fields import Unsplit, check_split
from ragauge.formats.file_formats import opened_path
from ragauge.formats.ids import Batches, Identity, conformed
from ragauge.formats.objects import opened_object
from ragauge.formats.opening import ADVICE
from ragauge.formats.source import Chunk, Problem, Source
from ragauge.formats.spool import SPOOL_ABOVE, Store
from ragauge.formats.tables import narrowest, wider

NO_MAPPING: Mapping[str, str] = MappingProxyType({})

_MOST_PROBLEMS = 10_000
"""After so many bad rows reading stops: more of them say nothing new, and would fill memory."""


def read(
    source: Any,
    *,
    mapping: Mapping[str, str] | None = None,
    split: Mapping[str, str] | None = None,
    limit: int | None = None,
    format: str | None = None,  # noqa: A002 - the word that other libraries use
    batch_size: int = 8192,
    spool_above: int = SPOOL_ABOVE,
) -> Dataset:
    """Read samples and check every row of them.

    Args:
        source: a path to JSON Lines, JSON (a list of rows, an object of columns, RAGChecker's results, mlflow's rows),
            CSV, TSV, Parquet or Arrow, each also compressed (``.gz``, ``.zst``); ``-`` for JSON from standard input;
            a list of dicts or of `Sample`; a dict of columns; one row; or a table of pandas, Polars, DuckDB, pyarrow,
            datasets.
        mapping: column -> its name in the source, for names that are not known or are ambiguous. A dotted name
            (``inputs.question``) points into an object.
        split: column of texts -> what stands between the texts where a cell holds them all in one.
        limit: read so many rows at most.
        format: the name of a file's format; None: by the suffix, else by the first bytes. See `register_format`.
        batch_size: rows per batch at most.
        spool_above: bytes in memory, above which rows are kept in a temporary file.

    Raises:
        DataError: rows are wrong; every one of them is named, with its line.
        ColumnError: it cannot be told which column is which.
        OptionError: ``limit`` or ``batch_size`` is less than 1, ``split`` names no column of texts, or ``format`` is
            given for data that are no file.
        UnknownNameError: no format is named ``format``.

    Known columns have the types of the data contract, whatever the source; all others are kept. Rows without an id
    get one made from their content, the same in any order of the rows.

    >>> data = read([{"user_input": "Who?", "response": "Anna."}])
    >>> data.rows, data.columns, dict(data.mapping)
    (1, ('id', 'question', 'answer'), {'question': 'user_input', 'answer': 'response'})
    """
    _check_count("limit", 1 if limit is None else limit)
    _check_count("batch_size", batch_size)
    check_split(split or NO_MAPPING)
    with _opened(source, format) as opened, Store(math.inf if opened.resident else spool_above) as store:
        reading = Reading(opened, mapping or NO_MAPPING, store, split or NO_MAPPING)
        reading.take_all(limit)
        return reading.dataset(batch_size)


def _check_count(option: str, number: int) -> None:
    if not isinstance(number, Integral) or number < 1:
        raise OptionError.value("read", option, "a whole number from 1 on", number)


@contextmanager
def _opened(source: Any, file_format: str | None) -> Iterator[Source]:
    if isinstance(source, str | PathLike):
        with opened_path(str(source) if source == "-" else str(Path(source)), file_format) as opened:
            yield opened
    elif file_format is not None:
        raise OptionError.value("read", "format", "left out unless the data are a file", file_format)
    else:
        yield opened_object(source)


class Reading:
    """What has been read of a source so far."""

    def __init__(
        self, source: Source, mapping: Mapping[str, str], store: Store, split: Mapping[str, str] = NO_MAPPING
    ) -> None:
        self._source = source
        self._mapping = mapping
        self._store = store
        self._split = split
        self._unsplit = Unsplit(split)
        self._identity = Identity(source.unit)
        self._fields: Fields | None = None
        self._names: dict[str, None] = {}
        self._types: dict[str, pa.DataType] = {}
        self._problems: list[Problem] = []

    def take_all(self, limit: int | None) -> None:
        """Read the source to its end, or to ``limit`` rows.

        Raises:
            ColumnError: it cannot be told which column is which.
            DataError: rows are wrong, or there are none.
        """
        for chunk in _limited(self._source.chunks, limit):
            self._take(chunk)
            if len(self._problems) >= _MOST_PROBLEMS:
                break
        if self._names:
            check_mapping(self._mapping, list(self._names))
        problems = sorted(self._problems + self._identity.problems(self._store), key=lambda one: one.place)
        if problems:
            said = [f"{self._source.unit} {place}: {what}" for place, what in problems]
            raise DataError.of(self._source.name, said, advice=self._advice(problems))
        if not self._identity.rows:
            raise DataError(f"{self._source.name}: has no rows; give at least one")
        if not self._types:
            raise DataError(f"{self._source.name}: the rows have no columns; give at least one")

    def _advice(self, problems: Sequence[Problem]) -> str:
        if self._source.written and any(what.startswith("not UTF-8") for _, what in problems):
            return ADVICE
        repeated = any(what.startswith("id ") and "is already that of" in what for _, what in problems)
        source = self._fields.sources.get("id", "id") if self._fields else "id"
        return (
            f"If {source} names something else than samples: --map {quoted(f'document={source}')}" if repeated else ""
        )

    def dataset(self, batch_size: int) -> Dataset:
        """Return all rows that were taken; nothing can be taken after this."""
        fields = self._fields or Fields({}, {})
        types = {name: kind for name, kind in self._types.items() if name != "id" or self._identity.given}
        ordered = {name: types[name] for name in (*SCHEMA, *types) if name in types}
        batches = Batches.of(self._store.tables(), ordered, batch_size)
        notes = (*fields.notes(), *self._unsplit.notes())
        return Dataset(self._source.name, self._identity.rows, batches.columns, batches, fields.renamed, notes)

    def _take(self, chunk: Chunk) -> None:
        self._problems += chunk.problems
        if not len(chunk):
            return
        opened = unnested(chunk, self._mapping.values())
        batch, problems = canonical(opened, self._resolved(opened), written=self._source.written, split=self._split)
        self._problems += problems
        if self._source.written:
            self._unsplit.see(batch)
        self._identity.add(batch, chunk.places)
        self._widen(batch)
        self._store.add(conformed(batch, self._stored_types()))

    def _resolved(self, chunk: Chunk) -> Fields:
        """Return the map of columns, which later chunks may add to but not change."""
        new = [name for name in chunk.columns if name not in self._names]
        if self._fields is None or new:
            self._names.update(dict.fromkeys(new))
            before, self._fields = self._fields, resolve(list(self._names), self._mapping)
            _check_unchanged(before, self._fields)
        return self._fields

    def _widen(self, batch: pa.RecordBatch) -> None:
        for name, column in zip(batch.schema.names, batch.columns, strict=True):
            kind = narrowest(column) if self._is_written(name) else column.type
            self._types[name] = wider(self._types.get(name, kind), kind)

    def _stored_types(self) -> dict[str, pa.DataType]:
        """Return the types to keep rows with: text of CSV stays text until all of it has been seen."""
        return {name: TEXT if self._is_written(name) else kind for name, kind in self._types.items()}

    def _is_written(self, name: str) -> bool:
        return self._source.written and name not in TYPES


def _check_unchanged(before: Fields | None, after: Fields) -> None:
    """Refuse a column that, first seen far into the data, says that others were misread.

    Raises:
        ColumnError: a known column would now come from elsewhere.
    """
    for name, source in before.sources.items() if before else ():
        now = after.sources.get(name)
        if now != source:
            maps = "\n".join(f"  --map {name}={one}" for one in (source, now) if one)
            raise ColumnError(f"{source} was read as {name} until column {now} came; say which one is:\n{maps}")


def _limited(chunks: Iterator[Chunk], limit: int | None) -> Iterator[Chunk]:
    """Stop after ``limit`` rows."""
    left = math.inf if limit is None else limit
    for chunk in chunks:
        part = chunk.head(int(left)) if len(chunk) > left else chunk
        yield part
        left -= len(part)
        if left <= 0:
            return
