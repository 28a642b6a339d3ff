"""Which sentence, which passage, which similarity: what a score rests on, as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import pyarrow as pa

    from ragauge.batch import Batch
    from ragauge.ragged import Array, BoolArray, IntArray
    from ragauge.verdicts.crossed import Best


def evidence(
    batch: Batch, rows: IntArray, what: str, texts: Array, best: Best, others: Array, verdict: BoolArray | None
) -> pa.Table:
    """Return one row per unit.

    Args:
        batch: n samples.
        rows: (u,) the sample of each unit.
        what: what the units are, as ``answer sentence``.
        texts: (u,) str.
        best: the best counterpart of each unit.
        others: (v,) str: what ``best.place`` counts.
        verdict: (u,) whether the unit is supported or relevant; None where nothing is decided.

    Returns:
        Columns ``id``, ``what``, ``text``, ``best`` (null where there is nothing to compare with), ``similarity``
        (null there, and where there was no answer) and ``verdict`` (null where there was no answer, or nothing is
        decided).
    """
    import pyarrow as pa

    there = best.place >= 0
    lost = best.failed if verdict is None else best.failed & ~verdict
    found: list[Any] = [None] * len(rows)
    for unit in np.flatnonzero(there).tolist():
        found[unit] = others[best.place[unit]]
    return pa.table(
        {
            "id": batch.column("id").take(pa.array(rows)).cast(pa.string()),
            "what": pa.array([what] * len(rows), pa.string()),
            "text": pa.array(texts, pa.string()),
            "best": pa.array(found, pa.string()),
            "similarity": pa.array(best.value, mask=~there | lost),
            "verdict": pa.nulls(len(rows), pa.bool_()) if verdict is None else pa.array(verdict, mask=lost),
        }
    )
