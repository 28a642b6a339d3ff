"""Agreement of one metric with labels, under every measure and in every scope, for all replicates at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import TypeAlias

import numpy as np

from ragauge.core.ragged import FloatArray, IntArray
from ragauge.core.statistics import ratio
from ragauge.inference.agreement import cross_fitted, kendall, pairwise_accuracy, pearson, spearman
from ragauge.validation.labels import LabelledSamples

AgreementMeasure: TypeAlias = Callable[[FloatArray, FloatArray, FloatArray], FloatArray]

ORDERED: Mapping[str, AgreementMeasure] = MappingProxyType(
    {"pearson": pearson, "spearman": spearman, "kendall": kendall, "pairwise accuracy": pairwise_accuracy}
)
"""Measures for all labels; ``auc`` and ``balanced accuracy`` are for binary labels only."""

CHANCE: Mapping[str, float] = MappingProxyType({"pairwise accuracy": 0.5, "auc": 0.5, "balanced accuracy": 0.5})
"""The value of a metric that knows nothing; 0 under the other measures."""


def pooled(samples: LabelledSamples, metric: int, weights: FloatArray) -> dict[str, FloatArray]:
    """Return each measure over all samples, (r,)."""
    x = samples.scores[metric]
    found = {name: measure(x, samples.label, weights) for name, measure in ORDERED.items()}
    if samples.binary is not None:
        found["auc"] = pairwise_accuracy(x, samples.binary.astype(np.float64), weights)
        found["balanced accuracy"] = cross_fitted(x, samples.binary, samples.keys, weights)
    return found


SCOPES = ("pooled", "by group", "systems")


def agreements(samples: LabelledSamples, metric: int, weights: FloatArray) -> dict[tuple[str, str], FloatArray]:
    """Return each measure of a metric in each scope, by (scope, measure).

    Args:
        samples: with labels and scores.
        metric: the place of the metric among ``samples.metrics``.
        weights: (r, n), how often each replicate has each sample.

    Returns:
        (r,) each.
    """
    found = {"pooled": pooled(samples, metric, weights)}
    if samples.group is not None:
        found["by group"] = _by_group(samples, samples.group, metric, weights)
    if samples.system is not None:
        found["systems"] = _systems(samples, samples.system, metric, weights)
    return {(scope, name): value for scope, values in found.items() for name, value in values.items()}


def resampling_units(samples: LabelledSamples, metric: int) -> dict[tuple[str, str], int]:
    """Return the number of resampling units, samples or clusters, behind each measure in each scope."""
    units = len(np.unique(samples.keys))
    counts = dict.fromkeys(agreements(samples, metric, np.ones((1, len(samples)))), units)
    if samples.group is not None:
        for name, firsts, values in _values(samples, samples.group, metric):
            counts["by group", name] = len(np.unique(samples.keys[firsts[~np.isnan(values)]]))
    return counts


def _by_group(samples: LabelledSamples, group: IntArray, metric: int, weights: FloatArray) -> dict[str, FloatArray]:
    """Return the mean of each measure over groups, (r,); groups whose labels or scores are all equal are left out.

    A replicate draws whole groups, so that it averages the same values with other weights.
    """
    found = {}
    for name, firsts, values in _values(samples, group, metric):
        defined = ~np.isnan(values)
        drawn = weights[:, firsts[defined]]
        found[name] = ratio(drawn @ values[defined], drawn.sum(axis=1))
    return found


def _values(samples: LabelledSamples, group: IntArray, metric: int) -> Iterator[tuple[str, IntArray, FloatArray]]:
    """Yield each measure, the place of the first sample of each of g groups, (g,), and its value there, (g,)."""
    members = [np.flatnonzero(group == code) for code in np.unique(group[group >= 0])]
    firsts = np.array([rows[0] for rows in members], dtype=np.int64)
    for name, measure in ORDERED.items():
        values = [
            measure(samples.scores[metric, rows], samples.label[rows], np.ones((1, len(rows))))[0] for rows in members
        ]
        yield name, firsts, np.array(values, dtype=np.float64)


def _systems(samples: LabelledSamples, system: IntArray, metric: int, weights: FloatArray) -> dict[str, FloatArray]:
    """Return the agreement between the systems' means under a metric and their mean labels, by measure, each (r,)."""
    codes = np.unique(system[system >= 0])
    member = (system[:, None] == codes[None, :]).astype(np.float64)
    total = weights @ member
    x, y = (ratio((weights * column) @ member, total) for column in (samples.scores[metric], samples.label))
    pairs = list(zip(x, y, strict=True))
    return {name: np.array([_one(measure, *pair) for pair in pairs]) for name, measure in ORDERED.items()}


def _one(measure: AgreementMeasure, x: FloatArray, y: FloatArray) -> float:
    """Return a measure in one replicate; NaN where it lacks a system."""
    if len(x) < 2 or np.isnan(x).any():
        return float("nan")
    return float(measure(x, y, np.ones((1, len(x))))[0])
