"""The call that validates metrics."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ragauge.api import evaluate
from ragauge.errors import DataError, OptionError, UsageError
from ragauge.protocol import Metric
from ragauge.ragged import FloatArray
from ragauge.result import Result
from ragauge.saved import load
from ragauge.validating.ceiling import ceiling_of
from ragauge.validating.contests import measured
from ragauge.validating.estimates import estimates_of
from ragauge.validating.judged import judged, keyed
from ragauge.validating.labels import labels_of
from ragauge.validating.validation import Validation


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
