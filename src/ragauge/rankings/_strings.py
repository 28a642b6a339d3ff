"""Many strings as one byte array: hashed, and ordered by their bytes, without a Python loop over them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    import pyarrow as pa

    from ragauge.ragged import Array, IntArray

WordArray: TypeAlias = npt.NDArray[np.uint64]

_WORD = 8
# 2^64 divided by the golden ratio, made odd (Knuth, TAOCP 3, 6.4): spreads each bit of a product upwards.
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
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
        """Look at the buffers of an Arrow array of type string or large_string that has no nulls."""
        import pyarrow as pa

        wide = pa.types.is_large_string(array.type)
        _, starts, content = array.buffers()
        if not len(array) or content is None:
            return cls(np.empty(0, dtype=np.uint8), np.zeros(len(array) + 1, dtype=np.int64))
        offsets = np.frombuffer(starts, dtype=np.int64 if wide else np.int32)
        return cls(np.frombuffer(content, dtype=np.uint8), offsets[array.offset : array.offset + len(array) + 1])

    def hashes(self, first: int, last: int, salts: WordArray) -> WordArray:
        """Hash the strings from ``first`` up to ``last``, each with its own salt: (last - first,) uint64.

        Equal strings of equal salt have equal hashes. Unequal ones nearly always have different ones, which
        whoever relies on it must confirm.
        """
        words = _Words(self, first, last)
        mixed = salts + words.lengths.view(np.uint64)
        for chosen, word in words:
            mixed[chosen] = spread(mixed[chosen] ^ word)
        return mixed

    def places(self, groups: IntArray) -> IntArray:
        """Place each string within its group, from 0 for the smallest by bytes.

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
    """The words of a slice of strings: for each position, which strings reach it and their eight bytes there.

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

    def __iter__(self) -> Iterator[tuple[slice | IntArray, WordArray]]:
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


def spread(values: WordArray) -> WordArray:
    """Mix 64-bit values so that those that differ little end up far apart; different values stay different."""
    mixed: WordArray = values * _GOLDEN
    mixed ^= mixed >> _HALF
    mixed *= _GOLDEN
    return mixed
