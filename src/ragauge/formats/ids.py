"""Ids of samples, given or made from the content; and rows that were read, as batches with ids."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ragauge.core.batch import Batch
from ragauge.core.hashing import HashArray, combine, hash_strings, splitmix64
from ragauge.core.ragged import IntArray
from ragauge.formats.source import Problem
from ragauge.formats.spool import Store
from ragauge.formats.tables import as_json, cast


def content_hashes(table: pa.Table) -> HashArray:
    """Hash the content of each row, whatever the order of the columns; a null counts as an absent column.

    Returns:
        (n,) uint64.
    """
    total = np.zeros(table.num_rows, dtype=np.uint64)
    for name in table.column_names:
        column = _one(table.column(name))
        present = column.is_valid().to_numpy(zero_copy_only=False)
        total += np.where(present, combine(_repeated(name, len(total)), _hashes(column)), np.uint64(0))
    return splitmix64(total)


def _one(column: pa.ChunkedArray) -> pa.Array:
    return column.chunk(0) if column.num_chunks == 1 else pa.concat_arrays(column.chunks or [pa.array([], column.type)])


def _repeated(name: str, rows: int) -> HashArray:
    return np.repeat(hash_strings([name]), rows)


def _hashes(array: pa.Array) -> HashArray:
    """Hash each value; what a null hashes to says nothing."""
    kind = array.type
    if pa.types.is_string(kind):
        return hash_strings(array)
    if pa.types.is_integer(kind) or pa.types.is_floating(kind):
        numbers = pc.fill_null(pc.cast(array, pa.float64(), safe=False), 0.0).to_numpy(zero_copy_only=False)
        # Adding zero turns -0.0 into 0.0, which equals it.
        return splitmix64((numbers + 0.0).view(np.uint64))
    if pa.types.is_list(kind):
        return _list_hashes(array)
    if pa.types.is_struct(kind) and kind.num_fields:
        return _struct_hashes(array)
    return hash_strings(as_json(array))


def _struct_hashes(array: pa.Array) -> HashArray:
    total = np.zeros(len(array), dtype=np.uint64)
    for field in array.type:
        column = pc.struct_field(array, field.name)
        present = column.is_valid().to_numpy(zero_copy_only=False)
        total += np.where(present, combine(_repeated(field.name, len(array)), _hashes(column)), np.uint64(0))
    return splitmix64(total)


def _list_hashes(array: pa.Array) -> HashArray:
    lengths = pc.fill_null(pc.list_value_length(array), 0).to_numpy(zero_copy_only=False).astype(np.int64)
    ends = np.cumsum(lengths)
    places = np.arange(lengths.sum()) - np.repeat(ends - lengths, lengths)
    hashes = combine(_hashes(array.flatten()), splitmix64(places.astype(np.uint64)))
    sums = np.concatenate([np.zeros(1, dtype=np.uint64), np.cumsum(hashes, dtype=np.uint64)])
    return splitmix64((sums[ends] - sums[ends - lengths]) ^ splitmix64(lengths.astype(np.uint64)))


def occurrences(hashes: HashArray) -> IntArray:
    """Say for each hash how many equal ones come before it, (n,).

    >>> occurrences(np.array([5, 7, 5, 5], dtype=np.uint64))
    array([0, 0, 1, 2])
    """
    order, starts, sizes = _groups(hashes)
    counts = np.empty(len(hashes), dtype=np.int64)
    counts[order] = np.arange(len(hashes)) - np.repeat(starts, sizes)
    return counts


def made_ids(hashes: HashArray, repeats: IntArray) -> pa.Array:
    """Write ids: 16 hexadecimal digits, and ``-2`` for the second row of the same content.

    >>> made_ids(np.array([255, 255], dtype=np.uint64), np.array([0, 1])).to_pylist()
    ['00000000000000ff', '00000000000000ff-2']
    """
    digits = hashes.astype(">u8").tobytes().hex()
    offsets = np.arange(0, len(digits) + 1, 16, dtype=np.int32)
    ids = pa.StringArray.from_buffers(len(hashes), pa.py_buffer(offsets), pa.py_buffer(digits.encode()))
    if not repeats.any():
        return ids
    return pa.array(
        [f"{one}-{count + 1}" if count else one for one, count in zip(ids.to_pylist(), repeats.tolist(), strict=True)]
    )


def repeated(hashes: HashArray) -> list[tuple[int, int]]:
    """Return (first row, later row) for every row whose hash an earlier row has, by the later row.

    >>> repeated(np.array([5, 7, 5, 5], dtype=np.uint64))
    [(0, 2), (0, 3)]
    """
    order, starts, sizes = _groups(hashes)
    firsts = np.repeat(order[starts], sizes)
    later = order != firsts
    return sorted(zip(firsts[later].tolist(), order[later].tolist(), strict=True), key=lambda pair: pair[1])


def _groups(hashes: HashArray) -> tuple[IntArray, IntArray, IntArray]:
    """Return the order that brings equal hashes together, and the start and size of each group in it."""
    order = np.argsort(hashes, kind="stable")
    ordered = hashes[order]
    starts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1])[: len(hashes)])
    return order, starts, np.diff(np.append(starts, len(hashes)))


_NO_ID = hash_strings([""])[0]


class Identity:
    """The hashes of the ids that have been seen, and where their rows stand.

    ``rows``: how many rows there were. ``given``: whether any of them has an id.
    """

    def __init__(self, unit: str) -> None:
        self._unit = unit
        self._hashes: list[HashArray] = []
        self._starts: list[int] = []
        self._places: list[Sequence[int]] = []
        self.rows = 0
        self.given = False

    def add(self, batch: pa.RecordBatch, places: Sequence[int]) -> None:
        """Take the ids of further rows; null and the empty text are no ids."""
        self._starts.append(self.rows)
        self._places.append(places)
        self.rows += len(places)
        if "id" in batch.schema.names:
            hashes = hash_strings(batch.column("id"))
            self.given = self.given or bool((hashes != _NO_ID).any())
        else:
            hashes = np.broadcast_to(_NO_ID, len(places))
        self._hashes.append(hashes)

    def problems(self, store: Store) -> list[Problem]:
        """Return the rows without an id, if others have one, and those whose id another row has.

        Args:
            store: all rows so far, in their order.
        """
        if not self.given:
            return []
        hashes = np.concatenate(self._hashes)
        missing = np.flatnonzero(hashes == _NO_ID).tolist()
        what = "has no id, but other rows have one; give every row an id, or none"
        return [Problem(self._place(row), what) for row in missing] + self._repeated(hashes, store)

    def _repeated(self, hashes: HashArray, store: Store) -> list[Problem]:
        pairs = [(first, later) for first, later in repeated(hashes) if hashes[later] != _NO_ID]
        if not pairs:
            return []
        names = store.column("id").take([later for _, later in pairs]).to_pylist()
        return [
            Problem(self._place(later), f"id {name!r} is already that of {self._unit} {self._place(first)}")
            for (first, later), name in zip(pairs, names, strict=True)
        ]

    def _place(self, row: int) -> int:
        chunk = bisect_right(self._starts, row) - 1
        return self._places[chunk][row - self._starts[chunk]]


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
        parts = [content_hashes(part) for part in _parts(tables, types, _HASHED)]
        hashes = np.concatenate(parts) if parts else np.empty(0, dtype=np.uint64)
        return cls(tables, types, batch_size, hashes, occurrences(hashes))

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
        return part.add_column(0, "id", made_ids(self.hashes[first:end], self.repeats[first:end]))


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
