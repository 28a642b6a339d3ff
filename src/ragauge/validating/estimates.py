"""What labels of a few samples and metrics on all say of all."""

from __future__ import annotations

import numpy as np

from ragauge.inference.prediction_powered import powered_mean
from ragauge.result import Result
from ragauge.validating.judged import keyed
from ragauge.validating.labels import labels_of
from ragauge.validating.validation import Estimate


def estimates_of(result: Result, name: str, cluster: str | None, level: float) -> list[Estimate]:
    """Estimate the labels' mean with each metric's help, in an order that depends on keys alone."""
    keys, order = keyed(result, cluster)
    label = labels_of(result, [name], "labels")[0][order]
    found = []
    for metric in result.metrics:
        sign = 1.0 if result[metric].direction == "higher" else -1.0
        scores = sign * result.columns[metric].scores[order]
        there = ~np.isnan(scores)
        mean = powered_mean(label[there], scores[there], keys[order][there] if cluster else None)
        labelled = int(np.sum(~np.isnan(label[there])))
        ends = (mean.interval(level), mean.interval_alone(level))
        found.append(
            Estimate(metric, mean.value, *ends[0], mean.weight, mean.alone, *ends[1], labelled, int(there.sum()))
        )
    return found
