"""How far annotators agree with each other: the most that a metric can be expected to agree with them."""

from __future__ import annotations

from itertools import combinations
from typing import Literal, TypeAlias

import numpy as np

from ragauge.ragged import FloatArray
from ragauge.statistics import ratio

Scale: TypeAlias = Literal["nominal", "interval"]


def alpha(labels: FloatArray, scale: Scale, weights: FloatArray) -> FloatArray:
    """Return Krippendorff's alpha: 1 for perfect agreement, 0 for that of chance; NaN where all labels are equal.

    Args:
        labels: (annotators, n), NaN where an annotator said nothing.
        scale: ``nominal``: labels agree or not; ``interval``: by the square of their distance.
        weights: (r, n), how often each sample counts.

    Returns:
        (r,).

    Source: Krippendorff 2011, "Computing Krippendorff's alpha-reliability".

    >>> labels = np.array([[0.0, 1.0, 1.0], [0.0, 1.0, 0.0]])
    >>> alpha(labels, "nominal", np.ones((1, 3))).round(4)
    array([0.4444])
    """
    there = ~np.isnan(labels)
    counts = there.sum(axis=0)
    used = counts > 1
    there, counts, shown = there[:, used], counts[used], np.where(there, labels, 0.0)[:, used]
    sums = weights[:, used]
    observed = sums @ ratio(_apart(shown, there, counts, scale), counts - 1.0)
    total = sums @ counts.astype(np.float64)
    return np.asarray(1 - ratio((total - 1) * observed, _expected(shown, there, sums, scale)))


def _apart(shown: FloatArray, there: FloatArray, counts: FloatArray, scale: Scale) -> FloatArray:
    """Sum the distances of all ordered pairs of labels of a sample, (n,)."""
    if scale == "interval":
        return np.asarray(2 * (counts * (shown**2).sum(axis=0) - shown.sum(axis=0) ** 2))
    values = np.unique(shown[there])
    same = sum(((shown == value) & there).sum(axis=0) ** 2 for value in values)
    return np.asarray(counts**2 - same, dtype=np.float64)


def _expected(shown: FloatArray, there: FloatArray, weights: FloatArray, scale: Scale) -> FloatArray:
    """Sum the distances of all ordered pairs of labels, whatever their samples, (r,)."""
    total = weights @ there.sum(axis=0).astype(np.float64)
    if scale == "interval":
        squares, sums = weights @ (shown**2).sum(axis=0), weights @ shown.sum(axis=0)
        return np.asarray(2 * (total * squares - sums**2))
    held = [weights @ ((shown == value) & there).sum(axis=0).astype(np.float64) for value in np.unique(shown[there])]
    return np.asarray(total**2 - sum((one**2 for one in held), start=np.zeros(len(weights))))


def kappa(labels: FloatArray, scale: Scale) -> float:
    """Return Cohen's kappa, the mean over pairs of annotators; with squared weights on an interval scale.

    Args:
        labels: (annotators, n), NaN where an annotator said nothing.
        scale: as in `alpha`.

    Source: Cohen 1960, "A coefficient of agreement for nominal scales"; Cohen 1968, "Weighted kappa". The mean over
    pairs: Light 1971, "Measures of response agreement for qualitative data".

    >>> round(kappa(np.array([[0.0, 1.0, 1.0], [0.0, 1.0, 0.0]]), "nominal"), 4)
    0.4
    """
    pairs = [_cohen(labels[one], labels[other], scale) for one, other in combinations(range(len(labels)), 2)]
    valid = [value for value in pairs if not np.isnan(value)]
    return float(np.mean(valid)) if valid else float("nan")


def _cohen(left: FloatArray, right: FloatArray, scale: Scale) -> float:
    both = ~np.isnan(left) & ~np.isnan(right)
    if not both.any():
        return float("nan")
    x, y = left[both], right[both]
    if scale == "interval":
        observed = float(np.mean((x - y) ** 2))
        chance = float(np.mean(x**2) + np.mean(y**2) - 2 * x.mean() * y.mean())
    else:
        observed = float(np.mean(x != y))
        chance = 1 - sum(float(np.mean(x == value) * np.mean(y == value)) for value in np.unique(x))
    return 1 - observed / chance if chance > 0 else float("nan")
