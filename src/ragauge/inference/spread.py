"""How far a score strays: the jackknife standard error, effect size, and what a sample could have shown."""

from __future__ import annotations

from math import ceil, inf, nan, sqrt

import numpy as np

from ragauge.inference.distributions import normal_quantile, student_quantile
from ragauge.ragged import FloatArray

# Scores without a unit that differ by so little, beside their mean, differ by rounding.
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


def acceleration(left_out: FloatArray) -> float:
    """Return how fast the standard error changes with the score, for `ragauge.inference.interval.bca`."""
    influence = left_out.mean() - left_out
    square = float(influence @ influence)
    return float((influence**3).sum()) / (6 * square**1.5) if square > 0 else 0.0


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
    """Return the smallest true difference that a test of this sample would have shown, as often as ``power``.

    Args:
        error: the standard error of the difference.
        units: how many samples or clusters it is from.
        alpha: level of the two-sided test.
        power: how often the test should find the difference.

    Source: Bloom 1995, "Minimum detectable effects"; Card et al. 2020, "With little power comes great
    responsibility".

    >>> round(detectable(0.01, 500), 4)
    0.0281
    """
    if units < 2 or not error > 0:
        return nan
    return (student_quantile(1 - alpha / 2, units - 1) + student_quantile(power, units - 1)) * error


def needed(difference: float, error: float, samples: int, *, alpha: float = 0.05, power: float = 0.8) -> float:
    """Return how many samples a test needs to show a true ``difference`` as often as ``power``.

    Args:
        difference: what one wants to be able to show, not 0.
        error: the standard error of the difference in the sample at hand.
        samples: how many samples that has.
        alpha: level of the two-sided test.
        power: how often the test should find the difference.

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
