"""Fields that are understood otherwise than written: labels as grades, lists with gaps; what the notes say."""

from __future__ import annotations

from typing import Any

import pytest

from ragauge.core.batch import concatenated
from ragauge.errors import DataError
from ragauge.formats import read
from ragauge.formats.inferred import notes_on, of_numbers


def columns_and_notes(rows: list[dict[str, Any]]) -> tuple[dict[str, list[Any]], tuple[str, ...]]:
    data = read(rows)
    table = concatenated(data.batches()).table()
    return {name: table[name].to_pylist() for name in ("retrieved", "relevance") if name in data.columns}, data.notes


def test_missing_items_are_left_out_of_ids_with_a_note() -> None:
    rows: list[dict[str, Any]] = [
        {"retrieved_ids": ["d1", None, "茶"], "relevant_ids": [2.0, float("nan")]},
        {"retrieved_ids": [None], "relevant_ids": ["茶"]},
        {"retrieved_ids": ["d1"], "relevant_ids": None},
    ]
    columns, notes = columns_and_notes(rows)
    assert columns["retrieved"] == [["d1", "茶"], [], ["d1"]]
    assert columns["relevance"] == [[{"id": "2", "grade": 1.0}], [{"id": "茶", "grade": 1.0}], None]
    assert [note.partition(", which")[0] for note in notes] == [
        "retrieved (from retrieved_ids): 2 fields with items that are null or NaN",
        "relevance (from relevant_ids): 1 field with items that are null or NaN",
    ]


def test_a_missing_grade_moves_no_other() -> None:
    for grades in ([1, None, 0], [1.0, float("nan"), 0.0]):
        with pytest.raises(DataError, match=r"row 1: relevance"):
            read([{"retrieved": ["a", "b", "c"], "relevance": grades}])


@pytest.mark.parametrize("labels", [["0", "1"], ["false", "true"], ["False", "True"]])
def test_labels_of_the_retrieved_are_grades(labels: list[str]) -> None:
    columns, notes = columns_and_notes(
        [{"retrieved": ["d1", "茶"], "relevance": labels}, {"retrieved": ["d3"], "relevance": None}]
    )
    assert columns["relevance"] == [[{"id": "d1", "grade": 0.0}, {"id": "茶", "grade": 1.0}], None]
    [note] = notes
    assert note.startswith(f"relevance: 1 field of texts such as {labels[0]!r} were read as grades")


@pytest.mark.parametrize(
    "row",
    [
        {"retrieved": ["5", "1"], "relevance": ["0", "1"]},
        {"retrieved": ["d1"], "relevance": ["0", "1"]},
        {"retrieved": ["d1", "d2"], "relevance": ["0", "d2"]},
        {"retrieved": ["d1", "d2"], "relevant_ids": ["0", "1"]},
    ],
)
def test_ids_that_could_be_labels_stay_ids(row: dict[str, Any]) -> None:
    columns, notes = columns_and_notes([row])
    assert [one["id"] for one in columns["relevance"][0]] == row.get("relevance", row.get("relevant_ids"))
    assert notes == ()


def test_numbers_are_counted() -> None:
    assert notes_on(of_numbers({"gold": [1, "a", ["b", 2.5]]}, {"references": "gold"})) == [
        "references: 2 fields are numbers, read as text"
    ]
