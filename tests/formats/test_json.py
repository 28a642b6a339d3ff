from __future__ import annotations

import gc
import io
import json
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ragauge.core.batch import Dataset, concatenated
from ragauge.errors import DataError
from ragauge.formats import read
from ragauge.formats.json import line_chunks
from ragauge.formats.json_text import DECODER, not_json
from ragauge.formats.source import Problem


def rows(data: Dataset) -> list[dict[str, Any]]:
    return concatenated(data.batches()).table().drop_columns(["id"]).to_pylist()  # type: ignore[no-any-return]


def write(path: Path, *lines: object) -> Path:
    path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")
    return path


def test_known_columns_have_their_types_and_others_are_kept(tmp_path: Path) -> None:
    row = {
        "id": "a",
        "question": "Who wrote it?",
        "answer": "Anna.",
        "references": ["Anna"],
        "contexts": ["Anna wrote it."],
        "reference_contexts": [],
        "retrieved": ["d1"],
        "retrieved_scores": [1],
        "relevance": {"d1": 2},
        "language": "en",
        "topic": {"name": "books", "depth": 2},
    }
    data = read(write(tmp_path / "run.jsonl", row))
    [batch] = data.batches()
    assert data.columns == tuple(row)
    assert data.rows == 1
    assert dict(data.mapping) == {}
    assert batch.table().to_pylist() == [{**row, "retrieved_scores": [1.0], "relevance": [{"id": "d1", "grade": 2.0}]}]


def test_texts_of_many_scripts_come_back_as_they_are(tmp_path: Path) -> None:
    texts = [
        "谁写的？",
        "誰が書いた",
        "누가 썼나요",
        "Кто написал?",
        "من كتبها؟",
        "किसने लिखा?",
        "ใครเขียน",
        "𝒜👩‍👩‍👧 e\u0301\u2028x\x85y",
    ]
    lines = [{"question": text, "contexts": [text, text]} for text in texts]
    assert rows(read(write(tmp_path / "run.jsonl", *lines))) == lines


def test_blank_lines_byte_order_mark_and_carriage_returns(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"answer": "a\\r\\n"}\r\n\r\n   \n {"answer": "b"} \n')
    assert rows(read(path)) == [{"answer": "a\r\n"}, {"answer": "b"}]


def test_keys_that_some_rows_lack_are_null(tmp_path: Path) -> None:
    assert rows(read(write(tmp_path / "run.jsonl", {"answer": "a"}, {"question": "b"}, {"answer": None}))) == [
        {"question": None, "answer": "a"},
        {"question": "b", "answer": None},
        {"question": None, "answer": None},
    ]


def test_a_line_of_ten_megabytes(tmp_path: Path) -> None:
    long = "長" * 3_500_000
    data = read(write(tmp_path / "run.jsonl", {"answer": "a"}, {"answer": long}, {"answer": "b"}))
    assert [row["answer"] for row in rows(data)] == ["a", long, "b"]


def test_nan_is_null(tmp_path: Path) -> None:
    [first, second] = rows(
        read(write(tmp_path / "run.jsonl", {"latency": float("nan"), "answer": float("nan")}, {"latency": 1}))
    )
    assert first == {"latency": None, "answer": None}
    assert second["latency"] == 1.0


def test_limit_reads_no_further(tmp_path: Path) -> None:
    path = write(tmp_path / "run.jsonl", {"answer": "a"}, {"answer": "b"}, {"answer": ["bad"]})
    with path.open("a") as file:
        file.write("not JSON")
    assert rows(read(path, limit=2)) == [{"answer": "a"}, {"answer": "b"}]
    assert len(rows(read(write(path, {"answer": "a"}), limit=5))) == 1


def test_batches_are_no_larger_than_asked_and_start_again(tmp_path: Path) -> None:
    data = read(write(tmp_path / "run.jsonl", *({"answer": str(i)} for i in range(10))), batch_size=4)
    assert [len(batch) for batch in data.batches()] == [4, 4, 2]
    assert [len(batch) for batch in data.batches()] == [4, 4, 2]


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    def given(content: str) -> Dataset:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content.encode())))
        return read("-")

    assert given('{"answer": "a"}\n').source == "<stdin>"
    assert rows(given('{"answer": "a"}\n')) == [{"answer": "a"}]
    assert rows(given('{"answer": "é"}\n{"answer": "b"}\n')) == [{"answer": "é"}, {"answer": "b"}]
    assert rows(given('\n[{"answer": "a"},\n {"answer": "b"}]')) == [{"answer": "a"}, {"answer": "b"}]
    assert rows(given('{\n  "answer": ["a", "b"]\n}')) == [{"answer": "a"}, {"answer": "b"}]
    assert not sys.stdin.closed


