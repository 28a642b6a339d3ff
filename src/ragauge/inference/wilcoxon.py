"""Wilcoxon's signed-rank test."""

from __future__ import annotations

from math import nan, sqrt

import numpy as np

from ragauge.inference.distributions import normal_cdf
from ragauge.inference.outcome import Outcome
from ragauge.inference.ranks import mid_ranks
from ragauge.ragged import FloatArray

_FEW = 50


def wilcoxon(differences: FloatArray) -> Outcome:
    """Test whether paired differences lie symmetrically around 0, by their ranks.

    Up to 50 differences that are not 0 the distribution is exact, ties included; above, normal with the variance
    corrected for ties, without a continuity correction.

    Args:
        differences: (n,); zeros are left out, as in the paper.

    Source: Wilcoxon 1945, "Individual comparisons by ranking methods". Equal to scipy 1.17 where it is exact or
    asymptotic; with ties among few samples scipy is asymptotic or permutes, and this is exact.

    >>> wilcoxon(np.array([1.0, 2.0, 3.0, 4.0, 5.0])).p
    0.0625
    """
    if len(differences) == 0:
        return Outcome("wilcoxon", nan)
    moved = differences[differences != 0]
    if len(moved) == 0:
        return Outcome("wilcoxon", 1.0)
    ranks = mid_ranks(np.abs(moved))
    p = _exact(ranks, moved > 0) if len(moved) <= _FEW else _normal(ranks, moved > 0)
    return Outcome("wilcoxon", min(1.0, p))


def _exact(ranks: FloatArray, rose: FloatArray) -> float:
    """Count sign patterns by their doubled rank sum, which is whole even where ranks are tied."""
    doubled = np.rint(2 * ranks).astype(np.int64)
    ways = np.zeros(int(doubled.sum()) + 1)
    ways[0] = 1.0
    for rank in doubled:
        ways[rank:] = ways[rank:] + ways[: len(ways) - rank]
    reached = int(doubled[rose].sum())
    fewer = min(reached, len(ways) - 1 - reached)
    return float(2 * ways[: fewer + 1].sum() / ways.sum())


def _normal(ranks: FloatArray, rose: FloatArray) -> float:
    n = len(ranks)
    _, tied = np.unique(ranks, return_counts=True)
    variance = n * (n + 1) * (2 * n + 1) / 24 - float((tied.astype(np.float64) ** 3 - tied).sum()) / 48
    return 2 * normal_cdf(-abs(float(ranks[rose].sum()) - n * (n + 1) / 4) / sqrt(variance))
