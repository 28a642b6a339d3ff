"""How far annotators agree among themselves."""

from __future__ import annotations

import numpy as np

from ragauge.hashing import HashArray
from ragauge.inference.annotators import Scale, alpha, kappa
from ragauge.inference.interval import NO_INTERVAL, percentile
from ragauge.inference.replicates import poisson_weights
from ragauge.ragged import FloatArray
from ragauge.validating.validation import Ceiling


def ceiling_of(labels: FloatArray, keys: HashArray, level: float, resamples: int, seed: int) -> Ceiling:
    """Measure agreement of labels (annotators, n): of two values by whether they are equal, of more by distance."""
    scale: Scale = "nominal" if len(np.unique(labels[~np.isnan(labels)])) <= 2 else "interval"
    value = float(alpha(labels, scale, np.ones((1, labels.shape[1])))[0])
    shared = (~np.isnan(labels)).sum(axis=0) > 1
    units = len(np.unique(keys[shared]))
    drawn = alpha(labels, scale, poisson_weights(keys, resamples, seed).T)
    low, high = percentile(drawn, level, units) if units > 1 else NO_INTERVAL
    return Ceiling(len(labels), scale, value, low, high, kappa(labels, scale))
