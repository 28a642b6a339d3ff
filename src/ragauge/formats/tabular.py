"""Parquet and Arrow files."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from typing import BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq

from ragauge.formats.chunk import Chunk
from ragauge.formats.objects import from_batches

PARQUET = b"PAR1"
ARROW = b"ARROW1"
_ROWS = 1 << 14


def parquet(stream: BinaryIO, *, seekable: bool) -> Iterator[Chunk]:
    """Read a Parquet file, some rows at a time."""
    with pq.ParquetFile(stream if seekable else _copied(stream)) as file:
        yield from from_batches(file.iter_batches(batch_size=_ROWS))


def arrow(stream: BinaryIO, head: bytes, *, seekable: bool) -> Iterator[Chunk]:
    """Read an Arrow IPC file (Feather) or stream."""
    if not head.startswith(ARROW):
        yield from from_batches(pa.ipc.open_stream(stream))
        return
    file = pa.ipc.open_file(stream if seekable else _copied(stream))
    yield from from_batches(file.get_batch(number) for number in range(file.num_record_batches))


def _copied(stream: BinaryIO) -> BinaryIO:
    """Return the bytes in a temporary file: these formats are read from their end."""
    copy = tempfile.TemporaryFile(prefix="ragauge-")  # noqa: SIM115 (closed when Arrow lets go of it)
    shutil.copyfileobj(stream, copy)
    copy.seek(0)
    return copy
