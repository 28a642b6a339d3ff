"""What is drawn or swapped as a whole: a sample, a cluster of samples, or a bucket of many."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ragauge.hashing import HashArray
from ragauge.ragged import FloatArray, IntArray

GROUPS = 1 << 12
"""Above so many samples or clusters, tests of two runs draw and swap buckets of them, chosen by their hashes.

A random grouping keeps a test exact and an interval valid; with 4096 buckets the standard error is known to 1.1 %.
"""


@dataclass(frozen=True, eq=False)
class Units:
    """Which of u units each of n samples belongs to, in an order that depends on their keys alone.

    Shapes: ``keys`` (u,): the hash of each unit, rising; ``place`` (n,): the unit of each sample; ``order`` (n,): the
    samples sorted by unit; ``starts`` (u,): where each unit begins in that order.

    >>> units = Units.of(np.array([7, 5, 7], dtype=np.uint64))
    >>> units.place
    array([1, 0, 1])
    >>> units.sums(np.array([[1.0], [10.0], [100.0]]))
    array([[ 10.],
           [101.]])
    """

    keys: HashArray
    place: IntArray
    order: IntArray
    starts: IntArray
    distinct: int
    """How many samples or clusters there are; more than u where they fell into buckets."""

    @classmethod
    def of(cls, keys: HashArray, groups: int = GROUPS) -> Units:
        """Make one unit per distinct key, or ``groups`` buckets where there are more."""
        distinct, place = np.unique(keys, return_inverse=True)
        count = len(distinct)
        if count > groups:
            distinct, place = np.unique(keys & np.uint64(groups - 1), return_inverse=True)
        unit = place.ravel().astype(np.int64)
        order = np.argsort(unit, kind="stable").astype(np.int64)
        starts = np.searchsorted(unit[order], np.arange(len(distinct))).astype(np.int64)
        return cls(distinct, unit, order, starts, count)

    def __len__(self) -> int:
        return len(self.keys)

    def sums(self, values: FloatArray) -> FloatArray:
        """Add up ``values`` (..., n, k) by unit, (..., u, k); exact for what `ragauge.statistics.split` returned."""
        ordered = np.take(values, self.order, axis=-2)
        if len(self.order) == len(self.keys):
            return ordered
        return np.asarray(np.add.reduceat(ordered, self.starts, axis=-2))
