"""Three and more runs by metrics: values, the best and what cannot be told from it, and differences from any run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import nan
from typing import Literal, TypeAlias

from markupsafe import Markup

from ragauge.comparison.difference import Difference
from ragauge.comparison.every_pair import MOST_PAIRED, EveryPair, best_of
from ragauge.core.messages import Message
from ragauge.reports.charts.over_runs import strokes
from ragauge.reports.runs import AlignedMetric, Page
from ragauge.reports.sections.changes import Changes
from ragauge.reports.texts import PageText, message
from ragauge.results.score import Score

Standing: TypeAlias = Literal["best", "tied", ""]
"""``tied``: no test tells the run from the best one."""


@dataclass(frozen=True)
class RunCell:
    """A run under a metric; ``score`` is None where the run does not have it.

    ``changes``: the difference from each other run that it was compared with, by that run's place.
    """

    score: Score | None
    standing: Standing
    changes: Sequence[tuple[int, Difference]]


@dataclass(frozen=True)
class MetricRow:
    """A metric over all runs; ``cells`` are in the order of the runs, as the ``strokes`` are."""

    metric: AlignedMetric
    strokes: Markup
    cells: Sequence[RunCell]


@dataclass(frozen=True)
class Matrix:
    """Runs by metrics. ``bases``: the runs that differences are known from; ``problems``: why some are not.

    ``coverage``: how many samples are scored, where that is the same number of all in every cell.
    """

    rows: Sequence[MetricRow]
    method: PageText
    bases: Sequence[int]
    problems: Sequence[str]
    coverage: PageText | None


def matrix(page: Page, changes: Changes | None) -> Matrix | None:
    """Return the runs by their metrics; None for one run or two."""
    if len(page.runs) < 3 or changes is None:
        return None
    rows = [_row(page, place, changes) for place in range(len(page.metrics))]
    compared = {base for row in rows for cell in row.cells for base, _ in cell.changes}
    pairs = changes.pairs
    if pairs is None:
        method = message("page.runs.untested", most=MOST_PAIRED)
    else:
        method = message("page.runs.method", n=f"{pairs.tests:,}")
    problems = list(_problems(page, pairs))
    return Matrix(rows, method, sorted(compared), problems, _coverage(rows))


def _coverage(rows: Sequence[MetricRow]) -> PageText | None:
    counts = {(cell.score.scored, cell.score.total) for row in rows for cell in row.cells if cell.score is not None}
    return message("page.runs.scored", n=min(counts)[0], total=min(counts)[1]) if len(counts) == 1 else None


def _row(page: Page, place: int, changes: Changes) -> MetricRow:
    metric = page.metrics[place]
    scores = [metric.score(run) for run in range(len(page.runs))]
    standing = _standing(metric, place, changes.pairs, scores)
    cells = [
        RunCell(score, standing[run], list(_changes(page, place, changes, run))) for run, score in enumerate(scores)
    ]
    drawn = [(page.names[run], score) for run, score in enumerate(scores) if score is not None]
    return MetricRow(metric, strokes(page.texts, metric.title, drawn), cells)


def _standing(
    metric: AlignedMetric, place: int, pairs: EveryPair | None, scores: Sequence[Score | None]
) -> list[Standing]:
    standing: list[Standing] = [""] * len(scores)
    best = best_of([nan if score is None else score.value for score in scores], metric.direction)
    tied = pairs.like_the_best(best[0], place, range(len(scores))) if pairs is not None and best else []
    for run in tied:
        standing[run] = "tied"
    for run in best:
        standing[run] = "best"
    return standing


def _changes(page: Page, place: int, changes: Changes, run: int) -> Iterator[tuple[int, Difference]]:
    if changes.pairs is not None:
        differences = [(base, changes.pairs.of(base, run, place)) for base in range(len(page.runs)) if base != run]
        yield from ((base, one) for base, one in differences if one is not None)
    elif run > 0 and changes.candidates:
        metric = page.metrics[place]
        yield from ((0, one) for other, one in changes.candidates[run - 1].overall if other is metric)


def _problems(page: Page, pairs: EveryPair | None) -> Iterator[str]:
    """Yield why two runs cannot be compared, in a line each."""
    for (base, candidate), problem in ({} if pairs is None else pairs.problems).items():
        yield Message("{base}, {candidate}: {problem}", page.names[base], page.names[candidate], problem)
