"""Where to look first: the groups that are worse than the rest of the samples, beyond chance."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import hypot, inf, isfinite, isnan
from typing import Any

import numpy as np

from ragauge.core.arrow import to_numpy
from ragauge.core.hashing import hash_strings
from ragauge.core.ragged import BoolArray, FloatArray, IntArray
from ragauge.evaluation.evaluator import cluster_keys, plain
from ragauge.inference.distributions import beta_cdf
from ragauge.inference.intervals import NO_INTERVAL, Interval, jackknife
from ragauge.reports.listing import in_group, listing
from ragauge.reports.runs import AlignedMetric, Page, Run
from ragauge.reports.sections.scores import group_name
from ragauge.reports.texts import PageText, message
from ragauge.results.score import Score, group_label

_MOST_PLACES = 3
_MOST_METRICS = 3  # of a group that stands apart
_HALVINGS = 50  # of the range of a proportion, until its last digits stay
_LEAST_SAMPLES = 5  # the interval of a smaller group says little


@dataclass(frozen=True)
class ApartGroup:
    """A group of the shown run that is worse than the rest of the samples, under the metrics where it is so most."""

    column: str
    group: PageText | str
    metrics: Sequence[tuple[AlignedMetric, Score, float]]  # the group's score, and the value of the rest
    more: int  # how many other metrics set it apart
    address: str  # of its samples in the list


@dataclass(frozen=True)
class ApartGroups:
    """Up to three groups that stand apart, and how many were looked at; ``method`` is None where none could be."""

    groups: Sequence[ApartGroup]
    method: PageText | None


def apart_groups(page: Page) -> ApartGroups:
    """Return the groups of the shown run that are worse than the rest, first those that most metrics set apart.

    A group is named where the interval of its difference from the rest lies on the worse side of 0. The intervals are
    corrected by Holm's method for all groups and metrics that were looked at. Metrics that are no mean of the scores of
    samples are not looked at.
    """
    run = page.runs[page.shown]
    if not run.result.options["resamples"]:
        return ApartGroups([], None)
    contrasts = list(_contrasts(page, run))
    if not contrasts:
        return ApartGroups([], None)
    by_group: dict[tuple[str, Any], list[tuple[float, Contrast]]] = {}
    for distance, contrast in _beyond_chance(contrasts, 1 - run.result.options["level"]):
        by_group.setdefault((contrast.column, contrast.name), []).append((distance, contrast))
    ranked = sorted(by_group.values(), key=lambda some: (-len(some), -max(distance for distance, _ in some)))
    groups = len({(one.column, one.name) for one in contrasts})
    metrics = len({one.metric.title for one in contrasts})
    method = message("page.places.method", groups=f"{groups:,}", metrics=metrics, tests=f"{len(contrasts):,}")
    return ApartGroups([_apart_group(some) for some in ranked[:_MOST_PLACES]], method)


def _apart_group(some: Sequence[tuple[float, Contrast]]) -> ApartGroup:
    farthest = [contrast for _, contrast in sorted(some, key=lambda one: -one[0])]
    first = farthest[0]
    shown = [(one.metric, one.score, one.rest) for one in farthest[:_MOST_METRICS]]
    address = listing(in_group(first.column, first.name), ("metric", first.metric.title))
    return ApartGroup(first.column, group_name(first.name), shown, len(some) - len(shown), address)


@dataclass(frozen=True, eq=False)
class Contrast:
    """A group against the rest of the samples, under a metric.

    ``scores`` (n,) and ``units`` (n,), the resampling unit of each, are of the scored samples; ``inside`` (n,) marks
    those of the group. ``score`` and ``rest`` are the values of both.
    """

    metric: AlignedMetric
    column: str
    name: Any
    score: Score
    scores: FloatArray
    units: IntArray | None
    inside: BoolArray

    @cached_property
    def rest(self) -> float:
        """The mean of the samples outside the group."""
        return float(self.scores[~self.inside].mean())

    @property
    def may_be_worse(self) -> bool:
        """Whether the better end of the group's interval is worse than the rest; longer intervals need it too."""
        if self.metric.direction == "higher":
            return self.score.high < self.rest
        return self.score.low > self.rest

    def distance(self, level: float) -> float:
        """Return how far the interval of the difference is on the worse side of 0, in ranges; below 0 where it is not.

        Source: Newcombe 1998, "Interval estimation for the difference between independent proportions", method 10; for
        other means Zou and Donner 2008, "Construction of confidence limits about effect measures".
        """
        (low, high), (rest_low, rest_high) = (self._interval(rows, level) for rows in (self.inside, ~self.inside))
        value = float(self.scores[self.inside].mean())
        if isnan(low) or isnan(rest_low):
            return -inf
        if self.metric.direction == "higher":
            worse = self.rest - value - hypot(high - value, self.rest - rest_low)
        else:
            worse = value - self.rest - hypot(value - low, rest_high - self.rest)
        unit = self.metric.range[1] - self.metric.range[0] if self.metric.bounded else abs(self.rest) or 1.0
        return worse / unit

    def _interval(self, rows: BoolArray, level: float) -> Interval:
        """Return the interval of a mean: exact for scores that are 0 or 1, because levels here are far beyond 95 %."""
        scores = self.scores[rows]
        binary = bool(np.all((scores == 0) | (scores == 1)))
        if binary and self.units is None:
            return clopper_pearson(int(scores.sum()), len(scores), level)
        sums: FloatArray = scores
        counts: FloatArray = np.ones(len(scores))
        if self.units is not None:
            units = np.unique(self.units[rows], return_inverse=True)[1]
            sums, counts = np.bincount(units, scores).astype(np.float64), np.bincount(units).astype(np.float64)
        if len(sums) < 2:
            return NO_INTERVAL
        left_out = (scores.sum() - sums) / (len(scores) - counts)
        limits = (0.0, 1.0) if binary else self.metric.range
        return jackknife(float(scores.mean()), left_out, level, limits, trials=len(scores) if binary else inf)


