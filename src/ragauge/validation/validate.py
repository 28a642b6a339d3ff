"""The call that validates metrics."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from ragauge.core.hashing import HashArray
from ragauge.core.protocol import Metric
from ragauge.core.ragged import FloatArray
from ragauge.errors import DataError, OptionError, UsageError
from ragauge.evaluation.evaluate import evaluate
from ragauge.inference.agreement import Scale, alpha, kappa
from ragauge.inference.corrections import holm
from ragauge.inference.intervals import NO_INTERVAL, Interval, percentile
from ragauge.inference.prediction_powered import powered_mean
from ragauge.inference.resampling import poisson_weights
from ragauge.inference.tests import paired_bootstrap
from ragauge.results.result import Result, load
from ragauge.validation.agreement import agreements, drawn_units
from ragauge.validation.labels import Judged, judged, keyed, labels_of
from ragauge.validation.validation import Agreement, Ceiling, Contest, Estimate, Validation


def ceiling_of(labels: FloatArray, keys: HashArray, level: float, resamples: int, seed: int) -> Ceiling:
    """Measure agreement of labels (annotators, n): of two values by whether they are equal, of more by distance."""
    scale: Scale = "nominal" if len(np.unique(labels[~np.isnan(labels)])) <= 2 else "interval"
    value = float(alpha(labels, scale, np.ones((1, labels.shape[1])))[0])
    shared = (~np.isnan(labels)).sum(axis=0) > 1
    units = len(np.unique(keys[shared]))
    drawn = alpha(labels, scale, poisson_weights(keys, resamples, seed).T)
    low, high = percentile(drawn, level, units) if units > 1 else NO_INTERVAL
    return Ceiling(len(labels), scale, value, low, high, kappa(labels, scale))


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


def validate(  # noqa: PLR0913 - the options of the command line
    data: object,
    metrics: str | Metric | Iterable[str | Metric] | None = None,
    *,
    human: str | Iterable[str] = (),
    labels: str | None = None,
    positive: float | None = None,
    group: str | None = None,
    system: str | None = None,
    cluster: str | None = None,
    level: float = 0.95,
    resamples: int = 1000,
    seed: int = 0,
    **reading: Any,
) -> Validation:
    """Measure how far metrics agree with people, or what people would say of all samples.

    Args:
        data: a result, the directory of a saved run, or what `ragauge.evaluate` takes.
        metrics: which; by default all of a run, or all whose columns are there.
        human: the column of labels, higher being better; several: one per annotator, of whom the mean is taken.
        labels: a column with labels of a random few of the samples: their mean over all, with the metrics' help.
        positive: labels from here on are good; by default where they are 0 and 1, or the mean of such, from .5 on.
        group: a column, such as the question: agreement within each of its groups, averaged.
        system: the column of systems: agreement of their means.
        cluster: the column of samples that belong together; by default ``group``.
        level: of the intervals.
        resamples: bootstrap replicates.
        seed: of the replicates.
        reading: further options of `ragauge.evaluate`, as ``map`` and ``lang``.

    Raises:
        UsageError: there is nothing to validate with, or no such column.
        DataError: a column does not hold labels, or no sample has both label and scores.

    >>> rows = [
    ...     {"answer": a, "references": ["a b c d"], "good": g}
    ...     for a, g in [("a b c d", 1), ("a b c", 1), ("a b x", 1), ("a x y", 0), ("x b y", 0), ("x y", 0)]
    ... ]
    >>> validate(rows, ["rouge-1", "exact-match"], human="good")["rouge-1", "auc"].value
    1.0
    """
    annotators = [human] if isinstance(human, str) else list(human)
    if not annotators and labels is None:
        message = "there is nothing to validate with: name the column of human labels with human, or of few with labels"
        raise UsageError(message)
    if not 0 < level < 1:
        raise OptionError.value("validate", "level", "a number between 0 and 1, as in 0.95", level)
    if resamples < 1:
        raise OptionError.value("validate", "resamples", "a whole number from 1", resamples)
    result = _result(data, metrics, reading)
    options = {"human": annotators, "labels": labels, "positive": positive, "group": group, "system": system}
    options |= {"cluster": cluster, "level": level, "resamples": resamples, "seed": seed}
    estimates = estimates_of(result, labels, cluster, level) if labels is not None else []
    if not annotators:
        return Validation((), (), None, tuple(estimates), 0, tuple(result.data.notes), options)
    given = labels_of(result, annotators, "human")
    several = len(annotators) > 1
    label = _means(given)
    if positive is None and several and set(np.unique(given[~np.isnan(given)]).tolist()) <= {0.0, 1.0}:
        positive = 0.5
    samples, notes = judged(result, label, positive, cluster=cluster, group=group, system=system)
    if not len(samples):
        advice = "; ".join(notes) or "the labelled samples have no scores"
        raise DataError.of(result.data.source, [f"no sample has both a label and scores: {advice}"])
    found, contests = measured(samples, resamples, level, seed)
    keys, order = keyed(result, cluster, group)
    ceiling = ceiling_of(given[:, order], keys[order], level, resamples, seed) if several else None
    said = (*result.data.notes, *notes)
    return Validation(tuple(found), tuple(contests), ceiling, tuple(estimates), len(samples), said, options)


def _result(data: object, metrics: Any, reading: dict[str, Any]) -> Result:
    if isinstance(data, str | Path) and (Path(data) / "manifest.json").is_file():
        data = load(data)
    if not isinstance(data, Result):
        return evaluate(data, metrics, resamples=0, **reading)
    if metrics is None:
        return data
    return _only(data, [metrics] if isinstance(metrics, str) or not isinstance(metrics, Iterable) else list(metrics))


def _only(result: Result, wanted: list[str | Metric]) -> Result:
    names = [result.name(metric) for metric in wanted]
    return replace(result, metrics={name: result.metrics[name] for name in names})


def _means(labels: FloatArray) -> FloatArray:
    """Average annotators, (n,); NaN where none gave a label."""
    there = ~np.isnan(labels)
    counts = there.sum(axis=0)
    sums = np.where(there, labels, 0.0).sum(axis=0)
    return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)
