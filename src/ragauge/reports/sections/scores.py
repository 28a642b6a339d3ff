"""The scores of all metrics: of each run, by group, and by cutoff k."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from ragauge.core.protocol import STAGES, Metric, Stage
from ragauge.display.numbers import interval, number
from ragauge.errors import RagaugeError
from ragauge.evaluation.evaluator import Evaluator
from ragauge.evaluation.summarize import Inference
from ragauge.reports.charts.canvas import span
from ragauge.reports.charts.intervals import Curve, GroupScores, Point, curves, dots, interval_bar
from ragauge.reports.runs import AlignedMetric, Page, Run
from ragauge.reports.texts import Message, message
from ragauge.results.score import Score

if TYPE_CHECKING:
    from markupsafe import Markup


@dataclass(frozen=True)
class StageScores:
    """The metrics of a stage."""

    stage: Stage
    metrics: tuple[MetricScores, ...]


@dataclass(frozen=True)
class MetricScores:
    """A metric and its score in each run that has it."""

    metric: str
    lower: bool
    pooled: bool
    lines: tuple[ScoreLine, ...]


@dataclass(frozen=True)
class ScoreLine:
    """The score of one run; ``notes`` count the samples without a score and list the parts of the score."""

    run: str
    place: int
    value: str
    bar: Markup
    interval: str
    scored: str
    notes: tuple[Message | str, ...]


def scorecard(page: Page) -> tuple[StageScores, ...]:
    """Return the scores over all samples by stage."""
    by_stage = [(stage, [metric for metric in page.metrics if metric.stage == stage]) for stage in STAGES]
    return tuple(StageScores(stage, tuple(_lines(page, one) for one in found)) for stage, found in by_stage if found)


def _lines(page: Page, metric: AlignedMetric) -> MetricScores:
    scores = [(place, score) for place in range(len(page.runs)) if (score := metric.score(place)) is not None]
    ends = _ends(metric, [score for _, score in scores])
    lines = [
        ScoreLine(
            page.names[place],
            place,
            number(score.value),
            interval_bar(page.texts, score, ends, place),
            interval(score.low, score.high),
            f"{score.scored:,} / {score.total:,}",
            tuple(_notes(score)),
        )
        for place, score in scores
    ]
    return MetricScores(metric.title, metric.direction == "lower", metric.pooled, tuple(lines))


def _ends(metric: AlignedMetric, scores: list[Score]) -> tuple[float, float]:
    """Return the ends of the axis: the metric's range, or round numbers around the scores and their intervals."""
    ends = [end for score in scores for end in (score.value, score.low, score.high)]
    # The axis of counts and times begins at 0.
    zero = [0.0] if not metric.bounded and all(end >= 0 for end in ends if isfinite(end)) else []
    return span([*ends, *zero], metric.range)


def _notes(score: Score) -> Iterator[Message | str]:
    for state in ("failed", "missing", "undefined"):
        if getattr(score, state):
            yield message(f"page.note.{state}", n=f"{getattr(score, state):,}")
    if score.bounds is not None and score.bounds[0] < score.bounds[1]:
        yield message("page.note.bounds", low=number(score.bounds[0]), high=number(score.bounds[1]))
    if score.undefined_scored:
        yield message("page.note.zero", n=f"{score.undefined_scored:,}")
    yield from (f"{count:,} {name}" for name, count in score.noted.items())
    yield from score.notes
    for name, part in score.parts.items():
        yield f"{name} {number(part) if part < 2 or part % 1 else f'{part:.0f}'}"


_DRAWN_GROUPS = 24
_LISTED_GROUPS = 200

GroupsByRun = dict[Any, tuple[Score | None, ...]]
"""Value of the column -> the score of that group in each run."""


@dataclass(frozen=True)
class Grouping:
    """The scores by one column: ``figures`` by metric, ``lines`` of the table; how many groups neither holds."""

    column: str
    count: int
    figures: tuple[tuple[str, Markup], ...]
    undrawn: int
    lines: tuple[GroupLine, ...]
    unlisted: int


@dataclass(frozen=True)
class GroupLine:
    """The score of a group in a run."""

    group: Message | str
    metric: str
    run: str
    value: str
    interval: str
    scored: str


def groupings(page: Page) -> tuple[Grouping, ...]:
    """Return the scores by each column that any run was grouped by."""
    columns = dict.fromkeys(name for run in page.runs for name in run.result.options["by"])
    return tuple(_grouping(page, column) for column in columns)


def group_name(value: Any) -> Message | str:
    """Return the name of a group; samples without a value in the column are a group too."""
    return message("page.no-group") if value is None else str(value)


def _grouping(page: Page, column: str) -> Grouping:
    by_metric = {metric: _groups_by_run(metric, column) for metric in page.metrics}
    names = list(dict.fromkeys(name for groups in by_metric.values() for name in groups))
    largest = set(_largest(by_metric, names))
    figures = [
        (metric.title, _group_figure(page, metric, groups, [name for name in names if name in largest]))
        for metric, groups in by_metric.items()
        if groups
    ]
    lines = [line for name in names[:_LISTED_GROUPS] for line in _group_lines(page, by_metric, name)]
    undrawn, unlisted = (max(0, len(names) - most) for most in (_DRAWN_GROUPS, _LISTED_GROUPS))
    return Grouping(column, len(names), tuple(figures), undrawn, tuple(lines), unlisted)


