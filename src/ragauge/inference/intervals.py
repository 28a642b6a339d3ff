"""Confidence intervals, then the jackknife errors that they use."""

from __future__ import annotations

from math import cbrt, inf, isfinite, isnan, nan, sqrt
from typing import TypeAlias

import numpy as np

from ragauge.core.ragged import FloatArray
from ragauge.inference.distributions import NORMAL, normal_quantile, spread_of_t

Interval: TypeAlias = tuple[float, float]

NO_INTERVAL: Interval = (nan, nan)
FEWEST_EQUAL = 10
"""Units that are all equal have an interval from this number on: at 95 % at most 26 % of all may then differ."""


def percentile(
    replicates: FloatArray, level: float, units: int | None = None, freedom: float | None = None
) -> Interval:
    """Return the percentile bootstrap interval (Efron 1979), expanded for few resampling units if ``units`` is given.

    The bootstrap's spread is too small by sqrt((n - 1) / n), and its quantiles are normal ones, so that plain
    percentiles of few units cover the truth too seldom. Expanded ones are as wide as Student's interval.

    Args:
        replicates: (r,) scores of replicates; NaN, a replicate without a scored sample, is left out.
        level: for instance 0.95.
        units: number of samples or clusters that replicates draw, at least 2.
        freedom: degrees of freedom of their spread, as of `error_freedom`; by default ``units`` - 1.

    Source: Hesterberg 2015, "What teachers should know about the bootstrap", the expanded percentile interval.

    >>> low, high = percentile(np.arange(101.0), 0.9)
    >>> round(low, 9), round(high, 9)
    (5.0, 95.0)
    """
    tail = (1 - level) / 2
    if units is not None:
        reach = sqrt(units / (units - 1)) * spread_of_t(level, units - 1 if freedom is None else freedom)
        tail = NORMAL.cdf(-reach)
        return known_spread(_between(replicates, tail, 1 - tail), units)
    return _between(replicates, tail, 1 - tail)


def symmetric(replicates: FloatArray, observed: float, level: float, units: int) -> Interval:
    """Return the interval of all values that `ragauge.inference.tests.paired_bootstrap` does not reject.

    It lies around the ``observed`` value, as far on both sides as replicates stray from their mean; it has 0 outside
    where that test has p <= 1 - ``level``, and only there. Arguments are those of `percentile`.

    Source: Hall 1988, "On symmetric bootstrap confidence intervals".

    >>> symmetric(np.arange(-50.0, 51.0), 3.0, 0.9, 100)
    (-43.0, 49.0)
    """
    valid = replicates[~np.isnan(replicates)]
    # So many replicates may stray as far as the end of the interval, or further.
    most = int((1 - level) * (1 + len(valid)) + 1e-9) - 1
    if most < 0 or isnan(observed):
        return NO_INTERVAL
    reach = float(np.sort(np.abs(valid - valid.mean()))[::-1][min(most, len(valid) - 1)])
    return known_spread((observed - reach, observed + reach), units)


def bca(replicates: FloatArray, observed: float, left_out: FloatArray, level: float) -> Interval:
    """Return the bias-corrected and accelerated bootstrap interval of the ``observed`` score.

    ``replicates`` (r,) are those of `percentile`, ``left_out`` (u,) the scores without each unit.

    Source: Efron 1987, "Better bootstrap confidence intervals". Equal to scipy 1.17 for the same replicates.

    >>> low, high = bca(np.arange(101.0), 50.0, np.array([1.0, 2.0, 3.0]), 0.9)
    >>> round(low, 9), round(high, 9)
    (5.0, 95.0)
    """
    valid = replicates[~np.isnan(replicates)]
    if len(valid) == 0 or np.all(valid == observed):
        return known_spread((observed, observed), len(left_out)) if len(valid) else NO_INTERVAL
    bias = normal_quantile((float(np.mean(valid < observed)) + float(np.mean(valid <= observed))) / 2)
    if not isfinite(bias):
        return percentile(replicates, level, max(2, len(left_out)))
    skew = _acceleration(left_out)
    ends = [bias + normal_quantile(tail) for tail in ((1 - level) / 2, (1 + level) / 2)]
    low, high = (NORMAL.cdf(bias + end / (1 - skew * end)) for end in ends)
    return _between(valid, low, high)


