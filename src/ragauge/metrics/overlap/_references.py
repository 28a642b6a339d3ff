"""Several references per sample: the best of them, or all of them."""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np

from ragauge.ragged import FloatArray, IntArray

References: TypeAlias = Literal["max", "mean", "first"]


def best(scores: FloatArray, owner: IntArray, n: int) -> IntArray:
    """Return the place of the highest score of each sample, of the first one among equals.

    Args:
        scores: (m,)
        owner: (m,) the sample of each score, ascending.
        n: how many samples there are.

    Returns:
        (n,); a sample without scores gets 0.

    >>> best(np.array([0.2, 0.9, 0.9]), np.array([0, 0, 0]), 2)
    array([1, 0])
    """
    starts = np.flatnonzero(np.diff(owner, prepend=-1))
    places = np.zeros(n, dtype=np.int64)
    if len(starts):
        highest = np.repeat(np.maximum.reduceat(scores, starts), np.diff(starts, append=len(owner)))
        winners = np.flatnonzero(scores == highest)[::-1]
        places[owner[winners]] = winners
    return places


def first(owner: IntArray, n: int) -> IntArray:
    """Return the place of the first reference of each of ``n`` samples; 0 where there is none."""
    starts = np.flatnonzero(np.diff(owner, prepend=-1))
    places = np.zeros(n, dtype=np.int64)
    places[owner[starts]] = starts
    return places


def mean(values: FloatArray, owner: IntArray, n: int) -> FloatArray:
    """Return the mean of each sample's values; 0 where there are none."""
    return np.bincount(owner, weights=values, minlength=n) / np.maximum(np.bincount(owner, minlength=n), 1)


def at(values: IntArray, places: IntArray) -> IntArray:
    """Return ``values`` at ``places``, along the first axis, and zeros if there are no values at all."""
    return values[places] if len(values) else np.zeros((len(places), *values.shape[1:]), dtype=values.dtype)
