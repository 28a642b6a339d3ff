"""Find the judged documents among the retrieved ones, and documents that were retrieved twice.

The hashes here read eight bytes at a time: ids of twelve bytes take about a tenth of the time of
`ragauge.core.hashing`, whose hashes are kept in results and may never change. These here live as long as one call, and
every match is confirmed by comparing the strings.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ragauge.core.hashing import GOLDEN, HashArray

if TYPE_CHECKING:
    import pyarrow as pa

    from ragauge.core.ragged import Array, IntArray, Lists

_WORD = 8
# 2^64 divided by the golden ratio, made odd (Knuth, TAOCP 3, 6.4): spreads each bit of a product upwards.
_GOLDEN = np.uint64(GOLDEN)
_HALF = np.uint64(32)
_BITS_OF_BYTES = np.uint64(3)


@dataclass(frozen=True, slots=True, eq=False)
class Strings:
    """``n`` UTF-8 strings: string ``i`` is ``data[offsets[i]:offsets[i + 1]]``.

    Strings are read as words of eight bytes at any address, so the cost is per word and not per byte.
    """

    data: npt.NDArray[np.uint8]
    offsets: Array

    @classmethod
    def of(cls, array: pa.Array) -> Strings:
        """Return a view of an Arrow array of type string or large_string without nulls."""
        import pyarrow as pa

        wide = pa.types.is_large_string(array.type)
        _, starts, content = array.buffers()
        if not len(array) or content is None:
            return cls(np.empty(0, dtype=np.uint8), np.zeros(len(array) + 1, dtype=np.int64))
        offsets = np.frombuffer(starts, dtype=np.int64 if wide else np.int32)
        return cls(np.frombuffer(content, dtype=np.uint8), offsets[array.offset : array.offset + len(array) + 1])

    def hashes(self, first: int, last: int, salts: HashArray) -> HashArray:
        """Hash the strings from ``first`` up to ``last``, each with its own salt: (last - first,) uint64.

        Equal strings of equal salt have equal hashes. Unequal strings nearly always have different hashes; the caller
        confirms it.
        """
        words = _Words(self, first, last)
        mixed = salts + words.lengths.view(np.uint64)
        for chosen, word in words:
            mixed[chosen] = spread(mixed[chosen] ^ word)
        return mixed

    def places(self, groups: IntArray) -> IntArray:
        """Return the place of each string within its group, (n,): 0 for the smallest by bytes.

        Args:
            groups: (n,) the group of each string; members of a group stand together, groups rise from 0.
        """
        words = _Words(self, 0, len(groups))
        keys: list[Array] = [groups]
        for chosen, word in words:
            key = np.zeros(len(groups), dtype=np.uint64)
            key[chosen] = word.byteswap()
            if len(key) and (key != key[0]).any():
                keys.append(key)
        order = np.lexsort([words.lengths, *reversed(keys)])
        starts = np.searchsorted(groups, groups)
        places = np.empty(len(groups), dtype=np.int64)
        places[order] = np.arange(len(groups))
        return places - starts


class _Words:
    """The words of a slice of strings: for each position, the strings that reach it and their eight bytes there.

    Bytes past the end of a string are zero. The first byte of a word is its lowest.
    """

    def __init__(self, strings: Strings, first: int, last: int) -> None:
        offsets = strings.offsets[first : last + 1].astype(np.int64)
        low, high = (int(offsets[0]), int(offsets[-1])) if last > first else (0, 0)
        data = strings.data[low : high + _WORD]
        if len(data) < high - low + _WORD:
            data = np.concatenate([data, np.zeros(_WORD, dtype=np.uint8)])
        self._words = np.ndarray((len(data) - _WORD + 1,), dtype="<u8", buffer=data, strides=(1,))
        self._starts = offsets[:-1] - low
        self.lengths = np.diff(offsets)

    def __iter__(self) -> Iterator[tuple[slice | IntArray, HashArray]]:
        longest = int(self.lengths.max(initial=0))
        for position in range(0, longest, _WORD):
            chosen = self._reaching(position)
            word = self._words[self._starts[chosen] + position]
            unused = np.maximum(position + _WORD - self.lengths[chosen], 0).view(np.uint64)
            unused <<= _BITS_OF_BYTES
            word <<= unused
            word >>= unused
            yield chosen, word

    def _reaching(self, position: int) -> slice | IntArray:
        reaching = self.lengths > position
        return slice(None) if reaching.all() else np.flatnonzero(reaching)


def spread(values: HashArray) -> HashArray:
    """Mix 64-bit values so that similar values end up far apart; different values stay different."""
    mixed: HashArray = values * _GOLDEN
    mixed ^= mixed >> _HALF
    mixed *= _GOLDEN
    return mixed


# Documents hashed at a time, and bits of a slot's number: both fit a second-level cache, and with sixteen slots a
# document few documents share one. Measured on 7 million documents: twice or half either costs up to a tenth more.
_BLOCK = 1 << 14
_BITS = 18
_SPARE_BITS = 3


@dataclass(frozen=True, slots=True, eq=False)
class Matches:
    """Judged documents that were retrieved, by hash; correct for every row that is not a suspect.

    ``found``: (m,) the flat index of the retrieved document that equals each judged one, or -1.
    ``suspects``: (s,) the rows, rising, where two documents share a hash, nearly always because one is repeated.
    """

    found: IntArray
    suspects: IntArray


@dataclass(frozen=True, slots=True, eq=False)
class Hashed:
    """Lists of hashes: row ``i`` has ``hashes[offsets[i]:offsets[i + 1]]``."""

    hashes: HashArray
    offsets: IntArray


def hashed(lists: Lists, first: int = 0, last: int | None = None) -> Hashed:
    """Hash the strings of rows ``first`` up to ``last``; equal strings of different rows have different hashes."""
    offsets = lists.offsets[first:] if last is None else lists.offsets[first : last + 1]
    rows = spread(np.arange(first, first + len(offsets) - 1).view(np.uint64))
    strings = Strings.of(lists.values)
    return Hashed(strings.hashes(int(offsets[0]), int(offsets[-1]), np.repeat(rows, np.diff(offsets))), offsets)


def suspects(lists: Hashed) -> IntArray:
    """Return the rows, rising, in which two strings share a hash."""
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
    """A hash table that is filled by assignment of whole arrays; of documents that share a slot, the last keeps it.

    The others enter again, all together, in further rounds. Entries of earlier blocks do no harm, because an entry
    counts only where the hashes agree.
    """

    def __init__(self, wanted: HashArray) -> None:
        self._wanted = wanted
        self._found = np.full(len(wanted), -1, dtype=np.int64)
        self._entries = np.zeros(1 << _BITS, dtype=np.int32)
        self._lost: list[tuple[HashArray, IntArray]] = []
        self._repeated: list[IntArray] = [np.empty(0, dtype=np.int64)]

    def enter(self, hashes: HashArray, start: int, wanted: slice) -> None:
        """Enter the documents from flat index ``start`` on, and look up the ``wanted`` ones among them."""
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

    def _round(self, hashes: HashArray, places: IntArray, wanted: HashArray) -> IntArray:
        """Give each document a slot, record repeated ones and those without, and return the places of the wanted."""
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
    """Yield the rows as blocks of about `_BLOCK` documents; a longer row is a block of its own."""
    marks = np.searchsorted(offsets, np.arange(_BLOCK, offsets[-1], _BLOCK), side="left")
    return pairwise(np.unique(np.concatenate([[0], marks, [len(offsets) - 1]])).tolist())


def places_of(documents: Sequence[str]) -> dict[str, list[int]]:
    """Return document -> its places, from 0.

    >>> places_of(["a", "b", "a"])
    {'a': [0, 2], 'b': [1]}
    """
    places: dict[str, list[int]] = {}
    for place, document in enumerate(documents):
        places.setdefault(document, []).append(place)
    return places
