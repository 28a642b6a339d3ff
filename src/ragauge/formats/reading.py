"""One pass over a source: convert, check and keep every row."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

import pyarrow as pa

from ragauge.batch import Dataset
from ragauge.errors import ColumnError, DataError
from ragauge.formats.batches import Batches, conformed
from ragauge.formats.canonical import TYPES, canonical
from ragauge.formats.chunk import Chunk, Problem, Source
from ragauge.formats.fields import Fields, check_mapping, resolve
from ragauge.formats.identity import Identity
from ragauge.formats.inferred import narrowest, wider
from ragauge.formats.store import Store
from ragauge.formats.text_columns import TEXT
from ragauge.formats.unnest import unnested
from ragauge.sample import SCHEMA

_MOST_PROBLEMS = 10_000
"""After so many bad rows reading stops: more of them say nothing new, and would fill memory."""


class Reading:
    """What has been read of a source so far."""

    def __init__(self, source: Source, mapping: Mapping[str, str], store: Store) -> None:
        self._source = source
        self._mapping = mapping
        self._store = store
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
            raise DataError.of(self._source.name, [f"{self._source.unit} {place}: {what}" for place, what in problems])
        if not self._identity.rows:
            raise DataError(f"{self._source.name}: has no rows; give at least one")
        if not self._types:
            raise DataError(f"{self._source.name}: the rows have no columns; give at least one")

    def dataset(self, batch_size: int) -> Dataset:
        """Return all rows that were taken; nothing can be taken after this."""
        fields = self._fields or Fields({}, {})
        types = {name: kind for name, kind in self._types.items() if name != "id" or self._identity.given}
        ordered = {name: types[name] for name in (*SCHEMA, *types) if name in types}
        batches = Batches.of(self._store.tables(), ordered, batch_size)
        return Dataset(
            self._source.name, self._identity.rows, batches.columns, batches, fields.renamed, tuple(fields.notes())
        )

    def _take(self, chunk: Chunk) -> None:
        self._problems += chunk.problems
        if not len(chunk):
            return
        opened = unnested(chunk, self._mapping.values())
        batch, problems = canonical(opened, self._resolved(opened), written=self._source.written)
        self._problems += problems
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
