"""Parquet files as samples."""

from __future__ import annotations

import io

import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import strategies as st

from tests.fuzz.making import damaged
from tests.fuzz.targets._reading import read_file

NATIVE = True
"""A defect can end the process: it runs in one of its own."""


def tables() -> list[pa.Table]:
    """Return small tables of several types."""
    grades = pa.list_(pa.struct([("id", pa.string()), ("grade", pa.float64())]))
    relevant = pa.array([[{"id": "d1", "grade": 1.0}], [{"id": "d3", "grade": 2.0}]], grades)
    return [
        pa.table({"question": ["a", None, "中"], "answer": ["x", "", "y"], "references": [["r"], [], None]}),
        pa.table({"id": ["1", "2"], "retrieved": [["d1", "d2"], ["d3"]], "relevant": relevant}),
        pa.table({"answer": pa.array(["a", "b", "a"]).dictionary_encode(), "n": pa.array([1, 2**63 - 1, None])}),
    ]


def _written(table: pa.Table) -> bytes:
    sink = io.BytesIO()
    pq.write_table(table, sink)
    return sink.getvalue()


STRATEGY = damaged(st.sampled_from([_written(table) for table in tables()]))


def target(data: bytes) -> None:
    """Read ``data`` as Parquet."""
    read_file("data.parquet", data)
