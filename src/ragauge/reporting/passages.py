"""What each sample retrieved, in the order of its ranks: texts, ids, scores, grades, and whether it is relevant."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from math import isfinite
from typing import TYPE_CHECKING, Any

from ragauge.batch import Batch
from ragauge.metrics.retrieval.precision import Precision
from ragauge.reporting.asked import metric_of
from ragauge.reporting.run import Run

if TYPE_CHECKING:
    import pyarrow as pa

_READ = ("id", "contexts", "reference_contexts", "retrieved", "retrieved_scores", "relevance")

Passage = dict[str, Any]


def passages(run: Run, samples: pa.Table) -> list[list[Passage]]:
    """Return the passages of m samples of a run, m lists.

    ``relevant`` is judged as the run's own retrieval metrics do: by the grade of an id, else by the matcher of texts.
    """
    table = samples.select([name for name in _READ if name in samples.column_names])
    judge = _judge(run)
    matched = _matched(table, judge)
    return [list(_ranked(row, flags, judge.level)) for row, flags in zip(table.to_pylist(), matched, strict=True)]


def _judge(run: Run) -> Precision:
    """Take level and matcher of the run's first retrieval metric that has them."""
    for name in run.result.metrics:
        metric: Any = metric_of(run, name)
        if hasattr(metric, "level") and hasattr(metric, "matcher"):
            return Precision(level=metric.level, matcher=metric.matcher)
    return Precision()


def _matched(table: pa.Table, judge: Precision) -> Iterator[list[bool]] | Sequence[list[bool]]:
    """Say which texts match a reference passage, by sample; nothing where ids are judged or there is no reference."""
    names = set(table.column_names)
    if {"retrieved", "relevance"} <= names or not {"contexts", "reference_contexts"} <= names or not len(table):
        return [[] for _ in range(len(table))]
    found = judge.views(Batch(table)).relevant.of
    flags = (found.grades >= judge.level).tolist()
    offsets = found.ranks.offsets.tolist()
    return (flags[start:end] for start, end in pairwise(offsets))


def _ranked(row: Mapping[str, Any], matched: Sequence[bool], level: float) -> Iterator[Passage]:
    """Yield the passages of one sample."""
    texts, ids = row.get("contexts") or [], row.get("retrieved") or []
    if not ids:
        judged = row.get("reference_contexts") is not None and len(matched) == len(texts)
        for place, text in enumerate(texts):
            yield {"text": text, "relevant": matched[place] if judged else None}
        return
    grades = {item["id"]: item["grade"] for item in row.get("relevance") or ()}
    scores = row.get("retrieved_scores") or []
    paired = len(texts) == len(ids)
    for place in _order(ids, scores):
        grade = grades.get(ids[place])
        yield {
            "id": ids[place],
            **({"text": texts[place]} if paired else {}),
            **({"score": scores[place] if isfinite(scores[place]) else str(scores[place])} if scores else {}),
            **({"grade": grade, "relevant": grade >= level} if grade is not None else {"relevant": None}),
        }
    for text in [] if paired else texts:
        yield {"text": text, "relevant": None}


def _order(ids: Sequence[str], scores: Sequence[float]) -> list[int]:
    """Return the places by falling score, of equal ones the greater id first, as trec_eval; without scores as given."""
    if len(scores) != len(ids):
        return list(range(len(ids)))
    by_id = sorted(range(len(ids)), key=lambda place: ids[place].encode(), reverse=True)
    return sorted(by_id, key=lambda place: -scores[place])
