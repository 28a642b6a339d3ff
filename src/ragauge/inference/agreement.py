"""Agreement of two columns: correlation, concordance, discrimination, and agreement among annotators.

Shapes: columns are (n,); ``weights`` (r, n) say how often each of r replicates has each sample; most results are (r,).
"""

from __future__ import annotations

from itertools import combinations
from typing import Literal, TypeAlias

import numpy as np

from ragauge.core.hashing import HashArray, splitmix64
from ragauge.core.ragged import BoolArray, FloatArray, IntArray
from ragauge.core.statistics import ratio

Scale: TypeAlias = Literal["nominal", "interval"]


def alpha(labels: FloatArray, scale: Scale, weights: FloatArray) -> FloatArray:
    """Return Krippendorff's alpha: 1 for perfect agreement, 0 for that of chance; NaN where all labels are equal.

    ``labels`` (annotators, n) are NaN where an annotator gave none. On a ``nominal`` scale labels agree or not; on an
    ``interval`` scale they disagree by the square of their distance.

    Source: Krippendorff 2011, "Computing Krippendorff's alpha-reliability".

    >>> labels = np.array([[0.0, 1.0, 1.0], [0.0, 1.0, 0.0]])
    >>> alpha(labels, "nominal", np.ones((1, 3))).round(4)
    array([0.4444])
    """
    present = ~np.isnan(labels)
    used = present.sum(axis=0) > 1
    present, values, drawn = present[:, used], np.where(present, labels, 0.0)[:, used], weights[:, used]
    # The nominal distance of two labels is half the squared distances of their indicators, summed over all values.
    indicators = [(values == value) & present for value in np.unique(values[present])]
    counts = present.sum(axis=0).astype(np.float64)
    total = drawn @ counts
    within, chance = np.zeros(len(counts)), np.zeros(len(drawn))
    for column in [values] if scale == "interval" else indicators:
        sums, squares = column.sum(axis=0).astype(np.float64), (column**2).sum(axis=0).astype(np.float64)
        within += counts * squares - sums**2
        chance += total * (drawn @ squares) - (drawn @ sums) ** 2
    return np.asarray(1 - ratio((total - 1) * (drawn @ ratio(within, counts - 1)), chance))


def kappa(labels: FloatArray, scale: Scale) -> float:
    """Return Cohen's kappa, the mean over pairs of annotators; with squared weights on an interval scale.

    Labels and scale are those of `alpha`.

    Source: Cohen 1960, "A coefficient of agreement for nominal scales"; Cohen 1968, "Weighted kappa". The mean over
    pairs: Light 1971, "Measures of response agreement for qualitative data".

    >>> round(kappa(np.array([[0.0, 1.0, 1.0], [0.0, 1.0, 0.0]]), "nominal"), 4)
    0.4
    """
    pairs = [_cohen(labels[one], labels[other], scale) for one, other in combinations(range(len(labels)), 2)]
    valid = [value for value in pairs if not np.isnan(value)]
    return float(np.mean(valid)) if valid else float("nan")


def _cohen(left: FloatArray, right: FloatArray, scale: Scale) -> float:
    both = ~np.isnan(left) & ~np.isnan(right)
    if not both.any():
        return float("nan")
    x, y = left[both], right[both]
    if scale == "interval":
        observed = float(np.mean((x - y) ** 2))
        chance = float(np.mean(x**2) + np.mean(y**2) - 2 * x.mean() * y.mean())
    else:
        observed = float(np.mean(x != y))
        chance = 1 - sum(float(np.mean(x == value) * np.mean(y == value)) for value in np.unique(x))
    return 1 - observed / chance if chance > 0 else float("nan")


def weighted_kappa(x: FloatArray, y: FloatArray, weights: FloatArray) -> FloatArray:
    """Return Cohen's kappa of two columns on one scale, with squared weights, (r,); NaN where both are constant.

    It is 1 where all values are equal, 0 for the agreement of chance, and below 0 for less. Of two categories it is the
    kappa without weights.

    Source: Cohen 1968, "Weighted kappa: nominal scale agreement with provision for scaled disagreement".

    >>> weighted_kappa(np.array([0.0, 1.0, 1.0]), np.array([0.0, 1.0, 0.0]), np.ones((1, 3))).round(4)
    array([0.4])
    """
    total = weights.sum(axis=1)
    observed = ratio(weights @ (x - y) ** 2, total)
    squares = ratio(weights @ (x**2 + y**2), total)
    chance = squares - 2 * ratio(weights @ x, total) * ratio(weights @ y, total)
    return np.asarray(1 - ratio(observed, np.where(chance > _ROUNDING * squares, chance, 0)))


def cohen_kappa(x: FloatArray, y: FloatArray, weights: FloatArray) -> FloatArray:
    """Return Cohen's kappa of two columns of categories, (r,); NaN where all values are equal.

    Source: Cohen 1960, "A coefficient of agreement for nominal scales".

    >>> cohen_kappa(np.array([0.0, 1.0, 2.0]), np.array([0.0, 2.0, 1.0]), np.ones((1, 3))).round(4)
    array([0.])
    """
    total = weights.sum(axis=1)
    observed = ratio(weights @ (x == y), total)
    shares = [[ratio(weights @ (column == one), total) for one in np.union1d(x, y)] for column in (x, y)]
    chance = np.sum([one * other for one, other in zip(*shares, strict=True)], axis=0)
    return np.asarray(1 - ratio(1 - observed, np.where(chance < 1 - _ROUNDED, 1 - chance, 0)))


