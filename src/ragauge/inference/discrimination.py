"""How well a score tells 0 from 1, by a threshold that other samples chose; over any number of replicates at once."""

from __future__ import annotations

import numpy as np

from ragauge.hashing import HashArray, splitmix64
from ragauge.inference.correlation import level_sums
from ragauge.ragged import BoolArray, FloatArray, IntArray
from ragauge.statistics import ratio

# Keeps the halves apart from the draws, which hash the same keys.
_STREAM = np.uint64(0x666F6C64)


def cross_fitted(x: FloatArray, label: BoolArray, keys: HashArray, weights: FloatArray) -> FloatArray:
    """Return the balanced accuracy of a threshold that each half of the samples chose for the other, 0 to 1.

    A threshold chosen on the samples that it is judged by would flatter the score. The halves are by hash; every
    replicate chooses anew, so that intervals know of the choice.

    Args:
        x: (n,) scores, higher for ones.
        label: (n,).
        keys: (n,) hashes of samples, or of clusters, which stay together.
        weights: (r, n), how often each sample counts.

    Returns:
        (r,) NaN without either label.

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
    """Return the mean of the shares of ones and of zeros that are predicted right, (r,); NaN without either label.

    Args:
        predicted: (n,) or (r, n).
        label: (n,).
        weights: (r, n), how often each sample counts.
    """
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
