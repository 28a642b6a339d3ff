"""Confidence intervals of a score."""

from __future__ import annotations

from math import isfinite, nan, sqrt
from typing import TypeAlias

import numpy as np

from ragauge.inference.distributions import hesterberg_tail, normal_cdf, normal_quantile
from ragauge.inference.spread import acceleration
from ragauge.ragged import FloatArray

Interval: TypeAlias = tuple[float, float]

NO_INTERVAL: Interval = (nan, nan)


def percentile(replicates: FloatArray, level: float, units: int | None = None) -> Interval:
    """Return the percentile bootstrap interval (Efron 1979), expanded for few units where their number is given.

    Args:
        replicates: (r,) scores of replicates; NaN, a replicate that drew no countable sample, is left out.
        level: for instance 0.95.
        units: how many samples or clusters the replicates draw, at least 2; see `hesterberg_tail`.

    >>> low, high = percentile(np.arange(101.0), 0.9)
    >>> round(low, 9), round(high, 9)
    (5.0, 95.0)
    """
    tail = (1 - level) / 2 if units is None else hesterberg_tail(level, units)
    return _between(replicates, tail, 1 - tail)


def bca(replicates: FloatArray, observed: float, left_out: FloatArray, level: float) -> Interval:
    """Return the bias-corrected and accelerated bootstrap interval.

    Args:
        replicates: (r,) scores of replicates; NaN, a replicate that drew no countable sample, is left out.
        observed: the score itself.
        left_out: (u,) the score without each unit.
        level: for instance 0.95.

    Source: Efron 1987, "Better bootstrap confidence intervals". Equal to scipy 1.17 for the same replicates.

    >>> low, high = bca(np.arange(101.0), 50.0, np.array([1.0, 2.0, 3.0]), 0.9)
    >>> round(low, 9), round(high, 9)
    (5.0, 95.0)
    """
    valid = replicates[~np.isnan(replicates)]
    if len(valid) == 0 or np.all(valid == observed):
        return (observed, observed) if len(valid) else NO_INTERVAL
    bias = normal_quantile((float(np.mean(valid < observed)) + float(np.mean(valid <= observed))) / 2)
    if not isfinite(bias):
        return percentile(replicates, level, max(2, len(left_out)))
    skew = acceleration(left_out)
    ends = [bias + normal_quantile(tail) for tail in ((1 - level) / 2, (1 + level) / 2)]
    low, high = (normal_cdf(bias + end / (1 - skew * end)) for end in ends)
    return _between(valid, low, high)


def _between(replicates: FloatArray, below: float, above: float) -> Interval:
    valid = replicates[~np.isnan(replicates)]
    if len(valid) == 0:
        return NO_INTERVAL
    low, high = np.quantile(valid, [below, above])
    return float(low), float(high)


def wilson(successes: float, trials: float, level: float) -> Interval:
    """Return the score interval of a proportion (Wilson 1927).

    Unlike the bootstrap it does not collapse to a point when all trials agree.

    Args:
        successes: how many trials succeeded.
        trials: how many there were, at least 1.
        level: for instance 0.95.

    >>> [round(end, 3) for end in wilson(10, 10, 0.95)]
    [0.722, 1.0]
    """
    z = normal_quantile((1 + level) / 2)
    share = successes / trials
    centre = (share + z * z / (2 * trials)) / (1 + z * z / trials)
    half = z / (1 + z * z / trials) * sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials))
    return (0.0 if successes == 0 else centre - half, 1.0 if successes == trials else centre + half)
