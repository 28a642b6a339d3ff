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
    from ragauge.rankings._lists import Lists
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
class Hashed:
    """Lists of hashes: row ``i`` has ``hashes[offsets[i]:offsets[i + 1]]``."""

    hashes: WordArray
    offsets: IntArray


def hashed(lists: Lists, first: int = 0, last: int | None = None) -> Hashed:
    """Hash the strings of rows ``first`` up to ``last``; in different rows equal strings differ."""
    offsets = lists.offsets[first:] if last is None else lists.offsets[first : last + 1]
    rows = spread(np.arange(first, first + len(offsets) - 1).view(np.uint64))
    strings = Strings.of(lists.values)
    return Hashed(strings.hashes(int(offsets[0]), int(offsets[-1]), np.repeat(rows, np.diff(offsets))), offsets)


def suspects(lists: Hashed) -> IntArray:
    """Return the rows, rising, in which two strings have one hash."""
    rounds = _Rounds(np.empty(0, dtype=np.uint64))
    rounds.enter(lists.hashes, 0, slice(0, 0))
    return rounds.matches(lists.offsets).suspects


def match(retrieved: Lists, judged: Hashed) -> Matches:
    """Find each judged document among those retrieved for the same row, and rows with duplicates.

    One pass over the retrieved documents, a block of rows at a time, with a hash table that stays in cache.
    """
    rounds = _Rounds(judged.hashes)
    for first, last in _blocks(retrieved.offsets):
        block = hashed(retrieved, first, last)
        rounds.enter(block.hashes, int(block.offsets[0]), slice(*judged.offsets[[first, last]].tolist()))
    return rounds.matches(retrieved.offsets)


class _Rounds:
    """A hash table that is filled by assignment of whole arrays; of those that meet in a slot, the last keeps it.

    The others enter again, all together, in further rounds. What earlier blocks left in the table does no harm:
    an entry counts only where the hashes agree.
    """

    def __init__(self, wanted: WordArray) -> None:
        self._wanted = wanted
        self._found = np.full(len(wanted), -1, dtype=np.int64)
        self._entries = np.zeros(1 << _BITS, dtype=np.int32)
        self._lost: list[tuple[WordArray, IntArray]] = []
        self._repeated: list[IntArray] = [np.empty(0, dtype=np.int64)]

    def enter(self, hashes: WordArray, start: int, wanted: slice) -> None:
        """Enter the documents that stand from flat index ``start`` on, and look up the ``wanted`` among them."""
        self._found[wanted] = self._round(hashes, np.arange(start, start + len(hashes)), self._wanted[wanted])

    def matches(self, offsets: IntArray) -> Matches:
        """Finish all rounds; ``offsets`` cut the documents into rows."""
        while self._lost:
            hashes, places = (np.concatenate(parts) for parts in zip(*self._lost, strict=True))
            self._lost = []
            missing = np.flatnonzero(self._found < 0)
            self._found[missing] = self._round(hashes, places, self._wanted[missing])
        rows = np.searchsorted(offsets, np.concatenate(self._repeated), side="right") - 1
        return Matches(self._found, np.unique(rows))

    def _round(self, hashes: WordArray, places: IntArray, wanted: WordArray) -> IntArray:
        """Give each document a slot, note those without and those repeated, and return where the wanted are."""
        entries, shift = self._table(len(hashes))
        slots, wanted_slots = ((some >> shift).view(np.int64) for some in (hashes, wanted))
        numbers = np.arange(len(hashes), dtype=np.int32)
        entries[slots] = numbers
        owners = entries[slots]
        lost = np.flatnonzero(owners != numbers)
        if len(lost):
            same = hashes[lost] == hashes[owners[lost]]
            self._repeated.append(places[lost[same]])
            lost = lost[~same]
            self._lost.append((hashes[lost], places[lost]))
        if not len(hashes) or not len(wanted):
            return np.full(len(wanted), -1, dtype=np.int64)
        at = np.minimum(entries[wanted_slots], len(hashes) - 1)
        return np.where(hashes[at] == wanted, places[at], -1)

    def _table(self, size: int) -> tuple[npt.NDArray[np.int32], np.uint64]:
        bits = max(_BITS, size.bit_length() + _SPARE_BITS)
        if 1 << bits > len(self._entries):
            self._entries = np.zeros(1 << bits, dtype=np.int32)
        return self._entries, np.uint64(64 - bits)


def _blocks(offsets: IntArray) -> Iterator[tuple[int, int]]:
    """Cut the rows into runs of about a block of documents; a longer row is a run of its own."""
    marks = np.searchsorted(offsets, np.arange(_BLOCK, offsets[-1], _BLOCK), side="left")
    return pairwise(np.unique(np.concatenate([[0], marks, [len(offsets) - 1]])).tolist())
