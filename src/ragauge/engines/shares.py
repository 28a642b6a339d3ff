"""The samples of a run in a file that all workers map into memory, and which rows each part takes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa

from ragauge.core.batch import Batch, Dataset
from ragauge.engines.part import stream_of
from ragauge.formats.rows import SegmentFile

_LEAST, _MOST, _PARTS = 1 << 10, 1 << 15, 64
"""Rows of a part at least and at most, and how many parts there are where rows suffice.

About 64 parts keep workers equally busy and lose little when one is killed; 1,024 rows are worth a part's two files.
"""


class RowRange(NamedTuple):
    """Rows ``first`` to before ``last`` of the batch with this number."""

    batch: int
    first: int
    last: int


@dataclass(frozen=True)
class Shares:
    """Batches in a file, each an Arrow stream, and the parts that they are cut into.

    ``places``: start and size of each batch in the file; ``slices``: of each part, in the order of the samples. Parts
    depend on the samples alone, and not on the number of workers.
    """

    path: str
    places: tuple[tuple[int, int], ...]
    slices: tuple[tuple[RowRange, ...], ...]

    @property
    def sizes(self) -> list[int]:
        """The number of samples in each part."""
        return [sum(one.last - one.first for one in slices) for slices in self.slices]

    def batches(self, part: int) -> Iterator[tuple[RowRange, Batch]]:
        """Yield the rows of a part, a batch or its part at a time."""
        with pa.memory_map(self.path) as file:
            for one in self.slices[part]:
                start, size = self.places[one.batch]
                file.seek(start)
                table = pa.ipc.open_stream(file.read_buffer(size)).read_all()
                yield one, Batch(table.slice(one.first, one.last - one.first))

    def digest(self, part: int) -> str:
        """Return the SHA-256 of the content of a part's samples."""
        hashed = sha256()
        for _, batch in self.batches(part):
            hashed.update(stream_of(batch.table()))
        return hashed.hexdigest()


def written(data: Dataset, path: Path) -> tuple[Shares, list[pa.Array]]:
    """Write the samples of ``data`` to ``path``, and share them out; return their ids too, an array for each batch."""
    places, rows, ids = [], [], []
    file = SegmentFile(path)
    for batch in data.batches():
        table = batch.table()
        segment = file.written(table.combine_chunks())
        places.append((segment.start, segment.size))
        rows.append(table.num_rows)
        # A slice would keep the whole table that it is of.
        ids.append(pa.concat_arrays(table["id"].chunks))
    return Shares(str(path), tuple(places), tuple(shared_out(rows))), ids


def shared_out(rows: Sequence[int]) -> Iterator[tuple[RowRange, ...]]:
    """Yield the slices of each part of batches with so many ``rows``.

    >>> [[tuple(one) for one in slices] for slices in shared_out([1500, 0, 600])]
    [[(0, 0, 1024)], [(0, 1024, 1500), (2, 0, 548)], [(2, 548, 600)]]
    """
    size = _LEAST
    while size < _MOST and size * _PARTS < sum(rows):
        size *= 2
    slices: list[RowRange] = []
    room = size
    for batch, count in enumerate(rows):
        first = 0
        while first < count:
            last = min(count, first + room)
            slices.append(RowRange(batch, first, last))
            first, room = last, room - (last - first)
            if not room:
                yield tuple(slices)
                slices, room = [], size
    if slices:
        yield tuple(slices)
