"""Ranks with ties."""

from __future__ import annotations

import numpy as np

from ragauge.ragged import FloatArray


def mid_ranks(values: FloatArray) -> FloatArray:
    """Rank from 1, equal values by the mean of their ranks, (n,).

    >>> mid_ranks(np.array([3.0, 1.0, 3.0]))
    array([2.5, 1. , 2.5])
    """
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return np.asarray((last - (counts - 1) / 2)[place.ravel()])
