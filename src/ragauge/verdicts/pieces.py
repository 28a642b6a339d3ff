"""Batches small enough that what is derived from their texts fits in memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ragauge.batch import Batch, Dataset

# Sentences, windows and vectors of a text take some hundred times its size: a megabyte of text some hundred megabytes.
_BYTES = 1 << 20


def in_pieces(data: Dataset) -> Dataset:
    """Return ``data`` in batches of about a megabyte at most; one sample is not cut.

    >>> import pyarrow as pa
    >>> data = Dataset.of(Batch(pa.table({"id": list("abc"), "answer": ["x" * 10**6] * 3})), "long answers")
    >>> [len(batch) for batch in in_pieces(data).batches()]
    [1, 1, 1]
    """

    def batches() -> Iterator[Batch]:
        for batch in data.batches():
            yield from _pieces(batch)

    return replace(data, batches=batches)


def _pieces(batch: Batch) -> Iterator[Batch]:
    table = batch.table()
    if table.nbytes <= _BYTES or len(batch) < 2:
        yield batch
        return
    rows = max(1, len(batch) * _BYTES // table.nbytes)
    for first in range(0, len(batch), rows):
        yield Batch(table.slice(first, rows))
