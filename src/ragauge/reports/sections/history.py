"""Past runs: which of them moved a score, and each metric over all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TypeAlias

from markupsafe import Markup

from ragauge.comparison.history import history
from ragauge.comparison.past_runs import Change, History, PastRun
from ragauge.core.messages import Message
from ragauge.reports.charts.over_runs import over_runs
from ragauge.reports.texts import PageText, Texts, message, plural
from ragauge.results.score import Score, shown_name

PastRuns: TypeAlias = History | str | PathLike[str] | Sequence[str | PathLike[str]]
"""A history, or the directories of saved runs, or folders that hold some."""

_COMMIT = 8
"""Digits of a commit that are shown."""


@dataclass(frozen=True)
class PastScore:
    """A run under a metric: its score, and what it changed; ``change`` is None for the first run."""

    run: PastRun
    score: Score
    change: Change | None

    @property
    def made_of(self) -> str:
        """The tag and the commit of the run, where there are any."""
        return " ".join(filter(None, (self.run.tag, (self.run.commit or "")[:_COMMIT])))


@dataclass(frozen=True)
class MetricOverTime:
    """A metric over past runs, as a figure and as a table."""

    metric: str
    direction: str
    figure: Markup
    scores: Sequence[PastScore]


@dataclass(frozen=True)
class OverTime:
    """How runs were compared, what moved, and each metric; ``notes`` say what was not compared, and why."""

    method: PageText
    number: PageText
    moved: Sequence[PastScore]
    metrics: Sequence[MetricOverTime]
    notes: Sequence[str]


def over_time(texts: Texts, past: PastRuns | None) -> OverTime | None:
    """Return what past runs show; None where none are named. Errors as of `ragauge.history`."""
    if past is None:
        return None
    if not isinstance(past, History):
        past = history(*map(Path, (past,) if isinstance(past, str | PathLike) else past))
    metrics = [_metric(texts, past, metric) for metric in past.metrics]
    method = message("page.history.method", level=f"{100 * past.level:g}")
    number = plural("page.history.runs", len(past.runs))
    runs = {run.name: run for run in past.runs}
    moved = [PastScore(runs[one.run], runs[one.run].scores[one.metric], one) for one in past.moved()]
    return OverTime(method, number, moved, metrics, [*past.notes, *_not_compared(past)])


def _not_compared(past: History) -> list[str]:
    """Return why runs were not compared, in one line for the metrics that share a reason."""
    metrics: dict[tuple[str, str], list[str]] = {}
    for one in past.changes:
        if one.difference is None:
            metrics.setdefault((one.run, one.reason), []).append(shown_name(one.metric))
    template = "{run}, {metrics}: {reason}"
    return [Message(template, run, ", ".join(names), reason) for (run, reason), names in metrics.items()]


def _metric(texts: Texts, past: History, metric: str) -> MetricOverTime:
    runs = [run for run in past.runs if metric in run.scores]
    scores = [PastScore(run, run.scores[metric], past.change(metric, run.name)) for run in runs]
    figure = over_runs(texts, metric, runs, [one.change for one in scores])
    return MetricOverTime(shown_name(metric), scores[-1].score.direction, figure, scores)
