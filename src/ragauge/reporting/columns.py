"""Columns of the data of several runs, the samples lined up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ragauge.batch import Batch
from ragauge.measuring import FAILURE
from ragauge.ragged import IntArray
from ragauge.reporting.plain import values
from ragauge.reporting.run import Run
from ragauge.sample import SCHEMA

if TYPE_CHECKING:
    import pyarrow as pa

# What a run and its qrels are joined by; says nothing to a reader of the samples.
_JOINING = "in_run"


def samples_at(run: Run, rows: IntArray) -> pa.Table:
    """Return the columns of the data of the samples at ``rows`` (m,); the data are read once."""
    import pyarrow as pa

    tables = (batch.table() for batch in run.result.data.batches())
    parts, start = [], 0
    order = np.argsort(rows, kind="stable")
    for table in tables:
        inside = rows[order][(rows[order] >= start) & (rows[order] < start + len(table))] - start
        start += len(table)
        parts.append(table.take(pa.array(inside)))
    return pa.concat_tables(parts, promote_options="permissive").take(pa.array(np.argsort(order))).combine_chunks()


@dataclass(frozen=True, eq=False)
class Columns:
    """The same m samples of r runs: ``tables`` holds the columns of each."""

    runs: Sequence[Run]
    tables: Sequence[pa.Table]

    def of(self, place: int, name: str) -> pa.Array | None:
        """Return column ``name`` of the run at ``place``, m values; None where it has none."""
        table = self.tables[place]
        return Batch(table).column(name) if name in table.column_names else None

    def shared(self, name: str) -> list[Any] | None:
        """Return column ``name`` of the first run that has it, as Python values."""
        found = (self.of(place, name) for place in range(len(self.runs)))
        column = next((column for column in found if column is not None), None)
        return None if column is None else column.to_pylist()

    def others(self) -> dict[str, list[Any]]:
        """Return the columns that have no known meaning; one for each run where they differ, named after it."""
        there = (name for table in self.tables for name in table.column_names)
        names = [name for name in dict.fromkeys(there) if name not in SCHEMA and name not in (FAILURE, _JOINING)]
        found: dict[str, list[Any]] = {}
        for name in names:
            columns = {run.name: self.of(place, name) for place, run in enumerate(self.runs)}
            given = {run: values(column) for run, column in columns.items() if column is not None}
            same = all(one == next(iter(given.values())) for one in given.values())
            found |= (
                {name: next(iter(given.values()))} if same else {f"{name} ({run})": one for run, one in given.items()}
            )
        return found
