"""Paired tests of two runs, their power, and corrections of p-values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import ceil, exp, floor, inf, lgamma, log, log1p, nan, sqrt
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ragauge.core.hashing import HashArray
from ragauge.core.ragged import FloatArray
from ragauge.inference.agreement import mid_ranks
from ragauge.inference.distributions import NORMAL, beta_cdf, normal_quantile, student_quantile, student_two_sided
from ragauge.inference.intervals import standard_error
from ragauge.inference.resampling import PackedUnits, PairedUnits, all_swaps, drawn_differences, drawn_parts, swaps

_FEW = 50
# Trials that swap the same units in another order differ by rounding, about 1e-13 of a score.
_TIE = 1e-11
_AS_RARE = 1 + 1e-7
"""How much more probable a count may be than the observed one and still count as equal; as in scipy and R."""


class PValue(NamedTuple):
    """A p-value and the test that it is of."""

    test: str
    """The name of the test; ``exact randomisation`` where all ways of swapping were enumerated."""
    p: float
    """Two-sided; NaN where nothing can be tested."""


def paired_bootstrap(differences: FloatArray, observed: float) -> PValue:
    """Test whether two runs differ, by how far replicates of the difference are from their mean.

    The test is two-sided; Koehn's, which counts replicates of the other sign, is one-sided. With few units it rejects
    more often than its level; `randomisation` does not.

    ``differences`` (r,) are those of `ragauge.inference.resampling.replicated`; NaN is left out.

    Source: Efron and Tibshirani 1993, "An introduction to the bootstrap", 16.4; Koehn 2004, "Statistical significance
    tests for machine translation evaluation".

    >>> paired_bootstrap(np.array([1.0, 2.0, 3.0]), 2.0).p
    0.25
    """
    valid = differences[~np.isnan(differences)]
    if len(valid) == 0 or np.isnan(observed):
        return PValue("bootstrap", nan)
    deviations = np.abs(valid - valid.mean())
    # Rounding must not decide whether identical runs stray from a difference of 0.
    as_far = deviations >= abs(observed) - 1e-11 * max(1.0, abs(observed))
    return PValue("bootstrap", (1 + int(as_far.sum())) / (1 + len(valid)))


def mcnemar(differences: FloatArray) -> PValue:
    """Test whether as many of n differences, each -1, 0 or 1, are 1 as are -1: the exact binomial form.

    Source: McNemar 1947, "Note on the sampling error of the difference between correlated proportions". Equal to
    statsmodels 0.15 with ``exact=True``.

    >>> round(mcnemar(np.array([1.0, 1.0, 1.0, 1.0, 1.0, -1.0, 0.0])).p, 12)
    0.21875
    """
    if len(differences) == 0:
        return PValue("mcnemar", nan)
    fewer, more = sorted([int(np.sum(differences > 0)), int(np.sum(differences < 0))])
    return PValue("mcnemar", 1.0 if fewer == more else min(1.0, 2 * beta_cdf(0.5, more, fewer + 1)))


def binomial(count: int, n: int, share: float) -> PValue:
    """Test whether ``count`` of ``n`` may come from a true ``share``: the exact binomial test, two-sided.

    p is the probability of all counts that are at most as probable as this one, within 1e-7 of it.

    Source: Clopper and Pearson 1934, "The use of confidence or fiducial limits illustrated in the case of the
    binomial". Equal to ``scipy.stats.binomtest`` 1.17.

    >>> round(binomial(4, 10, 0.7).p, 9)
    0.075596512
    """
    if not 0 < share < 1:
        return PValue("binomial", float(count == n * share))
    ways = lgamma(n + 1)

    def chance(k: int) -> float:
        return exp(ways - lgamma(k + 1) - lgamma(n - k + 1) + k * log(share) + (n - k) * log1p(-share))

    def at_least(k: int) -> float:
        return 1.0 if k <= 0 else 0.0 if k > n else beta_cdf(share, k, n - k + 1)

    def at_most(k: int) -> float:
        return 0.0 if k < 0 else 1.0 if k >= n else beta_cdf(1 - share, n - k, k + 1)

    if count == n * share:
        return PValue("binomial", 1.0)
    # On each side of the mean the chances only fall: those of the other tail are found by halving.
    above, most = count > n * share, chance(count) * _AS_RARE
    low, high = (-1, floor(n * share)) if above else (ceil(n * share) - 1, n)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if (chance(middle) <= most) == above else (low, middle - 1)
    p = at_most(low) + at_least(count) if above else at_most(count) + at_least(low + 1)
    return PValue("binomial", min(1.0, p))


def student(left_out: FloatArray, observed: float) -> PValue:
    """Test whether an observed difference is 0, against its jackknife standard error.

    For the mean difference of samples this is the paired t test. For clusters it is the cluster-robust one, and for
    pooled scores a large-sample one. ``left_out`` (u,) are the differences without each unit.

    Source: Student 1908, "The probable error of a mean"; the jackknife for ratios and clusters: Efron 1982, "The
    jackknife, the bootstrap and other resampling plans".
    """
    if len(left_out) < 2:
        return PValue("t", nan)
    error = standard_error(left_out)
    if error == 0:
        return PValue("t", 1.0 if observed == 0 else 0.0)
    return PValue("t", student_two_sided(observed / error, len(left_out) - 1))


def wilcoxon(differences: FloatArray) -> PValue:
    """Test whether paired differences, (n,), lie symmetrically around 0, by their ranks.

    Zeros are left out, as in the paper. Up to 50 other differences the distribution is exact, ties included; above,
    normal with the variance corrected for ties, without a continuity correction.

    Source: Wilcoxon 1945, "Individual comparisons by ranking methods". Equal to scipy 1.17 where it is exact or
    asymptotic; with ties among few samples scipy is asymptotic or permutes, and this is exact.

    >>> wilcoxon(np.array([1.0, 2.0, 3.0, 4.0, 5.0])).p
    0.0625
    """
    if len(differences) == 0:
        return PValue("wilcoxon", nan)
    moved = differences[differences != 0]
    ranks = mid_ranks(np.abs(moved))
    p = _exact_p(ranks, moved > 0) if len(moved) <= _FEW else _normal(ranks, moved > 0)
    return PValue("wilcoxon", min(1.0, p))


def _exact_p(ranks: FloatArray, rose: FloatArray) -> float:
    """Count sign patterns by their doubled rank sum, which is whole even where ranks are tied."""
    doubled = np.rint(2 * ranks).astype(np.int64)
    ways = np.zeros(int(doubled.sum()) + 1)
    ways[0] = 1.0
    for rank in doubled:
        ways[rank:] = ways[rank:] + ways[: len(ways) - rank]
    reached = int(doubled[rose].sum())
    fewer = min(reached, len(ways) - 1 - reached)
    return float(2 * ways[: fewer + 1].sum() / ways.sum())


def _normal(ranks: FloatArray, rose: FloatArray) -> float:
    n = len(ranks)
    _, tied = np.unique(ranks, return_counts=True)
    variance = n * (n + 1) * (2 * n + 1) / 24 - float((tied.astype(np.float64) ** 3 - tied).sum()) / 48
    return 2 * NORMAL.cdf(-abs(float(ranks[rose].sum()) - n * (n + 1) / 4) / sqrt(variance))


def randomisation(
    pairs: Sequence[PairedUnits], keys: HashArray, trials: int, seed: int, packed: PackedUnits | None = None
) -> list[PValue]:
    """Test whether two runs differ, by swapping their outputs unit by unit.

    Because statistics add, a trial needs the sums of the swapped units only, T'a = Ta - F Sa + F Sb; so the score of
    the swapped corpus is tested, not the mean of per-sample scores. The p-value counts the observed difference among
    the trials. Where at most ``trials`` ways of swapping exist, all are enumerated and the test is exact.

    ``pairs`` are of the same u units; their ``keys`` (u,) and ``seed`` decide which units a trial swaps.
    ``packed``: the pairs, if they are packed already.

    Source: Noreen 1989, "Computer-intensive methods for testing hypotheses"; Riezler and Maxwell 2005, "On some
    pitfalls in automatic evaluation and significance testing for MT". Counting the observed one: Phipson and Smyth
    2010, "Permutation p-values should never be zero".
    """
    exact = [bool(pair.units) and 2 ** int(pair.differing.sum()) <= trials for pair in pairs]
    many = [pair for pair, few in zip(pairs, exact, strict=True) if not few]
    if packed is not None:
        packed = packed.some_pairs([place for place, few in enumerate(exact) if not few])
    drawn = iter(_drawn(many, keys, trials, seed, packed))
    return [_exact(pair) if few else _sampled(pair, next(drawn)) for pair, few in zip(pairs, exact, strict=True)]


def _drawn(
    pairs: Sequence[PairedUnits], keys: HashArray, trials: int, seed: int, packed: PackedUnits | None
) -> list[FloatArray]:
    """Return the difference in each trial, (trials,), for each pair; all share the swaps.

    Of many pairs of few runs the sums of each run are fewer than those of the differences, which they give exactly.
    """
    if not pairs:
        return []
    packed = packed or PackedUnits.of_pairs(pairs, keys)
    if packed.different < len(pairs):
        parts = drawn_differences(swaps, packed, trials, seed)
    else:
        moved = PackedUnits.of([pair.candidate - pair.base for pair in pairs], keys)
        parts = drawn_parts(swaps, moved, trials, seed)
    return [_swapped(pair, part) for pair, part in zip(pairs, parts, strict=True)]


def _swapped(pair: PairedUnits, moved: FloatArray) -> FloatArray:
    """Return the difference after swaps; ``moved`` (levels, trials, k): how much the swapped units differ."""
    base, candidate = pair.totals
    return pair.difference(base[:, None, :] + moved, candidate[:, None, :] - moved)


def _exact(pair: PairedUnits) -> PValue:
    differing = pair.differing
    moved = all_swaps(int(differing.sum())) @ (pair.candidate - pair.base)[:, differing]
    return PValue("exact randomisation", float(np.mean(_as_far(_swapped(pair, moved), pair.observed))))


def _sampled(pair: PairedUnits, differences: FloatArray) -> PValue:
    p = (1 + int(_as_far(differences, pair.observed).sum())) / (1 + len(differences))
    return PValue("randomisation", p if pair.units else nan)


def _as_far(differences: FloatArray, observed: float) -> npt.NDArray[np.bool_]:
    """Return a mask of the differences at least as far from 0 as ``observed``; NaN is no evidence and counts as far."""
    return np.asarray(~(np.abs(differences) < abs(observed) - _TIE * max(1.0, abs(observed))))


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

    ``error`` is the standard error of the difference of so many ``units``, samples or clusters; ``alpha`` is the level
    of the two-sided test.

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

    A difference of 0 needs infinitely many. ``error`` is the standard error of the difference in the present
    ``samples``; ``alpha`` is the level of the two-sided test.

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


def holm(p: FloatArray) -> FloatArray:
    """Return p-values (m,) corrected so that the probability of any false finding is at most the level.

    NaN, a test that was not possible, stays NaN and is not one of the m tests.

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


def _falling(ordered: FloatArray) -> FloatArray:
    m = len(ordered)
    return np.minimum.accumulate((ordered * m / np.arange(1, m + 1))[::-1])[::-1]


def _stepped(p: FloatArray, corrected: Callable[[FloatArray], FloatArray]) -> FloatArray:
    out = np.full(len(p), np.nan)
    order = np.argsort(p, kind="stable")[: int(np.sum(~np.isnan(p)))]
    out[order] = np.minimum(corrected(p[order]), 1.0)
    return out


CORRECTIONS: Mapping[str, Callable[[FloatArray], FloatArray]] = MappingProxyType(
    {"holm": holm, "bonferroni": bonferroni, "bh": benjamini_hochberg, "none": np.copy}
)
"""By the name on the command line."""
