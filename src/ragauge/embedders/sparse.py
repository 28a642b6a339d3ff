"""Sparse vectors of whole numbers: a cosine is the same bits on every machine."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ragauge.core import native
from ragauge.core.ragged import FloatArray, IntArray, Ragged, runs
from ragauge.errors import OptionError

KeyArray = npt.NDArray[np.uint32]
WeightArray = npt.NDArray[np.uint16]

_ROW = np.uint64(32)
# Features looked up at once: temporaries of some ten megabytes.
_BLOCK = 1 << 20
# Pairs from which on the kernel, where it is installed, is faster.
_ENOUGH = 16


@dataclass(frozen=True, eq=False)
class SparseVectors:
    """n vectors with few entries other than 0.

    Weights are whole numbers, so dot products and squared lengths are exact, and a cosine is one square root and one
    division: no machine, order or library changes it. Exact as long as a squared length stays below 2^53.

    Args:
        keys: (m,) the dimensions of the entries, rising within each vector.
        weights: (m,) the entries.
        offsets: (n + 1,) where in both each vector begins and ends.

    >>> keys, weights = np.array([7, 9, 9], dtype=np.uint32), np.array([3, 4, 5], dtype=np.uint16)
    >>> vectors = SparseVectors(keys, weights, np.array([0, 2, 3, 3]))
    >>> vectors.cosine(np.array([0, 0, 0]), np.array([0, 1, 2]))
    array([1. , 0.8, 0. ])
    """

    keys: KeyArray
    weights: WeightArray
    offsets: IntArray

    def __post_init__(self) -> None:
        if not len(self.offsets) or self.offsets[0] != 0 or {self.offsets[-1], len(self.weights)} != {len(self.keys)}:
            raise OptionError(
                "RG-EMB-007 offsets of SparseVectors must go from 0 to the number of keys, which is that of weights"
            )

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @cached_property
    def squares(self) -> IntArray:
        """The squared length of each vector, (n,)."""
        filled = np.flatnonzero(np.diff(self.offsets))
        squares = np.zeros(len(self), dtype=np.int64)
        if len(filled):
            squares[filled] = np.add.reduceat(np.square(self.weights, dtype=np.int64), self.offsets[filled])
        return squares

    def cosine(self, left: IntArray, right: IntArray) -> FloatArray:
        """Return the cosine of vectors ``left[i]`` and ``right[i]`` for each i; 0 where one of them is empty."""
        left, right = np.asarray(left, dtype=np.int64), np.asarray(right, dtype=np.int64)
        dots = native.dots(Ragged(self.keys, self.offsets), self.weights, left, right) if len(left) >= _ENOUGH else None
        if dots is None:
            dots = self._dots(left, right)
        # The root of a product, not a product of roots: the root of a square is exact, so equal vectors give 1.
        scale = np.sqrt(self.squares[left].astype(np.float64) * self.squares[right])
        return np.divide(dots, scale, out=np.zeros(len(left)), where=scale > 0).clip(max=1.0)

    def joined(self, more: SparseVectors) -> SparseVectors:
        """Return these vectors, followed by ``more``."""
        keys = np.concatenate([self.keys, more.keys])
        weights = np.concatenate([self.weights, more.weights])
        return SparseVectors(keys, weights, np.concatenate([self.offsets, more.offsets[1:] + self.offsets[-1]]))

    def _dots(self, left: IntArray, right: IntArray) -> FloatArray:
        """Return the dot products of vectors ``left[i]`` and ``right[i]``."""
        lengths = np.diff(self.offsets)
        swap = lengths[left] > lengths[right]
        short, long = np.where(swap, right, left), np.where(swap, left, right)
        order = np.argsort(long, kind="stable")
        dots = np.zeros(len(left))
        for first, last in runs(np.cumsum(lengths[short][order] + 1), _BLOCK):
            part = order[first:last]
            dots[part] = self._looked_up(short[part], long[part])
        return dots

    def _looked_up(self, short: IntArray, long: IntArray) -> FloatArray:
        """Look up each entry of ``short[i]`` in ``long[i]``, which never falls."""
        held, place = np.unique(long, return_inverse=True)
        hay_entries, hay_rows = self._entries(held)
        hay = self.keys[hay_entries] | hay_rows << _ROW
        entries, rows = self._entries(short)
        needles = self.keys[entries] | place.astype(np.uint64)[rows] << _ROW
        spots = np.minimum(np.searchsorted(hay, needles), max(len(hay) - 1, 0))
        shared = np.flatnonzero(hay[spots] == needles) if len(hay) else np.empty(0, dtype=np.int64)
        products = self.weights[entries[shared]].astype(np.float64) * self.weights[hay_entries[spots[shared]]]
        return np.asarray(np.bincount(rows[shared].astype(np.int64), products, len(short)), dtype=np.float64)

    def _entries(self, vectors: IntArray) -> tuple[IntArray, KeyArray]:
        """Return where the entries of ``vectors`` are, and which of ``vectors`` each belongs to."""
        lengths = np.diff(self.offsets)[vectors]
        ends = np.cumsum(lengths)
        rows = np.repeat(np.arange(len(vectors)), lengths)
        places = np.arange(ends[-1] if len(ends) else 0) + (self.offsets[vectors] - ends + lengths)[rows]
        return places, rows.astype(np.uint64)
