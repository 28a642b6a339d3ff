"""Corrections of p-values for the number of tests."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np

from ragauge.core.ragged import FloatArray


def holm(p: FloatArray) -> FloatArray:
    """Return p-values corrected so that the probability of any false finding is at most the level.

    Args:
        p: (m,); NaN, a test that was not possible, stays NaN and is not one of the m tests.

    Source: Holm 1979, "A simple sequentially rejective multiple test procedure".

    >>> holm(np.array([0.01, 0.04, 0.03])).tolist()
    [0.03, 0.06, 0.06]
    """
    return _stepped(p, lambda ordered: np.maximum.accumulate(ordered * np.arange(len(ordered), 0, -1)))


def bonferroni(p: FloatArray) -> FloatArray:
    """Return p-values corrected as by `holm`, by the same factor for all; never smaller than Holm's.

    Source: Dunn 1961, "Multiple comparisons among means".

    >>> bonferroni(np.array([0.01, 0.04, 0.5])).tolist()
    [0.03, 0.12, 1.0]
    """
    return _stepped(p, lambda ordered: ordered * len(ordered))


def benjamini_hochberg(p: FloatArray) -> FloatArray:
    """Return p-values corrected so that the expected share of false findings is at most the level.

    Source: Benjamini and Hochberg 1995, "Controlling the false discovery rate".

    >>> benjamini_hochberg(np.array([0.01, 0.04, 0.03])).round(9).tolist()
    [0.03, 0.04, 0.04]
    """
    return _stepped(p, _falling)


def uncorrected(p: FloatArray) -> FloatArray:
    """Return the p-values as they are."""
    return p.copy()


def _falling(ordered: FloatArray) -> FloatArray:
    m = len(ordered)
    return np.minimum.accumulate((ordered * m / np.arange(1, m + 1))[::-1])[::-1]


def _stepped(p: FloatArray, corrected: Callable[[FloatArray], FloatArray]) -> FloatArray:
    out = np.full(len(p), np.nan)
    order = np.argsort(p, kind="stable")[: int(np.sum(~np.isnan(p)))]
    out[order] = np.minimum(corrected(p[order]), 1.0)
    return out


CORRECTIONS: Mapping[str, Callable[[FloatArray], FloatArray]] = MappingProxyType(
    {"holm": holm, "bonferroni": bonferroni, "bh": benjamini_hochberg, "none": uncorrected}
)
"""By the name on the command line."""
