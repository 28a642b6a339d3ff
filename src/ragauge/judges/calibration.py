"""Maps from the scores of a judge to what people would say, learned from labels, one per metric and language."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from ragauge.core.ragged import BoolArray, FloatArray
from ragauge.errors import UsageError, excerpt

ALL = "all"
"""The key of the map that serves languages without one of their own."""
_CALIBRATIONS = "calibrations 1"
"""The key of the list; another form of it will have another number."""
HALF = 0.5
"""From this probability on something is said to hold, where no other threshold is known."""
# Scores of 0 and 1 have no logit: they count as these many shares from the end.
_END = 0.01
_STEPS = 100
_CLOSE = 1e-10
# A steeper map of a few labels would be a threshold.
_STEEPEST = 50.0


@dataclass(frozen=True)
class ScoreMap:
    """A monotone map of shares from 0 to 1: the logit of the label is ``slope`` * logit of the score + ``offset``.

    >>> ScoreMap(1.0, 0.0, labels=0)(np.array([0.25, 0.5])).round(3)
    array([0.25, 0.5 ])

    Source: Platt 1999, "Probabilistic outputs for support vector machines", for the fit and its smoothed labels.
    """

    slope: float
    offset: float
    labels: int

    def __call__(self, scores: FloatArray) -> FloatArray:
        """Return the mapped scores, (n,); NaN stays."""
        return np.asarray(1 / (1 + np.exp(-self.slope * _logit(scores) - self.offset)))


def _logit(shares: FloatArray) -> FloatArray:
    inner = np.clip(shares, _END, 1 - _END)
    return np.asarray(np.log(inner / (1 - inner)))


def fitted(scores: FloatArray, labels: FloatArray) -> ScoreMap:
    """Return the map of scores (n,) to labels (n,), both shares from 0 to 1, by maximum likelihood."""
    x = np.stack([_logit(scores), np.ones(len(scores))], axis=1)
    ones = labels.sum()
    # Labels are smoothed by one of each kind, so that few that are all alike give no certainty.
    high, low = (ones + 1) / (ones + 2), 1 / (len(labels) - ones + 2)
    target = low + (high - low) * labels
    weights = np.zeros(2)
    for _ in range(_STEPS):
        share = 1 / (1 + np.exp(-x @ weights))
        gradient = x.T @ (target - share)
        curvature = (x * (share * (1 - share))[:, None]).T @ x + 1e-9 * np.eye(2)
        step = np.linalg.solve(curvature, gradient)
        weights = np.clip(weights + step, -_STEEPEST, _STEEPEST)
        if np.abs(step).max() < _CLOSE:
            break
    return ScoreMap(float(weights[0]), float(weights[1]), len(labels))


def calibration_error(scores: FloatArray, labels: FloatArray, groups: int = 10) -> float:
    """Return the mean distance of scores from labels in groups of equal size, ordered by score.

    >>> calibration_error(np.array([0.9, 0.9, 0.1, 0.1]), np.array([1.0, 1.0, 0.0, 0.0]), groups=2)
    0.1
    """
    order = np.argsort(scores, kind="stable")
    # Equal scores are one group: a judge that says 0 or 1 has two.
    values, place = np.unique(scores[order], return_inverse=True)
    if len(values) > groups:
        place = np.arange(len(order)) * groups // len(order)
    return round(float(np.abs(np.bincount(place, scores[order] - labels[order])).sum() / len(scores)), 12)


def expected_error(scores: FloatArray, seed: int, times: int = 500) -> float:
    """Return the calibration error that scores would have by chance if they were the exact probabilities of labels."""
    rng = np.random.default_rng(seed)
    drawn = [np.asarray(rng.random(len(scores)) < scores, dtype=np.float64) for _ in range(times)]
    return float(np.mean([calibration_error(scores, labels) for labels in drawn]))


@dataclass(frozen=True)
class Thresholds:
    """From which probability on a decision model is taken to say yes.

    Args:
        values: by language, ``all`` for those that are not there.
        distance: the mean distance of scores from labels, as shares of the metric's range, with the threshold .5.
        distance_calibrated: that with these, in samples whose labels they were not learned from.
    """

    values: Mapping[str, float]
    distance: float
    distance_calibrated: float


@dataclass(frozen=True)
class Calibration:
    """The maps of one metric with one judge, by language, and how well scores fit labels without and with them.

    Args:
        metric: its name.
        model: that of the judge.
        maps: by language, ``all`` for those that are not there.
        error: the calibration error of the scores as they are.
        error_mapped: that of mapped scores of samples whose labels the maps were not learned from.
        thresholds: of a metric that counts verdicts, by a judge that gives probabilities; None: of any other.
    """

    metric: str
    model: str
    maps: Mapping[str, ScoreMap]
    error: float
    error_mapped: float
    thresholds: Thresholds | None = None

    def threshold_of(self, language: str) -> float:
        """Return from which probability on something holds in samples of a language."""
        values = self.thresholds.values if self.thresholds else {ALL: HALF}
        return values.get(language, values[ALL])

    def mapped(self, scores: FloatArray, languages: Sequence[str]) -> FloatArray:
        """Return scores (n,), shares from 0 to 1, each by the map of its language."""
        of_each = np.array([one if one in self.maps else ALL for one in languages], dtype=object)
        mapped = np.array(scores, dtype=np.float64)
        for language in dict.fromkeys(of_each.tolist()):
            rows: BoolArray = np.asarray(of_each == language, dtype=bool)
            mapped[rows] = self.maps[language](mapped[rows])
        return mapped

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON types."""
        own = {name: value for name, value in vars(self).items() if name not in ("maps", "thresholds")}
        thresholds = {"thresholds": asdict(self.thresholds)} if self.thresholds else {}
        return {**own, "maps": {name: asdict(one) for name, one in self.maps.items()}, **thresholds}