def clopper_pearson(successes: int, trials: int, level: float) -> Interval:
    """Return the exact interval of a proportion (Clopper and Pearson 1934), which covers it at least as often as asked.

    >>> [round(end, 4) for end in clopper_pearson(9, 10, 0.95)], clopper_pearson(10, 10, 0.95)[1]
    ([0.555, 0.9975], 1.0)
    """
    tail, failures = (1 - level) / 2, trials - successes
    low = 0.0 if not successes else _beta_quantile(tail, successes, failures + 1)
    high = 1.0 if not failures else 1 - _beta_quantile(tail, failures, successes + 1)
    return low, high


def _beta_quantile(share: float, a: float, b: float) -> float:
    low, high = 0.0, 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if beta_cdf(middle, a, b) < share else (low, middle)
    return low


def _contrasts(page: Page, run: Run) -> Iterator[Contrast]:
    """Yield each group with enough samples against the rest, under each metric that is a mean of samples."""
    units = _units(run)
    for by in run.result.options["by"]:
        encoded = plain(run.result.column(by), "by", by).dictionary_encode(null_encoding="encode")
        codes = to_numpy(encoded.indices).astype(np.int64)
        names = [group_label(name) for name in encoded.dictionary.to_pylist()]
        for metric in page.metrics:
            scores = metric.scores(page.shown)
            if metric.pooled or scores is None:
                continue
            scored = np.isfinite(scores)
            counts = np.bincount(codes[scored], minlength=len(names))
            groups = metric.groups(page.shown, by)
            for code in np.flatnonzero((counts >= _LEAST_SAMPLES) & (scored.sum() - counts >= _LEAST_SAMPLES)):
                name = names[code]
                inside = codes[scored] == code
                of_scored = None if units is None else units[scored]
                yield Contrast(metric, by, name, groups[name], scores[scored], of_scored, inside)


def _units(run: Run) -> IntArray | None:
    """Return the cluster of each sample, (n,); None without clusters."""
    cluster = run.result.options["cluster"]
    if not cluster:
        return None
    own = hash_strings(run.result.sample_ids())
    keys = cluster_keys(own, plain(run.result.column(cluster), "cluster", cluster))
    units: IntArray = np.unique(keys, return_inverse=True)[1]
    return units


def _beyond_chance(contrasts: Sequence[Contrast], alpha: float) -> list[tuple[float, Contrast]]:
    """Return the contrasts that are apart, and how far; the level falls as in Holm's correction with each that is."""
    apart: list[tuple[float, Contrast]] = []
    left = [one for one in contrasts if one.may_be_worse]
    while left:
        level = 1 - alpha / (len(contrasts) - len(apart))
        distances = [one.distance(level) for one in left]
        new = [pair for pair in zip(distances, left, strict=True) if isfinite(pair[0]) and pair[0] > 0]
        if not new:
            break
        apart += new
        left = [one for distance, one in zip(distances, left, strict=True) if not distance > 0]
    return apart
