"""The columns of a batch that a metric reads, and the rows that it cannot score."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ragauge.core.batch import Batch
from ragauge.core.protocol import Metric
from ragauge.core.ragged import BoolArray
from ragauge.core.sample import SCHEMA
from ragauge.errors import ColumnError, did_you_mean

FAILURE = "failure"
"""The column of reasons why the system under test did not answer; `NO_FAILURE` where it did."""

NO_FAILURE = frozenset({"", "0", "false", "n/a", "nan", "no", "none", "null", "ok"})
"""Texts that mean no failure, in any case, as logs and exported tables write them; so do null, NaN, 0 and false."""


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
