"""What is relevant in a ranking, and where: from judged ids, or from texts through a matcher."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from ragauge.metrics.retrieval._passages import matched
from ragauge.metrics.retrieval._view import View
from ragauge.rankings.arrow import ArrowRankings

if TYPE_CHECKING:
    from ragauge.batch import Batch
    from ragauge.metrics.retrieval._ranked import Ranked
    from ragauge.rankings import Rankings


@dataclass(frozen=True, eq=False)
class Views:
    """Three ways to say what is relevant; one and the same where documents are judged by their ids.

    ``relevant``: a passage that matches any reference. ``covered``: each reference, at the rank of the first passage
    that matches it. ``novel``: a passage that matches a reference that no earlier passage matched.
    """

    relevant: View
    covered: View
    novel: View


def views_of(batch: Batch, metric: Ranked) -> Views:
    """Return the views of ``batch`` that ``metric`` asks for; made once for all metrics with the same options."""
    if {"retrieved", "relevance"} <= set(batch.names):
        key = ("judged ranks", metric.ties, metric.score_dtype, metric.duplicates)
        return batch.derived(key, lambda: _by_id(batch, metric))
    return batch.derived(("matched ranks", metric.matcher.signature), lambda: Views(*matched(batch, metric.matcher)))


def _by_id(batch: Batch, metric: Ranked) -> Views:
    rankings = batch.derived("rankings", lambda: _rankings(batch))
    view = View(rankings.judged(ties=metric.ties, score_dtype=metric.score_dtype, duplicates=metric.duplicates))
    return Views(view, view, view)


def _rankings(batch: Batch) -> Rankings:
    scores = batch.column("retrieved_scores") if "retrieved_scores" in batch.names else None
    columns: Any = (batch.column(name) for name in ("id", "retrieved", "relevance"))
    ids, retrieved, relevance = columns
    return cast("Rankings", ArrowRankings(ids=ids, retrieved=retrieved, scores=scores, relevance=relevance))
