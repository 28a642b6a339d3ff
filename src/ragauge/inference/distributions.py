"""The distributions that tests and intervals read: normal, Student's t, binomial at one half."""

from __future__ import annotations

from functools import cache
from math import exp, inf, lgamma, log, log1p, sqrt
from statistics import NormalDist

_NORMAL = NormalDist()
_STEPS = 10_000
# The continued fraction stops where a further step changes less than the rounding of a float64.
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


def fair_two_sided(successes: int, trials: int) -> float:
    """Return the probability that a fair coin falls at least as unevenly as ``successes`` in ``trials``.

    >>> round(fair_two_sided(1, 6), 12)
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
    """Return how many standard errors to each side an interval of ``level`` reaches."""
    return student_quantile((1 + level) / 2, freedom)


def hesterberg_tail(level: float, units: int) -> float:
    """Return the tail that a percentile interval must cut off to be as wide as Student's.

    The bootstrap's spread is too small by sqrt((n - 1) / n), and its quantiles are normal ones: with few units its
    plain percentiles cover too little.

    Source: Hesterberg 2015, "What teachers should know about the bootstrap", the expanded percentile interval.

    >>> round(hesterberg_tail(0.95, 30), 4), round(hesterberg_tail(0.95, 100_000), 4)
    (0.0188, 0.025)
    """
    reach = sqrt(units / (units - 1)) * spread_of_t(level, units - 1)
    return normal_cdf(-reach)
