"""Which retrieved documents are the judged ones, and which were retrieved twice."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ragauge.rankings._strings import Strings, spread

if TYPE_CHECKING:
    from ragauge.ragged import IntArray
    from ragauge.rankings._strings import WordArray

# Documents hashed at a time, and slots of the hash table: both fit a second-level cache, and with sixteen slots a
# document few of them meet. Measured on 7 million documents; twice or half either costs up to a tenth more.
_BLOCK = 1 << 14
_BITS = 18
_SPARE_BITS = 3


@dataclass(frozen=True, slots=True, eq=False)
class Matches:
    """What the hashes say; right for every row that is not a suspect.

    ``found``: (m,) the flat index of the retrieved document that equals each judged one, or -1.
    ``suspects``: (s,) the rows, rising, where two documents have one hash: nearly always a duplicate.
    """

    found: IntArray
    suspects: IntArray


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """Lists of strings on one side of the match: row ``i`` has ``strings[offsets[i]:offsets[i + 1]]``."""

    strings: Strings
    offsets: IntArray

    def hashes(self, first: int, last: int) -> WordArray:
        """Hash the strings of rows ``first`` up to ``last``, salted with the row."""
        rows = spread(np.arange(first, last, dtype=np.uint64))
        salts = np.repeat(rows, np.diff(self.offsets[first : last + 1]))
        return self.strings.hashes(int(self.offsets[first]), int(self.offsets[last]), salts)


def match(retrieved: Side, judged: Side) -> Matches:
    """Find each judged document among those retrieved for the same row, and rows with duplicates.

    One pass over the retrieved documents, a block of rows at a time, with a hash table that stays in cache.
    """
    found = np.full(int(judged.offsets[-1]), -1, dtype=np.int64)
    largest = max((int(np.diff(retrieved.offsets[[a, b]])[0]) for a, b in _blocks(retrieved.offsets)), default=0)
    table = _Table(max(_BITS, largest.bit_length() + _SPARE_BITS))
    repeated = [np.empty(0, dtype=np.int64)]
    for first, last in _blocks(retrieved.offsets):
        start = retrieved.offsets[first]
        places, again = table.match(retrieved.hashes(first, last), judged.hashes(first, last))
        found[judged.offsets[first] : judged.offsets[last]] = np.where(places < 0, -1, places + start)
        repeated.append(again + start)
    rows = np.searchsorted(retrieved.offsets, np.concatenate(repeated), side="right") - 1
    return Matches(found, np.unique(rows))


class _Table:
    """A hash table of documents that is filled by assignment of whole arrays; the last to take a slot keeps it.

    Those that lost their slot take it again in the next round. What earlier blocks left in the table does no harm:
    an entry counts only where the hashes agree.
    """

    def __init__(self, bits: int) -> None:
        self._shift = np.uint64(64 - bits)
        self._entries = np.zeros(1 << bits, dtype=np.int32)

    def match(self, documents: WordArray, wanted: WordArray) -> tuple[IntArray, IntArray]:
        """Return the place of each ``wanted`` among ``documents`` or -1, and the places of repeated documents."""
        places = np.full(len(wanted), -1, dtype=np.int64)
        repeated = [np.empty(0, dtype=np.int64)]
        pending, slots = np.arange(len(documents), dtype=np.int32), self._slots(documents)
        wanted_slots = self._slots(wanted)
        while len(pending):
            self._entries[slots] = pending
            owners = self._entries[slots]
            entries = np.minimum(self._entries[wanted_slots], len(documents) - 1)
            places = np.where(documents[entries] == wanted, entries, places)
            lost = np.flatnonzero(owners != pending)
            losers, owners, slots = pending[lost], owners[lost], slots[lost]
            same = documents[losers] == documents[owners]
            repeated.append(losers[same].astype(np.int64))
            pending, slots = losers[~same], slots[~same]
        return places, np.concatenate(repeated)

    def _slots(self, hashes: WordArray) -> npt.NDArray[np.int64]:
        return (hashes >> self._shift).astype(np.int64)


def _blocks(offsets: IntArray) -> Iterator[tuple[int, int]]:
    """Cut the rows into runs of about a block of documents; a longer row is a run of its own."""
    marks = np.searchsorted(offsets, np.arange(_BLOCK, offsets[-1], _BLOCK), side="left")
    cuts = np.unique(np.concatenate([[0], marks, [len(offsets) - 1]])).tolist()
    return pairwise(cuts)