def model_of(judge: Any) -> str:
    """Return the model of a judge, by which a calibration knows it; of a judge without one its text."""
    return str(getattr(judge, "model", judge))


def written(calibrations: Sequence[Calibration]) -> str:
    """Return calibrations as the text of a file."""
    document = {_CALIBRATIONS: [one.to_dict() for one in calibrations]}
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


@dataclass(frozen=True)
class CalibrationFile:
    """A file of calibrations."""

    path: str

    @cached_property
    def _read(self) -> tuple[Mapping[str, Calibration], str]:
        try:
            text = Path(self.path).read_text(encoding="utf-8")
            document = json.loads(text)
            listed = [_calibration(one) for one in document[_CALIBRATIONS]]
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            template = (
                "RG-JUDGE-031 calibration must be a file that ragauge calibrate --judge wrote; {path!r} is not: {why}"
            )
            raise UsageError(template, self.path, excerpt(error)) from None
        return {one.metric: one for one in listed}, sha256(text.encode()).hexdigest()[:8]

    @property
    def digest(self) -> str:
        """Eight hexadecimal digits of the hash of the file."""
        return self._read[1]

    def of(self, metric: str, model: str) -> Calibration:
        """Return the calibration of a metric with a judge's model; UsageError where the file has none."""
        found = self._read[0].get(metric)
        if found is None or found.model != model:
            held = ", ".join(f"{one.metric} ({one.model})" for one in self._read[0].values())
            template = "RG-JUDGE-032 {path} has no calibration of {metric} with {model}; it has {held}"
            raise UsageError(template, self.path, metric, model, held or "none")
        return found


def _calibration(one: Any) -> Calibration:
    maps = {name: ScoreMap(**own) for name, own in one["maps"].items()}
    numbers = [number for own in maps.values() for number in (own.slope, own.offset)]
    if ALL not in maps or not all(isinstance(number, int | float) and np.isfinite(number) for number in numbers):
        raise ValueError("its maps are not numbers")
    if any(own.slope < 0 for own in maps.values()):
        raise ValueError("a map falls")
    thresholds = None if one.get("thresholds") is None else Thresholds(**one["thresholds"])
    if thresholds and (ALL not in thresholds.values or not all(0 < value <= 1 for value in thresholds.values.values())):
        raise ValueError("its thresholds are not from 0 to 1")
    return Calibration(**{**one, "maps": maps, "thresholds": thresholds})
