"""How many pairs of samples two columns put in the same order, over any number of replicates at once."""

from __future__ import annotations

import numpy as np

from ragauge.inference.correlation import level_sums
from ragauge.ragged import FloatArray
from ragauge.statistics import ratio

# Blocks of so many samples keep the matrix of pairs in cache; sums of float32 stay whole below 2^24 weighted samples.
_BLOCK = 512
_FEW_LEVELS = 12


def kendall(x: FloatArray, y: FloatArray, weights: FloatArray) -> FloatArray:
    """Return Kendall's tau-b, -1 to 1; NaN where a column is constant.

    Args:
        x: (n,).
        y: (n,).
        weights: (r, n), how often each sample counts.

    Returns:
        (r,).

    Source: Kendall 1945, "The treatment of ties in ranking problems".

    >>> kendall(np.array([1.0, 2.0, 3.0]), np.array([1.0, 3.0, 2.0]), np.ones((1, 3))).round(9)
    array([0.33333333])
    """
    untied = np.sqrt(pairs_apart(x, weights) * pairs_apart(y, weights))
    return ratio(surplus(x, y, weights), untied)


def pairwise_accuracy(x: FloatArray, y: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the share of pairs with different ``y`` that ``x`` orders alike, 0 to 1; a tie in ``x`` is half right.

    With 0/1 labels it is the area under the ROC curve. Shapes as in `kendall`.

    Source: Kocmi et al. 2021, "To ship or not to ship"; half for ties as in the area under the ROC curve.
    """
    return (1 + ratio(surplus(x, y, weights), pairs_apart(y, weights))) / 2


def pairs_apart(values: FloatArray, weights: FloatArray) -> FloatArray:
    """Count the pairs with different values, (r,)."""
    sums, _ = level_sums(values, weights)
    return np.asarray((weights.sum(axis=1) ** 2 - (sums**2).sum(axis=1)) / 2)


def surplus(x: FloatArray, y: FloatArray, weights: FloatArray) -> FloatArray:
    """Count the pairs in the same order less those in the opposite one, (r,)."""
    if len(np.unique(y)) <= _FEW_LEVELS:
        return _by_levels(x, y, weights)
    total = np.zeros(len(weights))
    light = weights.astype(np.float32)
    for start in range(0, len(x), _BLOCK):
        block = slice(start, start + _BLOCK)
        signs = np.sign(x[block, None] - x[None, :]) * np.sign(y[block, None] - y[None, :])
        total += ((light @ signs.T.astype(np.float32)).astype(np.float64) * weights[:, block]).sum(axis=1)
    return total / 2


def _by_levels(x: FloatArray, y: FloatArray, weights: FloatArray) -> FloatArray:
    """Compare each level of ``y`` with all below it: a cumulative sum per level in place of a matrix of pairs."""
    total = np.zeros(len(weights))
    for level in np.unique(y)[1:]:
        lower, _ = level_sums(x, np.where(y < level, weights, 0.0))
        upper, _ = level_sums(x, np.where(y == level, weights, 0.0))
        until = np.cumsum(lower, axis=1)
        total += (upper * (until - lower - (until[:, -1:] - until))).sum(axis=1)
    return total
