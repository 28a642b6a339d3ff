"""Every score by stage: value, interval, how many samples it rests on, and what did not count."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import isfinite, nan
from typing import TYPE_CHECKING, Any

import numpy as np

from ragauge.core.protocol import STAGES, Stage
from ragauge.reports.charts.canvas import span
from ragauge.reports.charts.distributions import Bars, histogram
from ragauge.reports.charts.intervals import Row, dots, interval_bar
from ragauge.reports.metrics import Asked
from ragauge.reports.texts import Said, Subject, say
from ragauge.results.score import Score
from ragauge.results.tables import interval, number

if TYPE_CHECKING:
    from markupsafe import Markup


@dataclass(frozen=True)
class Line:
    """The score of one run; ``notes`` say what did not count and what that could change."""

    run: str
    place: int
    value: str
    bar: Markup
    interval: str
    scored: str
    notes: tuple[Said | str, ...]


@dataclass(frozen=True)
class Card:
    """A metric and its scores in each run that has it."""

    metric: str
    lower: bool
    pooled: bool
    lines: tuple[Line, ...]


@dataclass(frozen=True)
class Part:
    """The metrics of a stage."""

    stage: Stage
    cards: tuple[Card, ...]


def scorecard(subject: Subject) -> tuple[Part, ...]:
    """Put all scores over all samples in order."""
    parts = [(stage, [one for one in subject.asked if one.stage == stage]) for stage in STAGES]
    return tuple(Part(stage, tuple(_card(subject, one) for one in found)) for stage, found in parts if found)


def ends_of(one: Asked, scores: list[Score]) -> tuple[float, float]:
    """Return between which values ``scores`` are drawn: the metric's range, or what they and their intervals need."""
    ends = [end for score in scores for end in (score.value, score.low, score.high)]
    # A count or a time begins at 0, and a bar of it should.
    least = [0.0] if not one.bounded and all(end >= 0 for end in ends if isfinite(end)) else []
    return span([*ends, *least], one.range)


def _card(subject: Subject, one: Asked) -> Card:
    scores = [(place, score) for place in range(len(subject.runs)) if (score := one.score(place)) is not None]
    ends = ends_of(one, [score for _, score in scores])
    lines = [
        Line(
            subject.runs[place].name,
            place,
            number(score.value),
            interval_bar(subject.texts, score, ends, place),
            interval(score),
            f"{score.scored:,} / {score.total:,}",
            tuple(_notes(score)),
        )
        for place, score in scores
    ]
    return Card(one.title, one.direction == "lower", one.pooled, tuple(lines))


def _notes(score: Score) -> Iterator[Said | str]:
    for state in ("failed", "missing", "undefined"):
        if getattr(score, state):
            yield say(f"page.note.{state}", n=f"{getattr(score, state):,}")
    if score.bounds is not None and score.bounds[0] < score.bounds[1]:
        yield say("page.note.bounds", low=number(score.bounds[0]), high=number(score.bounds[1]))
    if score.undefined_scored:
        yield say("page.note.zero", n=f"{score.undefined_scored:,}")
    yield from (f"{count:,} {name}" for name, count in score.noted.items())
    yield from score.notes
    for name, part in score.parts.items():
        yield f"{name} {number(part) if part < 2 or part % 1 else f'{part:.0f}'}"


_BINS = 20


@dataclass(frozen=True)
class Distribution:
    """A metric's histogram."""

    metric: str
    figure: Markup


def distributions(subject: Subject) -> tuple[Distribution, ...]:
    """Draw a histogram of each metric that any sample has a score under."""
    found = [(one, _figure(subject, one)) for one in subject.asked]
    return tuple(Distribution(one.title, figure) for one, figure in found if figure is not None)


