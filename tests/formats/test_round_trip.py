"""The same rows, written in every format, read back to the same columns."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragauge.core.batch import concatenated
from ragauge.formats import read
from tests.repeats import drawn
from tests.skips import FRAMES

Row = dict[str, Any]

# Carriage returns are left out for CSV's sake, and what is no text in any file: surrogates.
TEXT = st.text(st.characters(exclude_characters="\r\0", exclude_categories=["Cs"]), max_size=8) | st.sampled_from(
    ["谁写的？", "だれが", "누가", "Кто", "من", "किसने", "ใคร", "🙂", "[1]", "a,b", '"', "\n", "\u2028", "007", ""]
)
TEXTS = st.lists(TEXT, max_size=3)
ROW = st.fixed_dictionaries(
    {
        "id": st.integers(),
        "question": TEXT,
        "answer": st.none() | TEXT,
        "references": st.none() | TEXTS,
        "contexts": st.none() | TEXTS,
        "retrieved": st.none() | TEXTS,
        "relevance": st.none() | st.dictionaries(TEXT, st.floats(-9, 9), max_size=3),
        "latency": st.none() | st.floats(allow_nan=False, allow_infinity=False),
    }
)
ROWS = st.lists(ROW, min_size=1, max_size=6, unique_by=lambda row: row["id"]).map(
    lambda rows: [
        {**row, "id": f"q{row['id']}", "latency": 0.5 if not n else row["latency"]} for n, row in enumerate(rows)
    ]
)


def columnar(rows: list[Row]) -> pa.Table:
    judged = [row["relevance"] and list(row["relevance"].items()) for row in rows]
    relevance = [
        None if row["relevance"] is None else [{"id": i, "grade": g} for i, g in pairs or []]
        for row, pairs in zip(rows, judged, strict=True)
    ]
    kinds = {
        "answer": pa.string(),
        "references": pa.list_(pa.string()),
        "contexts": pa.list_(pa.string()),
        "retrieved": pa.list_(pa.string()),
        "relevance": pa.list_(pa.struct([("id", pa.string()), ("grade", pa.float64())])),
    }
    columns: dict[str, Any] = {name: [row[name] for row in rows] for name in rows[0]} | {"relevance": relevance}
    return pa.table({name: pa.array(values, kinds.get(name)) for name, values in columns.items()})


def write_csv(rows: list[Row], path: Path, delimiter: str = ",") -> None:
    lines = [delimiter.join(rows[0]), *(delimiter.join(cell(row[name]) for name in rows[0]) for row in rows)]
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", newline="")


def cell(value: Any) -> str:
    """Null is a bare empty cell, which the csv module of Python 3.11 cannot write beside quoted ones."""
    if value is None or isinstance(value, float):
        return "" if value is None else repr(value)
    text = json.dumps(value, ensure_ascii=False) if isinstance(value, list | dict) else value
    return '"' + text.replace('"', '""') + '"'


def write_jsonl(rows: list[Row], path: Path) -> None:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8", newline="")


def write_json(rows: list[Row], path: Path) -> None:
    path.write_text(json.dumps(rows, indent=1))


def write_ipc(rows: list[Row], path: Path) -> None:
    table = columnar(rows)
    with pa.ipc.new_stream(path, table.schema) as writer:
        writer.write_table(table)


FILES: dict[str, Callable[[list[Row], Path], None]] = {
    "run.jsonl": write_jsonl,
    "run.json": write_json,
    "run.csv": write_csv,
    "run.tsv": lambda rows, path: write_csv(rows, path, "\t"),
    "run.parquet": lambda rows, path: pq.write_table(columnar(rows), path),
    "run.feather": lambda rows, path: pyarrow.feather.write_feather(columnar(rows), path),
    "run.arrows": write_ipc,
}
OBJECTS: dict[str, Callable[[list[Row]], Any]] = {
    "columns": lambda rows: {name: [row[name] for row in rows] for name in rows[0]},
    "pandas": lambda rows: columnar(rows).to_pandas(types_mapper=pd.ArrowDtype),
}


def table_of(source: Any) -> pa.Table:
    return concatenated(read(source).batches()).table()


@drawn(ROWS, examples=(15, 60))
def test_every_format_gives_the_same_table(rows: list[Row]) -> None:
    expected = table_of(rows)
    assert expected.equals(columnar(rows).select(expected.column_names))
    with tempfile.TemporaryDirectory() as folder:
        for name, write in FILES.items():
            write(rows, Path(folder, name))
            assert table_of(Path(folder, name)).equals(expected), name
    for name, make in OBJECTS.items():
        assert table_of(make(rows)).equals(expected), name


@pytest.fixture(scope="module")
def polars() -> Any:
    return pytest.importorskip("polars", reason=FRAMES)


@settings(deadline=None, max_examples=60)
@given(rows=ROWS)
def test_polars_gives_the_same_table(polars: Any, rows: list[Row]) -> None:
    expected = columnar(rows)
    assert table_of(polars.DataFrame(expected)).equals(table_of(expected))
