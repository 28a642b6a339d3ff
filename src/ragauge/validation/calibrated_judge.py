"""The map from a judge's scores to labels of people, learned from samples that have both."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ragauge.core.messages import Argument
from ragauge.core.protocol import Metric, name_of
from ragauge.core.ragged import FloatArray
from ragauge.engines.evaluate import evaluate
from ragauge.errors import DataError, UsageError
from ragauge.formats.column_names import own_names
from ragauge.judges.calibration import ALL, Calibration, ScoreMap, calibration_error, fitted, model_of
from ragauge.judges.prompts import Language, language_of
from ragauge.results.result import Result
from ragauge.validation.labels import keyed, labels_of

FEWEST_LABELS = 20
FEWEST_OF_LANGUAGE = 50
"""The fewest labels of a map, and of a language that gets one of its own."""
_FOLDS = 5


def calibrate_judge(
    data: object, metrics: str | Metric | Iterable[str | Metric], human: str, **reading: Any
) -> list[Calibration]:
    """Return the calibration of each metric, which asks a judge, from labels in the column ``human``.

    Labels are in the units of the metric: from 0 to 1 for most, the points of its scale for ``judged-rubric``. A
    language with 50 labels or more has a map of its own.

    Raises:
        UsageError: a metric asks no judge.
        DataError: fewer than 20 samples have a label and a score, labels are all equal or out of the metric's range, or
            scores do not rise with them.
    """
    own = own_names([human])
    if own:
        reading["map"] = own | dict(reading.get("map") or {})
    result = evaluate(data, metrics, resamples=0, **reading)
    label = labels_of(result, [human], "human")[0]
    order = keyed(result, None)[1]
    languages = np.array(_languages(result), dtype=object)
    return [_of_metric(result, name, label, order, languages, human) for name in result.metrics]


def _languages(result: Result) -> list[Language]:
    """Return the language of the prompts of each sample."""
    count = result.samples
    columns = {name: _texts(result, name) for name in ("question", "answer", "language")}
    texts = [" ".join(columns[name][row] or "" for name in ("question", "answer")) for row in range(count)]
    return [language_of(text, named) for text, named in zip(texts, columns["language"], strict=True)]


def _texts(result: Result, name: str) -> list[str | None]:
    if name not in result.data.columns:
        return [None] * result.samples
    return [None if value is None else str(value) for value in result.column(name).to_pylist()]


def _of_metric(
    result: Result, name: str, label: FloatArray, order: Any, languages: Any, human: str
) -> Calibration:  # fmt: skip
    metric: Any = result.metrics[name]
    judge = getattr(metric, "judge", None)
    if judge is None:
        raise UsageError("RG-VALID-009 {name} asks no judge; leave out --judge to calibrate its threshold", name)
    low, high = metric.range
    scores = (result.scores(name)[order] - low) / (high - low)
    labels = (label[order] - low) / (high - low)
    there = ~np.isnan(scores) & ~np.isnan(labels)
    scores, labels, own = scores[there], labels[there], languages[order][there]
    given = Argument("human", human)
    if labels.size and not (labels.min() >= 0 and labels.max() <= 1):
        template = "RG-VALID-010 {human}: labels of {name} must be from {low:g} to {high:g}, as its scores are"
        raise DataError(template, given, name, low, high)
    if len(labels) < FEWEST_LABELS or np.ptp(labels) == 0:
        template = (
            "RG-VALID-011 {human}: {name} needs {fewest} samples with a label and a score, whose labels are not all "
            "equal; got {n}"
        )
        raise DataError(template, given, name, FEWEST_LABELS, len(labels))
    maps = {ALL: _map(scores, labels, name)} | {
        language: _map(scores[own == language], labels[own == language], name)
        for language in sorted(set(own.tolist()))
        if np.sum(own == language) >= FEWEST_OF_LANGUAGE and np.ptp(labels[own == language]) > 0
    }
    # Samples are in the order of their hashes, so that each fifth of them is drawn at random.
    fold = np.arange(len(labels)) % _FOLDS
    held_out = np.empty(len(labels))
    for number in range(_FOLDS):
        rest, part = fold != number, fold == number
        held_out[part] = fitted(scores[rest], labels[rest])(scores[part])
    errors = (calibration_error(scores, labels), calibration_error(held_out, labels))
    return Calibration(name_of(metric), model_of(judge), maps, *errors)


def _map(scores: FloatArray, labels: FloatArray, name: str) -> ScoreMap:
    found = fitted(scores, labels)
    if found.slope <= 0:
        template = "RG-VALID-012 scores of {name} do not rise with the labels, so there is no map from one to the other"
        raise DataError(template, name)
    return found
