"""The first screen: a card for each metric, what failed, and the groups that stand apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite, nan
from typing import Any, TypeAlias

import numpy as np
from markupsafe import Markup

from ragauge.comparison.difference import Difference
from ragauge.core.ragged import IntArray
from ragauge.reports.charts.canvas import span
from ragauge.reports.charts.distributions import spark_histogram
from ragauge.reports.listing import in_group, listing
from ragauge.reports.runs import AlignedMetric, Page
from ragauge.reports.sections.changes import Changes
from ragauge.reports.sections.overview import unanswered
from ragauge.reports.sections.scores import group_name
from ragauge.reports.texts import Message, message
from ragauge.results.score import Score

_Apart: TypeAlias = dict[tuple[str, Any], list[tuple[float, AlignedMetric, Score, Score]]]
"""Column and group -> each metric that sets it apart: how far, the metric, its score, and that of all samples."""

_BINS = 20
_MOST_PLACES = 3
_MOST_METRICS = 3  # of a group that stands apart
_LEAST_SAMPLES = 5  # the interval of a smaller group says little


@dataclass(frozen=True)
class Card:
    """A metric of the last run, its histogram, and its change from the first run; None where that is not known."""

    metric: AlignedMetric
    score: Score
    spark: Markup
    change: Difference | None


def cards(page: Page, changed: Changes | None) -> list[Card]:
    """Return a card for each metric of the last run."""
    last = len(page.runs) - 1
    differences: dict[str, Difference] = {}
    if changed is not None and changed.candidates:
        differences = {metric.title: one for metric, one in changed.candidates[-1].overall}
    return [
        Card(metric, score, spark_histogram(page.texts, _counts(metric, last)), differences.get(metric.title))
        for metric in page.metrics
        if (score := metric.score(last)) is not None
    ]


def paired(all_cards: Sequence[Card]) -> int:
    """Return of how many samples the changes are, if all are of the same and a score is of more of them; else 0."""
    counts = {card.change.scored for card in all_cards if card.change is not None}
    fewer = any(card.change is not None and card.change.scored < card.score.scored for card in all_cards)
    return counts.pop() if len(counts) == 1 and fewer else 0


@dataclass(frozen=True)
class Fallen:
    """How many samples got worse under a metric, and the address that lists them, worst change first."""

    metric: AlignedMetric
    samples: int
    address: str


def fallen(all_cards: Sequence[Card]) -> list[Fallen]:
    """Return the metrics under which samples got worse from the first run to the last."""
    changed = [(card.metric, card.change.losses) for card in all_cards if card.change is not None]
    return [
        Fallen(metric, losses, listing(("metric", metric.title), ("test", "fell")))
        for metric, losses in changed
        if losses
    ]


def failing(page: Page) -> Message | None:
    """Return how many samples the last run did not answer; None where they are no more than those of the first."""
    first, last = page.runs[0], page.runs[-1]
    counts = [unanswered(run).total() for run in (first, last)]
    if len(page.runs) < 2 or counts[1] <= counts[0]:
        return None
    totals = [f"{run.result.data.rows:,}" for run in (first, last)]
    before, after = (f"{count:,}" for count in counts)
    return message(
        "page.summary.failing", run=last.name, n=after, total=totals[1], base=first.name, n2=before, total2=totals[0]
    )


def _counts(metric: AlignedMetric, run: int) -> IntArray:
    """Return how many samples have a score in each of twenty equal ranges, (20,)."""
    scores = metric.scores(run)
    finite = np.empty(0) if scores is None else scores[np.isfinite(scores)]
    extremes = [float(finite.min()), float(finite.max())] if len(finite) else []
    counts: IntArray = np.histogram(finite, np.linspace(*span(extremes, metric.range), _BINS + 1))[0]
    return counts


@dataclass(frozen=True)
class ApartGroup:
    """A group of the last run that its intervals set apart from all samples, under the metrics that do so most."""

    column: str
    group: Message | str
    metrics: Sequence[tuple[AlignedMetric, Score, Score]]  # the group's score, and that of all samples
    more: int  # how many other metrics set it apart
    address: str  # of its samples in the list


def places(page: Page) -> list[ApartGroup]:
    """Return up to three groups to look at first: those that most metrics set apart, and then by how far."""
    last = len(page.runs) - 1
    apart: _Apart = {}
    for metric in page.metrics:
        whole = metric.score(last)
        if whole is None or not isfinite(whole.value):
            continue
        for column in page.runs[last].result.options["by"]:
            for name, score in metric.groups(last, column).items():
                distance = _distance(metric, score, whole)
                if score.scored >= _LEAST_SAMPLES and distance > 0:
                    apart.setdefault((column, name), []).append((distance, metric, score, whole))
    ranked = sorted(apart.items(), key=lambda item: (-len(item[1]), -max(distance for distance, *_ in item[1])))
    return [_apart_group(column, name, some) for (column, name), some in ranked[:_MOST_PLACES]]


def _apart_group(column: str, name: Any, some: Sequence[tuple[float, AlignedMetric, Score, Score]]) -> ApartGroup:
    farthest = sorted(some, key=lambda one: -one[0])
    shown = [(metric, score, whole) for _, metric, score, whole in farthest[:_MOST_METRICS]]
    address = listing(in_group(column, name), ("metric", farthest[0][1].title))
    return ApartGroup(column, group_name(name), shown, len(some) - len(shown), address)


def _distance(metric: AlignedMetric, score: Score, whole: Score) -> float:
    """Return how far a group's interval is on the worse side of the interval of the whole, in ranges or wholes."""
    worse = whole.low - score.high if metric.direction == "higher" else score.low - whole.high
    unit = metric.range[1] - metric.range[0] if metric.bounded else abs(whole.value)
    return worse / unit if unit > 0 and isfinite(worse) else nan
