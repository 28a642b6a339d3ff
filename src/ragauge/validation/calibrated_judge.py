"""The map from a judge's scores to labels of people, learned from samples that have both."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np

from ragauge.core.messages import Argument
from ragauge.core.protocol import Metric
from ragauge.core.ragged import FloatArray
from ragauge.engines.evaluate import evaluate
from ragauge.errors import DataError, UsageError
from ragauge.evaluation.partial import measure_cells
from ragauge.formats.column_names import own_names
from ragauge.judges.calibration import (
    ALL,
    HALF,
    Calibration,
    ScoreMap,
    Thresholds,
    errors_of,
    fitted,
    model_of,
)  # fmt: skip
from ragauge.judges.prompts import Language, language_of
from ragauge.judges.question import decides, with_session
from ragauge.judges.session import Session
from ragauge.results.result import Result
from ragauge.validation.labels import keyed, labels_of

FEWEST_LABELS = 20
FEWEST_OF_LANGUAGE = 50
"""The fewest labels of a map, and of a language that gets one of its own."""
_FOLDS = 5
# The first is taken where others are no better.
_THRESHOLDS = sorted(
    [0.01, 0.02, *(np.arange(1, 20) / 20).round(2).tolist(), 0.98, 0.99], key=lambda one: abs(one - HALF)
)


def calibrate_judge(
    data: object, metrics: str | Metric | Iterable[str | Metric], human: str, **reading: Any
) -> list[Calibration]:
    """Return the calibration of each metric, which asks a judge, from labels in the column ``human``.

    Labels are in the units of the metric: from 0 to 1 for most, the points of its scale for ``judged-rubric``. The
    judge is asked about every sample, also where the metric has ``ask``, and no threshold cuts its scores. A language
    with 50 labels or more has a map of its own. Of a decision model also the threshold is learned with which scores of
    verdicts are nearest to the labels, by their mean distance.

    Raises:
        UsageError: a metric asks no judge.
        DataError: fewer than 20 samples have a label and a score, labels are all equal or out of the metric's range, or
            scores do not rise with them.
    """
    own = own_names([human])
    if own:
        reading["map"] = own | dict(reading.get("map") or {})
    if reading.get("session") is None:
        # Metrics with other thresholds ask the same questions.
        with Session() as session:
            return calibrate_judge(data, metrics, human, **{**reading, "session": session})
    result = evaluate(data, metrics, resamples=0, **reading)
    label = labels_of(result, [human], "human")[0]
    order = keyed(result, None)[1]
    languages = np.array(languages_of(result), dtype=object)
    session = reading["session"]
    calibrations = [_of_metric(result, name, label, order, languages, human, session) for name in result.metrics]
    return [
        replace(one, thresholds=_thresholds(result, metric, one, label, order, languages, session))
        if hasattr(metric, "threshold") and decides(getattr(metric, "judge", None))
        else one
        for one, metric in zip(calibrations, result.metrics.values(), strict=True)
    ]


def languages_of(result: Result) -> list[Language]:
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
    result: Result, name: str, label: FloatArray, order: Any, languages: Any, human: str, session: Session
) -> Calibration:  # fmt: skip
    metric: Any = result.metrics[name]
    if not hasattr(metric, "uncalibrated"):
        raise UsageError("RG-VALID-009 {name} asks no judge; leave out --judge to calibrate its threshold", name)
    low, high = metric.range
    # A map is that of the judge's scores themselves, whatever becomes of them.
    plain = metric.uncalibrated
    own_scores = result.scores(name) if plain == metric else measured(plain, result, session)
    scores = (own_scores[order] - low) / (high - low)
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
    errors = errors_of(maps[ALL], scores)
    return Calibration(metric.calibrated_as, model_of(metric.judge), maps, *errors)


def measured(metric: Any, result: Result, session: Session) -> FloatArray:
    """Return the scores of a metric on the samples of a result, (n,), in their order."""
    batches = with_session(result.data, session).batches()
    return np.concatenate([measure_cells(metric, batch).scores for batch in batches])


def _thresholds(
    asked: Result,
    metric: Any,
    calibration: Calibration,
    label: FloatArray,
    order: Any,
    languages: Any,
    session: Session,
) -> Thresholds:
    """Return the thresholds with which scores of verdicts are nearest to the labels, one for each map."""
    each = [replace(metric.uncalibrated, threshold=one) for one in _THRESHOLDS]
    batches = with_session(asked.data, session).batches()
    scores = np.hstack([[measure_cells(one, batch).scores for one in each] for batch in batches])
    low, high = metric.range
    distances = np.abs(scores[:, order] - label[order]) / (high - low)
    there = ~np.isnan(distances).any(axis=0)
    distances, own = distances[:, there], languages[order][there]
    values = {
        language: _THRESHOLDS[_nearest(distances[:, (own == language) | (language == ALL)])]
        for language in calibration.maps
    }
    served = np.where(np.isin(own, list(values)), own, ALL)
    fold = np.arange(len(own)) % _FOLDS
    held_out = np.empty(len(own))
    for language, number in product(values, range(_FOLDS)):
        part, rest = (served == language) & (fold == number), ((own == language) | (language == ALL)) & (fold != number)
        held_out[part] = distances[_nearest(distances[:, rest]), part]
    return Thresholds(values, float(distances[0].mean()), float(held_out.mean()))


def _nearest(distances: FloatArray) -> int:
    """Return the row with the lowest mean, the first of several."""
    return int(distances.mean(axis=1).argmin())


def _map(scores: FloatArray, labels: FloatArray, name: str) -> ScoreMap:
    if (scores - scores.mean()) @ labels <= 0:
        template = "RG-VALID-012 scores of {name} do not rise with the labels, so there is no map from one to the other"
        raise DataError(template, name)
    return fitted(scores, labels)
