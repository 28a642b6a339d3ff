"""One metric on one batch: the status and score of each sample, and the statistics that add up."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from ragauge.core.batch import Batch
from ragauge.core.columns import columns_read, failures, nulls
from ragauge.core.protocol import Detailed, Metric
from ragauge.core.ragged import BoolArray, FloatArray, IntArray
from ragauge.core.statistics import Rows, Statistics, Status, ratio

NOTE = "note "
"""Before the name of a count that a metric notes, among the statistics that add up."""


@dataclass(frozen=True, eq=False)
class Cells:
    """What one metric makes of n samples.

    Shapes: ``scores`` (n,), NaN where the status is not OK; each of ``parts`` (n,); ``sums`` is what adds up.
    """

    sums: Rows
    scores: FloatArray
    parts: Mapping[str, FloatArray]


def measure_cells(metric: Metric, batch: Batch) -> Cells:
    """Measure ``batch``: rows with null are ``missing``, rows that the system failed on are ``failed``.

    With ``average=samples`` what adds up is each sample's score and a count, and the same for each part; a sample
    whose score is NaN is ``undefined``.
    """
    rows = metric.measure(batch)
    failed, reasons = failures(batch)
    rows = rows.excluding(
        nulls(batch, columns_read(metric, batch.names)) & (rows.status != Status.FAILED) & ~failed, Status.MISSING
    )
    rows = rows.excluding(failed, Status.FAILED, reasons) if failed.any() else rows
    scores = np.where(rows.ok, metric.score(rows), np.nan)
    if metric.average == "samples":
        rows = rows.excluding(rows.ok & np.isnan(scores), Status.UNDEFINED)
    parts = metric.parts(rows) if isinstance(metric, Detailed) else {}
    parts = {name: np.where(rows.ok, part, np.nan) for name, part in parts.items()}
    sums = rows if metric.average == "pooled" else _averaged(rows, scores, parts)
    return Cells(_with_notes(sums, rows.noted), scores, parts)


def corpus_score(metric: Metric, totals: Statistics) -> FloatArray:
    """Turn sums that `measure_cells` prepared into the score: of a corpus, a group or replicates."""
    if metric.average == "pooled":
        return metric.score(totals)
    return ratio(totals["value"], totals["count"])


def corpus_parts(metric: Metric, totals: Statistics, names: Iterable[str]) -> dict[str, FloatArray]:
    """Turn sums that `measure_cells` prepared into the parts called ``names``."""
    if not isinstance(metric, Detailed):
        return {}
    if metric.average == "pooled":
        return dict(metric.parts(totals))
    return {name: ratio(totals[f"part {name}"], totals[f"part {name} count"]) for name in names}


def _averaged(rows: Rows, scores: FloatArray, parts: Mapping[str, FloatArray]) -> Rows:
    columns: dict[str, FloatArray | BoolArray] = {"value": np.where(rows.ok, scores, 0.0), "count": rows.ok}
    for name, part in parts.items():
        there = ~np.isnan(part)
        columns |= {f"part {name}": np.where(there, part, 0.0), f"part {name} count": there}
    return Rows.of(columns, status=rows.status, defaulted=rows.defaulted, reasons=rows.reasons)


def _with_notes(rows: Rows, noted: Mapping[str, IntArray]) -> Rows:
    """Let the counts of rows that count add up beside the statistics."""
    if not noted:
        return rows
    counts = [np.where(rows.ok, count, 0).astype(np.float64) for count in noted.values()]
    return replace(
        rows,
        names=(*rows.names, *(f"{NOTE}{name}" for name in noted)),
        values=np.column_stack([rows.values, *counts]),
        whole=np.append(rows.whole, [True] * len(counts)),
    )
