"""Confidence sequences: what samples say of a mean, looked at after each of them as often as one likes.

Shapes: ``values`` (..., n) from 0 to 1, samples in the order in which they came, along the last axis. An interval of
fixed size that is looked at again and again is wrong far more often than it says; these hold at all looks together.
"""

from __future__ import annotations

from math import log
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from ragauge.core.ragged import BoolArray, FloatArray

Mean: TypeAlias = float | npt.NDArray[np.float64]
_MOST = 0.75
"""The share of its capital that a bet may lose."""
_STEPS = 40


def log_capital(values: FloatArray, mean: Mean, alpha: float) -> FloatArray:
    """Return the logarithm of what a bet that the values' mean is above ``mean`` has won after each sample, (..., n).

    It starts at 0; where the mean is at most ``mean``, its expectation never grows, so that it ever reaches
    log(1 / alpha) with probability alpha at most (Ville's inequality), whatever the distribution.

    Args:
        values: of one or more sequences.
        mean: from 0 to 1; one number, or one for each sequence with a last axis of 1.
        alpha: the level that the bets aim at; any other is held too.

    Source: Waudby-Smith and Ramdas 2023, "Estimating means of bounded random variables by betting", the predictable
    plug-in bets of section 4.

    >>> log_capital(np.ones(3), 0.5, 0.05).round(3)
    array([0.56 , 1.119, 1.679])
    """
    n = values.shape[-1]
    counts = np.arange(1, n + 1)
    means = (0.5 + np.cumsum(values, axis=-1)) / (counts + 1)
    variances = (0.25 + np.cumsum((values - means) ** 2, axis=-1)) / (counts + 1)
    known = np.concatenate([np.full((*values.shape[:-1], 1), 0.25), variances[..., :-1]], axis=-1)
    bets = np.sqrt(2 * log(1 / alpha) / (known * counts * np.log(counts + 1)))
    with np.errstate(divide="ignore"):
        bets = np.minimum(bets, _MOST / np.asarray(mean))
    return np.cumsum(np.log1p(bets * (values - mean)), axis=-1)


def above(values: FloatArray, mean: Mean, alpha: float) -> BoolArray:
    """Return after which samples the mean is known to be above ``mean``, (..., n); once known, always.

    >>> above(np.ones(8), 0.5, 0.05)
    array([False, False, False, False, False,  True,  True,  True])
    """
    won: BoolArray = np.maximum.accumulate(log_capital(values, mean, alpha), axis=-1) >= log(1 / alpha)
    return won


def confidence_sequence(values: FloatArray, level: float) -> tuple[float, float]:
    """Return the interval of the mean of ``values`` (n,) after all of them; NaN for none.

    With probability ``level`` the mean is in all intervals that this returns for the first 1, 2, ... samples.

    >>> low, high = confidence_sequence(np.tile([0.0, 1.0, 1.0, 1.0], 50), 0.95)
    >>> round(low, 3), round(high, 3)
    (0.62, 0.842)
    """
    if not len(values):
        return float("nan"), float("nan")
    alpha = (1 - level) / 2
    return _lower(values, alpha), 1 - _lower(1 - values, alpha)


def _lower(values: FloatArray, alpha: float) -> float:
    """Return the greatest mean that a bet has refuted, to 2^-40: what a bet has won falls with the mean."""
    low, high = 0.0, 1.0
    for _ in range(_STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if above(values, middle, alpha)[-1] else (low, middle)
    return low


def decided_after(values: FloatArray, limit: float, level: float) -> int:
    """Return after how many of the n ``values`` their mean is known to be above ``limit``.

    Below it: a negative number. 0: it is not known yet. Wrong with probability 1 - ``level`` at most, at all looks
    together.

    >>> wrong, right = np.zeros(100), np.ones(100)
    >>> decided_after(wrong, 0.8, 0.95), decided_after(right, 0.8, 0.95), decided_after(right[:3], 0.8, 0.95)
    (-3, 22, 0)
    """
    alpha = (1 - level) / 2
    over, under = above(values, limit, alpha), above(1 - values, 1 - limit, alpha)
    if not len(values) or not (over[-1] or under[-1]):
        return 0
    first = [int(np.argmax(some)) + 1 if some[-1] else len(values) + 1 for some in (over, under)]
    return first[0] if first[0] < first[1] else -first[1]