_ROUNDED = 1e-12
"""What sums of shares may lack of 1."""

# A column is constant where its squares around the mean are a smaller share of its squares: that is rounding.
_ROUNDING = 1e-24


def pearson(x: FloatArray, y: FloatArray, weights: FloatArray) -> FloatArray:
    """Return Pearson's correlation, -1 to 1; NaN where a column is constant.

    Columns are (n,) or (r, n).

    Source: Pearson 1895, "Notes on regression and inheritance in the case of two parents".

    >>> x = np.array([1.0, 2.0, 3.0])
    >>> pearson(x, -x, np.ones((1, 3))).round(9)
    array([-1.])
    """
    total = weights.sum(axis=1)
    left, right = (column - ratio((weights * column).sum(axis=1), total)[:, None] for column in (x, y))
    covariance = (weights * left * right).sum(axis=1)
    spreads = [(weights * column**2).sum(axis=1) for column in (left, right)]
    sizes = [(weights * np.broadcast_to(column, weights.shape) ** 2).sum(axis=1) for column in (x, y)]
    constant = [spread <= _ROUNDING * size for spread, size in zip(spreads, sizes, strict=True)]
    value = ratio(covariance, np.sqrt(spreads[0] * spreads[1]))
    return np.where(constant[0] | constant[1], np.nan, np.clip(value, -1, 1))


def spearman(x: FloatArray, y: FloatArray, weights: FloatArray) -> FloatArray:
    """Return Spearman's rank correlation, -1 to 1, ties by mid-ranks; NaN where a column is constant.

    Source: Spearman 1904, "The proof and measurement of association between two things".
    """
    return pearson(weighted_ranks(x, weights), weighted_ranks(y, weights), weights)


