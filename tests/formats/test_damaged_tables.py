"""Damaged Arrow and Parquet files, whose offsets and texts pyarrow trusts, never end the process."""

from __future__ import annotations

import io
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ragauge.errors import DataError
from ragauge.formats import read


def stream_of(table: pa.Table, *, file: bool, compression: str | None = None) -> bytes:
    sink = io.BytesIO()
    options = pa.ipc.IpcWriteOptions(compression=compression)
    with (pa.ipc.new_file if file else pa.ipc.new_stream)(sink, table.schema, options=options) as writer:
        writer.write_table(table, max_chunksize=15)
    return sink.getvalue()


def parquet_of(table: pa.Table, **options: Any) -> bytes:
    sink = io.BytesIO()
    pq.write_table(table, sink, **options)
    return sink.getvalue()


def tables() -> dict[str, bytes]:
    """Return a table in the forms of Arrow and Parquet files, by file name."""
    n = 40
    table = pa.table(
        {
            "id": [f"i{k}" for k in range(n)],
            "answer": [None if k % 5 == 0 else f"the answer {k}" for k in range(n)],
            "contexts": [["a b", "c d"][: k % 3] for k in range(n)],
            "relevance": [[{"id": "d1", "grade": 1.0}]] * n,
            "score": [k / 3 for k in range(n)],
            "flag": [k % 2 == 0 for k in range(n)],
            "kind": pa.array(["x", "y"] * (n // 2)).dictionary_encode(),
        }
    )
    return {
        "file.arrow": stream_of(table, file=True),
        "stream.arrow": stream_of(table, file=False),
        "lz4.arrow": stream_of(table, file=True, compression="lz4"),
        "plain.parquet": parquet_of(table),
        "zstd.parquet": parquet_of(table, compression="zstd", row_group_size=15, use_dictionary=False),
    }


def damaged(data: bytes, rng: random.Random) -> bytes:
    """Return ``data`` with some bytes flipped, replaced, left out or copied from elsewhere."""
    content, how = bytearray(data), rng.randrange(5)
    for _ in range(rng.choice([1, 1, 2, 4, 16])):
        place, width = rng.randrange(len(content)), rng.choice([1, 4, 8])
        if how == 0:
            content[place] ^= 1 << rng.randrange(8)
        elif how == 1:
            content[place : place + width] = rng.choice([b"\xff", b"\0", b"\x7f"]) * width
        elif how == 2:
            content[place : place + width] = rng.randbytes(width)
        elif how == 3:
            del content[place : place + width]
        else:
            other = rng.randrange(len(content))
            content[place : place + width] = content[other : other + width]
    return bytes(content)


def read_damaged_tables(count: int, seed: int, folder: str) -> None:
    """Read ``count`` damaged tables; anything but a result or an error of the data ends the process.

    For many: ``python -c "from tests.formats.test_damaged_tables import *; read_damaged_tables(3000, 1, '/tmp')"``.
    """
    forms = tables()
    for number in range(count):
        name = list(forms)[number % len(forms)]
        path = Path(folder, name)
        path.write_bytes(damaged(forms[name], random.Random(f"{seed} {number}")))  # noqa: S311
        sys.stdout.write(f"{number}\n")
        sys.stdout.flush()
        try:
            for batch in read(path).batches():
                batch.table().to_pylist()
        except DataError:
            continue


@pytest.mark.costly
def test_damaged_tables_are_errors_of_the_data(tmp_path: Path) -> None:
    code = f"from tests.formats.test_damaged_tables import *; read_damaged_tables(300, 0, {str(tmp_path)!r})"
    child = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300, check=False)
    assert (child.returncode, child.stdout.split()[-1]) == (0, "299"), child.stderr[-2000:]


@pytest.mark.parametrize("name", ["file.arrow", "plain.parquet"])
def test_names_and_texts_of_tables_that_are_not_utf8(name: str, tmp_path: Path) -> None:
    table = pa.table({"answer": ["xxxxxxxx"], "aaaaaaaa": ["y"], "list": [[{"inner": {"zzzzzzzz": 1}}]]})
    content = stream_of(table, file=True) if name == "file.arrow" else parquet_of(table)
    for text in (b"aaaaaaaa", b"xxxxxxxx", b"zzzzzzzz"):
        (tmp_path / name).write_bytes(content.replace(text, text[:4] + b"\xff" + text[5:]))
        with pytest.raises(DataError, match="cannot be read: "):
            read(tmp_path / name)


def test_the_row_group_that_is_damaged_is_named(tmp_path: Path) -> None:
    path = tmp_path / "回答.parquet"
    rows = pa.table({"id": [f"q{i}" for i in range(60)], "answer": [f"茶 {i * 7919 % 9973}" for i in range(60)]})
    pq.write_table(rows, path, row_group_size=20)
    content = bytearray(path.read_bytes())
    column = pq.ParquetFile(path).metadata.row_group(1).column(1)
    start = column.dictionary_page_offset or column.data_page_offset
    content[start : start + column.total_compressed_size] = bytes(column.total_compressed_size)
    path.write_bytes(content)
    with pytest.raises(DataError, match=r"row group 2 of 3 \(rows 21 to 40\) cannot be read: .*\. Copy or write"):
        read(path)
