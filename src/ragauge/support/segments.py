"""The segments that are compared: the sentences and passages of each sample."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ragauge.core.batch import Batch, Dataset
from ragauge.core.ragged import Array, IntArray, Ragged
from ragauge.sentences import split

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, eq=False)
class Segments:
    """The segments of n samples, u in all, each a part of a text.

    Shapes: ``offsets`` (n + 1,): where each sample's segments begin; ``source`` (u,) rising: which of ``texts`` a
    segment is part of; ``starts`` and ``ends`` (u,) its place there, in code points; ``texts`` (m,) str.
    """

    offsets: IntArray
    source: IntArray
    starts: IntArray
    ends: IntArray
    texts: Array

    def __len__(self) -> int:
        return len(self.source)

    @property
    def rows(self) -> IntArray:
        """The sample of each segment, (u,)."""
        return np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))

    def windows(self, width: int) -> Ragged:
        """Return ``width`` neighbouring segments of one text, or fewer at its end, by their first: n lists of str."""
        last = np.searchsorted(self.source, self.source, side="right") - 1
        ends = self.ends[np.minimum(np.arange(len(self)) + width - 1, last)]
        places = zip(self.source.tolist(), self.starts.tolist(), ends.tolist(), strict=True)
        texts = self.texts
        return Ragged(_objects([texts[text][start:end] for text, start, end in places]), self.offsets)


def sentences_of(batch: Batch, column: str) -> Segments:
    """Return the sentences in ``column`` of each sample, of one text or of several; null has none.

    >>> import pyarrow as pa
    >>> segments = sentences_of(Batch(pa.table({"contexts": [["One. Two!", "三。四。"], []]})), "contexts")
    >>> segments.windows(1).to_lists()
    [['One.', 'Two!', '三。', '四。'], []]
    >>> segments.windows(2).values.tolist()
    ['One. Two!', 'Two!', '三。四。', '四。']
    """
    return batch.derived(("sentences", column), lambda: _sentences(texts_of(batch, column)))


def wholes_of(batch: Batch, column: str) -> Segments:
    """Return the texts in ``column`` of each sample whole: one, or as many as are listed; null has none."""
    return batch.derived(("wholes", column), lambda: wholes(texts_of(batch, column)))


def wholes(texts: Ragged) -> Segments:
    """Return n lists of texts as segments."""
    places = np.arange(len(texts.values))
    lengths = np.fromiter(map(len, texts.values), dtype=np.int64, count=len(texts.values))
    return Segments(texts.offsets, places, np.zeros_like(lengths), lengths, texts.values)


def written(segments: Segments) -> Segments:
    """Return those of whole texts that hold more than white space."""
    kept = np.array([bool(text.strip()) for text in segments.texts], dtype=bool)
    offsets = np.concatenate([[0], np.cumsum(kept)])[segments.offsets]
    return wholes(Ragged(segments.texts[kept], offsets))


def alone(segments: Segments) -> Segments:
    """Return the same with a sample for each text that the segments are part of, in order: (m,) samples."""
    offsets = np.searchsorted(segments.source, np.arange(len(segments.texts) + 1))
    return Segments(offsets, segments.source, segments.starts, segments.ends, segments.texts)


def texts_of(batch: Batch, column: str) -> Ragged:
    """Return n lists of str: the text in ``column``, or the texts; null is none, null within a list empty."""
    return batch.derived(("strings", column), lambda: _texts(batch.column(column)))


def _texts(column: pa.Array) -> Ragged:
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_list(column.type) or pa.types.is_large_list(column.type):
        lengths = pc.fill_null(pc.list_value_length(column), 0).to_numpy(zero_copy_only=False)
        return Ragged.from_lengths(
            _objects(column.flatten().cast(pa.large_string()).fill_null("").to_pylist()), lengths
        )
    lengths = column.is_valid().to_numpy(zero_copy_only=False).astype(np.int64)
    return Ragged.from_lengths(_objects(column.drop_null().cast(pa.large_string()).to_pylist()), lengths)


def _sentences(texts: Ragged) -> Segments:
    """Split each distinct text once."""
    import pyarrow as pa

    encoded = pa.array(texts.values, pa.large_string()).dictionary_encode()
    starts, ends = split(encoded.dictionary)
    chosen = np.asarray(encoded.indices, dtype=np.int64)
    starts, ends = starts.take(chosen), ends.take(chosen)
    return Segments(starts.offsets[texts.offsets], starts.rows, starts.values, ends.values, texts.values)


def _objects(texts: Sequence[str]) -> Array:
    found = np.empty(len(texts), dtype=object)
    found[:] = texts
    return found


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


WINDOWS = "texts read in windows"
"""They were read to their ends, segment by segment."""

CUT = "claims cut"
"""They leave no room beside them, and their ends were not read."""
