"""Prediction-powered inference: a mean of human labels from few of them and a metric on all samples."""

from __future__ import annotations

from dataclasses import dataclass
from math import nan, sqrt

import numpy as np

from ragauge.core.hashing import HashArray
from ragauge.core.ragged import FloatArray
from ragauge.inference.distributions import normal_quantile, spread_of_t
from ragauge.inference.intervals import NO_INTERVAL, Interval, known_spread


@dataclass(frozen=True)
class PoweredMean:
    """A mean of labels with its interval, estimated with a metric and (``alone``) from labels alone.

    ``weight``: the weight of the metric, 0 to 1. ``units``: number of samples or clusters that have a label.
    """

    value: float
    error: float
    weight: float
    alone: float
    alone_error: float
    units: int

    def interval(self, level: float, *, alone: bool = False, normal: bool = False) -> Interval:
        """Return the interval of the mean, or of the mean from labels ``alone``; NaN with fewer than two units.

        By Student's distribution, because labels are few, or by the normal one, as in the paper.
        """
        if self.units < 2:
            return NO_INTERVAL
        value, error = (self.alone, self.alone_error) if alone else (self.value, self.error)
        reach = (normal_quantile((1 + level) / 2) if normal else spread_of_t(level, self.units - 1)) * error
        return known_spread((value - reach, value + reach), self.units)


def powered_mean(labels: FloatArray, scores: FloatArray, keys: HashArray | None = None) -> PoweredMean:
    """Estimate the mean that labels of all samples would have.

    The estimate is the metric's mean over the samples without a label, corrected by its error on those with one. It is
    unbiased for any metric. The metric's weight minimises the variance; a metric that is unrelated to the labels gets
    the weight 0, which leaves the mean of the labels.

    Args:
        labels: (n,) NaN where there is none; those with one must be a random sample.
        scores: (n,) of the metric.
        keys: (n,) hashes of clusters, for cluster-robust errors.

    Source: Angelopoulos, Duchi and Zrnic 2023, "PPI++: efficient prediction-powered inference". Equal to ppi-python
    0.2.3 without clusters, with ``normal=True``.

    >>> rng = np.random.default_rng(0)
    >>> truth = rng.random(2000)
    >>> labels = np.where(np.arange(2000) < 100, truth, np.nan)
    >>> mean = powered_mean(labels, truth + 0.1 * rng.normal(size=2000))
    >>> bool(mean.error < mean.alone_error / 2), bool(abs(mean.value - truth.mean()) < 3 * mean.error)
    (True, True)
    """
    known = ~np.isnan(labels)
    n, others = int(known.sum()), int((~known).sum())
    units = n if keys is None else len(np.unique(keys[known]))
    if n == 0:
        return PoweredMean(nan, nan, 0.0, nan, nan, 0)
    y, f, rest = labels[known], scores[known], scores[~known]
    weight = _weight(y, f, rest) if others and n > 1 else 0.0
    value = float(np.mean(y - weight * f)) + (weight * float(np.mean(rest)) if others else 0.0)
    influence = np.zeros(len(labels))
    influence[known] = (y - weight * f - np.mean(y - weight * f)) / n
    if others:
        influence[~known] = weight * (rest - np.mean(rest)) / others
    alone = np.where(known, influence, 0.0)
    alone[known] = (y - np.mean(y)) / n
    return PoweredMean(value, _error(influence, keys), weight, float(np.mean(y)), _error(alone, keys), units)


def _weight(y: FloatArray, f: FloatArray, rest: FloatArray) -> float:
    """Return the weight of the metric with the least variance, between 0 and 1."""
    spread = float(np.var(np.concatenate([f, rest]), ddof=1)) * (1 + len(y) / len(rest))
    if spread <= 1e-12 * max(1.0, float(np.mean(f**2))):
        return 0.0
    covariance = float(np.mean((y - np.mean(y)) * (f - np.mean(f))))
    return min(1.0, max(0.0, covariance / spread))


def _error(influence: FloatArray, keys: HashArray | None) -> float:
    if keys is None:
        return sqrt(float(influence @ influence))
    _, place = np.unique(keys, return_inverse=True)
    sums = np.bincount(place.ravel(), weights=influence)
    many = len(sums) / (len(sums) - 1) if len(sums) > 1 else nan
    return sqrt(many * float(sums @ sums))
