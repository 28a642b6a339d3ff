"""Maps from the scores of a judge to what people would say, learned from labels, one per metric and language."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from shlex import quote
from typing import Any, TypeAlias

import numpy as np

from ragauge.core.ragged import BoolArray, FloatArray
from ragauge.errors import UsageError, excerpt

ALL = "all"
"""The key of the map that serves languages without one of their own."""
_CALIBRATIONS, _WITHOUT_OPTIONS = "calibrations 2", "calibrations 1"
"""The key of the list; another form of it has another number. The first named no options of metrics."""
HALF = 0.5
"""From this probability on something is said to hold, where no other threshold is known."""
# Scores of 0 and 1 have no logit: they count as these many shares from the end.
_END = 0.001
_STEPS = 100
_CLOSE = 1e-10
# A steeper line of a few labels would be a threshold.
_STEEPEST = 50.0
# How strongly the line is drawn to the slope 1, as a precision; and how many labels the line counts beside those of
# a score. On simulated judges and real labels these were best or near it: benchmarks/calibration_maps.py.
_PRECISION = 4.0
_LABELS_OF_LINE = 10.0
# That of offsets of languages, at the least.
_LEAST_VARIANCE = 0.01
# More different scores are put together, neighbours with neighbours.
_MOST_SCORES = 200
_DIGITS = 6
_DRAWS = 50


Line: TypeAlias = tuple[float, float]
"""Slope and offset."""


@dataclass(frozen=True)
class ScoreMap:
    """A map of shares from 0 to 1 that does not fall, by straight lines between what it makes of ``scores``.

    >>> ScoreMap((0.0, 0.5, 1.0), (0.25, 0.25, 1.0), labels=20)(np.array([0.25, 0.75]))
    array([0.25 , 0.625])

    Source: Platt 1999, "Probabilistic outputs for support vector machines", for the line of logits and its smoothed
    labels; Zadrozny and Elkan 2002, "Transforming classifier scores into accurate multiclass probability estimates",
    for steps that rise, here drawn to the line.
    """

    scores: tuple[float, ...]
    values: tuple[float, ...]
    labels: int

    def __call__(self, scores: FloatArray) -> FloatArray:
        """Return the mapped scores, (n,); NaN stays."""
        return np.asarray(np.interp(scores, self.scores, self.values))


def _logit(shares: FloatArray) -> FloatArray:
    inner = np.clip(shares, _END, 1 - _END)
    return np.asarray(np.log(inner / (1 - inner)))


def fitted(scores: FloatArray, labels: FloatArray, of_all: Line | None = None) -> ScoreMap:
    """Return the map of scores (n,) to labels (n,), both shares from 0 to 1.

    Of a score that many samples have, the mean label counts; of one that few have, the line of logits through all.
    ``of_all``: the line of more samples, as of all languages, which that of these is drawn to.
    """
    slope, offset = line_of(scores, labels, of_all)
    # The ends are there without a label, so that the line is known as far.
    ended, own = np.pad(scores, 1, constant_values=(0, 1)), np.pad(np.ones(len(scores)), 1)
    place = np.searchsorted(np.sort(ended), ended) * _MOST_SCORES // max(len(ended), _MOST_SCORES)
    group = np.unique(place, return_inverse=True)[1]
    at = np.bincount(group, ended) / np.bincount(group)
    sums, counts = np.bincount(group, np.pad(labels, 1)), np.bincount(group, own)
    line = 1 / (1 + np.exp(-slope * _logit(at) - offset))
    weights: FloatArray = np.asarray(counts + _LABELS_OF_LINE, dtype=np.float64)
    values = _rising((sums + _LABELS_OF_LINE * line) / weights, weights)
    at, first = np.unique(at.round(_DIGITS), return_index=True)
    return ScoreMap(tuple(at.tolist()), tuple(values[first].round(_DIGITS).tolist()), len(labels))


def line_of(scores: FloatArray, labels: FloatArray, of_all: Line | None = None) -> Line:
    """Return slope and offset of the line from logits of scores to logits of labels, by penalized likelihood.

    It is drawn to the slope 1, or to the line ``of_all``: the less, the further labels are off that beyond chance.
    """
    x = np.stack([_logit(scores), np.ones(len(scores))], axis=1)
    ones = labels.sum()
    # Labels are smoothed by one of each kind, so that few that are all alike give no certainty.
    high, low = (ones + 1) / (ones + 2), 1 / (len(labels) - ones + 2)
    target = low + (high - low) * labels
    usual, precision, of_offset, weights = np.array([1.0, 0.0]), _PRECISION, 0.0, np.zeros(2)
    if of_all is not None:
        usual = np.array(of_all)
        share = 1 / (1 + np.exp(-x @ usual))
        variance = 1 / (share * (1 - share)).sum()
        off = (labels - share).sum() * variance
        of_offset = 1 / max(off**2 - variance, _LEAST_VARIANCE)
        precision = max(of_offset, precision)
    penalty = np.array([precision, of_offset])
    for _ in range(_STEPS):
        share = 1 / (1 + np.exp(-x @ weights))
        gradient = x.T @ (target - share) - penalty * (weights - usual)
        curvature = (x * (share * (1 - share))[:, None]).T @ x + np.diag(penalty) + 1e-9 * np.eye(2)
        step = np.linalg.solve(curvature, gradient)
        weights = np.clip(weights + step, -_STEEPEST, _STEEPEST)
        if np.abs(step).max() < _CLOSE:
            break
    return max(float(weights[0]), 0.0), float(weights[1])


def _rising(values: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the nearest values, by squares with ``weights``, that do not fall: neighbours that fall get their mean.

    >>> _rising(np.array([0.2, 0.6, 0.4]), np.ones(3))
    array([0.2, 0.5, 0.5])
    """
    blocks: list[tuple[float, float, int]] = []
    for value, weight in zip(values.tolist(), weights.tolist(), strict=True):
        block = (value, weight, 1)
        while blocks and blocks[-1][0] >= block[0]:
            mean, before, count = blocks.pop()
            total = before + block[1]
            block = ((mean * before + block[0] * block[1]) / total, total, count + block[2])
        blocks.append(block)
    means, _, lengths = zip(*blocks, strict=True)
    return np.repeat(means, lengths)


