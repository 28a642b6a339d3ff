"""How well a score tells 0 from 1."""

from __future__ import annotations

import numpy as np

from ragauge.hashing import HashArray, splitmix64
from ragauge.ragged import BoolArray, FloatArray
from ragauge.statistics import ratio

# Keeps the halves apart from the draws, which hash the same keys.
_STREAM = np.uint64(0x666F6C64)


def balanced_accuracy(predicted: BoolArray, label: BoolArray, weights: FloatArray) -> FloatArray:
    """Return the mean of the shares of ones and of zeros that are predicted right, 0 to 1; NaN without either.

    Args:
        predicted: (n,).
        label: (n,).
        weights: (r, n), how often each sample counts.

    Source: Brodersen et al. 2010, "The balanced accuracy and its posterior distribution".
    """
    ones, zeros = weights * label, weights * ~label
    right = [(some * (predicted == label)).sum(axis=1) for some in (ones, zeros)]
    return (ratio(right[0], ones.sum(axis=1)) + ratio(right[1], zeros.sum(axis=1))) / 2


def predicted(x: FloatArray, label: BoolArray, keys: HashArray) -> BoolArray:
    """Predict the label of each sample by a threshold that was chosen on the other half of the samples.

    A threshold chosen on the samples that it is judged by would flatter the score. The halves are by hash.

    Args:
        x: (n,) scores, higher for ones.
        label: (n,).
        keys: (n,) hashes of samples, or of clusters, which stay together.

    >>> x = np.arange(100.0)
    >>> made = predicted(x, x >= 50, np.arange(100, dtype=np.uint64))
    >>> bool((made != (x >= 50)).mean() < 0.05)
    True
    """
    half = (splitmix64(keys ^ _STREAM) & np.uint64(1)).astype(bool)
    out = np.zeros(len(x), dtype=bool)
    for fold in (half, ~half):
        other = ~fold if (~fold).any() else fold
        out[fold] = x[fold] >= threshold(x[other], label[other])
    return out


def threshold(x: FloatArray, label: BoolArray) -> float:
    """Return the score from which on predicting 1 has the greatest balanced accuracy, halfway between two scores.

    Source: Youden 1950, "Index for rating diagnostic tests".

    >>> threshold(np.array([0.1, 0.2, 0.8, 0.9]), np.array([False, False, True, True]))
    0.5
    """
    levels, place = np.unique(x, return_inverse=True)
    ones = np.bincount(place.ravel(), weights=label, minlength=len(levels))
    zeros = np.bincount(place.ravel(), weights=~label, minlength=len(levels))
    above = [counts.sum() - np.concatenate([[0.0], np.cumsum(counts)]) for counts in (ones, zeros)]
    gain = ratio(above[0], np.array(ones.sum())) - ratio(above[1], np.array(zeros.sum()))
    best = int(np.argmax(np.nan_to_num(gain)))
    edges = np.concatenate([[levels[0]], (levels[1:] + levels[:-1]) / 2, [np.inf]])
    return float(edges[best])
