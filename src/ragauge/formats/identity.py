"""Whether the ids that rows have are all there, and all different."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from ragauge.formats.chunk import Problem
from ragauge.formats.ids import repeated
from ragauge.formats.store import Store
from ragauge.hashing import HashArray, hash_strings

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
