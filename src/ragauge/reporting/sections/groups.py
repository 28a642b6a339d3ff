"""Scores by group, for each column that the runs were grouped by."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ragauge.reporting.asked import Asked
from ragauge.reporting.drawing.dots import Row, dots
from ragauge.reporting.sections.scorecard import ends_of
from ragauge.reporting.subject import Subject
from ragauge.reporting.texts import Said, say
from ragauge.scored import Score
from ragauge.wording import interval, number

if TYPE_CHECKING:
    from markupsafe import Markup

_DRAWN = 24
_TABLED = 200


@dataclass(frozen=True)
class Line:
    """The score of a group in a run."""

    group: Said | str
    metric: str
    run: str
    value: str
    interval: str
    counted: str


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
    lines: tuple[Line, ...]
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
        Drawn(one.title, _figure(subject, one, found, [name for name in labels if name in drawn]))
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


def _figure(subject: Subject, one: Asked, groups: Groups, labels: list[Any]) -> Markup:
    rows = [Row(named(label), groups[label]) for label in labels if label in groups]
    there = [score for row in rows for score in row.scores if score is not None]
    return dots(subject.texts, one.title, rows, ends_of(one, there))


def _lines(subject: Subject, scores: dict[Asked, Groups], label: Any) -> Iterator[Line]:
    for one, groups in scores.items():
        for run, score in zip(subject.names, groups.get(label, ()), strict=False):
            if score is not None:
                counted = f"{score.counted:,} / {score.total:,}"
                yield Line(named(label), one.title, run, number(score.value), interval(score), counted)


def named(label: Any) -> Said | str:
    """Call a group by its value; samples without one are a group too."""
    return say("page.no-group") if label is None else str(label)
