"""Folders: those that datasets.save_to_disk wrote, Parquet parts, and others."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ragauge.errors import DataError
from ragauge.formats import read
from ragauge.formats.folders import pattern_of
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
    assert read(folder).notes == ()
    (folder / "茶.csv").write_text("response\nb\n", encoding="utf-8")
    (folder / "older").mkdir()
    pq.write_table(pa.table({"response": ["c"]}), folder / "older" / "part-0.parquet")
    [note] = read(folder).notes
    left_out = f"not {Path('older', 'part-0.parquet')}, 茶.csv; score such a file alone, as {folder / 'older'}"
    assert left_out in note
    assert len(rows(folder)) == 3
    (folder / "part-1.snappy.parquet").write_bytes(b"PAR1 damaged")
    with pytest.raises(DataError, match=r"part-1\.snappy\.parquet: cannot be read"):
        read(folder)


def test_folders_by_a_column_are_parts_too(tmp_path: Path) -> None:
    for place, (part, answer) in enumerate([("lang=de", "a"), ("lang=zh", ANSWER), ("lang=%D8%A7", "ب")]):
        (tmp_path / part).mkdir()
        pq.write_table(pa.table({"response": [answer]}), tmp_path / part / f"part-{place}.parquet")
    (tmp_path / "lang=__HIVE_DEFAULT_PARTITION__").mkdir()
    pq.write_table(pa.table({"response": ["ค"]}), tmp_path / "lang=__HIVE_DEFAULT_PARTITION__" / "part-3.parquet")
    (tmp_path / "_delta_log").mkdir()
    pq.write_table(pa.table({"add": [1]}), tmp_path / "_delta_log" / "1.parquet")
    found = {(row["answer"], row.get("language")) for row in rows(tmp_path)}
    assert found == {("a", "de"), (ANSWER, "zh"), ("ب", "ا"), ("ค", None)}


@pytest.mark.parametrize(
    ("suffix", "lines"),
    [
        ("csv", f"question,answer\n{QUESTION},{ANSWER}\n"),
        ("csv", f"问题;回答\n{QUESTION};{ANSWER}\n"),
        ("jsonl", f'{{"answer": "{ANSWER}"}}\n'),
    ],
)
def test_a_folder_of_texts_is_answered_with_the_pattern_of_its_files(suffix: str, lines: str, tmp_path: Path) -> None:
    folder = tmp_path / "新 data"
    (folder / "de").mkdir(parents=True)
    (folder / "de" / f"a.v1.{suffix}").write_text(lines, encoding="utf-8")
    with pytest.raises(DataError, match="is a folder; name the file in it") as caught:
        read(folder)
    assert str(caught.value).endswith(f"name them by a pattern: '{folder / '**' / f'*.{suffix}'}'")
    for name in ("a", "b"):
        (folder / f"{name}.{suffix}").write_text(lines, encoding="utf-8")
        (folder / "de" / f"a.v1.{suffix}").unlink(missing_ok=True)
    (folder / "de").rmdir()
    with pytest.raises(DataError, match="is a folder; name the file in it") as caught:
        read(folder)
    pattern = str(folder / f"*.{suffix}")
    assert str(caught.value).endswith(f"name them by a pattern: '{pattern}'")
    assert [row["answer"] for row in rows(pattern)] == [ANSWER, ANSWER]


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


def test_files_that_a_pattern_names_are_one_data_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    answers = ("a", ANSWER, "ค")
    for number, answer in enumerate(answers):
        pq.write_table(pa.table({"response": [answer]}), f"part-{number}.parquet")
        Path(f"part-{number}.jsonl").write_text(f"\n{json.dumps({'response': answer})}\n", encoding="utf-8")
        Path(f"part-{number}.csv").write_text(f"response\n{answer}\n", encoding="utf-8")
    for form in ("parquet", "jsonl", "csv"):
        assert [row["answer"] for row in rows(f"part-*.{form}")] == list(answers)
        assert [row["answer"] for row in rows(tmp_path / f"part-?.{form}")] == list(answers)
        assert read(f"*.{form}").source == f"*.{form}"
    Path("part-2.jsonl").write_text('{"response": "d"}\n{"response": 1', encoding="utf-8")
    # Lines are counted as if the files were one.
    with pytest.raises(DataError, match=r"part-\*\.jsonl: line 6: not JSON"):
        read("part-*.jsonl")
    # A file of that very name comes first; and a pattern that names none is the name of a file.
    Path("*.jsonl").write_text('{"response": "d"}\n', encoding="utf-8")
    assert [row["answer"] for row in rows("*.jsonl")] == ["d"]
    with pytest.raises(DataError, match=r"\*\.tsv: file not found"):
        read("*.tsv")
    for name, wrong in (('{"answer": "*"}' * 99, "File name too long"), ("a\0/*", "not the name of a file")):
        with pytest.raises(DataError, match=wrong):
            read(name)


def test_a_pattern_of_files(tmp_path: Path) -> None:
    names = [str(tmp_path / f"部{number}.jsonl") for number in range(3)]
    for name in names:
        Path(name).touch()
    assert pattern_of(names) == str(tmp_path / "部*.jsonl")
    assert pattern_of(names[:2]) is None