@pytest.mark.parametrize(
    ("values", "kind", "expected"),
    [
        ([1, 2.5], pa.float64(), [1.0, 2.5]),
        ([1, None], pa.int64(), [1, None]),
        ([1, "a"], pa.string(), ["1", "a"]),
        ([True, 2], pa.string(), ["true", "2"]),
        ([{"a": 1}, {"a": "x"}], pa.string(), ['{"a": 1}', '{"a": "x"}']),
        (
            [{"a": 1}, {"b": 2}],
            pa.struct([("a", pa.int64()), ("b", pa.int64())]),
            [{"a": 1, "b": None}, {"a": None, "b": 2}],
        ),
        ([[1], [2.5]], pa.list_(pa.float64()), [[1.0], [2.5]]),
        ([2**70, 1], pa.string(), [str(2**70), "1"]),
        ([{}, {}], pa.string(), ["{}", "{}"]),
        (["\ud800", "a"], pa.string(), ["\\ud800", "a"]),
    ],
)
def test_other_columns_have_one_type_in_all_chunks(
    values: list[Any], kind: pa.DataType, expected: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    given = [{"answer": "a", "other": value} for value in values]
    together = concatenated(read(given).batches())
    monkeypatch.setattr("ragauge.formats.tables._ROWS", 1)
    apart = read(given)
    assert {batch.table().schema.field("other").type for batch in apart.batches()} == {kind}
    assert concatenated(apart.batches()).column("other").to_pylist() == expected
    assert together.column("other").type == kind
    assert together.column("other").to_pylist() == expected


def test_an_object_with_ids_as_keys_does_not_become_a_column_for_each() -> None:
    data = read([{"answer": "a", "scores": {f"d{i}{j}": 1 for j in range(9)}} for i in range(50)])
    assert concatenated(data.batches()).column("scores").type == pa.string()


def test_a_mapped_column_may_come_late(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ragauge.formats.tables._ROWS", 1)
    given = [{"prediction": "a", "answer": "x"}, {"prediction": "b", "gold2": "c"}]
    data = read(given, mapping={"references": "gold2", "answer": "prediction"})
    assert rows(data) == [{"answer": "a", "references": None}, {"answer": "b", "references": ["c"]}]


def test_columns_that_come_late_are_null_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ragauge.formats.tables._ROWS", 1)
    assert rows(read([{"answer": "a"}, {"language": "en", "x": 1}])) == [
        {"answer": "a", "language": None, "x": None},
        {"answer": None, "language": "en", "x": 1},
    ]


_TEXTS = st.sampled_from(["a", "b", "a:", '":', "\\", '\\": "', "x : y"]).map(json.dumps)


def _objects(values: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Objects as text, in which a key may come twice, with or without white space before its colon."""
    pairs = st.tuples(_TEXTS, st.sampled_from([":", " :", "\t: "]), values).map("".join)
    return st.lists(pairs, max_size=3).map(lambda some: f"{{{', '.join(some)}}}")


_VALUES = st.recursive(
    _TEXTS | st.sampled_from(["1", "null"]),
    lambda inner: _objects(inner) | st.lists(inner, max_size=3).map(lambda some: f"[{','.join(some)}]"),
    max_leaves=6,
)


@given(_objects(_VALUES))
@example('{"a": {"b": 1, "b": 2}, "c": ":"}')
@example('{"a": 1, "a" : 2}')
@example('{"a": [{"b": 1}, {"b": ":"}], "c": {}} ')
def test_a_line_is_read_as_by_the_decoder_that_sees_each_object(line: str) -> None:
    [chunk] = line_chunks(io.BytesIO(f"{line}\n".encode()))
    assert (dict(chunk.columns), list(chunk.problems)) == _seen(line)


def _seen(line: str) -> tuple[dict[str, list[Any]], list[Problem]]:
    try:
        row = DECODER.decode(line)
    except ValueError as error:
        return {}, [Problem(1, not_json(error))]
    return {name: [value] for name, value in row.items()}, []


@pytest.mark.parametrize("rows", ["3", "no number"])
def test_reading_leaves_the_collection_of_cycles_as_it_was(rows: str, tmp_path: Path) -> None:
    before = gc.get_threshold()
    path = tmp_path / "a.jsonl"
    path.write_text(f'{{"question": "a", "latency": "{rows}"}}\n')
    gc.set_threshold(321, 12, 13)
    try:
        with suppress(DataError):
            read(path)
        assert gc.get_threshold() == (321, 12, 13)
    finally:
        gc.set_threshold(*before)


def test_rows_within_an_object_are_rows(tmp_path: Path) -> None:
    path = tmp_path / "qa.json"
    path.write_text(json.dumps({"data": [{"问题": "a", "回答": "b"}, {"问题": "c", "回答": "d"}]}), encoding="utf-8")
    assert (read(path).rows, set(read(path).columns)) == (2, {"id", "question", "answer"})
    page = {"data": [{"问题": "a", "回答": "b"}], "meta": {"page": 1, "totalItems": 1}}
    path.write_text(json.dumps(page), encoding="utf-8")
    assert (read(path).rows, set(read(path).columns)) == (1, {"id", "question", "answer"})
    sample = {"answer": "b", "data": [{"问题": "a"}], "meta": {}}
    path.write_text(json.dumps(sample), encoding="utf-8")
    assert (read(path).rows, set(read(path).columns)) == (1, {"id", "answer", "data", "meta"})
