"""Retrieval metrics over the cutoff k, computed again from what was retrieved."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ragauge.errors import RagaugeError
from ragauge.evaluator import Evaluator
from ragauge.finishing import Inference
from ragauge.protocol import Metric
from ragauge.reporting.asked import metric_of
from ragauge.reporting.drawing.curves import Curve, Point, curves
from ragauge.reporting.run import Run
from ragauge.reporting.subject import Subject
from ragauge.wording import number

if TYPE_CHECKING:
    from markupsafe import Markup

FAMILIES = ("precision", "recall", "hit-rate", "ndcg", "mrr", "map")
_CUTOFFS = (1, 2, 3, 5, 10, 20, 50, 100)
_MANY = 10_000
"""Of more samples than this the curves have no intervals: they would be too narrow to be seen."""


@dataclass(frozen=True)
class Family:
    """A metric over k: its figure, and the values as a table: cutoffs, and the values of each run."""

    metric: str
    figure: Markup
    cutoffs: tuple[int, ...]
    rows: tuple[tuple[str, tuple[str, ...]], ...]


def cutoffs(subject: Subject) -> tuple[Family, ...]:
    """Draw the retrieval metrics of the runs over k."""
    by_run = [computed(run) for run in subject.runs]
    found = []
    for name in dict.fromkeys(name for families in by_run for name in families):
        lines = [
            Curve(place, subject.names[place], families[name])
            for place, families in enumerate(by_run)
            if name in families
        ]
        figure = curves(subject.texts, name, lines, (0.0, 1.0))
        ks = tuple(point.k for point in max((line.points for line in lines), key=len))
        rows = [(line.name, tuple(_value(line, k) for k in ks)) for line in lines]
        found.append(Family(name, figure, ks, tuple(rows)))
    return tuple(found)


def _value(line: Curve, k: int) -> str:
    return next((number(point.value) for point in line.points if point.k == k), "–")


def computed(run: Run) -> dict[str, tuple[Point, ...]]:
    """Return the curve of each metric of ``run`` that has a cutoff, by its name without the cutoff."""
    asked: dict[str, Any] = {}
    given: set[int] = set()
    for name in run.result.metrics:
        metric: Any = metric_of(run, name)
        if metric is None or str(metric).partition(":")[0].partition("@")[0] not in FAMILIES:
            continue
        asked.setdefault(str(replace(metric, k=None)), metric)
        given |= {metric.k} - {None}
    ks = _ks(run, given) if asked else []
    if len(ks) < 2:
        return {}
    wanted = {f"{name} {k}": replace(metric, k=k) for name, metric in asked.items() for k in ks}
    return {name: tuple(points) for name, points in _scored(run, wanted, asked, ks)}


def _ks(run: Run, given: set[int]) -> list[int]:
    """Return round cutoffs as deep as the run retrieved, and those that were asked for."""
    deepest = max((_deepest(batch) for batch in run.result.data.batches()), default=0)
    return sorted({k for k in _CUTOFFS if k <= max(deepest, 1)} | given)


def _deepest(batch: Any) -> int:
    import pyarrow.compute as pc

    name = next((name for name in ("retrieved", "contexts") if name in batch.names), None)
    if name is None or not len(batch):
        return 0
    return int(np.nan_to_num(pc.max(pc.list_value_length(batch.column(name))).as_py() or 0))


def _scored(
    run: Run, wanted: Mapping[str, Metric], names: Mapping[str, Any], ks: list[int]
) -> Iterator[tuple[str, list[Point]]]:
    """Score the metrics at all cutoffs at once; nothing where the data cannot be read again."""
    options = run.result.options
    resamples = options["resamples"] if run.result.data.rows <= _MANY else 0
    inference = Inference(options["level"], resamples, options["seed"])
    try:
        result = Evaluator(wanted, (), options["cluster"], inference)(run.result.data)
    except RagaugeError:
        return
    for name in names:
        scores = [(k, result[f"{name} {k}"]) for k in ks]
        yield name, [Point(k, score.value, score.low, score.high) for k, score in scores]
