"""Find the judged documents among the retrieved ones, and documents that were retrieved twice.

The hashes here are not those of `ragauge.core.hashing`, which draw the resampling weights and so may never change.
They read eight bytes at a time and are 6 to 11 times as fast, over ids of 5 to 30 bytes. They live as long as one call,
and every match is confirmed by comparing the strings.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, zip_longest

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ragauge.core import native
from ragauge.core.hashing import GOLDEN, HashArray
from ragauge.core.ragged import Array, IntArray, Lists, distinct

ENOUGH_DOCUMENTS = 1 << 10
"""Retrieved documents from which on the kernel, where it is installed, is asked."""
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
        wide = pa.types.is_large_string(array.type)
        _, starts, content = array.buffers()
        if not len(array) or content is None:
            return cls(np.empty(0, dtype=np.uint8), np.zeros(len(array) + 1, dtype=np.int64))
        offsets = np.frombuffer(starts, dtype=np.int64 if wide else np.int32)
        return cls(np.frombuffer(content, dtype=np.uint8), offsets[array.offset : array.offset + len(array) + 1])

    def words(self, first: int, last: int) -> Iterator[tuple[slice | IntArray, HashArray]]:
        """Yield for each position the strings from ``first`` up to ``last`` that reach it, and their eight bytes there.

        Bytes past the end of a string are zero. The first byte of a word is its lowest.
        """
        offsets = self.offsets[first : last + 1].astype(np.int64)
        low, high = int(offsets[0]), int(offsets[-1])
        data = self.data[low : high + _WORD]
        if len(data) < high - low + _WORD:
            data = np.concatenate([data, np.zeros(_WORD, dtype=np.uint8)])
        words = np.ndarray((len(data) - _WORD + 1,), dtype="<u8", buffer=data, strides=(1,))
        starts, lengths = offsets[:-1] - low, np.diff(offsets)
        for position in range(0, int(lengths.max(initial=0)), _WORD):
            reaching = lengths > position
            chosen = slice(None) if reaching.all() else np.flatnonzero(reaching)
            word = words[starts[chosen] + position]
            unused = np.maximum(position + _WORD - lengths[chosen], 0).view(np.uint64)
            unused <<= _BITS_OF_BYTES
            word <<= unused
            word >>= unused
            yield chosen, word

    def places(self, groups: IntArray) -> IntArray:
        """Return the place of each string within its group, (n,): 0 for the smallest by bytes.

        ``groups`` (n,) holds the group of each string, numbered from 0; members of a group are neighbours.
        """
        keys: list[Array] = [groups, *(key for key in self._keys() if (key != key[0]).any())]
        order = np.lexsort([np.diff(self.offsets), *reversed(keys)])
        places = np.empty(len(groups), dtype=np.int64)
        places[order] = np.arange(len(groups))
        return places - np.searchsorted(groups, groups)

    def compared(self, others: Strings, place: IntArray) -> IntArray:
        """Return 1 where a string is greater by bytes than ``others[place[i]]``, -1 where it is smaller, else 0."""
        signs: IntArray = np.sign(np.diff(self.offsets) - np.diff(others.offsets)[place]).astype(np.int64)
        none = np.zeros(1, dtype=np.uint64)
        # From the last word on: an earlier one decides.
        for own, other in reversed([*zip_longest(self._keys(), others._keys(), fillvalue=none)]):
            right = other if other is none else other[place]
            signs = np.where(own == right, signs, np.where(own > right, 1, -1))
        return signs

    def _keys(self) -> Iterator[HashArray]:
        """Yield for each position the eight bytes there of each string, (n,), as numbers in the order of the bytes."""
        count = len(self.offsets) - 1
        for chosen, word in self.words(0, count):
            key = np.zeros(count, dtype=np.uint64)
            key[chosen] = word.byteswap()
            yield key


def spread(values: HashArray) -> HashArray:
    """Mix 64-bit values so that similar values end up far apart; different values stay different."""
    mixed: HashArray = values * _GOLDEN
    mixed ^= mixed >> _HALF
    mixed *= _GOLDEN
    return mixed


def hashed(lists: Lists, first: int = 0, last: int | None = None) -> HashArray:
    """Hash the strings of rows ``first`` up to ``last``, by default of all rows: (m,) uint64.

    Equal strings of one row have equal hashes. Other strings, and those of other rows, nearly always have different
    ones; the caller confirms it.
    """
    offsets = lists.offsets[first : None if last is None else last + 1]
    salts = spread(np.arange(first, first + len(offsets) - 1).view(np.uint64))
    strings, start, end = Strings.of(lists.values), int(offsets[0]), int(offsets[-1])
    hashes = np.repeat(salts, np.diff(offsets)) + np.diff(strings.offsets[start : end + 1]).astype(np.uint64)
    for chosen, word in strings.words(start, end):
        hashes[chosen] = spread(hashes[chosen] ^ word)
    return hashes


# Documents hashed at a time, and bits of a slot's number: both fit a second-level cache, and with sixteen slots a
# document few documents share one. Measured on 7 million documents: twice or half either costs up to a tenth more.
_BLOCK = 1 << 14
_BITS = 18
_SPARE_BITS = 3


@dataclass(frozen=True, slots=True, eq=False)
class Matches:
    """Judged documents that were retrieved, by hash; correct for every row that is not a suspect.

    ``places``: (m,) the flat index of the retrieved document that equals each judged one, or -1.
    ``suspects``: (s,) the rows, rising, where two documents share a hash, nearly always because one is repeated.
    """

    places: IntArray
    suspects: IntArray


def match(retrieved: Lists, judged: Lists, hashes: HashArray) -> Matches:
    """Find each judged document, of these ``hashes``, among those retrieved for the same row, and repeated ones.

    One pass over the retrieved documents, a block of rows at a time, with a hash table that stays in cache. A row
    longer than a block is a block of its own.
    """
    if len(retrieved.values) >= ENOUGH_DOCUMENTS and (matches := native.matches(retrieved, judged)) is not None:
        return Matches(*matches)
    offsets, rounds = retrieved.offsets, Rounds(hashes)
    marks = np.searchsorted(offsets, np.arange(_BLOCK, offsets[-1], _BLOCK), side="left")
    for first, last in pairwise(sorted({0, *marks.tolist(), len(offsets) - 1})):
        places = np.arange(offsets[first], offsets[last])
        rounds.enter(hashed(retrieved, first, last), places, slice(*judged.offsets[[first, last]].tolist()))
    return rounds.matches(offsets)


class Rounds:
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

    def enter(self, hashes: HashArray, places: IntArray, wanted: slice | IntArray) -> None:
        """Enter documents with their flat ``places``, and look up the ``wanted`` ones among them.

        Repeated documents are recorded, and so are those that lost their slot.
        """
        if not len(hashes):
            return
        bits = max(_BITS, len(hashes).bit_length() + _SPARE_BITS)
        if 1 << bits > len(self._entries):
            self._entries = np.zeros(1 << bits, dtype=np.int32)
        entries, shift, keys = self._entries, np.uint64(64 - bits), self._wanted[wanted]
        slots = (hashes >> shift).view(np.int64)
        numbers = np.arange(len(hashes), dtype=np.int32)
        entries[slots] = numbers
        owners = entries[slots]
        lost = np.flatnonzero(owners != numbers)
        if len(lost):
            same = hashes[lost] == hashes[owners[lost]]
            self._repeated.append(places[lost[same]])
            self._lost.append((hashes[lost[~same]], places[lost[~same]]))
        at = np.minimum(entries[(keys >> shift).view(np.int64)], len(hashes) - 1)
        self._found[wanted] = np.where(hashes[at] == keys, places[at], -1)

    def matches(self, offsets: IntArray) -> Matches:
        """Finish all rounds; ``offsets`` cut the documents into rows."""
        while self._lost:
            hashes, places = map(np.concatenate, zip(*self._lost, strict=True))
            self._lost = []
            self.enter(hashes, places, np.flatnonzero(self._found < 0))
        rows = np.searchsorted(offsets, np.concatenate(self._repeated), side="right") - 1
        return Matches(self._found, distinct(rows))


def places_of(documents: Sequence[str]) -> dict[str, list[int]]:
    """Return document -> its places, from 0.

    >>> places_of(["a", "b", "a"])
    {'a': [0, 2], 'b': [1]}
    """
    places: dict[str, list[int]] = {}
    for place, document in enumerate(documents):
        places.setdefault(document, []).append(place)
    return places
