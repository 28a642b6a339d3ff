"""Rows within a document: one list under any key is read, several are an error, and each row may be under a key."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ragauge.core.batch import concatenated
from ragauge.errors import DataError
from ragauge.formats import read
from ragauge.formats.wrapped_rows import unwrapped, within

ROWS = [{"question": "茶？", "answer": "云南。"}, {"question": "Wo?", "answer": "Hier."}]


def rows_of(data: Any) -> list[dict[str, Any]]:
    table = concatenated(read(data).batches()).table()
    return [dict(row) for row in table.drop_columns(["id"]).to_pylist()]


@pytest.mark.parametrize(
    "document",
    [
        {"train": ROWS},
        {"data": {"items": ROWS}},
        {"data": [{"row": row} for row in ROWS]},
        {"version": 1, "数据": ROWS},
        {"status": "ok", "body": {"payload": ROWS}},
        [{"row": row} for row in ROWS],
        [{"sample": row} for row in ROWS],
    ],
)
def test_a_list_of_rows_is_found_in_a_file_and_in_an_object(document: Any, tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    file.write_text(json.dumps(document), encoding="utf-8")
    assert rows_of(document) == rows_of(file) == ROWS


@pytest.mark.parametrize(
    ("document", "paths", "line"),
    [
        ({"train": ROWS, "test": ROWS}, "train, test", "data['train']"),
        ({"data": {"a": ROWS, "b": ROWS[:1]}, "n": 2}, "data.a, data.b", "data['data']['a']"),
    ],
)
def test_several_lists_are_an_error_that_names_them(document: Any, paths: str, line: str, tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    file.write_text(json.dumps(document), encoding="utf-8")
    for data in (document, file):
        with pytest.raises(DataError) as error:
            read(data)
        assert f"rows are in several lists: {paths}; give one of them, in Python {line}" in str(error.value)


@pytest.mark.parametrize(
    "own",
    [
        {"question": ["茶？", "Wo?"], "results": [["d1"], ["d2"]]},
        {"topic": ["a", "b"], "score": [1, 2]},
        {1: ROWS},
    ],
)
def test_columns_and_other_keys_stay(own: Any) -> None:
    assert list(concatenated(read(own).batches()).table().drop_columns(["id"]).column_names) == [
        str(one) for one in own
    ]


@pytest.mark.parametrize(
    "row", [{"inputs": {"question": "茶？"}}, {"question": {"text": "茶？"}}, {"row": {"x": 1}}, {}, 3]
)
def test_other_rows_are_not_unwrapped(row: Any) -> None:
    notes: list[str] = []
    assert (list(unwrapped(iter([row]), notes)), notes) == ([row], [])


def test_rows_that_differ_stay_as_they_are() -> None:
    notes: list[str] = []
    rows = [{"row": ROWS[0]}, ROWS[1]]
    assert list(unwrapped(iter(rows), notes)) == ROWS
    assert notes == ["the rows under row were read, which each row has alone"]


def test_a_document_without_rows_has_none() -> None:
    assert within({"version": 1, "names": ["a"]}, "a.json") is None
