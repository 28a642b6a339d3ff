"""Folders that datasets.save_to_disk wrote."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ragauge.errors import DataError
from ragauge.formats import read
from tests.frameworks.reading import ANSWER, QUESTION, rows


def test_a_folder_of_arrow_files(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    table = pa.table({"question": [QUESTION], "response": [ANSWER]})
    for name in ("a.arrow", "b.arrow"):
        with pa.OSFile(str(folder / name), "wb") as sink, pa.ipc.new_stream(sink, table.schema) as writer:
            writer.write_table(table)
    state = {"_data_files": [{"filename": "a.arrow"}, {"filename": "b.arrow"}]}
    (folder / "state.json").write_text(json.dumps(state), encoding="utf-8")
    assert [row["answer"] for row in rows(folder)] == [ANSWER, ANSWER]
    (folder / "b.arrow").write_bytes(b"damaged")
    with pytest.raises(DataError, match="it is damaged"):
        read(folder)
    (folder / "b.arrow").unlink()
    with pytest.raises(DataError, match=r"b.arrow: file not found; copy or save the data set again"):
        read(folder)


def test_a_folder_of_parquet_files(tmp_path: Path) -> None:
    folder = tmp_path / "table"
    folder.mkdir()
    for number, answer in enumerate(("a", ANSWER, "ค")):
        pq.write_table(pa.table({"response": [answer]}), folder / f"part-{number}.snappy.parquet")
    (folder / "_SUCCESS").touch()
    (folder / ".part-0.snappy.parquet.crc").touch()
    assert [row["answer"] for row in rows(folder)] == ["a", ANSWER, "ค"]
    (folder / "part-1.snappy.parquet").write_bytes(b"PAR1 damaged")
    with pytest.raises(DataError, match=r"part-1\.snappy\.parquet: cannot be read"):
        read(folder)


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("state.json", "[", "cannot be read"),
        ("state.json", "[]", "must hold a JSON object"),
        ("state.json", "{}", "must hold a list under _data_files"),
        ("state.json", '{"_data_files": []}', "must hold a list under _data_files"),
        ("state.json", '{"_data_files": [{"filename": 3}]}', "a file in _data_files has no name"),
        ("state.json", '{"_data_files": ["a.arrow"]}', "a file in _data_files has no name"),
        ("dataset_dict.json", '{"splits": []}', "must hold a list under splits"),
        ("dataset_dict.json", '{"splits": [3, "test"]}', "holds the splits 3, test; name the folder of one, as in "),
    ],
)
def test_a_folder_whose_description_is_wrong(file: str, content: str, message: str, tmp_path: Path) -> None:
    (tmp_path / file).write_text(content, encoding="utf-8")
    with pytest.raises(DataError, match=message):
        read(tmp_path)
