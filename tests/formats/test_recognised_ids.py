"""Ids under names that do not say so."""

from __future__ import annotations

from typing import Any

import pytest

from ragauge.engines.evaluate import evaluate
from ragauge.formats import peek, read
from ragauge.formats.recognised_ids import ids_of_documents
from tests.formats.files import mapping_of


@pytest.mark.parametrize(
    ("retrieved", "relevant", "is_judged"),
    [
        (["apple,pear", "fig"], ["pear", "plum"], True),
        (["1,2,3", "4,5,6"], ["2", "9"], True),
        (["d1 d2", "d3 d4"], ["1 0", "0 0"], True),
        (["d1 d2", "d3 d4"], ["1 0 2", "0 0"], False),
        (["d1 d2", "d3 d4"], ["yes", "no"], False),
        (["1 2", "3 4"], ["1", "0"], False),
        ([["1", "2"], ["3"]], [[2], [3]], True),
        (["d1 d2", None], [None, "d1"], False),
    ],
)
def test_relevant_beside_retrieved(retrieved: list[Any], relevant: list[Any], is_judged: bool) -> None:
    found = ids_of_documents({"retrieved": retrieved, "relevant": relevant})
    assert found == ({"relevant": "relevance"} if is_judged else {})


def test_right_answers_are_ids_only_where_half_of_them_were_retrieved() -> None:
    assert ids_of_documents({"results": ["d1", "d2"], "gold": ["d1", "d3"]})
    assert ids_of_documents({"results": ["d1", "d2", "d4"], "gold": ["d1", "d3", "d5"]}) == {}
    assert ids_of_documents({"results": ["1", "2"], "gold": ["1", "2"]}) == {}, "numbers alone may be answers"


def test_beside_answers_or_relevant_documents_right_answers_stay() -> None:
    row = {"retrieved": ["d1"], "gold": "d1"}
    assert mapping_of(row) == {"relevance": "gold"}
    assert mapping_of({**row, "answer": "d1"})["references"] == "gold"
    assert mapping_of({**row, "relevance": ["d2"]})["references"] == "gold"
    data = read([{"results": ["d1"], "gold": "d1"}], mapping={"answer": "results", "references": "gold"})
    assert {"answer", "references"} <= {*data.columns}


def test_init_proposes_them_too(tmp_path: Any) -> None:
    path = tmp_path / "a.csv"
    path.write_text('query,results,gold\nwho,"d1,d2",d1\nwhere,"d3,d4",d4\n', encoding="utf-8")
    assert peek(str(path)).known == {"question": "query", "retrieved": "results", "relevance": "gold"}


@pytest.mark.parametrize(
    "name", ["grades", "Relevance grades", "graded_relevance", "judgements", "相关等级", "관련도 등급"]
)
def test_grades_of_retrieved_documents(name: str) -> None:
    ids = [["d1", "d2"], ["d3", "d4"]]
    parallel, objects = [[1, 0], [0, 2]], [{"d1": 1}, {"d4": 2}]
    for grades in (parallel, objects):
        assert ids_of_documents({"retrieved": ids, name: grades}) == {name: "relevance"}
        assert ids_of_documents({"docs": ids, name: grades}) == {"docs": "retrieved", name: "relevance"}
        scored = evaluate({"retrieved": ids, name: grades}, "ndcg@2", resamples=0)
        usual = evaluate({"retrieved": ids, "relevance": grades}, "ndcg@2", resamples=0)
        assert scored["ndcg@2"].value == usual["ndcg@2"].value > 0
    # Grades of answers by several people, or of other documents.
    assert ids_of_documents({"retrieved": ids, name: [[1, 0, 2], [3, 1, 1]]}) == {}
    assert ids_of_documents({"retrieved": ids, name: ["good", "bad"]}) == {}
