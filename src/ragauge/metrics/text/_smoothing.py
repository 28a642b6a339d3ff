"""Smoothing: the precision that BLEU takes where no n-gram matched: sacrebleu's four ways and nltk's eight."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, TypeAlias

import numpy as np

from ragauge.core.ragged import BoolArray, FloatArray
from ragauge.core.statistics import ratio

_Nltk = Literal["method0", "method1", "method2", "method3", "method4", "method5", "method6", "method7"]
Smooth: TypeAlias = Literal["exp", "floor", "add-k", "none", _Nltk]

# sacrebleu 2.6.0 (BLEU.SMOOTH_DEFAULTS) and nltk 3.10.4 (SmoothingFunction: epsilon, k, alpha).
VALUES: Mapping[str, float] = MappingProxyType(
    {"floor": 0.1, "add-k": 1.0, "method1": 0.1, "method4": 5.0, "method6": 5.0, "method7": 5.0}
)
EXTRA_ORDER = 5
"""nltk's method5 and method7 look at 5-grams beyond the last order, whatever that is."""
NEEDS_EXTRA = frozenset({"method5", "method7"})
DIVIDES_BY_VALUE = frozenset({"method4", "method6", "method7"})
SENTENCES_ONLY = frozenset({"method5", "method6", "method7"})
"""nltk takes a count of these from the last sentence of a corpus, so that they have no pooled form."""

# nltk's method0 takes the smallest normal number where no n-gram matches.
_TINY = float(np.finfo(np.float64).tiny)


@dataclass(frozen=True, slots=True, eq=False)
class NgramCounts:
    """Statistics with any leading axes, of ``order`` n-gram lengths.

    Shapes: ``match`` and ``total`` (..., order); ``length`` (...,) of the hypothesis; ``extra`` (...,) the precision
    of 5-grams.
    """

    match: FloatArray
    total: FloatArray
    length: FloatArray
    extra: FloatArray

    @property
    def plain(self) -> FloatArray:
        """The precisions, (..., order); NaN where there is no n-gram."""
        return ratio(self.match, self.total)

    @property
    def empty(self) -> BoolArray:
        """A mask of the orders that have n-grams but no match, (..., order)."""
        return np.asarray((self.match == 0) & (self.total > 0))


def smoothed(method: Smooth, counts: NgramCounts, value: float) -> FloatArray:
    """Return the precision of each order under ``method``, (..., order); NaN where there is no n-gram.

    Sources: Chen and Cherry 2014, "A systematic comparison of smoothing techniques for sentence-level BLEU";
    sacrebleu 2.6.0; nltk 3.10.4, bleu_score.py.
    """
    return _METHODS[method](counts, value)


def _floor(counts: NgramCounts, value: float) -> FloatArray:
    return np.where(counts.empty, ratio(np.asarray(value), counts.total), counts.plain)


def _add(counts: NgramCounts, value: float) -> FloatArray:
    """Return precisions with ``value`` added to both counts of every order but the first, also without an n-gram."""
    more = np.where(np.arange(counts.match.shape[-1]) > 0, value, 0.0)
    return ratio(counts.match + more, counts.total + more)


def _halved(counts: NgramCounts, _: float) -> FloatArray:
    """Return precisions where the j-th order without a match counts 2^-j (mteval of NIST)."""
    if not counts.empty.any():
        return counts.plain
    return np.where(counts.empty, ratio(0.5 ** _nth(counts), counts.total), counts.plain)


def _by_length_or_left_out(counts: NgramCounts, k: float) -> FloatArray:
    """Return nltk's method4: at a length of 1, where the rule gives 0, nltk leaves the order out; a 1 does the same."""
    return np.where(counts.empty & (counts.length[..., None] <= 1), 1.0, _by_length(counts, k))


def _by_length(counts: NgramCounts, k: float) -> FloatArray:
    """Return precisions where the j-th order without a match counts ln(length) / (2^j k)."""
    with np.errstate(divide="ignore"):
        log = np.where(counts.length > 1, np.log(counts.length), 0.0)[..., None]
    return np.where(counts.empty, ratio(0.5 ** _nth(counts) * log / k, counts.total), counts.plain)


def _averaged(precision: FloatArray, extra: FloatArray) -> FloatArray:
    """Return the mean of each precision, the new one before it (p1 + 1 before the first) and the old one after it."""
    following = np.concatenate([precision[..., 1:], extra[..., None]], axis=-1)
    out = np.empty_like(precision)
    before = precision[..., 0] + 1
    for n in range(precision.shape[-1]):
        before = out[..., n] = (before + precision[..., n] + following[..., n]) / 3
    return out


def _interpolated(counts: NgramCounts, alpha: float) -> FloatArray:
    """Return precisions interpolated, from the third order on, with an expectation from the two orders before.

    0 where no trigram matches; nltk raises AssertionError there.
    """
    out = counts.plain.copy()
    for n in range(2, out.shape[-1]):
        prior = np.nan_to_num(ratio(out[..., n - 1] ** 2, out[..., n - 2]), nan=0.0, posinf=0.0)
        ngrams = np.maximum(counts.length - n, 0)
        out[..., n] = (counts.match[..., n] + alpha * prior) / (ngrams + alpha)
    return np.where(counts.match[..., 2:3] > 0, out, 0.0)


def _nth(counts: NgramCounts) -> FloatArray:
    """Return the rank of each order among those that have n-grams but no match, from 1: (..., order)."""
    return np.cumsum(counts.empty, axis=-1).astype(np.float64)


_METHODS: Mapping[str, Callable[[NgramCounts, float], FloatArray]] = MappingProxyType(
    {
        "exp": _halved,
        "floor": _floor,
        "add-k": _add,
        "none": lambda counts, _: counts.plain,
        "method0": lambda counts, _: np.where(counts.empty, _TINY, counts.plain),
        "method1": _floor,
        "method2": lambda counts, _: _add(counts, 1.0),
        "method3": _halved,
        "method4": _by_length_or_left_out,
        "method5": lambda counts, _: _averaged(counts.plain, counts.extra),
        "method6": _interpolated,
        "method7": lambda counts, k: _averaged(_by_length(counts, k), counts.extra),
    }
)
