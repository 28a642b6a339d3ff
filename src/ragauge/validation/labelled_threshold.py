"""The threshold of degrees that agrees best with labels that people gave, and how far it can be trusted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ragauge.core.hashing import HashArray
from ragauge.core.ragged import BoolArray, FloatArray
from ragauge.errors import DataError
from ragauge.inference.agreement import balanced_accuracy, thresholds
from ragauge.inference.resampling import poisson_weights

FEWEST_LABELS = 10
FEWEST_OF_ONE_KIND = 3
"""The fewest labels, and the fewest of the rarer kind: replicates of fewer mostly hold labels of one kind alone."""
# Labels that are used: each is left out once, so that memory grows with the square of their number.
MOST_LABELS = 4000


@dataclass(frozen=True)
class LabelledThreshold:
    """A threshold and its interval, from ``ones`` and ``zeros``: labels of 1 and of 0.

    ``accuracy`` is the balanced accuracy, 0 to 1, that thresholds chosen without a sample have on that sample.
    """

    value: float
    low: float
    high: float
    accuracy: float
    ones: int
    zeros: int

    def to_dict(self) -> dict[str, Any]:
        """Return the fields."""
        return dict(vars(self))


def labelled_threshold(
    degrees: FloatArray, label: BoolArray, keys: HashArray, *, level: float = 0.95, resamples: int = 2000, seed: int = 0
) -> LabelledThreshold:
    """Return the threshold from which on predicting 1 has the greatest balanced accuracy.

    It lies halfway between two degrees. Its interval holds the thresholds of ``resamples`` replicates of the samples,
    but for the same share at both ends. Neither depends on the order of the samples.

    Args:
        degrees: of n samples, from 0 to 1.
        label: (n,) what people said of each sample.
        keys: (n,) the hash of each sample's id.
        level: of the interval.
        resamples: number of replicates.
        seed: of the replicates.

    Raises:
        DataError: there are fewer than 10 labels, or fewer than 3 of ones or of zeros.

    Source: Youden 1950, "Index for rating diagnostic tests"; Efron 1979, "Bootstrap methods".

    >>> degrees, keys = np.arange(20) / 20, np.arange(20, dtype=np.uint64)
    >>> found = labelled_threshold(degrees, degrees >= 0.5, keys)
    >>> found.value, found.accuracy, found.low <= found.value <= found.high
    (0.475, 0.95, True)
    """
    ones, zeros = int(label.sum()), int((~label).sum())
    if len(label) < FEWEST_LABELS or min(ones, zeros) < FEWEST_OF_ONE_KIND:
        counted = f"{ones} labels of 1 and {zeros} of 0"
        message = f"calibrating needs {FEWEST_LABELS} labels, {FEWEST_OF_ONE_KIND} of 1 and {FEWEST_OF_ONE_KIND} of 0"
        raise DataError(f"{message}; the samples that have a degree have {counted}")
    order = np.argsort(keys, kind="stable")[:MOST_LABELS]
    degrees, label, keys = degrees[order], label[order], keys[order]
    drawn = poisson_weights(keys, resamples, seed).T.astype(np.float64)
    both = ((drawn @ label) > 0) & ((drawn @ ~label) > 0)
    tail = (1 - level) / 2
    low, high = np.quantile(_values(degrees, label, drawn[both]), [tail, 1 - tail]).tolist()
    value = float(_values(degrees, label, np.ones((1, len(label))))[0])
    return LabelledThreshold(value, min(low, value), max(high, value), _left_out(degrees, label), ones, zeros)


def _values(degrees: FloatArray, label: BoolArray, weights: FloatArray) -> FloatArray:
    """Return the threshold of each replicate, (r,), with six digits: halfway to the degree below."""
    distinct = np.unique(degrees)
    between = np.concatenate([distinct[:1], (distinct[1:] + distinct[:-1]) / 2])
    return np.asarray(np.round(between, 6)[thresholds(degrees, label, weights)])


def _left_out(degrees: FloatArray, label: BoolArray) -> float:
    """Return the balanced accuracy on each sample of the threshold that all others chose."""
    n = len(label)
    chosen = _values(degrees, label, 1.0 - np.eye(n))
    return float(balanced_accuracy((degrees >= chosen)[None], label, np.ones((1, n)))[0])
