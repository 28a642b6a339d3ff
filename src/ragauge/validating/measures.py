"""Agreement of one metric with labels, by the name of the measure, for any number of replicates at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TypeAlias

import numpy as np

from ragauge.inference.concordance import kendall, pairwise_accuracy
from ragauge.inference.correlation import pearson, spearman
from ragauge.inference.discrimination import cross_fitted
from ragauge.ragged import FloatArray
from ragauge.validating.judged import Judged

Measure: TypeAlias = Callable[[FloatArray, FloatArray, FloatArray], FloatArray]

ORDERED: Mapping[str, Measure] = MappingProxyType(
    {"pearson": pearson, "spearman": spearman, "kendall": kendall, "pairwise accuracy": pairwise_accuracy}
)
"""Measures of any labels; ``auc`` and ``balanced accuracy`` need labels that are good or bad."""

CHANCE: Mapping[str, float] = MappingProxyType({"pairwise accuracy": 0.5, "auc": 0.5, "balanced accuracy": 0.5})
"""What a metric that knows nothing scores; 0 under the others."""


def pooled(samples: Judged, metric: int, weights: FloatArray) -> dict[str, FloatArray]:
    """Return each measure over all samples, (r,)."""
    x = samples.scores[metric]
    found = {name: measure(x, samples.label, weights) for name, measure in ORDERED.items()}
    if samples.binary is not None:
        found["auc"] = pairwise_accuracy(x, samples.binary.astype(np.float64), weights)
        found["balanced accuracy"] = cross_fitted(x, samples.binary, samples.keys, weights)
    return found
