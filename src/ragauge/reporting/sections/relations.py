"""How metrics go together over the samples of the last run: rank correlations, and scatters of chosen pairs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from ragauge.inference.correlation import pearson
from ragauge.inference.ranks import mid_ranks
from ragauge.ragged import FloatArray
from ragauge.reporting.asked import Asked
from ragauge.reporting.drawing.axis import span
from ragauge.reporting.drawing.bubbles import bubbles
from ragauge.reporting.drawing.matrix import matrix
from ragauge.reporting.subject import Subject
from ragauge.reporting.texts import say

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
