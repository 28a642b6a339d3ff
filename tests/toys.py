"""Toy metrics and data, simple enough to know every number."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
import pyarrow as pa

from ragauge.core.batch import Batch, Dataset
from ragauge.core.protocol import Average, Direction, Needs, Stage
from ragauge.core.ragged import FloatArray, IntArray
from ragauge.core.statistics import Rows, Statistics, Status, ratio

STATES: Mapping[str, Status] = {state.name.lower(): state for state in Status}


@dataclass(frozen=True, kw_only=True)
class Echo:
    """The column ``x`` as it is, with the status that the column ``state`` says."""

    average: Literal["samples"] = "samples"
    stage: ClassVar[Stage] = "generation"
    direction: ClassVar[Direction] = "higher"
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    revision: ClassVar[int] = 1
    needs: ClassVar[Needs] = (("x", "state"),)

    def measure(self, batch: Batch) -> Rows:
        states = [STATES[state or "ok"] for state in batch.column("state").to_pylist()]
        values = np.nan_to_num(np.array(batch.column("x").to_pylist(), dtype=float))
        reasons = {row: "because" for row, state in enumerate(states) if state == Status.FAILED}
        return Rows.of({"value": values, "count": np.ones(len(batch), int)}, status=states, reasons=reasons)

    def score(self, totals: Statistics) -> FloatArray:
        return ratio(totals["value"], totals["count"])


@dataclass(frozen=True, kw_only=True)
class Share:
    """hits / tries, over samples or pooled; its parts are both."""

    average: Average = "samples"
    stage: ClassVar[Stage] = "retrieval"
    direction: ClassVar[Direction] = "lower"
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    revision: ClassVar[int] = 3
    needs: ClassVar[Needs] = (("hits", "tries"),)

    def measure(self, batch: Batch) -> Rows:
        hits, tries = (np.nan_to_num(np.array(batch.column(name).to_pylist(), float)) for name in ("hits", "tries"))
        return Rows.of({"hits": hits.astype(int), "tries": tries.astype(int)})

    def score(self, totals: Statistics) -> FloatArray:
        return ratio(totals["hits"], totals["tries"])

    def parts(self, totals: Statistics) -> Mapping[str, FloatArray]:
        return {"hits": totals["hits"], "tries": totals["tries"]}


def dataset(columns: Mapping[str, Sequence[Any]], sizes: Sequence[int] | None = None) -> Dataset:
    """Make data of columns, in batches of the given sizes; ids count up where there are none."""
    rows = len(next(iter(columns.values())))
    table = pa.table({"id": [f"s{i}" for i in range(rows)], **columns})
    return in_batches(table, sizes or [rows])


def in_batches(table: pa.Table, sizes: Sequence[int]) -> Dataset:
    edges = np.cumsum([0, *sizes]).tolist()
    pieces = [table.slice(start, size) for start, size in zip(edges, sizes, strict=False)]
    return Dataset("test", len(table), tuple(table.column_names), lambda: iter([Batch(piece) for piece in pieces]))


def shuffled(table: pa.Table, seed: int) -> pa.Table:
    order: IntArray = np.random.default_rng(seed).permutation(len(table))
    return table.take(order)
