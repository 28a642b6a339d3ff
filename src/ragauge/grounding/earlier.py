"""Passages of earlier turns of a conversation, which may support an answer as its own passages do."""

from __future__ import annotations

import pyarrow as pa

from ragauge.core.arrow import to_arrow
from ragauge.core.batch import Batch

EARLIER = "earlier_contexts"
"""The column of passages that earlier turns of the conversation retrieved and that this turn refers to."""


def all_passages(batch: Batch) -> Batch:
    """Return the samples with the passages of earlier turns behind their own; the same batch where it has none.

    >>> batch = Batch(pa.table({"contexts": [["Tea."], ["Jam."]], "earlier_contexts": [["Milk."], None]}))
    >>> all_passages(batch).column("contexts").to_pylist()
    [['Tea.', 'Milk.'], ['Jam.']]
    """
    if EARLIER not in batch.names:
        return batch
    return batch.derived(EARLIER, lambda: batch.with_column("contexts", _together(batch), without=EARLIER))


def _together(batch: Batch) -> pa.Array:
    pairs = zip(batch.column("contexts").to_pylist(), batch.column(EARLIER).to_pylist(), strict=True)
    return to_arrow([None if own is None else [*own, *(more or [])] for own, more in pairs], pa.list_(pa.string()))
