"""The first screen: a card for each metric, and the samples that got worse."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from markupsafe import Markup

from ragauge.comparison.difference import Difference, shows_worse
from ragauge.comparison.equal_columns import EqualColumns, equal_columns
from ragauge.comparison.primary import primary_metrics
from ragauge.core.ragged import FloatArray, IntArray
from ragauge.reports.charts.canvas import span
from ragauge.reports.charts.distributions import spark_histogram
from ragauge.reports.listing import listing
from ragauge.reports.runs import AlignedMetric, Page, Selection
from ragauge.reports.sections.changes import Changes
from ragauge.results.score import Score

_BINS = 20
_ORDER = ("worse", "better", "leaning worse", "leaning better", "unclear", "equal", "nothing")
"""Outcomes in the order in which their cards stand."""


@dataclass(frozen=True)
class Card:
    """A metric of a run, its histogram, and its change from the first run; None where that is not known."""

    metric: AlignedMetric
    score: Score
    spark: Markup
    change: Difference | None
    primary: bool

    @property
    def usable(self) -> bool:
        """Whether the metric failed on at most half of the samples."""
        return 2 * self.score.failed <= self.score.total


def cards(page: Page, changed: Changes | None) -> list[Card]:
    """Return a card for each metric of the shown run, those that got worse first."""
    differences: dict[str, Difference] = {}
    if changed is not None and changed.candidates:
        differences = {metric.title: one for metric, one in changed.candidates[page.shown - 1].overall}
    result = page.runs[page.shown].result
    wanted = page.primary if page.shown == 0 else ()
    alone = () if differences else primary_metrics(result, result.metrics, wanted)
    in_order = []
    for metric in page.metrics:
        score, change = metric.score(page.shown), differences.get(metric.title)
        if score is not None:
            primary = metric.names[page.shown] in alone if change is None else change.primary
            spark = spark_histogram(page.texts, _counts(metric, page.shown))
            in_order.append(Card(metric, score, spark, change, primary))
    return sorted(in_order, key=lambda card: -1 if card.change is None else _ORDER.index(card.change.outcome))


def shown_once(page: Page, all_cards: Sequence[Card]) -> tuple[list[Card], list[str]]:
    """Return the cards without those of metrics that are multiples of others in all runs, and equations of these."""
    titles = {card.metric.title: card for card in all_cards}
    scores = {
        title: np.concatenate(
            [column for run in range(len(page.runs)) if (column := card.metric.scores(run)) is not None]
        )
        for title, card in titles.items()
        if card.score.average != "pooled" and card.metric.everywhere
    }
    equal: list[EqualColumns] = []
    for direction in ("higher", "lower"):
        some = {title: column for title, column in scores.items() if titles[title].metric.direction == direction}
        equal += equal_columns(some, {title for title in some if titles[title].primary})
    again = {title for one in equal for title in one.others}
    names = dict(zip(titles, titles, strict=True))
    return [card for card in all_cards if card.metric.title not in again], [one.sentence(names) for one in equal]


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


def fallen(page: Page, selection: Selection, all_cards: Sequence[Card]) -> list[Fallen]:
    """Return the metrics under which listed samples got worse from the first run to the shown, the primary ones first.

    The samples are counted by the rule that lists them: the change shows.
    """
    run = [("run", page.names[page.shown])] if len(page.runs) > 2 else []
    found = []
    for card in sorted(all_cards, key=lambda card: not card.primary):
        before, after = (_at(page, selection, card.metric, place) for place in (0, page.shown))
        gain = after - before if card.metric.direction == "higher" else before - after
        if card.change is not None and (count := int(shows_worse(gain, card.metric.range).sum())):
            address = listing(("metric", card.metric.title), ("test", "fell"), *run)
            found.append(Fallen(card.metric, count, address))
    return found


def _at(page: Page, selection: Selection, metric: AlignedMetric, run: int) -> FloatArray:
    """Return the scores of the listed samples in a run, (m,)."""
    scores = metric.scores(run)
    rows = page.samples.places[run][selection.rows]
    return np.full(len(rows), np.nan) if scores is None else scores[rows]


def _counts(metric: AlignedMetric, run: int) -> IntArray:
    """Return how many samples have a score in each of twenty equal ranges, (20,)."""
    scores = metric.scores(run)
    finite = np.empty(0) if scores is None else scores[np.isfinite(scores)]
    extremes = [float(finite.min()), float(finite.max())] if len(finite) else []
    counts: IntArray = np.histogram(finite, np.linspace(*span(extremes, metric.range), _BINS + 1))[0]
    return counts
