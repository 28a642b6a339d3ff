"""Counts of the n-grams that two texts share, for all lengths from one sort of the longest."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ragauge.core.ragged import BoolArray, IntArray, Ragged

KeyArray = npt.NDArray[np.uint64]

# Places per block, so that its arrays stay in the processor's cache.
_BLOCK = 1 << 16
_LONG = 1 << 20
"""Tokens of two texts from which on single tokens are counted without sorting."""
_COLUMN_BITS = 20
# The numbers of tokens that only the left text has, and of those that only the right one has.
_LEFT_ONLY, _RIGHT_ONLY, _FIRST = 0, 1, 2
_LARGEST = (1 << 42) - 1


def shared_ngrams(left: Ragged, right: Ragged, order: int) -> IntArray:
    """Return how many n-grams ``left[i]`` and ``right[i]`` share, each as often as both have it: (n, order).

    The two texts of a pair share one row of a matrix; each place becomes one whole number that holds the n-gram of
    length ``order`` starting there, first token foremost. After sorting a row, equal n-grams of *every* length up to
    ``order`` are neighbours, because a shorter one is the beginning of a longer one. Rows are short, and short rows
    sort several times faster than long ones.

    No code may be negative. Rows whose n-grams do not fit into 63 bits are -1.

    >>> shared_ngrams(Ragged.of([[7, 7, 8]]), Ragged.of([[7, 8]]), 3)
    array([[2, 1, 0]])
    """
    counts = np.full((len(left), order), -1, dtype=np.int64)
    is_long = left.lengths + right.lengths > _LONG
    if order == 1 and is_long.any():
        rest = np.flatnonzero(~is_long)
        counts[is_long, 0] = [_shared_tokens(left[text], right[text]) for text in np.flatnonzero(is_long).tolist()]
        counts[rest] = shared_ngrams(left.take(rest), right.take(rest), 1)
        return counts
    bits = 62 // order
    gap = max(order - 1, 1)
    for chosen in _blocks(left.lengths + right.lengths + 2 * gap):
        rows = _Rows.of(left.take(chosen), right.take(chosen), gap)
        numbers = rows.numbered(1 << bits)
        if numbers is not None:
            counts[chosen] = _shared(numbers, rows.is_left, order, bits)
    return counts


def _shared_tokens(left: IntArray, right: IntArray) -> int:
    """Return how many tokens two long texts share, by counting each code: sorting takes 70 bytes for each token."""
    size = 1 + max(left.max(initial=0), right.max(initial=0))
    return int(np.minimum(np.bincount(left, minlength=size), np.bincount(right, minlength=size)).sum())


@dataclass(frozen=True, slots=True, eq=False)
class _Rows:
    """Pairs of texts as rows: the left text, a gap, the right text, a gap to the end.

    Shapes: ``codes`` (r, w), ``_LEFT_ONLY`` and ``_RIGHT_ONLY`` in the gaps; ``is_left`` (r, w), true up to the end
    of the first gap; ``size`` is one more than the highest code.
    """

    codes: KeyArray
    is_left: BoolArray
    size: int

    @classmethod
    def of(cls, left: Ragged, right: Ragged, gap: int) -> _Rows:
        split = left.lengths + gap
        width = int((split + right.lengths).max()) + gap
        first = np.arange(len(left)) * width
        is_left = np.arange(width) < split[:, None]
        codes = np.where(is_left, np.uint64(_LEFT_ONLY), np.uint64(_RIGHT_ONLY))
        flat, size = codes.reshape(-1), _FIRST
        for part, start in ((left, first), (right, first + split)):
            places = np.arange(len(part.values)) + np.repeat(start - part.offsets[:-1], part.lengths)
            flat[places] = part.values + np.int64(_FIRST)
            size = max(size, int(part.values.max(initial=-1)) + _FIRST + 1)
        return cls(codes, is_left, size)

    def numbered(self, limit: int) -> KeyArray | None:
        """Return numbers below ``limit`` in place of the codes, new in each row if need be; None if that fails."""
        if self.size <= limit:
            return self.codes
        width = self.codes.shape[1]
        if width >= 1 << _COLUMN_BITS or self.size > _LARGEST:
            return None
        key = (self.codes << np.uint64(1) | self.is_left) << np.uint64(_COLUMN_BITS) | np.arange(width, dtype=np.uint64)
        key.sort(axis=1)
        numbers, sizes = _Groups.of(key >> np.uint64(_COLUMN_BITS), width).numbers()
        if numbers.max() >= limit:
            return None
        places = (key & np.uint64((1 << _COLUMN_BITS) - 1)).view(np.int64) + np.arange(len(key))[:, None] * width
        out = np.empty(self.codes.size, dtype=np.uint64)
        out[places.reshape(-1)] = np.repeat(numbers, sizes)
        return out.reshape(self.codes.shape)


@dataclass(frozen=True, slots=True, eq=False)
class _Groups:
    """Sorted rows of keys, whose lowest bit says that a place is of the left text; p places in all."""

    differing: KeyArray
    """(p - 1,) the bits in which a key differs from the one before it."""
    left: IntArray
    """(p + 1,) how many places before each are of a left text."""
    width: int

    @classmethod
    def of(cls, keys: KeyArray, width: int) -> _Groups:
        flat = keys.reshape(-1)
        left = np.zeros(flat.size + 1, dtype=np.int64)
        np.cumsum((flat & np.uint64(1)).view(np.int64), out=left[1:])
        return cls(flat[1:] ^ flat[:-1], left, width)

    def starting(self, least: int) -> tuple[IntArray, IntArray, IntArray]:
        """Return groups of keys that differ in no bit from ``least`` on: their starts, left places, right places."""
        fresh = np.empty(len(self.left) - 1, dtype=bool)
        np.greater_equal(self.differing, np.uint64(least), out=fresh[1:])
        fresh[:: self.width] = True
        starts = np.flatnonzero(fresh)
        edges = np.append(starts, len(fresh))
        left = np.diff(self.left[edges])
        return starts, left, np.diff(edges) - left

    def numbers(self) -> tuple[IntArray, IntArray]:
        """Return the number of each group, from `_FIRST` in each row if both texts have it, and its size."""
        starts, left, right = self.starting(1 << 1)
        shared = (left > 0) & (right > 0)
        numbers: IntArray = np.cumsum(shared.astype(np.int64))
        rows = self.row_starts(starts)
        before: IntArray = numbers[rows] - shared[rows]
        numbers += _FIRST - 1 - np.repeat(before, np.diff(rows, append=len(starts)))
        numbers[~shared] = np.where(left[~shared] > 0, _LEFT_ONLY, _RIGHT_ONLY)
        return numbers, left + right

    def row_starts(self, starts: IntArray) -> IntArray:
        """Return which of the groups is the first of each row."""
        return np.searchsorted(starts, np.arange(0, len(self.left) - 1, self.width))


def _shared(numbers: KeyArray, is_left: BoolArray, order: int, bits: int) -> IntArray:
    """Return the shared n-grams of each row, (r, order)."""
    rows, width = numbers.shape
    key = numbers.reshape(-1)
    for ahead in range(1, order):
        following = np.append(numbers.reshape(-1)[ahead:], np.full(ahead, _RIGHT_ONLY, dtype=np.uint64))
        key = key << np.uint64(bits) | following
    keys = key.reshape(rows, width) << np.uint64(1) | is_left
    keys.sort(axis=1)
    groups = _Groups.of(keys, width)
    counts = np.empty((rows, order), dtype=np.int64)
    for n in range(order):
        starts, left, right = groups.starting(1 << (1 + bits * (order - 1 - n)))
        counts[:, n] = np.add.reduceat(np.minimum(left, right), groups.row_starts(starts))
    return counts


def _blocks(widths: IntArray) -> Iterator[IntArray]:
    """Yield the numbers of rows of similar ``widths``, about `_BLOCK` places at a time."""
    order = np.argsort(widths, kind="stable")
    rest = len(order)
    while rest:
        taken = min(rest, max(1, _BLOCK // int(widths[order[rest - 1]])))
        yield order[rest - taken : rest]
        rest -= taken
