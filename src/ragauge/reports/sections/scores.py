"""The scores of all metrics: of each run, by group, and by cutoff k."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from typing import Any, TypeAlias

import numpy as np
from markupsafe import Markup

from ragauge.core import compute as pc
from ragauge.core.protocol import STAGES, Metric, Stage
from ragauge.display.numbers import number
from ragauge.errors import RagaugeError
from ragauge.evaluation.evaluator import Evaluator
from ragauge.evaluation.summarize import Inference
from ragauge.reports.charts.canvas import span
from ragauge.reports.charts.intervals import Curve, curves, dots, interval_bar
from ragauge.reports.listing import in_group, listing
from ragauge.reports.runs import AlignedMetric, Page, Run
from ragauge.reports.texts import PageText, message
from ragauge.results.score import NO_SCORE, Score, component, counted_note, limits_of, part_note


@dataclass(frozen=True)
class ScoreLine:
    """The score of one run; ``notes`` count the samples without a score and list the parts of the score."""

    run: int
    score: Score
    bar: Markup
    notes: Sequence[PageText | str]


def scorecard(page: Page) -> dict[Stage, list[tuple[AlignedMetric, list[ScoreLine]]]]:
    """Return the metrics of each stage, with their scores over all samples in each run that has them."""
    by_stage = {stage: [metric for metric in page.metrics if metric.stage == stage] for stage in STAGES}
    return {
        stage: [(metric, _lines(page, metric)) for metric in metrics] for stage, metrics in by_stage.items() if metrics
    }


def limits(page: Page) -> dict[Stage, list[tuple[str, str]]]:
    """Return the ways in which the metrics of each stage compare texts of which the page says what they do not see."""
    scores = [score for metric in page.metrics for run in range(len(page.runs)) if (score := metric.score(run))]
    return {stage: limits_of(score for score in scores if score.stage == stage) for stage in STAGES}


def _lines(page: Page, metric: AlignedMetric) -> list[ScoreLine]:
    scores = {run: score for run in range(len(page.runs)) if (score := metric.score(run)) is not None}
    ends = _ends(metric, scores.values())
    return [
        ScoreLine(run, score, interval_bar(page.texts, score, ends, run), list(_notes(score)))
        for run, score in scores.items()
    ]


def _ends(metric: AlignedMetric, scores: Iterable[Score]) -> tuple[float, float]:
    """Return the ends of the axis: the metric's range, or round numbers around the scores and their intervals."""
    ends = [end for score in scores for end in (score.value, score.low, score.high)]
    # The axis of counts and times begins at 0.
    zero = [0.0] if not metric.bounded and all(end >= 0 for end in ends if isfinite(end)) else []
    return span([*ends, *zero], metric.range)


def _notes(score: Score) -> Iterator[PageText | str]:
    for state in NO_SCORE:
        if getattr(score, state):
            yield message(f"page.note.{state}", n=f"{getattr(score, state):,}")
    if score.bounds is not None and score.bounds[0] < score.bounds[1]:
        yield message("page.note.bounds", low=number(score.bounds[0]), high=number(score.bounds[1]))
    if score.undefined_scored:
        yield message("page.note.zero", n=f"{score.undefined_scored:,}")
    yield from (counted_note(name, count) for name, count in score.noted.items())
    yield from score.notes
    yield from (part_note(name, component(part)) for name, part in score.parts.items())


_DRAWN_GROUPS = 24
_LISTED_GROUPS = 200

GroupsByRun = dict[Any, tuple[Score | None, ...]]  # value of the column -> the score of that group in each run
GroupLine: TypeAlias = tuple[PageText | str, str, str, Score]  # a group, a metric, a run, and the score


@dataclass(frozen=True)
class Grouping:
    """The scores by one column: ``figures`` by metric, ``lines`` of the table; how many groups neither holds."""

    column: str
    count: int
    figures: Mapping[str, Markup]
    undrawn: int
    lines: Sequence[GroupLine]
    unlisted: int


def groupings(page: Page) -> list[Grouping]:
    """Return the scores by each column that any run was grouped by."""
    columns = dict.fromkeys(name for run in page.runs for name in run.result.options["by"])
    return [_grouping(page, column) for column in columns]


def group_name(value: Any) -> PageText | str:
    """Return the name of a group; samples without a value in the column are a group too."""
    return message("page.no-group") if value is None else str(value)


