"""The samples on which a candidate is worse than the base."""

from __future__ import annotations

from collections.abc import Collection
from math import isfinite

import numpy as np

from ragauge.comparison.difference import PairedRuns, shows_worse
from ragauge.comparison.primary import deciding_metric
from ragauge.core.statistics import Status
from ragauge.metrics.column import Column


def worse_samples(runs: PairedRuns, metrics: Collection[str]) -> dict[int, list[str]]:
    """Return the samples on which the candidate is worse, by place, and under which metrics.

    A sample is worse where its score fell under one of ``metrics`` that is no plain column, by so much that it shows,
    unless the one that tells best whether an answer is right rose by more; or where the candidate failed. All are
    counted in shares of their ranges.
    """
    worse: dict[int, list[str]] = {}
    judged = [
        one for one in runs.metrics if one.name in metrics and not isinstance(runs.base.metrics[one.name], Column)
    ]
    deciding = deciding_metric(runs.base, [one.name for one in judged])
    if deciding is None:
        return worse
    # A score that is missing neither rose nor fell.
    shares = {one.name: np.nan_to_num(one.gain / (one.width if isfinite(one.width) else 1.0)) for one in judged}
    outweighed = shares[deciding] > -np.minimum.reduce(list(shares.values()))
    for metric in judged:
        gone = (metric.status[0] == Status.OK) & (metric.status[1] == Status.FAILED)
        fell = shows_worse(metric.gain, runs.base.range(metric.name)) & ~outweighed
        for place in np.flatnonzero(fell | gone).tolist():
            worse.setdefault(place, []).append(metric.name)
    return dict(sorted(worse.items()))
