"""What a score rests on, as a table: which sentence, which passage, how similar."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ragauge.core.arrow import to_arrow
from ragauge.core.batch import Batch


def evidence(
    batch: Batch,
    rows: npt.ArrayLike,
    *,
    what: str,
    texts: Sequence[str],
    best: Sequence[str | None],
    similarity: npt.ArrayLike,
    supported: Sequence[bool | None] | None = None,
    why: Sequence[str | None] | None = None,
) -> pa.Table:
    """Return the table that ``explain`` of a metric returns: one row per segment.

    Args:
        batch: n samples.
        rows: (u,) the sample of each segment.
        what: what the segments are, as ``answer sentence``.
        texts: u segments.
        best: u texts: what supports each segment best; None where there is nothing to compare with.
        similarity: (u,) how similar the two are; NaN where that is not known.
        supported: u values: whether each is supported; None where that is not known, or not decided by the metric.
        why: u texts: what decided against support; None where nothing did, or where that is not known.

    >>> import pyarrow as pa
    >>> batch = Batch(pa.table({"id": ["q1"], "answer": ["in 1974"]}))
    >>> evidence(
    ...     batch, [0], what="number", texts=["1974"], best=[None], similarity=[0.0], supported=[False]
    ... ).to_pylist()
    [{'id': 'q1', 'what': 'number', 'text': '1974', 'best': None, 'similarity': 0.0, 'supported': False, 'why': None}]
    """
    places, values = np.asarray(rows, dtype=np.int64), np.asarray(similarity, dtype=np.float64)
    decided: Sequence[Any] = [None] * len(places) if supported is None else supported
    return pa.table(
        {
            "id": batch.column("id").take(to_arrow(places)).cast(pa.string()),
            "what": to_arrow([what] * len(places), pa.string()),
            "text": to_arrow(list(texts), pa.string()),
            "best": to_arrow(list(best), pa.string()),
            "similarity": to_arrow(values, mask=np.isnan(values)),
            "supported": to_arrow(list(decided), pa.bool_()),
            "why": to_arrow([None] * len(places) if why is None else list(why), pa.string()),
        }
    )
