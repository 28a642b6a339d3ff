"""Where batches are kept: in memory while they are few, else in a temporary file mapped into memory."""

from __future__ import annotations

import mmap
import tempfile
from typing import IO, Self

import pyarrow as pa

from ragauge.errors import DataError

SPOOL_ABOVE = 256 << 20
"""Bytes of Arrow data that are kept in memory; more goes to a temporary file."""


class Store:
    """Batches in the order in which they were added.

    The temporary file has no name where the system allows that, and is gone when nothing refers to it, however the
    process ends. It lies where ``tempfile.gettempdir()`` says (the environment variable TMPDIR).
    """

    def __init__(self, spool_above: float = SPOOL_ABOVE) -> None:
        self._spool_above = spool_above
        self._bytes = 0
        self._segments: list[_Segment] = []

    @property
    def spooled(self) -> bool:
        """Whether the batches are on disk."""
        return self._bytes > self._spool_above

    def add(self, batch: pa.RecordBatch) -> None:
        """Keep ``batch``; a batch of another schema than the last one starts a table of its own.

        Raises:
            DataError: the temporary file cannot be written.
        """
        self._bytes += batch.nbytes
        if not self._segments or self._segments[-1].schema != batch.schema:
            self._segments.append(_Segment(batch.schema))
        self._segments[-1].add(batch)
        if self.spooled:
            for segment in self._segments:
                segment.to_disk()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Let go of the temporary files; tables that were returned keep theirs."""
        for segment in self._segments:
            segment.close()

    def tables(self) -> list[pa.Table]:
        """Return what was added, as tables of one schema each; nothing can be added after this."""
        return [segment.table() for segment in self._segments]

    def column(self, name: str) -> pa.ChunkedArray:
        """Return one text column of all rows, null where a table lacks it; nothing can be added after this."""
        tables = [table if name in table.column_names else _with_nulls(table, name) for table in self.tables()]
        return pa.chunked_array([chunk for table in tables for chunk in table.column(name).chunks], pa.string())


def _with_nulls(table: pa.Table, name: str) -> pa.Table:
    return table.append_column(name, pa.nulls(table.num_rows, pa.string()))


class _Segment:
    """Batches of one schema."""

    def __init__(self, schema: pa.Schema) -> None:
        self.schema = schema
        self._batches: list[pa.RecordBatch] = []
        self._file: IO[bytes] | None = None
        self._writer: pa.RecordBatchWriter | None = None

    def add(self, batch: pa.RecordBatch) -> None:
        self._batches.append(batch)

    def to_disk(self) -> None:
        """Move the batches from memory to the file."""
        try:
            writer = self._opened()
            for batch in self._batches:
                writer.write_batch(batch)
        except OSError as error:
            where = tempfile.gettempdir()
            what = (
                f"the data are larger than memory should hold, and {where} cannot hold them: {error.strerror or error}"
            )
            raise DataError(f"{what}; set TMPDIR to a folder with more room") from error
        self._batches = []

    def _opened(self) -> pa.RecordBatchWriter:
        if self._writer is None:
            self._file = tempfile.TemporaryFile(prefix="ragauge-")  # noqa: SIM115 (lives as long as the table)
            self._writer = pa.ipc.new_file(self._file, self.schema)
        return self._writer

    def table(self) -> pa.Table:
        if self._writer is None or self._file is None:
            return pa.Table.from_batches(self._batches, self.schema)
        self._writer.close()
        self._file.flush()
        # The map keeps the file open; no name of it is needed.
        mapped = mmap.mmap(self._file.fileno(), 0, access=mmap.ACCESS_READ)
        return pa.ipc.open_file(pa.BufferReader(pa.py_buffer(mapped))).read_all()

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
