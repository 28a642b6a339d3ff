"""The map from a judge's scores to labels of people, learned from samples that have both."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np

from ragauge.core.messages import Argument
from ragauge.core.protocol import Metric
from ragauge.core.ragged import FloatArray, IntArray
from ragauge.engines.evaluate import evaluate
from ragauge.errors import DataError, UsageError
from ragauge.evaluation.partial import measure_cells
from ragauge.formats.column_names import own_names
from ragauge.judges.calibration import (
    ALL,
    HALF,
    Calibration,
    Thresholds,
    errors_of,
    fitted,
    line_of,
    model_of,
)  # fmt: skip
from ragauge.judges.question import decides, with_session
from ragauge.judges.session import Session
from ragauge.results.result import Result
from ragauge.validation.labels import keyed, labels_of, why_failed

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
    return [_of_metric(result, name, label[order], order, human, reading["session"]) for name in result.metrics]


def languages_of(metric: Any, result: Result) -> Any:
    """Return the language of the metric's prompts for each sample, (n,)."""
    return np.array([one for batch in result.data.batches() for one in metric.languages(batch)], dtype=object)


def _of_metric(
    result: Result, name: str, label: FloatArray, order: IntArray, human: str, session: Session
) -> Calibration:
    metric: Any = result.metrics[name]
    if not hasattr(metric, "uncalibrated"):
        raise UsageError("RG-VALID-009 {name} asks no judge; leave out --judge to calibrate its threshold", name)
    low, high = metric.range
    # A map is that of the judge's scores themselves, whatever becomes of them.
    plain = metric.uncalibrated
    own_scores = result.scores(name) if plain == metric else measured(plain, result, session)
    scores = (own_scores[order] - low) / (high - low)
    labels, languages = (label - low) / (high - low), languages_of(metric, result)[order]
    there = ~np.isnan(scores) & ~np.isnan(labels)
    scores, labels, own = scores[there], labels[there], languages[there]
    given = Argument("human", human)
    if labels.size and not (labels.min() >= 0 and labels.max() <= 1):
        template = "RG-VALID-010 {human}: labels of {name} must be from {low:g} to {high:g}, as its scores are"
        raise DataError(template, given, name, low, high)
    if len(labels) < FEWEST_LABELS or np.ptp(labels) == 0:
        template = (
            "RG-VALID-011 {human}: {name} needs {fewest} samples with a label and a score, whose labels are not all "
            "equal; got {n}{failed}"
        )
        raise DataError(template, given, name, FEWEST_LABELS, len(labels), why_failed(result, name))
    places = {ALL: np.ones(len(own), dtype=bool)} | {one: own == one for one in sorted(set(own.tolist()))}
    places = {
        language: rows for language, rows in places.items()
        if language == ALL or (rows.sum() >= FEWEST_OF_LANGUAGE and np.ptp(labels[rows]) > 0)
    }  # fmt: skip
    if any((scores[rows] - scores[rows].mean()) @ labels[rows] <= 0 for rows in places.values()):
        template = "RG-VALID-012 scores of {name} do not rise with the labels, so there is no map from one to the other"
        raise DataError(template, name)
    line = line_of(scores, labels)
    maps = {
        language: fitted(scores[rows], labels[rows], None if language == ALL else line)
        for language, rows in places.items()
    }
    found = Calibration(metric.calibrated_as, model_of(metric.judge), maps, *errors_of(maps[ALL], scores))
    if not (hasattr(metric, "threshold") and decides(metric.judge)):
        return found
    each = [replace(plain, threshold=one) for one in _THRESHOLDS]
    batches = with_session(result.data, session).batches()
    of_each = np.hstack([[measure_cells(one, batch).scores for one in each] for batch in batches])[:, order]
    return replace(found, thresholds=_thresholds(np.abs(of_each - label) / (high - low), languages, list(maps)))


def measured(metric: Any, result: Result, session: Session) -> FloatArray:
    """Return the scores of a metric on the samples of a result, (n,), in their order."""
    batches = with_session(result.data, session).batches()
    return np.concatenate([measure_cells(metric, batch).scores for batch in batches])


def _thresholds(distances: FloatArray, languages: Any, mapped: Sequence[str]) -> Thresholds:
    """Return the thresholds with which scores of verdicts are nearest to the labels, one for each map.

    ``distances``: of the scores with each threshold from the labels, (t, n).
    """
    there = ~np.isnan(distances).any(axis=0)
    distances, own = distances[:, there], languages[there]
    values = {
        language: _THRESHOLDS[_nearest(distances[:, (own == language) | (language == ALL)])] for language in mapped
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
