"""The scores so far of what is not saved yet: of finished parts, and of answers to the questions of an earlier run."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import nan, sqrt
from pathlib import Path
from typing import Any

import numpy as np

from ragauge.core.protocol import FAILURE, Metric
from ragauge.core.statistics import Status
from ragauge.display.numbers import interval, number
from ragauge.embedders.lexical import Lexical
from ragauge.engines.evaluate import evaluate
from ragauge.engines.part_files import PART, FinishedPart, PartFiles
from ragauge.engines.plan import asks_judge
from ragauge.errors import RagaugeError
from ragauge.reports.payload import samples_at
from ragauge.reports.runs import load_runs
from ragauge.reports.texts import PageText, message
from ragauge.reports.viewer.aside import Aside
from ragauge.reports.viewer.folders import ViewedRun, check_inside, is_plain
from ragauge.reports.viewer.under_way import UnderWay
from ragauge.results.result import Result
from ragauge.results.score import shown_name
from ragauge.systems.measures import MEASURED
from ragauge.systems.outputs import GIVEN

_MOST_METRICS = 4
_MOST_ANSWERS = 5_000
"""Answers that are scored while others come: the first ones."""
_TRIED = 5
"""Saved runs among which those of the same questions are looked for, the newest first."""
_MORE = 1.1
"""Estimates are made again when there are so many times as many answers or parts."""
_TWO_SIDED_95 = 1.96


@dataclass(frozen=True)
class ScoreSoFar:
    """The mean of a metric over ``samples``, with its interval; ``before``: that of the run ``base`` on them."""

    metric: str
    value: float
    low: float
    high: float
    samples: int
    base: str = ""
    before: float = nan

    def line(self) -> PageText:
        """Return it in words."""
        shown, ends = number(self.value, self.low, self.high), interval(self.low, self.high)
        values = {"metric": shown_name(self.metric), "value": shown, "interval": ends}
        if not self.base:
            return message("view.estimate", **values)
        before = number(self.before, self.low, self.high)
        return message("view.estimate.before", **values, base=self.base, before=before)


def lines_of(estimates: Sequence[ScoreSoFar]) -> list[PageText]:
    """Return estimates in words, below on how many samples they rest; nothing for none."""
    most = max((one.samples for one in estimates), default=0)
    base = next((one.base for one in estimates if one.base), "")
    head = message("view.so-far.before", n=f"{most:,}", base=base) if base else message("view.so-far", n=f"{most:,}")
    return [head, *(one.line() for one in estimates)] if estimates else []


class Estimates:
    """Scores what is under way aside, again when there is a tenth more of it."""

    def __init__(self) -> None:
        self._aside: Aside[tuple[str, int], Sequence[ScoreSoFar]] = Aside(_estimates)
        self._last: dict[str, tuple[int, Sequence[ScoreSoFar]]] = {}

    def of(self, under_way: Iterable[UnderWay], runs: Sequence[ViewedRun]) -> dict[str, Sequence[ScoreSoFar]]:
        """Return what is known of each, by key. One thread at a time may call it."""
        there = {one.key: one for one in under_way if one.path is not None and one.done > one.failed}
        self._last = {key: kept for key, kept in self._last.items() if key in there}
        wanted = {key: one for key, one in there.items() if one.done >= _MORE * self._last.get(key, (0,))[0]}
        made = self._aside.known({(key, one.done): (one.path, one.kind, runs) for key, one in wanted.items()})
        self._last |= {key: (done, found) for (key, done), found in made.items()}
        return {key: found for key, (_, found) in self._last.items()}


def _estimates(path: Path, kind: str, runs: Sequence[ViewedRun]) -> Sequence[ScoreSoFar]:
    try:
        return list(of_parts(path) if kind == "parts" else of_answers(path, runs))
    except (RagaugeError, OSError, ValueError, LookupError, TypeError, MemoryError):
        # The file is gone, damaged or of another version: the page still tells how far it is.
        return []


def of_parts(folder: Path) -> Iterator[ScoreSoFar]:
    """Yield the means of the finished parts in a folder, of metrics that are means of the scores of samples."""
    sums: dict[str, list[float]] = {}
    for path in sorted(folder.glob(PART)):
        part = _part(path)
        for name, column in part.columns.items() if part else ():
            if not {"value", "count"} <= column.statistics.keys():
                continue
            scores = column.scores[column.status == Status.OK]
            added = (len(scores), float(scores.sum()), float(np.square(scores).sum()))
            sums[name] = [one + more for one, more in zip(sums.get(name, (0, 0.0, 0.0)), added, strict=True)]
    for name, (count, total, squares) in list(sums.items())[:_MOST_METRICS]:
        if count > 1:
            mean = total / count
            half = _TWO_SIDED_95 * sqrt(max(0.0, squares / count - mean**2) / (count - 1))
            yield ScoreSoFar(name, mean, mean - half, mean + half, int(count))


def _part(path: Path) -> FinishedPart | None:
    """Return a finished part; None for one that is damaged or no plain file."""
    if not is_plain(path):
        return None
    try:
        with path.open("rb") as file:
            digest = json.loads(file.readline(1 << 12))["digest"]
        return PartFiles(path.parent).read(int(path.name[5:11]), digest, path.name)
    except (RagaugeError, OSError, ValueError, LookupError, TypeError):
        return None


def of_answers(path: Path, runs: Sequence[ViewedRun]) -> Iterator[ScoreSoFar]:
    """Yield the scores of the answers in a file, under the metrics of the newest run that has all their questions."""
    answers = dict(list(_answers(path))[:_MOST_ANSWERS]) if is_plain(path) else {}
    readable = [run for run in runs if not run.problem and run.samples >= len(answers)]
    for run in readable[:_TRIED] if answers else ():
        check_inside(run.path)
        [base] = load_runs(run.path)
        places = {name: place for place, name in enumerate(base.result.sample_ids().to_pylist())}
        if not answers.keys() <= places.keys():
            continue
        rows = np.array([places[name] for name in answers])
        kept = [*samples_at(base, rows).to_pylist()]
        if any(row.get("question") != answer["question"] for row, answer in zip(kept, answers.values(), strict=True)):
            continue
        data = [_with_answer(row, answer) for row, answer in zip(kept, answers.values(), strict=True)]
        named = {name: metric for name in run.scores if (metric := _cheap(base.metric(name))) is not None}
        yield from _scored(data, dict(list(named.items())[:_MOST_METRICS]), base.result, rows, run.name)
        return


def _answers(path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for line in path.read_bytes().splitlines():
        try:
            answer = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(answer, dict) and {"id", "question"} <= answer.keys():
            yield answer["id"], answer


def _with_answer(row: Mapping[str, Any], answer: Mapping[str, Any]) -> dict[str, Any]:
    """Return a kept sample with another answer, which may be a failure."""
    task = {name: value for name, value in row.items() if name not in (*GIVEN, *MEASURED, FAILURE)}
    return {**task, **(answer.get("output") or {}), "latency": answer.get("latency"), FAILURE: answer.get(FAILURE)}


def _cheap(metric: Metric | None) -> Metric | None:
    """Return a metric that needs neither a judge nor a model; None for others."""
    if metric is None or asks_judge({"": metric}):
        return None
    models = (getattr(metric, "support", "auto"), getattr(metric, "relevance", "auto"))
    by_words = isinstance(getattr(metric, "embedder", None), Lexical | None)
    return metric if by_words and all(model in (None, "auto") for model in models) else None


def _scored(
    data: list[dict[str, Any]], metrics: Mapping[str, Metric], base: Result, rows: Any, base_name: str
) -> Iterator[ScoreSoFar]:
    for name, metric in metrics.items():
        try:
            score = evaluate(data, {name: metric})[name]
        except RagaugeError:
            # The system does not give all that the metric needs.
            continue
        known = base.columns[name].scores[rows]
        before = float(np.nanmean(known)) if metric.average == "samples" and np.isfinite(known).any() else nan
        if score.scored:
            shared = (name, score.value, score.low, score.high, score.scored)
            yield ScoreSoFar(*shared) if np.isnan(before) else ScoreSoFar(*shared, base_name, before)
