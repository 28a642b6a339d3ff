"""Stored rows, given back in batches of one schema."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from ragauge.batch import Batch
from ragauge.formats import _ids
from ragauge.formats._inferred import cast
from ragauge.hashing import HashArray
from ragauge.ragged import IntArray

_HASHED = 1 << 16
"""Rows hashed at a time."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Batches:
    """A function that iterates over the batches, from the first at each call.

    ``tables``: rows as they were stored; a table may lack columns, or hold narrower types.
    ``types``: the columns of every batch, the made id apart.
    ``hashes``, ``repeats``: what ids are made of, (n,) each; None if the rows have _ids.
    """

    tables: Sequence[pa.Table]
    types: Mapping[str, pa.DataType]
    batch_size: int
    hashes: HashArray | None = None
    repeats: IntArray | None = None

    @classmethod
    def of(cls, tables: Sequence[pa.Table], types: Mapping[str, pa.DataType], batch_size: int) -> Batches:
        """Make ids from the content where ``types`` has none."""
        if "id" in types:
            return cls(tables, types, batch_size)
        parts = [_ids.content_hashes(part) for part in _parts(tables, types, _HASHED)]
        hashes = np.concatenate(parts) if parts else np.empty(0, dtype=np.uint64)
        return cls(tables, types, batch_size, hashes, _ids.occurrences(hashes))

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns of every batch."""
        return tuple(self.types) if self.hashes is None else ("id", *self.types)

    def __call__(self) -> Iterator[Batch]:
        """Iterate over the batches."""
        first = 0
        for part in _parts(self.tables, self.types, self.batch_size):
            end = first + part.num_rows
            yield Batch(self._with_ids(part, first, end))
            first = end

    def _with_ids(self, part: pa.Table, first: int, end: int) -> pa.Table:
        if self.hashes is None or self.repeats is None:
            return part
        return part.add_column(0, "id", _ids.made_ids(self.hashes[first:end], self.repeats[first:end]))


def _parts(tables: Sequence[pa.Table], types: Mapping[str, pa.DataType], rows: int) -> Iterator[pa.Table]:
    for table in tables:
        for first in range(0, table.num_rows, rows):
            yield conformed(table.slice(first, rows), types)


def conformed(table: pa.Table, types: Mapping[str, pa.DataType]) -> pa.Table:
    """Return ``table`` (or a batch) with just the columns ``types``; one that it lacks is null."""
    columns = [
        cast(table.column(name), kind) if name in table.schema.names else pa.nulls(table.num_rows, kind)
        for name, kind in types.items()
    ]
    return type(table).from_arrays(columns, names=list(types))
