"""Confidence intervals, then standard errors and power, then the distributions that both use."""

from __future__ import annotations

from functools import cache
from math import ceil, exp, inf, isfinite, lgamma, log, log1p, nan, sqrt
from statistics import NormalDist
from typing import TypeAlias

import numpy as np

from ragauge.core.ragged import FloatArray

Interval: TypeAlias = tuple[float, float]

NO_INTERVAL: Interval = (nan, nan)


def percentile(replicates: FloatArray, level: float, units: int | None = None) -> Interval:
    """Return the percentile bootstrap interval (Efron 1979), expanded for few resampling units if ``units`` is given.

    Args:
        replicates: (r,) scores of replicates; NaN, a replicate without a scored sample, is left out.
        level: for instance 0.95.
        units: number of samples or clusters that replicates draw, at least 2; see `hesterberg_tail`.

    >>> low, high = percentile(np.arange(101.0), 0.9)
    >>> round(low, 9), round(high, 9)
    (5.0, 95.0)
    """
    tail = (1 - level) / 2 if units is None else hesterberg_tail(level, units)
    return _between(replicates, tail, 1 - tail)


def bca(replicates: FloatArray, observed: float, left_out: FloatArray, level: float) -> Interval:
    """Return the bias-corrected and accelerated bootstrap interval.

    Args:
        replicates: (r,) scores of replicates; NaN, a replicate without a scored sample, is left out.
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
    skew = _acceleration(left_out)
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
        successes: number of trials that succeeded.
        trials: number of trials, at least 1.
        level: for instance 0.95.

    >>> [round(end, 3) for end in wilson(10, 10, 0.95)]
    [0.722, 1.0]
    """
    z = normal_quantile((1 + level) / 2)
    share = successes / trials
    centre = (share + z * z / (2 * trials)) / (1 + z * z / trials)
    half = z / (1 + z * z / trials) * sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials))
    return (0.0 if successes == 0 else centre - half, 1.0 if successes == trials else centre + half)


def _acceleration(left_out: FloatArray) -> float:
    """Return how fast the standard error changes with the score."""
    influence = left_out.mean() - left_out
    square = float(influence @ influence)
    return float((influence**3).sum()) / (6 * square**1.5) if square > 0 else 0.0


# Scores that differ by a smaller share of their mean differ by rounding alone.
_ROUNDING = 1e-12


