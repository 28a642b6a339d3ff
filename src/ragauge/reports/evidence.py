"""What the scores of samples rest on: read from the saved run, or asked of the metrics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ragauge.core.batch import Batch
from ragauge.core.protocol import Explained
from ragauge.core.ragged import IntArray
from ragauge.reports.metrics import metric_of
from ragauge.reports.run import Run
from ragauge.results.storage import evidence_of_samples

if TYPE_CHECKING:
    import pyarrow as pa

_SHOWN = ("what", "text", "best", "similarity", "supported")

Pieces = dict[str, dict[str, list[dict[str, Any]]]]
"""Metric, place of the sample as text, and its pieces of evidence in order."""


def evidence(run: Run, ids: pa.Array, rows: IntArray) -> Pieces:
    """Return the evidence of m samples.

    Args:
        run: which has them.
        ids: of the m samples.
        rows: (m,) their places in the run.
    """
    import pyarrow.compute as pc

    table = evidence_of_samples(run.directory, ids) if run.directory else _asked(run, rows)
    if table is None or not len(table):
        return {}
    samples = pc.index_in(table["id"].cast(ids.type), value_set=ids).to_pylist()
    rounded = table.set_column(table.column_names.index("similarity"), "similarity", pc.round(table["similarity"], 4))
    found: Pieces = {}
    for name, sample, piece in zip(
        table["metric"].to_pylist(), samples, rounded.select(_SHOWN).to_pylist(), strict=True
    ):
        found.setdefault(name, {}).setdefault(str(sample), []).append(piece)
    return found


def _asked(run: Run, rows: IntArray) -> pa.Table | None:
    """Ask the metrics, a batch at a time, of the samples at ``rows`` only."""
    import pyarrow as pa

    metrics = {name: metric_of(run, name) for name in run.result.metrics}
    tables: list[pa.Table] = []
    start = 0
    for batch in run.result.data.batches():
        inside = rows[(rows >= start) & (rows < start + len(batch))] - start
        start += len(batch)
        for name, metric in metrics.items():
            if isinstance(metric, Explained) and len(inside):
                table = metric.explain(_part(batch, inside))
                tables.append(table.add_column(0, "metric", pa.array([name] * len(table), pa.string())))
    return pa.concat_tables(tables) if tables else None


def _part(batch: Batch, inside: IntArray) -> Batch:
    """Return some samples; all as they are, so that vectors which were made for them are found again."""
    return batch if len(inside) == len(batch) else batch.take(np.sort(inside))
