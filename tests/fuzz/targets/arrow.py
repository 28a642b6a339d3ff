"""Arrow files and streams as samples."""

from __future__ import annotations

import io

import pyarrow as pa
from hypothesis import strategies as st

from tests.fuzz.making import damaged
from tests.fuzz.targets._reading import read_file
from tests.fuzz.targets.parquet import tables

NATIVE = True


def _written(table: pa.Table, *, stream: bool) -> bytes:
    sink = io.BytesIO()
    with (pa.ipc.new_stream if stream else pa.ipc.new_file)(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue()


STRATEGY = damaged(st.sampled_from([_written(table, stream=stream) for table in tables() for stream in (True, False)]))


def target(data: bytes) -> None:
    """Read ``data`` as Arrow."""
    read_file("data.arrow", data)
