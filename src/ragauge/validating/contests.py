"""Agreements with intervals, and whether two metrics differ in them: all on the same draws."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import combinations

import numpy as np

from ragauge.inference.bootstrap_test import paired_bootstrap
from ragauge.inference.corrections import holm
from ragauge.inference.interval import NO_INTERVAL, Interval, percentile
from ragauge.inference.replicates import poisson_weights
from ragauge.ragged import FloatArray
from ragauge.validating.judged import Judged
from ragauge.validating.scopes import agreements, drawn_units
from ragauge.validating.validation import Agreement, Contest

Drawn = Mapping[tuple[str, str], FloatArray]

# Temporaries of so many numbers, samples times replicates, are 8 MB each.
_AT_ONCE = 1_000_000


def measured(samples: Judged, resamples: int, level: float, seed: int) -> tuple[list[Agreement], list[Contest]]:
    """Measure the agreement of every metric, and of every two the difference."""
    metrics = range(len(samples.metrics))
    observed = [agreements(samples, metric, np.ones((1, len(samples)))) for metric in metrics]
    drawn = [_replicates(samples, metric, resamples, seed) for metric in metrics]
    units = [drawn_units(samples, metric) for metric in metrics]
    found = [
        Agreement(
            samples.metrics[metric],
            *key,
            float(value[0]),
            *_interval(drawn[metric][key], value[0], level, units[metric][key]),
        )
        for metric in metrics
        for key, value in observed[metric].items()
    ]
    contests: list[Contest] = []
    for key in observed[0]:
        values = [float(one[key][0]) for one in observed]
        fewest = min(one[key] for one in units)
        contests += _contests(samples.metrics, key, values, [one[key] for one in drawn], level, fewest)
    return found, contests


def _replicates(samples: Judged, metric: int, resamples: int, seed: int) -> Drawn:
    weights = poisson_weights(samples.keys, resamples, seed).T
    some = max(1, _AT_ONCE // max(1, len(samples)))
    pieces = [
        agreements(samples, metric, np.ascontiguousarray(weights[start : start + some]))
        for start in range(0, resamples, some)
    ]
    return {key: np.concatenate([piece[key] for piece in pieces]) for key in pieces[0]}


def _interval(drawn: FloatArray, value: float, level: float, units: int) -> Interval:
    return NO_INTERVAL if np.isnan(value) or units < 2 else percentile(drawn, level, units)


def _contests(
    metrics: tuple[str, ...],
    key: tuple[str, str],
    values: list[float],
    drawn: list[FloatArray],
    level: float,
    units: int,
) -> list[Contest]:
    found = []
    for one, other in combinations(range(len(metrics)), 2):
        first, second = (one, other) if not values[one] < values[other] else (other, one)
        difference = float(values[first] - values[second])
        replicates = drawn[first] - drawn[second]
        interval = _interval(replicates, difference, level, units)
        p = paired_bootstrap(replicates, difference).p if units > 1 else float("nan")
        found.append(Contest(metrics[first], metrics[second], *key, difference, *interval, p, float("nan")))
    corrected = holm(np.array([contest.p for contest in found], dtype=np.float64))
    return [replace(contest, corrected=float(p)) for contest, p in zip(found, corrected, strict=True)]
