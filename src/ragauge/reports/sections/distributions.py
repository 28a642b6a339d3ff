"""The distribution of each metric's scores, and the correlations of the metrics of the shown run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import nan

import numpy as np
from markupsafe import Markup

from ragauge.core.ragged import FloatArray
from ragauge.inference.agreement import mid_ranks, pearson
from ragauge.reports.charts.canvas import span
from ragauge.reports.charts.distributions import BinCounts, as_shown, bin_edges, bubbles, histogram, matrix
from ragauge.reports.runs import AlignedMetric, Page
from ragauge.reports.texts import message

_BINS = 20


def distributions(page: Page) -> tuple[tuple[str, Markup], ...]:
    """Return the title and the histogram of each metric under which any sample has a score."""
    figures = [(metric.title, _histogram(page, metric)) for metric in page.metrics]
    return tuple((title, figure) for title, figure in figures if figure is not None)


def _histogram(page: Page, metric: AlignedMetric) -> Markup | None:
    by_run = {run: metric.scores(run) for run in range(len(page.runs))}
    known = {run: scores[~np.isnan(scores)] for run, scores in by_run.items() if scores is not None}
    extremes = [float(end) for scores in known.values() if len(scores) for end in (scores.min(), scores.max())]
    if not extremes:
        return None
    edges = bin_edges(*span(extremes, metric.range), _BINS)
    rows = []
    for run, scores in known.items():
        score = metric.score(run)
        # A pooled score is not the mean of the samples.
        mean = nan if score is None or metric.pooled else score.value
        rows.append(BinCounts(run, page.names[run], np.histogram(as_shown(scores), edges)[0], mean))
    return histogram(page.texts, metric.title, edges, rows)


_MOST_METRICS = 14
_MOST_SCATTERS = 3
_LEAST_SAMPLES = 3  # fewer samples have no meaningful correlation

Pair = tuple[int, int]


@dataclass(frozen=True)
class Relations:
    """The correlations of metrics, and scatters of pairs within a stage and ``across`` stages."""

    matrix: Markup
    across: tuple[Markup, ...]
    within: tuple[Markup, ...]
    left_out: int  # metrics after the first `_MOST_METRICS`


def relations(page: Page) -> Relations | None:
    """Correlate the metrics of the shown run; None where fewer than two of them vary."""
    by_metric = [(metric, metric.scores(page.shown)) for metric in page.metrics]
    varying = [(metric, scores) for metric, scores in by_metric if scores is not None and _varies(scores)]
    metrics = [metric for metric, _ in varying[:_MOST_METRICS]]
    scores = [scores for _, scores in varying[:_MOST_METRICS]]
    values = correlations(scores)
    if not np.isfinite(values).any():
        return None
    figure = matrix(page.texts, [metric.title for metric in metrics], values)
    across, within = (
        tuple(_scatter(page, metrics, scores, pair, values[pair]) for pair in pairs)
        for pairs in _pairs(metrics, values)
    )
    return Relations(figure, across, within, len(varying) - len(metrics))


def _varies(scores: FloatArray) -> bool:
    known = scores[~np.isnan(scores)]
    return len(known) >= _LEAST_SAMPLES and bool(known.min() < known.max())


def correlations(scores: Sequence[FloatArray]) -> FloatArray:
    """Return Spearman's rank correlation of all pairs of m columns (n,) over the samples that have both, (m, m)."""
    values = np.full((len(scores), len(scores)), np.nan)
    ranked: dict[tuple[int, bytes], FloatArray] = {}
    for i, j in combinations(range(len(scores)), 2):
        both = ~(np.isnan(scores[i]) | np.isnan(scores[j]))
        if both.sum() < _LEAST_SAMPLES:
            continue
        key = both.tobytes()
        for k in (i, j):
            if (k, key) not in ranked:
                ranked[k, key] = mid_ranks(scores[k][both])
        values[i, j] = values[j, i] = pearson(ranked[i, key], ranked[j, key], np.ones((1, int(both.sum()))))[0]
    return values


def _pairs(metrics: Sequence[AlignedMetric], values: FloatArray) -> tuple[list[Pair], list[Pair]]:
    """Return the pairs of different stages that correlate most, and those of one stage that correlate least."""
    pairs = [pair for pair in combinations(range(len(metrics)), 2) if np.isfinite(values[pair])]
    strength = {pair: abs(round(float(values[pair]), 9)) for pair in pairs}
    across = [(i, j) for i, j in pairs if metrics[i].stage != metrics[j].stage]
    within = [(i, j) for i, j in pairs if metrics[i].stage == metrics[j].stage]
    across.sort(key=lambda pair: -strength[pair])
    within.sort(key=lambda pair: strength[pair])
    return _different(metrics, across), _different(metrics, within)


def _different(metrics: Sequence[AlignedMetric], pairs: Sequence[Pair]) -> list[Pair]:
    """Return the first pairs that differ in more than the cutoff: ndcg@3 shows what ndcg@5 does."""
    first: dict[tuple[str, str], Pair] = {}
    for pair in pairs:
        x, y = (metrics[k].title.partition("@")[0] for k in pair)
        if x != y:
            first.setdefault((x, y), pair)
    return list(first.values())[:_MOST_SCATTERS]


def _scatter(
    page: Page, metrics: Sequence[AlignedMetric], scores: Sequence[FloatArray], pair: Pair, correlation: float
) -> Markup:
    i, j = pair
    both = ~(np.isnan(scores[i]) | np.isnan(scores[j]))
    x, y = scores[i][both], scores[j][both]
    ends = [span([float(values.min()), float(values.max())], metrics[k].range) for k, values in ((i, x), (j, y))]
    rho, titles = f"{correlation:+.2f}", (metrics[i].title, metrics[j].title)
    title = message("page.scatter", x=titles[0], y=titles[1], rho=rho, n=int(both.sum()))
    labels = titles[0], f"{titles[1]}   ρ = {rho}"
    return bubbles(page.texts, (x, y), (ends[0], ends[1]), labels, title, scores=[(page.shown, one) for one in titles])
