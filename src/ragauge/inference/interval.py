"""Confidence intervals of a score."""

from __future__ import annotations

from math import nan, sqrt
from statistics import NormalDist
from typing import TypeAlias

import numpy as np

from ragauge.ragged import FloatArray

Interval: TypeAlias = tuple[float, float]

NO_INTERVAL: Interval = (nan, nan)


def percentile(replicates: FloatArray, level: float) -> Interval:
    """Return the percentile bootstrap interval (Efron 1979).

    Args:
        replicates: (r,) scores of replicates; NaN, a replicate that drew no countable sample, is left out.
        level: for instance 0.95.

    >>> low, high = percentile(np.arange(101.0), 0.9)
    >>> round(low, 9), round(high, 9)
    (5.0, 95.0)
    """
    valid = replicates[~np.isnan(replicates)]
    if len(valid) == 0:
        return NO_INTERVAL
    low, high = np.quantile(valid, [(1 - level) / 2, (1 + level) / 2])
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
    z = NormalDist().inv_cdf((1 + level) / 2)
    share = successes / trials
    centre = (share + z * z / (2 * trials)) / (1 + z * z / trials)
    half = z / (1 + z * z / trials) * sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials))
    return (0.0 if successes == 0 else centre - half, 1.0 if successes == trials else centre + half)
