"""``by="answered"``: groups of samples by whether the answer answers or declines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import pyarrow as pa

from ragauge.core.arrow import to_arrow
from ragauge.core.batch import Batch, Dataset
from ragauge.evaluation.partial import measure_cells
from ragauge.metrics.parse import parse

ANSWERED = "answered"
"""The name of the column."""
_LABELS = {0.0: "answered", 0.5: "in part", 1.0: "declined"}
"""Score of ``abstention`` -> the value of the column."""


def with_answered(data: Dataset, by: Sequence[str]) -> Dataset:
    """Return the samples with the column that ``by`` names; as they are where they have it, or no answers.

    >>> rows = pa.table({"answer": ["At nine.", "资料里没有提到。"]})
    >>> data = with_answered(Dataset.of(Batch(rows), "rows"), ["answered"])
    >>> next(data.batches()).column("answered").to_pylist()
    ['answered', 'declined']
    """
    if ANSWERED not in by or data.known(ANSWERED) in data.columns or "answer" not in data.columns:
        return data

    def batches() -> Iterator[Batch]:
        return (labelled(batch, by) for batch in data.batches())

    return replace(data, columns=(*data.columns, ANSWERED), batches=batches)


def labelled(batch: Batch, by: Sequence[str]) -> Batch:
    """Return a batch with the column that ``by`` names: answered, in part, declined; null without an answer."""
    if ANSWERED not in by or ANSWERED in batch.names or "answer" not in batch.names:
        return batch
    declined = measure_cells(parse("abstention"), batch).scores.tolist()
    return Batch(batch.table().append_column(ANSWERED, to_arrow([_LABELS.get(one) for one in declined], pa.string())))
