"""Weighted correlation of two columns, over any number of replicates at once."""

from __future__ import annotations

import numpy as np

from ragauge.ragged import FloatArray, IntArray
from ragauge.statistics import ratio

# Squares so small beside those of the values, which were centred first, are rounding: the column is constant.
_ROUNDING = 1e-24


def pearson(x: FloatArray, y: FloatArray, weights: FloatArray) -> FloatArray:
    """Return Pearson's correlation, -1 to 1; NaN where a column is constant.

    Args:
        x: (n,) or (r, n).
        y: (n,) or (r, n).
        weights: (r, n), how often each sample counts.

    Returns:
        (r,).

    Source: Pearson 1895, "Notes on regression and inheritance in the case of two parents".

    >>> x = np.array([1.0, 2.0, 3.0])
    >>> pearson(x, -x, np.ones((1, 3))).round(9)
    array([-1.])
    """
    total = weights.sum(axis=1)
    left, right = (column - _mean(column, weights, total)[:, None] for column in (x, y))
    covariance = (weights * left * right).sum(axis=1)
    spreads = [(weights * column**2).sum(axis=1) for column in (left, right)]
    sizes = [(weights * np.broadcast_to(column, weights.shape) ** 2).sum(axis=1) for column in (x, y)]
    constant = [spread <= _ROUNDING * size for spread, size in zip(spreads, sizes, strict=True)]
    value = ratio(covariance, np.sqrt(spreads[0] * spreads[1]))
    return np.where(constant[0] | constant[1], np.nan, np.clip(value, -1, 1))


def spearman(x: FloatArray, y: FloatArray, weights: FloatArray) -> FloatArray:
    """Return Spearman's rank correlation, ties by mid-ranks; shapes as in `pearson`, x and y (n,).

    Source: Spearman 1904, "The proof and measurement of association between two things".
    """
    return pearson(weighted_ranks(x, weights), weighted_ranks(y, weights), weights)


def weighted_ranks(values: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the mid-rank of each value where it counts ``weights`` times, (r, n).

    >>> weighted_ranks(np.array([5.0, 7.0, 5.0]), np.array([[1.0, 1.0, 1.0], [2.0, 1.0, 0.0]]))
    array([[1.5, 3. , 1.5],
           [1.5, 3. , 1.5]])
    """
    sums, place = level_sums(values, weights)
    below = np.cumsum(sums, axis=1) - sums
    return np.asarray((below + (sums + 1) / 2)[:, place])


def level_sums(values: FloatArray, weights: FloatArray) -> tuple[FloatArray, IntArray]:
    """Sum the weights of each distinct value, rising, (r, levels), and say where each sample's is, (n,)."""
    levels, inverse = np.unique(values, return_inverse=True)
    place = inverse.ravel().astype(np.int64)
    order = np.argsort(place, kind="stable")
    starts = np.searchsorted(place[order], np.arange(len(levels)))
    sums = np.add.reduceat(weights[:, order], starts, axis=1) if len(values) else np.zeros((len(weights), 0))
    return np.asarray(sums, dtype=np.float64), place


def _mean(column: FloatArray, weights: FloatArray, total: FloatArray) -> FloatArray:
    return ratio((weights * column).sum(axis=1), total)
