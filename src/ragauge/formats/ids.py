"""Ids of samples: those that the rows have are checked, others are made from the content of the row."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from itertools import chain

import numpy as np
import pyarrow as pa

from ragauge.core.arrow import to_arrow
from ragauge.core.hashing import HashArray, hash_strings
from ragauge.core.ragged import IntArray
from ragauge.formats.source import Problem


def occurrences(hashes: HashArray) -> IntArray:
    """Return for each hash the number of equal ones before it, (n,).

    >>> occurrences(np.array([5, 7, 5, 5], dtype=np.uint64))
    array([0, 0, 1, 2])
    """
    order, starts, sizes = _groups(hashes)
    counts = np.empty(len(hashes), dtype=np.int64)
    counts[order] = np.arange(len(hashes)) - np.repeat(starts, sizes)
    return counts


def made_ids(hashes: HashArray, repeats: IntArray) -> pa.Array:
    """Return ids of 16 hexadecimal digits, with ``-2`` after those of the second row of the same content.

    >>> made_ids(np.array([255, 255], dtype=np.uint64), np.array([0, 1])).to_pylist()
    ['00000000000000ff', '00000000000000ff-2']
    """
    digits = hashes.astype(">u8").tobytes().hex()
    offsets = np.arange(0, len(digits) + 1, 16, dtype=np.int32)
    ids = pa.StringArray.from_buffers(len(hashes), pa.py_buffer(offsets), pa.py_buffer(digits.encode()))
    if not repeats.any():
        return ids
    return to_arrow(
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
    """Return an order in which equal hashes stand together, and the start and size of each group in it."""
    order = np.argsort(hashes, kind="stable")
    ordered = hashes[order]
    starts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1])[: len(hashes)])
    return order, starts, np.diff(np.append(starts, len(hashes)))


_NO_ID = hash_strings([""])[0]


class Identity:
    """The ids of the rows that were read, as hashes, and the places of the rows.

    ``rows``: the number of rows. ``has_ids``: whether any of them has an id.
    """

    def __init__(self, unit: str) -> None:
        self._unit = unit
        self._hashes: list[HashArray] = []
        self._starts: list[int] = []
        self._places: list[Sequence[int]] = []
        self.rows = 0
        self.has_ids = False

    def add(self, batch: pa.RecordBatch, places: Sequence[int]) -> None:
        """Add the ids of further rows; null and the empty text are no ids."""
        self._starts.append(self.rows)
        self._places.append(places)
        self.rows += len(places)
        if "id" in batch.schema.names:
            hashes = hash_strings(batch.column("id"))
            self.has_ids = self.has_ids or bool((hashes != _NO_ID).any())
        else:
            hashes = np.broadcast_to(_NO_ID, len(places))
        self._hashes.append(hashes)

    def problems(self, tables: Callable[[], Sequence[pa.Table]]) -> list[Problem]:
        """Return the rows whose id another row has; where some rows have an id, also those without one.

        Args:
            tables: returns all rows, in the order in which they were added.
        """
        if not self.has_ids:
            return []
        hashes = np.concatenate(self._hashes)
        missing = np.flatnonzero(hashes == _NO_ID).tolist()
        what = "has no id, but other rows have one; give every row an id, or none"
        problems = [Problem(self._place(row), what) for row in missing]
        pairs = [(first, later) for first, later in repeated(hashes) if hashes[later] != _NO_ID]
        names = _ids_at([later for _, later in pairs], tables()) if pairs else []
        return problems + [
            Problem(self._place(later), f"id {name!r} is already that of {self._unit} {self._place(first)}")
            for (first, later), name in zip(pairs, names, strict=True)
        ]

    def _place(self, row: int) -> int:
        chunk = bisect_right(self._starts, row) - 1
        return self._places[chunk][row - self._starts[chunk]]


def _ids_at(rows: Sequence[int], tables: Sequence[pa.Table]) -> list[str]:
    ids = [table["id"] if "id" in table.column_names else pa.nulls(len(table), pa.string()) for table in tables]
    chunks = chain.from_iterable(one.chunks if isinstance(one, pa.ChunkedArray) else [one] for one in ids)
    names: list[str] = pa.chunked_array(list(chunks), pa.string()).take(to_arrow(rows)).to_pylist()
    return names
