"""Segments: the parts of each sample's texts that are compared, whole texts or sentences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from ragauge.core.arrow import filled, to_arrow, to_numpy
from ragauge.core.ragged import Array, IntArray, Ragged

if TYPE_CHECKING:
    import pyarrow as pa

Splitter: TypeAlias = Callable[[Any], tuple[Ragged, Ragged]]
"""Takes an Arrow array of n strings and returns where segments begin and end in each, as `ragauge.sentences.split`."""


@dataclass(frozen=True, eq=False)
class Segments:
    """The segments of n samples, s in all; each is a part of a text.

    Shapes: ``offsets`` (n + 1,): where each sample's segments begin; ``source`` (s,) rising: the place in ``texts`` of
    the text that holds the segment; ``starts`` and ``ends`` (s,): its place there, in code points; ``texts`` (m,) str.

    >>> import pyarrow as pa
    >>> from ragauge.sentences import split
    >>> sentences = Segments.of(pa.array([["One. Two!", "三。四。"], []])).split(split)
    >>> sentences.strings.to_lists()
    [['One.', 'Two!', '三。', '四。'], []]
    >>> sentences.windows(2).values.tolist()
    ['One. Two!', 'Two!', '三。四。', '四。']
    """

    offsets: IntArray
    source: IntArray
    starts: IntArray
    ends: IntArray
    texts: Array

    @classmethod
    def of(cls, column: pa.Array) -> Segments:
        """Return each text of a column whole; a row of strings has one, a row of lists has as many as are listed.

        A null row has no segment; a null within a list is an empty text.
        """
        import pyarrow as pa
        import pyarrow.compute as pc

        if pa.types.is_list(column.type) or pa.types.is_large_list(column.type):
            lengths = filled(pc.list_value_length(column), 0)
            texts = filled(column.flatten().cast(pa.large_string()), "")
        else:
            lengths, texts = column.is_valid().cast(pa.int64()), column.drop_null().cast(pa.large_string())
        return cls.whole(Ragged.from_lengths(_objects(texts.to_pylist()), to_numpy(lengths)))

    @classmethod
    def whole(cls, texts: Ragged) -> Segments:
        """Return n lists of texts as segments."""
        lengths = np.fromiter(map(len, texts.values), dtype=np.int64, count=len(texts.values))
        return cls(texts.offsets, np.arange(len(lengths)), np.zeros_like(lengths), lengths, texts.values)

    def __len__(self) -> int:
        return len(self.source)

    @property
    def rows(self) -> IntArray:
        """The sample of each segment, (s,)."""
        return np.repeat(np.arange(len(self.offsets) - 1), self.lengths)

    @property
    def lengths(self) -> IntArray:
        """How many segments each sample has, (n,)."""
        return np.diff(self.offsets)

    @cached_property
    def strings(self) -> Ragged:
        """The segments as n lists of str."""
        return self.windows(1)

    def windows(self, width: int) -> Ragged:
        """Return n lists of str: each segment with those that follow it in its text, up to ``width`` segments."""
        last = np.searchsorted(self.source, self.source, side="right") - 1
        ends = self.ends[np.minimum(np.arange(len(self)) + width - 1, last)]
        places = zip(self.source.tolist(), self.starts.tolist(), ends.tolist(), strict=True)
        texts = self.texts
        return Ragged(_objects([texts[text][start:end] for text, start, end in places]), self.offsets)

    def split(self, splitter: Splitter) -> Segments:
        """Return the segments that ``splitter`` finds in whole texts; each distinct text is split once."""
        import pyarrow as pa

        encoded = to_arrow(self.texts, pa.large_string()).dictionary_encode()
        starts, ends = splitter(encoded.dictionary)
        chosen = to_numpy(encoded.indices).astype(np.int64)
        starts, ends = starts.take(chosen), ends.take(chosen)
        return Segments(starts.offsets[self.offsets], starts.rows, starts.values, ends.values, self.texts)

    @cached_property
    def not_blank(self) -> Segments:
        """Those whole texts that hold more than white space."""
        kept = np.array([bool(text.strip()) for text in self.texts], dtype=bool)
        offsets = np.concatenate([[0], np.cumsum(kept)])[self.offsets]
        return Segments.whole(Ragged(self.texts[kept], offsets))

    def by_text(self) -> Segments:
        """Return the same segments with one row for each of the m texts instead of one for each sample."""
        offsets = np.searchsorted(self.source, np.arange(len(self.texts) + 1))
        return Segments(offsets, self.source, self.starts, self.ends, self.texts)

    def take(self, indices: IntArray) -> Segments:
        """Return the segments of the samples at ``indices``, in that order; a sample may be taken several times."""
        places = Ragged(np.arange(len(self)), self.offsets).take(indices)
        source = self.source[places.values]
        # Each repetition is a text of its own, so that windows do not reach across.
        begins = np.concatenate([[True], (np.diff(source) != 0) | (np.diff(places.rows) != 0)])[: len(source)]
        own_source = np.cumsum(begins) - 1
        starts, ends = self.starts[places.values], self.ends[places.values]
        return Segments(places.offsets, own_source, starts, ends, self.texts[source[begins]])


def _objects(texts: Sequence[str]) -> Array:
    strings = np.empty(len(texts), dtype=object)
    strings[:] = texts
    return strings
