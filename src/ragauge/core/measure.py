"""One metric on one batch: which columns it reads, which rows cannot count, and what is summed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from ragauge.core.batch import Batch
from ragauge.core.protocol import Detailed, Metric
from ragauge.core.ragged import BoolArray, FloatArray, IntArray
from ragauge.core.sample import SCHEMA
from ragauge.core.statistics import Rows, Statistics, Status, ratio
from ragauge.errors import ColumnError, did_you_mean

NOTE = "note "
"""Before the name of a count that a metric notes, among the statistics that add up."""

FAILURE = "failure"
"""The column of reasons why the system under test did not answer; `NO_FAILURE` where it did."""

NO_FAILURE = frozenset({"", "0", "false", "n/a", "nan", "no", "none", "null", "ok"})
"""Texts that mean no failure, in any case, as logs and exported tables write them; so do null, NaN, 0 and false."""


@dataclass(frozen=True, eq=False)
class Cells:
    """What one metric makes of n samples.

    Shapes: ``scores`` (n,), NaN where the status is not OK; each of ``parts`` (n,); ``sums`` is what adds up.
    """

    sums: Rows
    scores: FloatArray
    parts: Mapping[str, FloatArray]


def columns_read(metric: Metric, names: Iterable[str]) -> tuple[str, ...]:
    """Return the columns that ``metric`` will read of those in ``names``: its first alternative that is all there.

    Raises:
        ColumnError: none is all there.
    """
    there = set(names)
    for alternative in metric.needs:
        if there.issuperset(alternative):
            return alternative
    raise ColumnError(_absent(metric, there))


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


def nulls(batch: Batch, columns: Iterable[str]) -> BoolArray:
    """Return a mask of the rows that are null in any of ``columns``, (n,)."""
    absent = np.zeros(len(batch), dtype=bool)
    for name in columns:
        absent |= batch.absent(name)
    return absent


def failures(batch: Batch) -> tuple[BoolArray, dict[int, str]]:
    """Return a mask of the rows on which the system under test failed, (n,), and the reason of each such row."""
    if FAILURE not in batch.names:
        return np.zeros(len(batch), dtype=bool), {}
    by_row = enumerate(map(failure_reason, batch.column(FAILURE).to_pylist()))
    reasons = {row: reason for row, reason in by_row if reason is not None}
    failed = np.zeros(len(batch), dtype=bool)
    failed[list(reasons)] = True
    return failed, reasons


def failure_reason(value: object) -> str | None:
    """Return why the system failed, by a value of the column `FAILURE`; None where it did not."""
    return str(value) if value and str(value).strip().casefold() not in NO_FAILURE else None


def _absent(metric: Metric, there: set[str]) -> str:
    ways = " or ".join(" + ".join(alternative) for alternative in metric.needs)
    best = min(metric.needs, key=lambda alternative: len(set(alternative) - there))
    absent = [name for name in best if name not in there]
    if absent[0] in SCHEMA:
        hint = f"; if it has another name: map={{{absent[0]!r}: 'YOUR_COLUMN'}}"
    else:
        hint = did_you_mean(absent[0], there, otherwise="")
    has = ", ".join(sorted(there)) or "none"
    return f"{metric} needs the columns {ways}; {', '.join(absent)} not found among: {has}{hint}"