def known_spread(ends: Interval, units: int) -> Interval:
    """Return an interval, or none where it has no width because fewer than `FEWEST_EQUAL` ``units`` are all equal."""
    low, high = ends
    return NO_INTERVAL if units < FEWEST_EQUAL and high - low <= _ROUNDING * abs(low) else ends


def _between(replicates: FloatArray, below: float, above: float) -> Interval:
    valid = replicates[~np.isnan(replicates)]
    if len(valid) == 0:
        return NO_INTERVAL
    low, high = np.quantile(valid, [below, above])
    return float(low), float(high)


def wilson(successes: float, trials: float, level: float) -> Interval:
    """Return the score interval of the proportion of ``successes`` in at least one trial (Wilson 1927).

    Unlike the bootstrap it does not collapse to a point when all trials agree.

    >>> [round(end, 3) for end in wilson(10, 10, 0.95)]
    [0.722, 1.0]
    """
    low, high = _wilson(successes / trials, trials, normal_quantile((1 + level) / 2))
    return (0.0 if successes == 0 else low, 1.0 if successes == trials else high)


def _wilson(share: float, trials: float, reach: float) -> Interval:
    """Return Wilson's interval that reaches ``reach`` standard errors."""
    square = reach * reach / trials
    centre = (share + square / 2) / (1 + square)
    half = reach / (1 + square) * sqrt(share * (1 - share) / trials + square / (4 * trials))
    return centre - half, centre + half


def jackknife(
    value: float, left_out: FloatArray, level: float, limits: Interval = (-inf, inf), *, trials: float = inf
) -> Interval:
    """Return the interval of a score from its jackknife: how much each unit moves it.

    Within finite ``limits`` it is Wilson's interval, of as many trials of the lowest and the highest score as have the
    score's standard error. Near a limit it is longer towards the middle, and it never leaves the limits. Elsewhere it
    is Student's interval with Hall's correction for the skewness of the influences. Both reach as many standard errors
    as Student's t with the degrees of freedom of `error_freedom`, because the error is an estimate too.

    Args:
        value: the score.
        left_out: (u,) the score without each unit, a sample or a cluster; NaN is left out, and fewer than 2 have no
            interval.
        level: for instance 0.95.
        limits: the lowest and the highest score that there can be.
        trials: number of trials at most, for scores that are 0 or 1: samples of clusters say no more than so many
            independent ones.

    Source: Wilson 1927, "Probable inference, the law of succession, and statistical inference"; the number of trials:
    Korn and Graubard 1998, "Confidence intervals for proportions with small expected number of positive counts
    estimated from survey data"; Hall 1992, "On the removal of skewness by transformation".

    >>> scores = np.array([0.5, 1.0, 1.0, 1.0, 0.8, 1.0, 1.0, 0.9])
    >>> without_each = (scores.sum() - scores) / 7
    >>> [round(end, 3) for end in jackknife(0.9, without_each, 0.95, (0.0, 1.0))]
    [0.524, 0.987]
    >>> [round(end, 3) for end in jackknife(0.9, without_each, 0.95)]
    [0.331, 1.035]
    """
    low, high = limits
    left_out = left_out[~np.isnan(left_out)]
    if len(left_out) < 2 or isnan(value):
        return NO_INTERVAL
    error = standard_error(left_out)
    if isfinite(low) and isfinite(high) and low <= value <= high:
        ends = _within(limits, value, error, left_out, level, trials)
    elif error == 0:
        return known_spread((value, value), len(left_out))
    else:
        ends = _hall(value, error, left_out, level)
    return min(max(ends[0], low), value), max(min(ends[1], high), value)


