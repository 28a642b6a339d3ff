"""The normal distribution, Student's t and the beta distribution."""

from __future__ import annotations

from functools import lru_cache
from math import exp, inf, lgamma, log, log1p, pi
from statistics import NormalDist

NORMAL = NormalDist()
_STEPS = 10_000
_NORMAL_FREEDOM = 1 << 31
"""Degrees of freedom above which t is normal to nine digits, and beta_cdf loses more; no data have so many rows."""
_LIKE_NORMAL, _FAR_OUT, _CLOSE_TO_T, _CLOSE = 30, 1e-9, 1e-13, 1e-16
"""Degrees of freedom and tails from which on Newton's steps find a quantile, and how close to it they surely come.

Each degree of freedom adds a rounding: that of x is taken to the power of half of them.
"""


def normal_quantile(p: float) -> float:
    """Return the standard normal value that is exceeded with probability 1 - ``p``; infinite at 0 and 1.

    >>> round(normal_quantile(0.975), 6), normal_quantile(0)
    (1.959964, -inf)
    """
    if p <= 0 or p >= 1:
        return -inf if p <= 0 else inf
    return NORMAL.inv_cdf(p)


def student_two_sided(t: float, freedom: float) -> float:
    """Return the probability of a Student's t value at least as far from 0 as ``t``.

    >>> round(student_two_sided(2.228139, 10), 6)
    0.05
    """
    return beta_cdf(freedom / (freedom + t * t), freedom / 2, 0.5)


@lru_cache(maxsize=1 << 12)
def student_quantile(p: float, freedom: float) -> float:
    """Return the value of Student's t that is exceeded with probability 1 - ``p``.

    >>> round(student_quantile(0.975, 10), 6)
    2.228139
    """
    if freedom > _NORMAL_FREEDOM:
        return normal_quantile(p)
    if p < 0.5:
        return -student_quantile(1 - p, freedom)
    tail = 2 * (1 - p)
    least, most = _around_quantile(p, freedom) if freedom >= _LIKE_NORMAL and tail >= _FAR_OUT else (0.0, inf)

    def below(t: float) -> bool:
        return t <= least or (t < most and student_two_sided(t, freedom) > tail)

    low, high = 0.0, 1.0
    while below(high):
        high *= 2
    for _ in range(60):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        low, high = (middle, high) if below(middle) else (low, middle)
    return (low + high) / 2


def _around_quantile(p: float, freedom: float) -> tuple[float, float]:
    """Return two values close below and above the quantile of Student's t; 0 and infinity where they are not sure.

    Two steps of Newton from the expansion of Abramowitz and Stegun 1964, 26.7.5, which is good to six digits.
    """
    z, tail = normal_quantile(p), 2 * (1 - p)
    t = z + (z**3 + z) / (4 * freedom) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)
    peak = lgamma((freedom + 1) / 2) - lgamma(freedom / 2) - log(freedom * pi) / 2
    for _ in range(2):
        density = exp(peak - (freedom + 1) / 2 * log1p(t * t / freedom))
        t += (student_two_sided(t, freedom) - tail) / (2 * density)
    close = _CLOSE_TO_T + freedom * _CLOSE
    least, most = t * (1 - close), t * (1 + close)
    sure = student_two_sided(least, freedom) > tail >= student_two_sided(most, freedom)
    return (least, most) if sure else (0.0, inf)


def beta_cdf(x: float, a: float, b: float) -> float:
    """Return the regularised incomplete beta function, by its continued fraction.

    Source: Abramowitz and Stegun 1964, 26.5.8, evaluated by the method of Lentz 1976.
    """
    if x <= 0:
        return 0.0
    if x > (a + 1) / (a + b + 2):
        return 1 - beta_cdf(1 - x, b, a)
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x)) / a
    return front * _fraction(x, a, b)


def _fraction(x: float, a: float, b: float) -> float:
    both = a + b
    c, d = 1.0, 1 / (1 - both * x / (a + 1))
    value = d
    for m in range(1, _STEPS):
        even = a + 2 * m
        numerator = m * (b - m) * x / ((even - 1) * even)
        d = 1 / (1 + numerator * d)
        c = 1 + numerator / c
        value *= c * d
        numerator = -(a + m) * (both + m) * x / (even * (even + 1))
        d = 1 / (1 + numerator * d)
        c = 1 + numerator / c
        change = c * d
        if change == 1:  # a further step changes less than the rounding of a float64
            break
        value *= change
    return value


def spread_of_t(level: float, freedom: float) -> float:
    """Return half the width of Student's interval of ``level``, in standard errors."""
    return student_quantile((1 + level) / 2, freedom)
