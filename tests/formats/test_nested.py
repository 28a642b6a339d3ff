"""Rows within a document: SQuAD and its like, pages of a data viewer, tables of pandas; objects by id or row number."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ragauge.formats import read
from tests.formats.test_labelling import ids_of
from tests.frameworks.reading import rows

ANSWER = {"text": "Анна", "answer_start": 0}


def written(folder: Path, document: Any) -> Path:
    path = folder / "data.json"
    path.write_text(json.dumps(document, ensure_ascii=False), encoding="utf-8")
    return path


def test_questions_that_have_no_answer_have_no_reference(tmp_path: Path) -> None:
    questions = [
        {"id": "1", "question": "Кто?", "answers": [ANSWER, ANSWER], "is_impossible": False},
        {"id": "2", "question": "Зачем?", "answers": [], "is_impossible": True},
    ]
    document = {"data": [{"title": "Чай", "paragraphs": [{"context": "Анна растит чай.", "qas": questions}]}]}
    first, second = rows(written(tmp_path, document))
    assert (first["references"], first["reference_contexts"]) == (["Анна"], ["Анна растит чай."])
    assert second.get("references", []) == []


@pytest.mark.parametrize("data", [[], "text", [{"question": "Who?"}], {"a": 1}])
def test_other_documents_with_data_are_one_row(data: Any, tmp_path: Path) -> None:
    assert read(written(tmp_path, {"version": 1, "data": data})).rows == 1


def test_an_object_of_rows_by_their_ids(tmp_path: Path) -> None:
    row = {"question": "谁？", "answer": "林婉。"}
    assert ids_of(written(tmp_path, {"一": row, "二": row})) == ["一", "二"]
    assert ids_of(written(tmp_path, {"a": {**row, "id": "x"}, "b": {**row, "id": "y"}})) == ["x", "y"]


@pytest.mark.parametrize(
    "document",
    [
        {"inputs": {"question": "Who?"}, "outputs": {"question": "What?"}},
        {"a": {"question": "Who?"}, "b": {"answer": "Anna."}},
        {"a": {"question": "Who?"}},
        {"a": {"0": "x", "1": "y"}, "b": {"0": "z", "1": "w"}},
    ],
)
def test_other_objects_of_objects_are_one_row(document: Any, tmp_path: Path) -> None:
    assert read(written(tmp_path, document)).rows == 1


def test_columns_of_pandas_by_the_numbers_of_rows(tmp_path: Path) -> None:
    document = {"question": {"0": "Who?", "7": "When?"}, "answer": {"0": "Anna.", "7": None}}
    first, second = rows(written(tmp_path, document))
    assert (first["answer"], second["question"], second.get("answer")) == ("Anna.", "When?", None)


def test_rows_of_a_second_list_that_are_not_read_have_a_note(tmp_path: Path) -> None:
    document = {"results": [{"question": "a", "answer": "x"}], "failed": [{"question": "b"}], "cost": [{"usd": 1}]}
    data = read(written(tmp_path, document))
    assert data.rows == 1
    [note] = [str(one) for one in data.notes if "were not read" in str(one)]
    assert note.startswith("the rows under failed were not read")
