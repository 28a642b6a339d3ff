"""Judgements, rankings and passages in the forms in which tools write them."""

from __future__ import annotations

from typing import Any

import pytest

from ragauge.errors import DataError
from ragauge.formats import read
from ragauge.formats.documents import passages
from tests.formats.files import one


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ({"d1": 2, "d2": 0}, {"d1": 2.0, "d2": 0.0}),
        ({}, {}),
        ([], {}),
        ([{"id": "d1", "grade": 2}], {"d1": 2.0}),
        ([{"doc_id": 1, "relevance": True}], {"1": 1.0}),
        (["d1", "d2", "d1"], {"d1": 1.0, "d2": 1.0}),
        ([3, 0, 2.5], {"1": 3.0, "2": 0.0, "3": 2.5}),
        ([True, False], {"1": 1.0, "2": 0.0}),
        (None, None),
    ],
)
def test_judgements_in_every_form(cell: Any, expected: dict[str, float] | None) -> None:
    found = one({"question": "a", "relevance": cell})[0]["relevance"]
    assert (found if found is None else {item["id"]: item["grade"] for item in found}) == expected


def test_grades_in_rank_order_are_of_what_was_retrieved() -> None:
    row = {"retrieved": ["a", "b"], "relevance": [0, 2]}
    assert one(row)[0]["relevance"] == [{"id": "a", "grade": 0.0}, {"id": "b", "grade": 2.0}]
    assert one({"relevance": [0, 2]})[0]["retrieved"] == ["1", "2"]


@pytest.mark.parametrize(
    ("cell", "ids", "scores"),
    [
        (["b", 1], ["b", "1"], None),
        ({"a": 0.5, "b": 2}, ["b", "a"], [2.0, 0.5]),
        ([{"id": "a", "score": 0.5}, {"doc_id": 3, "score": 1}], ["a", "3"], [0.5, 1.0]),
        ([], [], None),
    ],
)
def test_rankings_in_every_form(cell: Any, ids: list[str], scores: list[float] | None) -> None:
    found, _ = one({"retrieved": cell})
    assert found["retrieved"] == ids
    assert found.get("retrieved_scores") == scores


@pytest.mark.parametrize(
    ("cell", "texts"),
    [
        ([["a", "b"], [], ["c"]], ["a", "b", "c"]),
        ([{"text": "a"}, "b"], ["a", "b"]),
        ((), []),
        ([], []),
    ],
)
def test_passages_in_every_form(cell: Any, texts: list[str]) -> None:
    assert one({"contexts": cell})[0] == {"contexts": texts}


def test_ids_of_passages_do_not_replace_given_ones() -> None:
    row = {"contexts": [{"id": "x", "text": "a", "score": 1}], "retrieved": ["y"], "retrieved_scores": [3]}
    assert one(row)[0] == {"contexts": ["a"], "retrieved": ["y"], "retrieved_scores": [3.0]}


def test_a_grade_in_a_text_is_named_with_what_to_write() -> None:
    for row, number in (
        ({"retrieved": ["d1"], "relevance": {"d1": "3.5"}}, "3.5"),
        ({"retrieved": {"d1": " 0.9"}, "relevance": {"d1": 3}}, "0.9"),
    ):
        with pytest.raises(DataError, match=rf", a text: write {number} without quotes, in Python float\("):
            read([row])


@pytest.mark.parametrize(
    "name", ["Kontext", "上下文", "文脈", "문맥", "контекст", "السياق", "संदर्भ", "บริบท", "docs", "contexts"]
)
@pytest.mark.parametrize("field", [{"text": "茶。"}, {"page_content": "茶。", "metadata": {}}])
def test_an_object_with_a_text_is_one_passage(name: str, field: dict[str, Any]) -> None:
    [batch] = read([{"question": "a", name: field}]).batches()
    assert batch.column("contexts").to_pylist() == [["茶。"]]


def test_an_object_with_a_list_of_texts_is_several_passages() -> None:
    [batch] = read([{"question": "a", "contexts": {"text": ["茶。", "树。"], "label": [1, 2]}}]).batches()
    assert batch.column("contexts").to_pylist() == [["茶。", "树。"]]
    with pytest.raises(DataError, match="contexts must be a list of passages; got an object"):
        read([{"question": "a", "contexts": {"name": "茶。"}}])


@pytest.mark.parametrize("key", ["id", "doc_id", "document_id"])
def test_the_id_of_a_passage_may_be_in_its_metadata(key: str) -> None:
    passage = {"page_content": "茶。", "metadata": {key: "d1"}, "id": None}
    columns, problems = passages([[passage]], "contexts", None)
    assert (columns["retrieved"].to_pylist(), problems) == ([["d1"]], [])
    own, _ = passages([[{**passage, "id": "own"}]], "contexts", None)
    assert own["retrieved"].to_pylist() == [["own"]]


def test_an_id_in_metadata_that_several_parts_have_is_none_of_a_passage() -> None:
    parts = [{"text": text, "metadata": {"doc_id": "d1"}} for text in ("茶。", "Milk.")]
    assert "retrieved" not in passages([parts], "contexts", None)[0]
    assert "retrieved" not in passages([[{"text": "茶。", "metadata": {"source": "a.pdf"}}]], "contexts", None)[0]
