"""How metrics go together over the samples of the last run: rank correlations, and scatters of chosen pairs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from ragauge.core.protocol import Metric
from ragauge.core.ragged import FloatArray
from ragauge.errors import RagaugeError
from ragauge.evaluation.evaluator import Evaluator
from ragauge.evaluation.summarize import Inference
from ragauge.inference.agreement import mid_ranks, pearson
from ragauge.reports.charts.canvas import span
from ragauge.reports.charts.distributions import bubbles, matrix
from ragauge.reports.charts.intervals import Curve, Point, curves
from ragauge.reports.metrics import Asked, metric_of
from ragauge.reports.run import Run
from ragauge.reports.texts import Subject, say
from ragauge.results.tables import number

if TYPE_CHECKING:
    from markupsafe import Markup

Pair = tuple[int, int]

_METRICS = 14
_PAIRS = 3
_LEAST = 3
"""Fewer samples than this have no correlation worth a number."""


@dataclass(frozen=True)
class Relations:
    """``left_out`` metrics are beyond the first fourteen."""

    run: str
    matrix: Markup
    across: tuple[Markup, ...]
    within: tuple[Markup, ...]
    left_out: int


def relations(subject: Subject) -> Relations | None:
    """Correlate the metrics of the last run; None where there are not two that vary."""
    last = len(subject.runs) - 1
    all_ = [one for one in subject.asked if one.names[last] is not None]
    there = [one for one in all_ if _varies(one.scores(last))]
    asked = there[:_METRICS]
    scores = [found for one in asked if (found := one.scores(last)) is not None]
    if len(asked) < 2:
        return None
    values = correlations(scores)
    if not np.isfinite(values[np.triu_indices(len(asked), 1)]).any():
        return None
    figure = matrix(subject.texts, [one.title for one in asked], values)
    across, within = _chosen(asked, values)
    return Relations(
        subject.names[last],
        figure,
        tuple(_scatter(subject, last, asked, values, pair) for pair in across),
        tuple(_scatter(subject, last, asked, values, pair) for pair in within),
        len(there) - len(asked),
    )


def correlations(scores: Sequence[FloatArray]) -> FloatArray:
    """Return Spearman's rank correlation of all pairs of m columns (n,), over the samples that have both: (m, m)."""
    values = np.full((len(scores), len(scores)), np.nan)
    ranked: dict[tuple[int, bytes], FloatArray] = {}
    for i, j in combinations(range(len(scores)), 2):
        both = ~(np.isnan(scores[i]) | np.isnan(scores[j]))
        if both.sum() < _LEAST:
            continue
        key = both.tobytes()
        for k in (i, j):
            if (k, key) not in ranked:
                ranked[k, key] = mid_ranks(scores[k][both])
        values[i, j] = values[j, i] = pearson(ranked[i, key], ranked[j, key], np.ones((1, int(both.sum()))))[0]
    return values


def _varies(scores: FloatArray | None) -> bool:
    known = scores[~np.isnan(scores)] if scores is not None else np.empty(0)
    return len(known) >= _LEAST and bool(known.min() < known.max())


def _chosen(asked: Sequence[Asked], values: FloatArray) -> tuple[list[Pair], list[Pair]]:
    """Choose pairs: of different stages those that go together most, of one stage those that do least."""
    pairs = [pair for pair in combinations(range(len(asked)), 2) if np.isfinite(values[pair])]
    strength = {pair: abs(round(float(values[pair]), 9)) for pair in pairs}
    across = [pair for pair in pairs if asked[pair[0]].stage != asked[pair[1]].stage]
    within = [pair for pair in pairs if asked[pair[0]].stage == asked[pair[1]].stage]
    across.sort(key=lambda pair: -strength[pair])
    within.sort(key=lambda pair: strength[pair])
    return _different(asked, across), _different(asked, within)


def _different(asked: Sequence[Asked], pairs: Sequence[Pair]) -> list[Pair]:
    """Return the first pairs that differ by more than a cutoff: ndcg@3 says what ndcg@5 does."""
    found: dict[tuple[str, str], Pair] = {}
    for pair in pairs:
        x, y = (asked[k].title.partition("@")[0] for k in pair)
        if x != y:
            found.setdefault((x, y), pair)
    return list(found.values())[:_PAIRS]


def _scatter(subject: Subject, run: int, asked: Sequence[Asked], values: FloatArray, pair: Pair) -> Markup:
    points = list(_points(asked, run, pair))
    both = ~(np.isnan(points[0]) | np.isnan(points[1]))
    ends = [
        span([float(found[both].min()), float(found[both].max())], asked[k].range)
        for k, found in zip(pair, points, strict=True)
    ]
    x, y = (asked[k].title for k in pair)
    title = say("page.scatter", x=x, y=y, rho=f"{values[pair]:+.2f}", n=int(both.sum()))
    shown = (points[0][both], points[1][both])
    return bubbles(subject.texts, shown, (ends[0], ends[1]), (x, f"{y}   ρ = {values[pair]:+.2f}"), title)


def _points(asked: Sequence[Asked], run: int, pair: Pair) -> Iterator[FloatArray]:
    for k in pair:
        scores = asked[k].scores(run)
        if scores is not None:
            yield scores


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
