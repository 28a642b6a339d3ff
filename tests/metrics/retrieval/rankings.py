"""Small batches for tests, and a slow and simple way to rank."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from ragauge.core.batch import Batch
from ragauge.core.protocol import Metric
from ragauge.core.ragged import FloatArray
from ragauge.metrics.parse import parse

Scores = Mapping[str, Mapping[str, float]]

RELEVANCE = pa.list_(pa.struct([("id", pa.string()), ("grade", pa.float64())]))


def by_ids(run: Scores, qrels: Scores) -> Batch:
    """One row per judged query, in the order of ``qrels``; the run's documents in dict order, with scores."""
    found = [run.get(query, {}) for query in qrels]
    judged = [[{"id": document, "grade": float(grade)} for document, grade in row.items()] for row in qrels.values()]
    columns: dict[str, Any] = {
        "id": pa.array(list(qrels), pa.string()),
        "retrieved": pa.array([list(row) for row in found], pa.list_(pa.string())),
        "retrieved_scores": pa.array([[float(x) for x in row.values()] for row in found], pa.list_(pa.float64())),
        "relevance": pa.array(judged, RELEVANCE),
        "in_run": pa.array([query in run for query in qrels], pa.bool_()),
    }
    return Batch(pa.table(columns))


def by_grades(*rankings: list[float]) -> Batch:
    """One row per list of grades, all documents judged and retrieved in that order."""
    names = [[f"d{place}" for place in range(len(grades))] for grades in rankings]
    judged = [
        [{"id": name, "grade": float(grade)} for name, grade in zip(row, grades, strict=True)]
        for row, grades in zip(names, rankings, strict=True)
    ]
    return Batch(
        pa.table(
            {
                "id": pa.array([f"q{place}" for place in range(len(rankings))], pa.string()),
                "retrieved": pa.array(names, pa.list_(pa.string())),
                "relevance": pa.array(judged, RELEVANCE),
            }
        )
    )


def by_texts(contexts: list[list[str] | None], references: list[list[str] | None]) -> Batch:
    texts = pa.list_(pa.string())
    ids = [str(row) for row in range(len(contexts))]
    return Batch(
        pa.table({"id": ids, "contexts": pa.array(contexts, texts), "reference_contexts": pa.array(references, texts)})
    )


def scores(metric: str | Metric, batch: Batch) -> FloatArray:
    """The score of each sample, NaN where it does not count."""
    made = parse(metric) if isinstance(metric, str) else metric
    rows = made.measure(batch)
    return np.where(rows.ok, made.score(rows), np.nan)


def mean(metric: str | Metric, batch: Batch) -> float:
    return float(np.nanmean(scores(metric, batch)))
