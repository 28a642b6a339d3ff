"""Rows that were read: in memory while they are few, else in temporary files mapped into memory; then as batches."""

from __future__ import annotations

import mmap
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from typing import IO, Self

import numpy as np
import pyarrow as pa

from ragauge.core.arrow import whole
from ragauge.core.batch import Batch
from ragauge.core.hashing import HashArray, hash_rows
from ragauge.core.ragged import IntArray
from ragauge.errors import DataError
from ragauge.formats.arrow_types import conformed
from ragauge.formats.ids import made_ids, occurrences

SPOOL_ABOVE = 256 << 20
"""Bytes of Arrow data that are kept in memory; more goes to temporary files."""


class Spool:
    """Batches in the order in which they were added.

    The temporary files have no name where the system allows that, and are gone when nothing refers to them, however
    the process ends. They lie where ``tempfile.gettempdir()`` says (the environment variable TMPDIR).
    """

    def __init__(self, spool_above: float = SPOOL_ABOVE) -> None:
        self._spool_above = spool_above
        self._bytes = 0
        self._in_memory: list[pa.RecordBatch] = []
        self._files: list[_File] = []

    @property
    def spooled(self) -> bool:
        """Whether the batches are on disk."""
        return self._bytes > self._spool_above

    def add(self, batch: pa.RecordBatch) -> None:
        """Keep ``batch``.

        Raises:
            DataError: a temporary file cannot be written.
        """
        self._bytes += batch.nbytes
        self._in_memory.append(batch)
        if self.spooled:
            self._to_disk()

    def _to_disk(self) -> None:
        try:
            for batch in self._in_memory:
                if not self._files or self._files[-1].schema != batch.schema:
                    self._files.append(_File(batch.schema))
                self._files[-1].writer.write_batch(batch)
        except OSError as error:
            raise DataError(
                f"the data take more than the {self._spool_above / 2**20:.0f} MiB that are kept in memory, and "
                f"{tempfile.gettempdir()} cannot hold them: {error.strerror or error}; set TMPDIR to a folder with "
                "more room"
            ) from error
        self._in_memory = []

    def tables(self) -> list[pa.Table]:
        """Return the batches as tables of one schema each; nothing can be added after this."""
        in_memory = groupby(self._in_memory, key=attrgetter("schema"))
        return [file.table() for file in self._files] + [pa.Table.from_batches(list(one)) for _, one in in_memory]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Close the temporary files; tables that were returned keep theirs."""
        for file in self._files:
            file.file.close()


class _File:
    """A temporary file of batches of one schema."""

    def __init__(self, schema: pa.Schema) -> None:
        self.schema = schema
        self.file: IO[bytes] = tempfile.TemporaryFile(prefix="ragauge-")  # noqa: SIM115 (lives as long as its table)
        self.writer = pa.ipc.new_file(self.file, schema)

    def table(self) -> pa.Table:
        self.writer.close()
        self.file.flush()
        # The map keeps the file open; no name of it is needed.
        mapped = mmap.mmap(self.file.fileno(), 0, access=mmap.ACCESS_READ)
        return pa.ipc.open_file(pa.BufferReader(pa.py_buffer(mapped))).read_all()


_HASHED = 1 << 16
"""Rows hashed at a time; fewer than a spooled table holds, so that temporaries stay small."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Batches:
    """The rows of a data set as batches; each call iterates from the first.

    ``tables``: rows as they were spooled; a table may lack columns, or have narrower types.
    ``types``: the columns of every batch, without an id that is made.
    ``hashes``, ``repeats``: the content of each row and how often it came before, (n,) each; None if rows have ids.
    """

    tables: Sequence[pa.Table]
    types: Mapping[str, pa.DataType]
    batch_size: int
    hashes: HashArray | None = None
    repeats: IntArray | None = None

    @classmethod
    def of(cls, tables: Sequence[pa.Table], types: Mapping[str, pa.DataType], batch_size: int) -> Batches:
        """Return batches of all rows, with ids from the content where ``types`` has none."""
        if "id" in types:
            return cls(tables, types, batch_size)
        parts = [_content_hashes(part) for part in _parts(tables, types, _HASHED)]
        hashes = np.concatenate(parts) if parts else np.empty(0, dtype=np.uint64)
        return cls(tables, types, batch_size, hashes, occurrences(hashes))

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns of every batch."""
        return tuple(self.types) if self.hashes is None else ("id", *self.types)

    def __call__(self) -> Iterator[Batch]:
        """Iterate over the batches."""
        first = 0
        for part in _parts(self.tables, self.types, self.batch_size):
            end = first + part.num_rows
            yield Batch(self._with_ids(part, first, end))
            first = end

    def _with_ids(self, part: pa.Table, first: int, end: int) -> pa.Table:
        if self.hashes is None or self.repeats is None:
            return part
        return part.add_column(0, "id", made_ids(self.hashes[first:end], self.repeats[first:end]))


def _parts(tables: Sequence[pa.Table], types: Mapping[str, pa.DataType], rows: int) -> Iterator[pa.Table]:
    for table in tables:
        for first in range(0, table.num_rows, rows):
            yield conformed(table.slice(first, rows), types)


def _content_hashes(table: pa.Table) -> HashArray:
    """Hash the content of each row, (n,); the order of the columns does not matter, and a null is an absent column."""
    return hash_rows({name: whole(table.column(name)) for name in table.column_names}, table.num_rows)
