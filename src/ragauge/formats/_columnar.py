"""Parquet and Arrow files."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq

from ragauge.formats._chunk import Chunk
from ragauge.formats._objects import from_batches

PARQUET = b"PAR1"
ARROW = b"ARROW1"
_ROWS = 1 << 14


def parquet(stream: BinaryIO, *, seekable: bool) -> Iterator[Chunk]:
    """Read a Parquet file, some rows at a time."""
    with _in_any_order(stream, seekable=seekable) as whole, pq.ParquetFile(whole) as file:
        yield from from_batches(file.iter_batches(batch_size=_ROWS))


def arrow(stream: BinaryIO, head: bytes, *, seekable: bool) -> Iterator[Chunk]:
    """Read an Arrow IPC file (Feather) or stream."""
    if not head.startswith(ARROW):
        yield from from_batches(pa.ipc.open_stream(stream))
        return
    with _in_any_order(stream, seekable=seekable) as whole, pa.ipc.open_file(whole) as file:
        yield from from_batches(file.get_batch(number) for number in range(file.num_record_batches))


@contextmanager
def _in_any_order(stream: BinaryIO, *, seekable: bool) -> Iterator[IO[bytes]]:
    """Give the bytes, in a temporary file if need be: these formats are read from their end."""
    if seekable:
        yield stream
        return
    with tempfile.TemporaryFile(prefix="ragauge-") as copy:
        shutil.copyfileobj(stream, copy)
        copy.seek(0)
        yield copy