def standard_error(left_out: FloatArray) -> float:
    """Return the jackknife standard error of a score; NaN with fewer than two units.

    Args:
        left_out: (u,) the score without each unit.

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


def effect_size(difference: float, error: float, samples: int) -> float:
    """Return the difference in standard deviations of one sample's difference: Cohen's d for paired samples.

    With clusters or pooled scores the deviation is what a sample of independent ones with this error would have.

    Source: Cohen 1988, "Statistical power analysis for the behavioral sciences", 2.3.5.

    >>> effect_size(0.1, 0.05, 100)
    0.2
    """
    if not error > 0:
        return 0.0 if difference == 0 else nan
    return difference / (error * sqrt(samples))


def detectable(error: float, units: int, *, alpha: float = 0.05, power: float = 0.8) -> float:
    """Return the minimum detectable difference: the smallest true one that a test finds with probability ``power``.

    Args:
        error: the standard error of the difference.
        units: number of samples or clusters.
        alpha: level of the two-sided test.
        power: probability that the test finds the difference.

    Source: Bloom 1995, "Minimum detectable effects"; Card et al. 2020, "With little power comes great
    responsibility".

    >>> round(detectable(0.01, 500), 4)
    0.0281
    """
    if units < 2 or not error > 0:
        return nan
    return (student_quantile(1 - alpha / 2, units - 1) + student_quantile(power, units - 1)) * error


def needed(difference: float, error: float, samples: int, *, alpha: float = 0.05, power: float = 0.8) -> float:
    """Return the number of samples with which a test finds a true ``difference`` with probability ``power``.

    Args:
        difference: the true difference; 0 needs infinitely many samples.
        error: the standard error of the difference in the present sample.
        samples: number of samples in the present sample.
        alpha: level of the two-sided test.
        power: probability that the test finds the difference.

    >>> needed(0.02, 0.01, 500)
    984.0
    """
    if samples < 2 or not error > 0:
        return nan
    if difference == 0:
        return inf
    deviation = error * sqrt(samples)
    # Normal quantiles with two more samples stand in for Student's, whose freedom would depend on the answer.
    normal = normal_quantile(1 - alpha / 2) + normal_quantile(power)
    return float(max(2, ceil((normal * deviation / abs(difference)) ** 2 + normal_quantile(1 - alpha / 2) ** 2 / 2)))


_NORMAL = NormalDist()
_STEPS = 10_000
# The continued fraction ends where a further step changes less than the rounding of a float64.
_CLOSE = 1e-16


def normal_cdf(x: float) -> float:
    """Return the probability of a standard normal value of at most ``x``.

    >>> normal_cdf(0.0)
    0.5
    """
    return _NORMAL.cdf(x)


def normal_quantile(p: float) -> float:
    """Return the standard normal value that is exceeded with probability 1 - ``p``; infinite at 0 and 1.

    >>> round(normal_quantile(0.975), 6), normal_quantile(0)
    (1.959964, -inf)
    """
    if p <= 0 or p >= 1:
        return -inf if p <= 0 else inf
    return _NORMAL.inv_cdf(p)


def student_two_sided(t: float, freedom: float) -> float:
    """Return the probability of a Student's t value at least as far from 0 as ``t``.

    >>> round(student_two_sided(2.228139, 10), 6)
    0.05
    """
    return beta_cdf(freedom / (freedom + t * t), freedom / 2, 0.5)


@cache
def student_quantile(p: float, freedom: float) -> float:
    """Return the value of Student's t that is exceeded with probability 1 - ``p``.

    >>> round(student_quantile(0.975, 10), 6)
    2.228139
    """
    if p < 0.5:
        return -student_quantile(1 - p, freedom)
    low, high = 0.0, 1.0
    while student_two_sided(high, freedom) > 2 * (1 - p):
        high *= 2
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if student_two_sided(middle, freedom) > 2 * (1 - p) else (low, middle)
    return (low + high) / 2


def fair_coin_two_sided(successes: int, trials: int) -> float:
    """Return the probability that a fair coin falls at least as unevenly as ``successes`` in ``trials``.

    >>> round(fair_coin_two_sided(1, 6), 12)
    0.21875
    """
    fewer = min(successes, trials - successes)
    if 2 * fewer == trials:
        return 1.0
    return min(1.0, 2 * beta_cdf(0.5, trials - fewer, fewer + 1))


def beta_cdf(x: float, a: float, b: float) -> float:
    """Return the regularised incomplete beta function, by its continued fraction.

    Source: Abramowitz and Stegun 1964, 26.5.8, evaluated by the method of Lentz 1976.
    """
    if x <= 0 or x >= 1:
        return 0.0 if x <= 0 else 1.0
    if x > (a + 1) / (a + b + 2):
        return 1 - beta_cdf(1 - x, b, a)
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x)) / a
    return front * _fraction(x, a, b)


def _fraction(x: float, a: float, b: float) -> float:
    c, d = 1.0, 1 / (1 - (a + b) * x / (a + 1))
    value = d
    for m in range(1, _STEPS):
        for numerator in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 / (1 + numerator * d)
            c = 1 + numerator / c
            value *= c * d
        if abs(c * d - 1) < _CLOSE:
            break
    return value


def spread_of_t(level: float, freedom: float) -> float:
    """Return half the width of Student's interval of ``level``, in standard errors."""
    return student_quantile((1 + level) / 2, freedom)


def hesterberg_tail(level: float, units: int) -> float:
    """Return the share of replicates beyond each end that makes a percentile interval as wide as Student's.

    The bootstrap's spread is too small by sqrt((n - 1) / n), and its quantiles are normal ones. With few units, plain
    percentiles therefore cover the truth too seldom.

    Source: Hesterberg 2015, "What teachers should know about the bootstrap", the expanded percentile interval.

    >>> round(hesterberg_tail(0.95, 30), 4), round(hesterberg_tail(0.95, 100_000), 4)
    (0.0188, 0.025)
    """
    reach = sqrt(units / (units - 1)) * spread_of_t(level, units - 1)
    return normal_cdf(-reach)
