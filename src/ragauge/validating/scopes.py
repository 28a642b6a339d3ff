"""Agreement over all samples, within groups, and of systems."""

from __future__ import annotations

import numpy as np

from ragauge.ragged import FloatArray, IntArray
from ragauge.statistics import ratio
from ragauge.validating.judged import Judged
from ragauge.validating.measures import ORDERED, Measure, pooled

SCOPES = ("pooled", "by group", "systems")


def agreements(samples: Judged, metric: int, weights: FloatArray) -> dict[tuple[str, str], FloatArray]:
    """Return each measure of a metric in each scope, by (scope, measure).

    Args:
        samples: with labels and scores.
        metric: the place of the metric among ``samples.metrics``.
        weights: (r, n), how often each sample counts.

    Returns:
        (r,) each.
    """
    found = {"pooled": pooled(samples, metric, weights)}
    if samples.group is not None:
        found["by group"] = _by_group(samples, samples.group, metric, weights)
    if samples.system is not None:
        found["systems"] = _systems(samples, samples.system, metric, weights)
    return {(scope, name): value for scope, values in found.items() for name, value in values.items()}


def _by_group(samples: Judged, group: IntArray, metric: int, weights: FloatArray) -> dict[str, FloatArray]:
    """Average each measure over groups: those where labels or scores are all equal have none and are left out.

    Groups are drawn whole, so a replicate averages the same values under other weights.
    """
    members = [np.flatnonzero(group == code) for code in np.unique(group[group >= 0])]
    drawn = np.stack([weights[:, rows[0]] for rows in members], axis=1) if members else np.zeros((len(weights), 0))
    found = {}
    for name, measure in ORDERED.items():
        values = np.array(
            [measure(samples.scores[metric, rows], samples.label[rows], np.ones((1, len(rows))))[0] for rows in members]
        )
        there = ~np.isnan(values)
        found[name] = ratio(drawn[:, there] @ values[there], drawn[:, there].sum(axis=1))
    return found


def _systems(samples: Judged, system: IntArray, metric: int, weights: FloatArray) -> dict[str, FloatArray]:
    """Measure how the means of systems under a metric agree with their means by people."""
    codes = np.unique(system[system >= 0])
    member = (system[:, None] == codes[None, :]).astype(np.float64)
    total = weights @ member
    x, y = (ratio((weights * column) @ member, total) for column in (samples.scores[metric], samples.label))
    pairs = list(zip(x, y, strict=True))
    return {name: np.array([_one(measure, *pair) for pair in pairs]) for name, measure in ORDERED.items()}


def _one(measure: Measure, x: FloatArray, y: FloatArray) -> float:
    """Measure one replicate; NaN where a system was not drawn."""
    if len(x) < 2 or np.isnan(x).any():
        return float("nan")
    return float(measure(x, y, np.ones((1, len(x))))[0])