def _within(
    limits: Interval, value: float, error: float, left_out: FloatArray, level: float, trials: float
) -> Interval:
    low, width = limits[0], limits[1] - limits[0]
    share = (value - low) / width
    if error * sqrt(len(left_out)) <= _EQUAL * width or share in (0.0, 1.0):
        # Units that all agree say nothing of their spread: each counts as one trial, whose spread is known.
        ends = wilson(share * len(left_out), len(left_out), level)
    else:
        effective = min(trials, share * (1 - share) / (error / width) ** 2)
        ends = _wilson(share, effective, spread_of_t(level, error_freedom(left_out)))
    return low + width * ends[0], low + width * ends[1]


def _hall(value: float, error: float, left_out: FloatArray, level: float) -> Interval:
    """Return the ends whose distance, in standard errors, is Student's after Hall's monotone transformation."""
    reach = spread_of_t(level, error_freedom(left_out))
    units = len(left_out)
    # The acceleration is a sixth of skewness / sqrt(u), here of the G1 of Joanes and Gill; Hall's a and b are 1/3, 1/6.
    skew = 6 * _acceleration(left_out) * sqrt(units * (units - 1)) / max(1, units - 2)
    if abs(skew) < _STRAIGHT:
        return value - reach * error, value + reach * error
    low, high = (3 / skew * (cbrt(1 + skew * (end - skew / 6)) - 1) for end in (reach, -reach))
    return value - error * low, value - error * high


def _acceleration(left_out: FloatArray) -> float:
    """Return how fast the standard error changes with the score."""
    influence = _scaled(left_out.mean() - left_out)
    square = float(influence @ influence)
    return float((influence**3).sum()) / (6 * square**1.5) if square > 0 else 0.0


def _scaled(values: FloatArray) -> FloatArray:
    """Return the values in units of the largest, whose powers neither overflow nor vanish."""
    largest = float(np.abs(values).max())
    return values / largest if largest > 0 else values


# Scores that differ by a smaller share of their mean differ by rounding alone.
_ROUNDING = 1e-12
# Scores that spread by a smaller share of their range are equal: vectors of float32 differ by so much.
_EQUAL = 1e-6
# Below this skewness, in standard errors, Hall's transformation is the identity but for rounding.
_STRAIGHT = 1e-6


def standard_error(left_out: FloatArray) -> float:
    """Return the jackknife standard error of a score, from ``left_out`` (u,), the score without each unit.

    NaN with fewer than two units.

    Source: Efron 1982, "The jackknife, the bootstrap and other resampling plans", 3.

    >>> values = np.array([1.0, 2.0, 3.0, 4.0])
    >>> error = standard_error((values.sum() - values) / 3)
    >>> bool(np.isclose(error, values.std(ddof=1) / 2))
    True
    """
    n = len(left_out)
    if n < 2:
        return nan
    centre = float(np.mean(left_out))
    strayed: FloatArray = left_out - centre
    error = sqrt((n - 1) / n * float(strayed @ strayed))
    return 0.0 if error < _ROUNDING * abs(centre) else error


def error_freedom(left_out: FloatArray) -> float:
    """Return the degrees of freedom of a jackknife standard error, from ``left_out`` (u,), at least two.

    They are u - 1 where the influences of units are normal, and fewer where few units decide the error: its variance
    follows from the kurtosis of the influences, which is taken as 0 at least.

    Source: Satterthwaite 1946, "An approximate distribution of estimates of variance components"; the estimate of
    kurtosis: Joanes and Gill 1998, "Comparing measures of sample skewness and kurtosis", G2.

    >>> error_freedom(np.arange(10.0)), round(error_freedom(np.array([0.0] * 9 + [1.0])), 2)
    (9.0, 1.64)
    """
    n = len(left_out)
    strayed = _scaled(left_out - left_out.mean())
    square = float(np.mean(strayed**2))
    if n < 4 or square == 0:
        return n - 1.0
    kurtosis = float(np.mean(strayed**4)) / square**2 - 3
    unbiased = (n - 1) / ((n - 2) * (n - 3)) * ((n + 1) * kurtosis + 6)
    return 2 / (max(unbiased, 0.0) / n + 2 / (n - 1))
