from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ragauge.core.batch import Dataset, concatenated
from ragauge.errors import DataError
from ragauge.formats import read

ROWS = [{"question": "谁？", "answer": "安娜"}, {"question": "Who?", "answer": "Anna"}]
TEXTS = {
    ".jsonl": '{"question": "谁？", "answer": "安娜"}\n{"question": "Who?", "answer": "Anna"}\n',
    ".json": '[{"question": "谁？", "answer": "安娜"}, {"question": "Who?", "answer": "Anna"}]',
    ".csv": "question,answer\n谁？,安娜\nWho?,Anna\n",
    ".tsv": "question\tanswer\n谁？\t安娜\nWho?\tAnna\n",
}


def rows(data: Dataset) -> list[dict[str, Any]]:
    return concatenated(data.batches()).table().drop_columns(["id"]).to_pylist()  # type: ignore[no-any-return]


def packed(content: bytes, suffix: str) -> bytes:
    if suffix == ".gz":
        return gzip.compress(content)
    return pa.compress(content, codec="zstd", asbytes=True)  # type: ignore[no-any-return]


@pytest.mark.parametrize("compression", [".gz", ".zst"])
@pytest.mark.parametrize("kind", TEXTS)
def test_texts(kind: str, compression: str, tmp_path: Path) -> None:
    path = tmp_path / f"my.run{kind}{compression}"
    path.write_bytes(packed(TEXTS[kind].encode(), compression))
    assert rows(read(path)) == ROWS


@pytest.mark.parametrize("compression", [".gz", ".zst"])
@pytest.mark.parametrize("kind", [".parquet", ".arrow"])
def test_tables(kind: str, compression: str, tmp_path: Path) -> None:
    table = pa.Table.from_pylist(ROWS)
    sink = pa.BufferOutputStream()
    if kind == ".parquet":
        pq.write_table(table, sink)
    else:
        with pa.ipc.new_file(sink, table.schema) as writer:
            writer.write_table(table)
    path = tmp_path / f"run{kind}{compression}"
    path.write_bytes(packed(sink.getvalue().to_pybytes(), compression))
    assert rows(read(path)) == ROWS


def test_several_compressed_parts_one_after_the_other(tmp_path: Path) -> None:
    lines = TEXTS[".jsonl"].encode().splitlines(keepends=True)
    for suffix in (".gz", ".zst"):
        path = tmp_path / f"run.jsonl{suffix}"
        path.write_bytes(b"".join(packed(line, suffix) for line in lines))
        assert rows(read(path)) == ROWS


def test_compression_is_told_by_content(tmp_path: Path) -> None:
    (tmp_path / "run.jsonl").write_bytes(gzip.compress(TEXTS[".jsonl"].encode()))
    assert rows(read(tmp_path / "run.jsonl")) == ROWS


@pytest.mark.parametrize("suffix", [".gz", ".zst"])
def test_an_empty_file_is_called_empty_whatever_its_name(suffix: str, tmp_path: Path) -> None:
    (tmp_path / f"run.jsonl{suffix}").touch()
    with pytest.raises(DataError, match="is empty; give at least one row"):
        read(tmp_path / f"run.jsonl{suffix}")