def weighted_ranks(values: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the mid-rank of each value where it occurs ``weights`` times, (r, n).

    >>> weighted_ranks(np.array([5.0, 7.0, 5.0]), np.array([[1.0, 1.0, 1.0], [2.0, 1.0, 0.0]]))
    array([[1.5, 3. , 1.5],
           [1.5, 3. , 1.5]])
    """
    sums, place = level_sums(values, weights)
    below = np.cumsum(sums, axis=1) - sums
    return np.asarray((below + (sums + 1) / 2)[:, place])


def level_sums(values: FloatArray, weights: FloatArray) -> tuple[FloatArray, IntArray]:
    """Return the summed weights of each distinct value, rising, (r, levels), and the place of each sample's, (n,)."""
    levels, inverse = np.unique(values, return_inverse=True)
    place = inverse.ravel().astype(np.int64)
    order = np.argsort(place, kind="stable")
    starts = np.searchsorted(place[order], np.arange(len(levels)))
    sums = np.add.reduceat(weights[:, order], starts, axis=1) if len(values) else np.zeros((len(weights), 0))
    return np.asarray(sums, dtype=np.float64), place


def kendall(x: FloatArray, y: FloatArray, weights: FloatArray) -> FloatArray:
    """Return Kendall's tau-b, -1 to 1; NaN where a column is constant.

    Source: Kendall 1945, "The treatment of ties in ranking problems".

    >>> kendall(np.array([1.0, 2.0, 3.0]), np.array([1.0, 3.0, 2.0]), np.ones((1, 3))).round(9)
    array([0.33333333])
    """
    untied = np.sqrt(untied_pairs(x, weights) * untied_pairs(y, weights))
    return ratio(concordance(x, y, weights), untied)


def pairwise_accuracy(x: FloatArray, y: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the share of pairs with different ``y`` that ``x`` orders alike, 0 to 1; a tie in ``x`` is half right.

    With 0/1 labels it is the area under the ROC curve.

    Source: Kocmi et al. 2021, "To ship or not to ship"; half for ties as in the area under the ROC curve.
    """
    return (1 + ratio(concordance(x, y, weights), untied_pairs(y, weights))) / 2


def selective_accuracy(x: FloatArray, y: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the mean of ``y`` among the samples of highest ``x``, averaged over all numbers of these, (r,).

    With 0/1 labels ``y`` of right answers it is 1 less the area under the risk-coverage curve (AURC) of ``x`` as a
    confidence: 1 where all answers are right, and at least their share where the order is that of chance. Samples with
    the same ``x`` come in any order, and their mean over all orders counts.

    Source: Geifman and El-Yaniv 2017, "Selective classification for deep neural networks"; Geifman, Uziel and El-Yaniv
    2019, "Bias-reduced uncertainty estimation for deep neural classifiers", for the area.

    >>> selective_accuracy(np.array([0.9, 0.8, 0.1]), np.array([1.0, 1.0, 0.0]), np.ones((1, 3))).round(4)
    array([0.8889])
    """
    (counts, _), (good, _) = level_sums(-x, weights), level_sums(-x, weights * y)
    share = np.where(counts > 0, ratio(good, counts), 0.0)
    until = np.cumsum(counts, axis=1)
    before, good_before = until - counts, np.cumsum(good, axis=1) - good
    harmonic = np.concatenate([[0.0], np.cumsum(1.0 / np.arange(1, until.max(initial=0) + 1))])
    # After m of a level of equal scores, good_before + m share of before + m samples are good; summed over its m.
    steps = harmonic[until.astype(np.int64)] - harmonic[before.astype(np.int64)]
    return ratio((counts * share + (good_before - share * before) * steps).sum(axis=1), weights.sum(axis=1))


def untied_pairs(values: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the number of pairs with different values, (r,)."""
    sums, _ = level_sums(values, weights)
    return np.asarray((weights.sum(axis=1) ** 2 - (sums**2).sum(axis=1)) / 2)


def concordance(x: FloatArray, y: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the number of concordant pairs less that of discordant pairs, (r,), in n log n steps.

    Samples are numbered by ``y``. Two different numbers differ first in one bit: for each bit, those that share all
    higher ones are a group, and each sample with the bit is compared with all of its group without it, by cumulative
    sums in the order of ``x``.
    """
    # Fewer distinct values have fewer bits, and pairs are the same with the columns exchanged.
    numbers = [np.unique(column, return_inverse=True)[1].ravel() for column in (x, y)]
    number, other = sorted(numbers, key=lambda column: int(column.max(initial=0)))
    total = np.zeros(len(weights))
    for bit in range(int(number.max(initial=0)).bit_length()):
        order = np.lexsort((other, number >> (bit + 1)))
        group, drawn = number[order] >> (bit + 1), weights[:, order]
        tied = group * len(order) + other[order]
        upper = (number[order] >> bit & 1).astype(bool)
        lower = np.zeros((len(weights), len(order) + 1))
        np.cumsum(np.where(upper, 0.0, drawn), axis=1, out=lower[:, 1:])
        below, until = (lower[:, np.searchsorted(tied, tied[upper], side)] for side in ("left", "right"))
        first, last = (lower[:, np.searchsorted(group, group[upper], side)] for side in ("left", "right"))
        total += (drawn[:, upper] * ((below - first) - (last - until))).sum(axis=1)
    return total


# Makes the halves independent of the draws, which hash the same keys.
_STREAM = np.uint64(0x666F6C64)


def cross_fitted(x: FloatArray, label: BoolArray, keys: HashArray, weights: FloatArray) -> FloatArray:
    """Return the balanced accuracy of a threshold that each half of the samples chose for the other, 0 to 1.

    A threshold chosen on the samples that it is tested on would flatter the score. Halves are chosen by hash. Each
    replicate chooses its own thresholds, so that intervals include the uncertainty of the choice. ``x`` are scores,
    higher for ones; samples with the same key, of one cluster, stay together. NaN without zeros or without ones.

    Source: Youden 1950, "Index for rating diagnostic tests"; Brodersen et al. 2010, "The balanced accuracy and its
    posterior distribution".

    >>> x, keys = np.arange(100.0), np.arange(100, dtype=np.uint64)
    >>> bool(cross_fitted(x, x >= 50, keys, np.ones((1, 100)))[0] > 0.95)
    True
    """
    half = (splitmix64(keys ^ _STREAM) & np.uint64(1)).astype(bool)
    _, place = np.unique(x, return_inverse=True)
    predicted = np.zeros(weights.shape, dtype=bool)
    for fold in (half, ~half):
        chosen = thresholds(x, label, np.where(fold, 0.0, weights))
        predicted |= fold & (place.ravel()[None, :] >= chosen[:, None])
    return balanced_accuracy(predicted, label, weights)


def balanced_accuracy(predicted: BoolArray, label: BoolArray, weights: FloatArray) -> FloatArray:
    """Return the mean of the shares of ones and of zeros that are predicted right, (r,); NaN without either label."""
    both = (weights * label, weights * ~label)
    shares = [ratio((some * (predicted == label)).sum(axis=1), some.sum(axis=1)) for some in both]
    return np.asarray((shares[0] + shares[1]) / 2)


def thresholds(x: FloatArray, label: BoolArray, weights: FloatArray) -> IntArray:
    """Return the place, among the distinct scores, from which on predicting 1 has the greatest balanced accuracy, (r,).

    >>> thresholds(np.array([0.1, 0.2, 0.8, 0.9]), np.array([False, False, True, True]), np.ones((1, 4)))
    array([2])
    """
    above = []
    for some in (weights * label, weights * ~label):
        sums, _ = level_sums(x, some)
        total = sums.sum(axis=1, keepdims=True)
        above.append(ratio(total - np.cumsum(sums, axis=1) + sums, total))
    return np.asarray(np.argmax(np.nan_to_num(above[0] - above[1]), axis=1), dtype=np.int64)


def mid_ranks(values: FloatArray) -> FloatArray:
    """Return the rank of each value from 1, (n,); equal values have the mean of their ranks."""
    return np.asarray(weighted_ranks(values, np.ones((1, len(values))))[0])
