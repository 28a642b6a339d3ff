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

    Shapes: ``keys`` (u,): the hash of each unit, rising; ``place`` (n,): the unit of each sample.

    >>> units = Units.of(np.array([7, 5, 7], dtype=np.uint64))
    >>> units.place
    array([1, 0, 1])
    >>> units.sums(np.array([[1.0], [10.0], [100.0]]))
    array([[ 10.],
           [101.]])
    """

    keys: HashArray
    place: IntArray
    distinct: int
    """How many samples or clusters there are; more than u where they fell into buckets."""

    @classmethod
    def of(cls, keys: HashArray, groups: int = GROUPS) -> Units:
        """Make one unit per distinct key, or ``groups`` buckets where there are more."""
        distinct, place = np.unique(keys, return_inverse=True)
        count = len(distinct)
        if count > groups:
            distinct, place = np.unique(keys & np.uint64(groups - 1), return_inverse=True)
        return cls(distinct, place.ravel().astype(np.int64), count)

    def __len__(self) -> int:
        return len(self.keys)

    def sums(self, values: FloatArray) -> FloatArray:
        """Add up ``values`` (..., n, k) by unit, (..., u, k); exact for what `ragauge.statistics.split` returned."""
        order = np.argsort(self.place, kind="stable")
        if len(order) == len(self.keys):
            return np.take(values, order, axis=-2)
        starts = np.searchsorted(self.place[order], np.arange(len(self.keys)))
        return np.asarray(np.add.reduceat(np.take(values, order, axis=-2), starts, axis=-2))