def _grouping(page: Page, column: str) -> Grouping:
    by_metric = {metric: _groups_by_run(metric, column) for metric in page.metrics}
    names = list(dict.fromkeys(name for groups in by_metric.values() for name in groups))
    largest = _largest(by_metric, names)
    figures = {}
    for metric, groups in by_metric.items():
        if drawn := {name: groups[name] for name in names if name in groups and name in largest}:
            ends = _ends(metric, (score for scores in drawn.values() for score in scores if score is not None))
            rows = [(group_name(name), scores) for name, scores in drawn.items()]
            addresses = [listing(in_group(column, name), ("metric", metric.title)) for name in drawn]
            figures[metric.title] = dots(page.texts, metric.title, rows, ends, addresses)
    lines = [line for name in names[:_LISTED_GROUPS] for line in _group_lines(page, by_metric, name)]
    undrawn, unlisted = (max(0, len(names) - most) for most in (_DRAWN_GROUPS, _LISTED_GROUPS))
    return Grouping(column, len(names), figures, undrawn, lines, unlisted)


def _groups_by_run(metric: AlignedMetric, column: str) -> GroupsByRun:
    by_run = [metric.groups(run, column) for run in range(len(metric.runs))]
    names = dict.fromkeys(name for groups in by_run for name in groups)
    return {name: tuple(groups.get(name) for groups in by_run) for name in names}


def _largest(by_metric: dict[AlignedMetric, GroupsByRun], names: list[Any]) -> set[Any]:
    """Return the groups with the most samples, at most as many as are drawn."""
    sizes: dict[Any, int] = dict.fromkeys(names, 0)
    for groups in by_metric.values():
        for name, scores in groups.items():
            sizes[name] = max(sizes[name], *(score.total for score in scores if score is not None))
    return set(sorted(names, key=lambda name: -sizes[name])[:_DRAWN_GROUPS])


def _group_lines(page: Page, by_metric: dict[AlignedMetric, GroupsByRun], name: Any) -> Iterator[GroupLine]:
    for metric, groups in by_metric.items():
        for run, score in zip(page.names, groups.get(name, ()), strict=False):
            if score is not None:
                yield group_name(name), metric.title, run, score


CUTOFF_METRICS = ("precision", "recall", "hit-rate", "ndcg", "mrr", "map")
_CUTOFFS = (1, 2, 3, 5, 10, 20, 50, 100)
_MOST_RESAMPLED = 10_000  # curves of more samples have no intervals: they would be too narrow to see


@dataclass(frozen=True)
class CutoffScores:
    """A metric by cutoff: its figure, and a curve of each run by the place of the run."""

    metric: str
    figure: Markup
    by_run: Mapping[int, Curve]

    @property
    def cutoffs(self) -> list[int]:
        """The cutoffs of the longest curve."""
        return max(map(list, self.by_run.values()), key=len)


def cutoffs(page: Page) -> list[CutoffScores]:
    """Return the retrieval metrics of the runs by cutoff k."""
    curves_of_runs = [cutoff_curves(run) for run in page.runs]
    sections = []
    for metric in dict.fromkeys(name for of_run in curves_of_runs for name in of_run):
        by_run = {run: of_run[metric] for run, of_run in enumerate(curves_of_runs) if metric in of_run}
        sections.append(CutoffScores(metric, curves(page.texts, metric, page.names, by_run), by_run))
    return sections


def cutoff_curves(run: Run) -> dict[str, Curve]:
    """Return the scores of each metric of ``run`` that has a cutoff, by its name without the cutoff."""
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
    return {name: {k: scores[f"{name} {k}"] for k in ks} for name in (metrics if scores else ())}


def _cutoffs_of(run: Run, requested: set[int]) -> list[int]:
    """Return round cutoffs up to the longest ranking of the run, and the requested ones."""
    deepest = max((_longest_ranking(batch) for batch in run.result.data.batches()), default=0)
    return sorted({k for k in _CUTOFFS if k <= max(deepest, 1)} | requested)


def _longest_ranking(batch: Any) -> int:
    name = next((name for name in ("retrieved", "contexts") if name in batch.names), None)
    if name is None or not len(batch):
        return 0
    return int(np.nan_to_num(pc.max(pc.list_value_length(batch.column(name))).as_py() or 0))


def _evaluated(run: Run, metrics: Mapping[str, Metric]) -> dict[str, Score]:
    """Return the scores of ``metrics`` by name; none where the data cannot be read again."""
    options = run.result.options
    resamples = options["resamples"] if run.result.data.rows <= _MOST_RESAMPLED else 0
    inference = Inference(options["level"], resamples, options["seed"], options["interval"])
    try:
        result = Evaluator(metrics, (), options["cluster"], inference)(run.result.data)
    except RagaugeError:
        return {}
    return {name: result[name] for name in metrics}