def errors_of(found: ScoreMap, scores: FloatArray) -> tuple[float, float]:
    """Return how far scores (n,) are from what people say of such, as the map has it, and how far the map itself is.

    The second is the mean distance of maps that are learned from labels drawn by this map. The distance of scores from
    labels, in groups, would show how few the labels are: .08 for an exact judge and 200 labels. So would the mapped
    scores of samples left out: maps differ from one part to another, and each part has a tenth of the labels.
    """
    mapped, rng = found(scores), np.random.default_rng(0)
    drawn = rng.random((_DRAWS, len(scores))) < mapped
    distances = [np.abs(fitted(scores, one.astype(np.float64))(scores) - mapped).mean() for one in drawn]
    return float(np.abs(scores - mapped).mean()), float(np.mean(distances))


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
        metric: its name and the options that decide its scores, as `JudgedMetric.calibrated_as` has them.
        model: that of the judge, with its kind.
        maps: by language, ``all`` for those that are not there.
        error: the mean distance of the scores as they are from what people say of such.
        error_mapped: that of mapped scores, as it is to be expected from so many labels.
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
    """Return kind and model of a judge, by which a calibration knows it; of a judge without a model its text.

    >>> from ragauge.judges import get
    >>> model_of(get("chat[url=http://localhost/v1,model=a]"))
    'chat[model=a]'
    """
    return f"{str(judge).partition('[')[0]}[model={judge.model}]" if hasattr(judge, "model") else str(judge)


def written(calibrations: Sequence[Calibration]) -> str:
    """Return calibrations as the text of a file."""
    lines = ",\n ".join([json.dumps(one.to_dict(), ensure_ascii=False) for one in calibrations])
    return f'{{"{_CALIBRATIONS}": [\n {lines}\n]}}\n'


def command_for(metric: str, path: str) -> str:
    """Return the command that learns the calibration of a metric."""
    return f"ragauge calibrate LABELLED.jsonl -m {quote(metric)} --judge URL --human COLUMN -o {quote(path)} --force"


@dataclass(frozen=True)
class CalibrationFile:
    """A file of calibrations."""

    path: str

    @cached_property
    def _read(self) -> tuple[Mapping[tuple[str, str], Calibration], str]:
        try:
            text = Path(self.path).read_text(encoding="utf-8")
            document = json.loads(text)
            if _WITHOUT_OPTIONS in document:
                template = (
                    "RG-JUDGE-085 {path!r} is a calibration of an earlier form, which does not name the options of its "
                    "metric; calibrate again: {command}"
                )
                raise UsageError(template, self.path, command_for("METRIC", self.path))
            listed = [_calibration(one) for one in document[_CALIBRATIONS]]
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            template = (
                "RG-JUDGE-031 calibration must be a file that ragauge calibrate --judge wrote; {path!r} is not: {why}"
            )
            raise UsageError(template, self.path, excerpt(error)) from None
        return {(one.metric, one.model): one for one in listed}, sha256(text.encode()).hexdigest()[:8]

    @property
    def digest(self) -> str:
        """Eight hexadecimal digits of the hash of the file."""
        return self._read[1]

    def of(self, metric: str, model: str) -> Calibration:
        """Return the calibration of a metric with a judge's model; UsageError where the file has none."""
        found = self._read[0].get((metric, model))
        if found is None:
            held = ", ".join(f"{one} ({of})" for one, of in self._read[0])
            template = (
                "RG-JUDGE-032 {path} has no calibration of {metric} with {model}; it has {held}. Learn it: {command}"
            )
            command = command_for(metric, "OTHER.json")
            raise UsageError(template, self.path, metric, model, held or "none", command)
        return found


def _calibration(one: Any) -> Calibration:
    maps = {name: ScoreMap(**{**own, "scores": tuple(own["scores"]), "values": tuple(own["values"])})
            for name, own in one["maps"].items()}  # fmt: skip
    if ALL not in maps:
        raise ValueError("a map of all is missing")
    for own in maps.values():
        if not all(isinstance(one, int | float) for one in (*own.scores, *own.values)):
            raise TypeError("a map holds what is no number")
        scores, values = np.array(own.scores, dtype=np.float64), np.array(own.values, dtype=np.float64)
        inside = np.all((scores >= 0) & (scores <= 1)) and np.all((values >= 0) & (values <= 1))
        if not (0 < len(scores) == len(values) and inside and np.all(np.diff(scores) > 0)):
            raise ValueError("its maps are not numbers from 0 to 1")
        if np.any(np.diff(values) < 0):
            raise ValueError("a map falls")
    thresholds = None if one.get("thresholds") is None else Thresholds(**one["thresholds"])
    if thresholds and (ALL not in thresholds.values or not all(0 < value <= 1 for value in thresholds.values.values())):
        raise ValueError("its thresholds are not from 0 to 1")
    return Calibration(**{**one, "maps": maps, "thresholds": thresholds})