def _groups_by_run(metric: AlignedMetric, column: str) -> GroupsByRun:
    by_run = [metric.groups(run, column) for run in range(len(metric.runs))]
    names = dict.fromkeys(name for groups in by_run for name in groups)
    return {name: tuple(groups.get(name) for groups in by_run) for name in names}


def _largest(by_metric: dict[AlignedMetric, GroupsByRun], names: list[Any]) -> list[Any]:
    """Return the groups with the most samples."""
    sizes: dict[Any, int] = dict.fromkeys(names, 0)
    for groups in by_metric.values():
        for name, scores in groups.items():
            sizes[name] = max(sizes[name], *(score.total for score in scores if score is not None))
    return sorted(names, key=lambda name: -sizes[name])[:_DRAWN_GROUPS]


def _group_figure(page: Page, metric: AlignedMetric, groups: GroupsByRun, names: list[Any]) -> Markup:
    rows = [GroupScores(group_name(name), groups[name]) for name in names if name in groups]
    scores = [score for row in rows for score in row.scores if score is not None]
    return dots(page.texts, metric.title, rows, _ends(metric, scores))


def _group_lines(page: Page, by_metric: dict[AlignedMetric, GroupsByRun], name: Any) -> Iterator[GroupLine]:
    for metric, groups in by_metric.items():
        for run, score in zip(page.names, groups.get(name, ()), strict=False):
            if score is not None:
                scored = f"{score.scored:,} / {score.total:,}"
                yield GroupLine(
                    group_name(name), metric.title, run, number(score.value), interval(score.low, score.high), scored
                )


CUTOFF_METRICS = ("precision", "recall", "hit-rate", "ndcg", "mrr", "map")
_CUTOFFS = (1, 2, 3, 5, 10, 20, 50, 100)
_MOST_RESAMPLED = 10_000
"""Curves of more samples have no intervals: they would be too narrow to see."""


@dataclass(frozen=True)
class CutoffScores:
    """A metric by cutoff: its figure and its table, which holds the values of each run."""

    metric: str
    figure: Markup
    cutoffs: tuple[int, ...]
    rows: tuple[tuple[str, tuple[str, ...]], ...]


def cutoffs(page: Page) -> tuple[CutoffScores, ...]:
    """Return the retrieval metrics of the runs by cutoff k."""
    by_run = [cutoff_points(run) for run in page.runs]
    return tuple(
        _cutoff_scores(page, by_run, metric) for metric in dict.fromkeys(name for one in by_run for name in one)
    )


def _cutoff_scores(page: Page, by_run: list[dict[str, tuple[Point, ...]]], metric: str) -> CutoffScores:
    lines = [Curve(run, page.names[run], points[metric]) for run, points in enumerate(by_run) if metric in points]
    ks = tuple(point.k for point in max((line.points for line in lines), key=len))
    rows = []
    for line in lines:
        values = {point.k: number(point.value) for point in line.points}
        rows.append((line.name, tuple(values.get(k, "–") for k in ks)))
    return CutoffScores(metric, curves(page.texts, metric, lines, (0.0, 1.0)), ks, tuple(rows))


def cutoff_points(run: Run) -> dict[str, tuple[Point, ...]]:
    """Return the values of each metric of ``run`` that has a cutoff, by its name without the cutoff."""
    metrics: dict[str, Any] = {}
    requested: set[int] = set()
    for name in run.result.metrics:
        metric: Any = run.metric(name)
        if metric is None or str(metric).partition(":")[0].partition("@")[0] not in CUTOFF_METRICS:
            continue
        metrics.setdefault(str(replace(metric, k=None)), metric)
        requested |= {metric.k} - {None}
    ks = _cutoffs_of(run, requested) if metrics else []
    if len(ks) < 2:
        return {}
    at_k = {f"{name} {k}": replace(metric, k=k) for name, metric in metrics.items() for k in ks}
    scores = _evaluated(run, at_k)
    return {
        name: tuple(Point(k, one.value, one.low, one.high) for k in ks for one in [scores[f"{name} {k}"]])
        for name in (metrics if scores else ())
    }


def _cutoffs_of(run: Run, requested: set[int]) -> list[int]:
    """Return round cutoffs up to the longest ranking of the run, and the requested ones."""
    deepest = max((_longest_ranking(batch) for batch in run.result.data.batches()), default=0)
    return sorted({k for k in _CUTOFFS if k <= max(deepest, 1)} | requested)


def _longest_ranking(batch: Any) -> int:
    import pyarrow.compute as pc

    name = next((name for name in ("retrieved", "contexts") if name in batch.names), None)
    if name is None or not len(batch):
        return 0
    return int(np.nan_to_num(pc.max(pc.list_value_length(batch.column(name))).as_py() or 0))


def _evaluated(run: Run, metrics: Mapping[str, Metric]) -> dict[str, Score]:
    """Return the scores of ``metrics`` by name; none where the data cannot be read again."""
    options = run.result.options
    resamples = options["resamples"] if run.result.data.rows <= _MOST_RESAMPLED else 0
    inference = Inference(options["level"], resamples, options["seed"])
    try:
        result = Evaluator(metrics, (), options["cluster"], inference)(run.result.data)
    except RagaugeError:
        return {}
    return {name: result[name] for name in metrics}
