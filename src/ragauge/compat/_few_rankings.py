"""Scores of a few rankings without arrays of numpy, which for a few cost what they cost for a thousand.

The kernel finds the ranks of judged documents; each sum is made in the order in which the metric makes it, so its bits
are those of the metric.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import log2
from types import MappingProxyType
from typing import Any, NamedTuple

from ragauge.core import native
from ragauge.core.protocol import Metric
from ragauge.metrics.retrieval.hit_rate import HitRate
from ragauge.metrics.retrieval.map import Map
from ragauge.metrics.retrieval.mrr import Mrr
from ragauge.metrics.retrieval.ndcg import Ndcg
from ragauge.metrics.retrieval.precision import Precision
from ragauge.metrics.retrieval.recall import Recall

MOST = 64
"""Of more rankings arrays take less time."""

Scored = Mapping[str, float]


class Ranking(NamedTuple):
    """The judged documents of a query: rank and grade of those retrieved, by rank; all grades, the highest first."""

    hits: list[tuple[int, float]]
    judged: list[float]
    retrieved: int

    def relevant(self, level: float) -> int:
        """Return how many judgements are of grade ``level`` or more."""
        return sum([grade >= level for grade in self.judged])

    def found(self, level: float, last: int) -> int:
        """Return how many of them are retrieved up to rank ``last``."""
        return sum([grade >= level and rank <= last for rank, grade in self.hits])

    def first(self, level: float, k: int | None) -> int:
        """Return the rank of the first of them, 0 where there is none up to rank ``k``."""
        rank = next((rank for rank, grade in self.hits if grade >= level), 0)
        return rank if k is None or rank <= k else 0


def scores_of_few(
    metrics: Sequence[Metric], retrieved: Sequence[Scored], judged: Sequence[Scored]
) -> list[list[float]] | None:
    """Return the score of each query under each of ``metrics``, whose options are those of trec_eval; or None.

    ``retrieved`` and ``judged``: of each query, document -> score and document -> grade. None: there is no kernel, a
    metric or the dicts are not served, or there are too many queries.

    >>> from ragauge.metrics.parse import parse
    >>> scores_of_few([parse("mrr")], [{"a": 0.5, "b": 0.9}], [{"a": 1}]) in ([[0.5]], None)
    True
    """
    makers = [_MAKERS.get(type(metric)) for metric in metrics]
    if len(judged) > MOST or None in makers:
        return None
    size = sum(map(len, judged))
    if (found := native.dict_ranks(retrieved, judged, size, "docid-desc", "float32")) is None:
        return None
    grades, greater, _, before = (column.tolist() for column in found)
    rows, start = [], 0
    for own, of_query in zip(retrieved, judged, strict=True):
        end = start + len(of_query)
        places = zip(greater[start:end], before[start:end], grades[start:end], strict=True)
        hits = sorted([(above + tied + 1, grade) for above, tied, grade in places if above >= 0])
        ranking = Ranking(hits, sorted(grades[start:end], reverse=True), len(own))
        rows.append([maker(metric, ranking) for metric, maker in zip(metrics, makers, strict=True) if maker])
        start = end
    return rows


def _average_precision(metric: Any, ranking: Ranking) -> float:
    last = ranking.retrieved if metric.k is None else metric.k
    total, seen = 0.0, 0
    for rank, grade in ranking.hits:
        if grade >= metric.level:
            seen += 1
            total += seen / rank if rank <= last else 0.0
    return min(total / max(ranking.relevant(metric.level), 1), 1.0)


def _ndcg(metric: Any, ranking: Ranking) -> float:
    gained = _discounted(ranking.hits, metric.k)
    best = _discounted(enumerate(ranking.judged, 1), metric.k)
    return min(gained / best, 1.0) if best else 0.0


def _discounted(ranked: Any, k: int | None) -> float:
    total = 0.0
    for rank, grade in ranked:
        if grade > 0 and (k is None or rank <= k):
            total += grade / log2(rank + 1)
    return total


def _precision(metric: Any, ranking: Ranking) -> float:
    places = ranking.retrieved if metric.k is None else metric.k
    return ranking.found(metric.level, places) / places if places else 0.0


def _recall(metric: Any, ranking: Ranking) -> float:
    last, relevant = ranking.retrieved if metric.k is None else metric.k, ranking.relevant(metric.level)
    return ranking.found(metric.level, last) / relevant if relevant else 0.0


def _reciprocal_rank(metric: Any, ranking: Ranking) -> float:
    rank = ranking.first(metric.level, metric.k)
    return 1 / rank if rank else 0.0


def _hit(metric: Any, ranking: Ranking) -> float:
    return 1.0 if ranking.first(metric.level, metric.k) else 0.0


_MAKERS: Mapping[type[Any], Callable[[Any, Ranking], float]] = MappingProxyType(
    {
        HitRate: _hit,
        Map: _average_precision,
        Mrr: _reciprocal_rank,
        Ndcg: _ndcg,
        Precision: _precision,
        Recall: _recall,
    }
)