def _figure(subject: Subject, one: Asked) -> Markup | None:
    scores = {place: one.scores(place) for place in range(len(subject.runs))}
    known = {place: found[~np.isnan(found)] for place, found in scores.items() if found is not None}
    if not any(len(found) for found in known.values()):
        return None
    extremes = [float(end) for found in known.values() if len(found) for end in (found.min(), found.max())]
    edges = np.linspace(*span(extremes, one.range), _BINS + 1)
    rows = [
        Bars(place, subject.names[place], np.histogram(found, edges)[0], _mean(one, place))
        for place, found in known.items()
    ]
    return histogram(subject.texts, one.title, edges, rows)


def _mean(one: Asked, place: int) -> float:
    """Return the mean of the samples; a pooled score is none."""
    score = one.score(place)
    return nan if score is None or one.pooled else score.value


_DRAWN = 24
_TABLED = 200


@dataclass(frozen=True)
class GroupLine:
    """The score of a group in a run."""

    group: Said | str
    metric: str
    run: str
    value: str
    interval: str
    scored: str


@dataclass(frozen=True)
class Drawn:
    """The figure of a metric."""

    metric: str
    figure: Markup


@dataclass(frozen=True)
class Grouping:
    """One column: ``figures`` by metric, ``lines`` of the table; how many groups neither holds."""

    column: str
    count: int
    figures: tuple[Drawn, ...]
    undrawn: int
    lines: tuple[GroupLine, ...]
    untabled: int


def groupings(subject: Subject) -> tuple[Grouping, ...]:
    """Show each column that any run was grouped by."""
    columns = dict.fromkeys(name for run in subject.runs for name in run.result.options["by"])
    return tuple(_grouping(subject, column) for column in columns)


def _grouping(subject: Subject, column: str) -> Grouping:
    scores = {one: _scores(one, column) for one in subject.asked}
    labels = _labels(scores)
    drawn = set(_largest(scores, labels, _DRAWN))
    figures = [
        Drawn(one.title, _group_figure(subject, one, found, [name for name in labels if name in drawn]))
        for one, found in scores.items()
        if found
    ]
    lines = [line for name in labels[:_TABLED] for line in _lines(subject, scores, name)]
    return Grouping(
        column, len(labels), tuple(figures), max(0, len(labels) - _DRAWN), tuple(lines), max(0, len(labels) - _TABLED)
    )


Groups = dict[Any, tuple[Score | None, ...]]


def _scores(one: Asked, column: str) -> Groups:
    """Return the scores of each group in each run, groups in the order of the runs."""
    by_run = [
        {} if name is None else run.result.groups(name, column) for run, name in zip(one.runs, one.names, strict=True)
    ]
    labels = dict.fromkeys(label for groups in by_run for label in groups)
    return {label: tuple(groups.get(label) for groups in by_run) for label in labels}


def _labels(scores: dict[Asked, Groups]) -> list[Any]:
    return list(dict.fromkeys(label for groups in scores.values() for label in groups))


def _largest(scores: dict[Asked, Groups], labels: list[Any], count: int) -> list[Any]:
    """Return the groups with the most samples."""
    sizes: dict[Any, int] = dict.fromkeys(labels, 0)
    for groups in scores.values():
        for label, found in groups.items():
            sizes[label] = max(sizes[label], *(score.total for score in found if score is not None))
    return sorted(labels, key=lambda label: -sizes[label])[:count]


def _group_figure(subject: Subject, one: Asked, groups: Groups, labels: list[Any]) -> Markup:
    rows = [Row(named(label), groups[label]) for label in labels if label in groups]
    there = [score for row in rows for score in row.scores if score is not None]
    return dots(subject.texts, one.title, rows, ends_of(one, there))


def _lines(subject: Subject, scores: dict[Asked, Groups], label: Any) -> Iterator[GroupLine]:
    for one, groups in scores.items():
        for run, score in zip(subject.names, groups.get(label, ()), strict=False):
            if score is not None:
                scored = f"{score.scored:,} / {score.total:,}"
                yield GroupLine(named(label), one.title, run, number(score.value), interval(score), scored)


def named(label: Any) -> Said | str:
    """Call a group by its value; samples without one are a group too."""
    return say("page.no-group") if label is None else str(label)
