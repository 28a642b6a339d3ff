"""Columns as the known columns: maps, and values of several kinds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import ragauge
from ragauge.core.batch import concatenated
from ragauge.errors import DataError
from ragauge.formats import read

MAPS = [[("文書1", 1), ("d2", 0)], None, [], [("d2", 2)]]


@pytest.mark.parametrize("grade", [pa.float64(), pa.float32(), pa.int32()])
@pytest.mark.parametrize("key", [pa.string(), pa.large_string()])
def test_grades_in_a_map_column(grade: pa.DataType, key: pa.DataType) -> None:
    grades = pa.array([[("left out", 1)], *MAPS], pa.map_(key, grade))[1:]
    data = read(pa.table({"retrieved": [["d1"]] * 4, "relevance": grades}))
    [batch] = data.batches()
    assert batch.column("relevance").to_pylist() == [
        [{"id": "文書1", "grade": 1.0}, {"id": "d2", "grade": 0.0}], None, [], [{"id": "d2", "grade": 2.0}],
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("cell", "grades"),
    [
        ({"d2": 2}, {"d2": 2.0}),
        ([{"id": "d2", "grade": 3}], {"d2": 3.0}),
        ([{"id": "d2"}, {"id": "d3", "title": "茶"}], {"d2": 1.0, "d3": 1.0}),
        (["d2", "7"], {"d2": 1.0, "7": 1.0}),
        (7, {"7": 1.0}),
    ],
)
@pytest.mark.parametrize("name", ["relevant_ids", "relevance"])
def test_relevant_documents_are_ids_or_objects(name: str, cell: Any, grades: dict[str, float]) -> None:
    if name == "relevance" and cell in (7, [{"id": "d2"}, {"id": "d3", "title": "茶"}]):
        return  # a grade by rank, and objects that lack their grades
    [batch] = read([{"retrieved": ["d2"], name: cell}]).batches()
    assert {one["id"]: one["grade"] for one in batch.column("relevance").to_pylist()[0]} == grades


def test_an_object_whose_number_could_be_its_grade_is_refused() -> None:
    with pytest.raises(DataError, match="must be an object with id and grade; its keys are id, label"):
        read([{"relevant_ids": [{"id": "d2", "label": 2}]}])


@pytest.mark.parametrize("cell", ["[d1, d2]", "['d1', 'd2']", '["d1", "d2"]'])
def test_lists_that_pandas_wrote_as_texts_are_lists_in_any_format(cell: str, tmp_path: Path) -> None:
    rows = [
        {"retrieved": cell, "relevance": "['d2']", "contexts": "['一 a', 'b, c']"},
        {"retrieved": None, "relevance": None, "contexts": None},
    ]
    path = tmp_path / "rows.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    for source in (rows, path, pa.Table.from_pylist(rows)):
        first, _ = concatenated(read(source).batches()).table().to_pylist()
        assert first["retrieved"] == ["d1", "d2"]
        assert [one["id"] for one in first["relevance"]] == ["d2"]
        assert first["contexts"] == ["一 a", "b, c"]
    mixed = [{"contexts": "[1] Tea."}, {"contexts": "['a']"}]
    with pytest.raises(DataError, match="must be a list of passages; got one text"):
        read(mixed)


def test_maps_that_are_no_judgements_are_converted_one_by_one() -> None:
    twice = pa.array([[("d1", 1.0), ("d1", 2.0)]], pa.map_(pa.string(), pa.float64()))
    [batch] = read(pa.table({"relevance": twice})).batches()
    assert batch.column("relevance").to_pylist() == [[{"id": "d1", "grade": 2.0}]]
    numbers = pa.array([[(7, 1.0)]], pa.map_(pa.int64(), pa.float64()))
    [batch] = read(pa.table({"relevance": numbers})).batches()
    assert batch.column("relevance").to_pylist() == [[{"id": "7", "grade": 1.0}]]
    for wrong in (float("nan"), None):
        grades = pa.array([[("d1", wrong)]], pa.map_(pa.string(), pa.float64()))
        with pytest.raises(DataError, match="row 1: relevance must have a finite number as grade; got"):
            read(pa.table({"relevance": grades}))


def test_references_that_pandas_wrote_as_texts_are_lists_where_no_text_is_so_written() -> None:
    [batch] = read([{"references": "['x', 'y']"}, {"references": None}, {"references": '["z"]'}]).batches()
    assert batch.column("references").to_pylist() == [["x", "y"], None, ["z"]]
    for text in ('["x", "y"]', "['x' and 'y']", "['x'] or ['y']"):
        # JSON may be the reference itself, where no answers say that it is not.
        [batch] = read([{"references": text}]).batches()
        assert batch.column("references").to_pylist() == [[text]]
    for text in ("['x', 'y']", "('x', 'y')", '["x", "y"]'):
        # Answers that are lists in texts are to be such texts.
        assert (
            ragauge.evaluate([{"answer": text, "references": text}], "exact-match", resamples=0)["exact-match"].value
            == 1
        )
    # One list as Python writes it is enough where the answers are none.
    rows = [
        {"answer": "y", "references": "['x', 'y']"},
        {"answer": "z", "references": "z"},
        {"answer": "v", "references": "v"},
    ]
    assert ragauge.evaluate(rows, "exact-match", resamples=0)["exact-match"].value == 1


@pytest.mark.parametrize(
    "field", [{"text": ["x", "y"], "answer_start": [0, 3]}, {"text": ["x", "y"]}, [{"text": ["y"]}]]
)
def test_references_in_the_shape_of_squad(field: object) -> None:
    assert (
        ragauge.evaluate([{"answer": "y", "references": field}], "exact-match", resamples=0)["exact-match"].value == 1
    )


@pytest.mark.parametrize("written", ["['d2']", '["d2"]', "{'d2'}", "{'d2': 1}"])
def test_ids_in_a_text_beside_plain_ids(written: str) -> None:
    rows = [{"retrieved": ["d1", "d2"], "relevance": written}, {"retrieved": ["d3", "d4"], "relevance": "d4"}]
    assert ragauge.evaluate(rows, "hit-rate", resamples=0)["hit-rate"].value == 1


@pytest.mark.parametrize(
    ("odd", "means"), [("[]", []), ("z", ["z"]), ("[1, 3]", ["1", "3"]), ("('z',)", ["z"]), ("[1] Tea.", ["[1] Tea."])]
)
def test_a_column_of_lists_in_texts_may_hold_another_field(odd: str, means: list[str]) -> None:
    [batch] = read([{"references": text} for text in ("['x', 'y']", "['z']", odd)]).batches()
    assert batch.column("references").to_pylist() == [["x", "y"], ["z"], means]
    with pytest.raises(DataError, match="row 2: references item 2 must be text; got null"):
        read([{"references": "['x', 'y']"}, {"references": "['x', None]"}])


@pytest.mark.parametrize("text", ["('x', 'y')", "('x',)", "{'x', 'y'}", "{'x'}"])
def test_references_that_are_tuples_or_sets_are_lists_in_any_format(text: str, tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text(f'answer,references\nx,"{text}"\n', encoding="utf-8")
    for source in (path, [{"answer": "x", "references": text}]):
        [batch] = read(source).batches()
        assert batch.column("references").to_pylist() == [["x", "y"] if "y" in text else ["x"]]


@pytest.mark.parametrize("text", ["['x' 'y']", "{'x', 'y'}", "('x' 'y')"])
def test_references_that_look_like_lists_and_are_read_as_one_text_have_a_note(text: str) -> None:
    [note] = read([{"references": text}, {"references": [text]}]).notes
    assert note.startswith("references: 2 of 2 look like several texts in one, as ")
    assert read([{"references": '{"a": [1]}'}]).notes == ()
    # Where the answers are lists too, a list is what is wanted.
    assert read([{"answer": text, "references": [text]}]).notes == ()


def test_references_with_a_separator_in_most_of_them_have_a_note() -> None:
    [note] = read([{"references": "x|y"}, {"references": "z | y"}]).notes
    assert "contain '|'; if that separates texts, pass split={'references': '|'}" in note
    assert read([{"references": "x; y"}, {"references": "z"}, {"references": "y"}]).notes == ()


def test_judgements_that_pandas_wrote_as_texts_are_objects() -> None:
    [batch] = read([{"retrieved": "('d1', 'd2')", "relevance": "{'d2': 2}"}]).batches()
    assert batch.column("retrieved").to_pylist() == [["d1", "d2"]]
    assert batch.column("relevance").to_pylist() == [[{"id": "d2", "grade": 2.0}]]


def test_tuples_of_ids_in_csv_are_lists(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("retrieved,relevance\n\"('d1', 'd2')\",\"('d2',)\"\n(d1) d2,d2\n", encoding="utf-8")
    first, second = concatenated(read(path).batches()).table().to_pylist()
    assert (first["retrieved"], [one["id"] for one in first["relevance"]]) == (["d1", "d2"], ["d2"])
    assert second["retrieved"] == ["(d1) d2"]


def test_lists_of_references_as_json_are_lists_where_answers_are_none() -> None:
    for answer, expected in (("x", ["x", "y"]), ('["x"]', ['["x", "y"]'])):
        [batch] = read([{"answer": answer, "references": '["x", "y"]'}]).batches()
        assert batch.column("references").to_pylist() == [expected]


@pytest.mark.parametrize("cell", ["[('d2', 0.9), ('d1', 0.5)]", [["d2", 0.9], ["d1", 0.5]], [("d2", 0.9), ("d1", 0.5)]])
def test_pairs_of_ids_and_scores_are_a_ranking(cell: Any) -> None:
    [batch] = read([{"retrieved": cell}]).batches()
    assert batch.column("retrieved").to_pylist() == [["d2", "d1"]]
    assert batch.column("retrieved_scores").to_pylist() == [[0.9, 0.5]]


@pytest.mark.parametrize(
    ("retrieved", "relevant"), [("(d1, d2)", "d2"), ("(d1,d2)", "(d2, d7)"), ("['d1', 'd2']", "{'d2', 'd7'}")]
)
def test_ids_in_parentheses_and_in_sets_are_lists(retrieved: str, relevant: str, tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text(f'retrieved,relevant_ids\n"{retrieved}","{relevant}"\n', encoding="utf-8")
    [batch] = read(path).batches()
    assert batch.column("retrieved").to_pylist() == [["d1", "d2"]]
    assert "d2" in [one["id"] for one in batch.column("relevance").to_pylist()[0]]
    assert not {one["id"] for one in batch.column("relevance").to_pylist()[0]} - {"d2", "d7"}


@pytest.mark.parametrize("name", ["relevant_ids", "gold_doc_ids", "Relevant IDs"])
def test_numbers_are_ids_where_the_user_maps_a_column_of_ids(name: str) -> None:
    rows = [{"contexts": ["茶。", "Milk."], "relevant": [3, 5]}, {"contexts": ["茶。"], "relevant": [7]}]
    [batch] = read(rows, mapping={name: "relevant"}).batches()
    assert [[one["id"] for one in row] for row in batch.table()["relevance"].to_pylist()] == [["3", "5"], ["7"]]
    with pytest.raises(DataError, match="name the column relevant_ids"):
        read([{**rows[0], "retrieved": ["a"]}], mapping={"relevance": "relevant"})
