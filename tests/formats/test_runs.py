"""Runs and judgements with a row for each query and document."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

from ragauge.errors import DataError
from ragauge.formats import read_retrieval
from ragauge.formats.runs import read_qrels
from tests.frameworks.reading import QUESTION

FORMS = "must be a path, a dict query -> document -> number, or rows with a query, a document and a number each"
PAIRS = [("q1", "d1", 0.5), ("q2", "d3", 1.0), ("q1", "d2", 0.25)]


@pytest.mark.parametrize("names", [("qid", "docno", "score"), ("query_id", "doc_id", "score"),
                                   ("query-id", "corpus-id", "score")])  # fmt: skip
def test_runs_and_judgements_with_a_row_for_each_document(names: tuple[str, ...]) -> None:
    frame = pd.DataFrame(PAIRS, columns=list(names))
    graded = pd.DataFrame([("q1", "d2", 1), ("q2", "d3", 2)], columns=[*names[:2], "label"])
    run = {"q1": {"d1": 0.5, "d2": 0.25}, "q2": {"d3": 1.0}}
    qrels = {"q1": {"d2": 1}, "q2": {"d3": 2}}
    wanted = [batch.table().to_pylist() for batch in read_retrieval(run, qrels).batches()]
    for one in (frame, pa.Table.from_pandas(frame), frame.to_dict("records")):
        assert [batch.table().to_pylist() for batch in read_retrieval(one, graded).batches()] == wanted
    data = read_retrieval(frame, graded, data={"q1": QUESTION, "q2": "b"})
    [batch] = data.batches()
    assert batch.column("question").to_pylist() == [QUESTION, "b"]


@pytest.mark.parametrize(
    ("rows_of_run", "message"),
    [
        ([{"qid": "q1", "docno": "d1"}], f"run: {FORMS}; it has qid, docno, and none of score, similarity, sim"),
        ([{"qid": "q1", "docno": "d1", "score": "x"}], "run: row 1: the number must be a finite number; got a text"),
        ([{"qid": "q1", "docno": "d1", "score": None}], "run: row 1: the number must not be null"),
        ([], "run: has no rows; give at least one"),
    ],
)  # fmt: skip
def test_wrong_rows_of_a_run(rows_of_run: Any, message: str) -> None:
    with pytest.raises(DataError) as caught:
        read_retrieval(rows_of_run, {"q1": {"d1": 1}})
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"qid": None, "docno": "d"}, "row 2: the query must not be null"),
        (
            {"qid": True, "docno": "d"},
            "row 2: the query must be text or a whole number; got true: write each id as text",
        ),
        (
            {"qid": 1.5, "docno": "d"},
            "row 2: the query must be text or a whole number; got the number 1.5: write each id as text",
        ),
        ({"qid": "q", "docno": None}, "row 2: the document must not be null"),
        (
            {"qid": "q", "docno": ["文"]},
            "row 2: the document must be text or a whole number; got a list: write each id as text",
        ),
    ],
)
def test_queries_and_documents_of_a_run_are_texts_or_whole_numbers(row: dict[str, Any], message: str) -> None:
    first = {"qid": "q", "docno": "d", "score": 1.0}
    with pytest.raises(DataError, match=f"^run: {re.escape(message)}"):
        read_retrieval([first, {**row, "score": 1.0}], {"q": {"d": 1}})
    several = [{**first, "score": "x"}, {**row, "score": "x"}]
    with pytest.raises(DataError) as caught:
        read_retrieval(several, {"q": {"d": 1}})
    lines = str(caught.value).splitlines()
    assert lines[0] == "run: 3 problems"
    assert [line.split(":")[0].strip() for line in lines[1:]] == ["row 1", "row 2", "row 2"]
    fractions = [{"qid": 1.0, "docno": 7.0, "score": 1.0}]
    [batch] = read_retrieval(fractions, {"1": {"7": 1}}).batches()
    assert batch.column("retrieved").to_pylist() == [["7"]]


def test_numbers_of_a_run_may_have_more_digits_than_a_float() -> None:
    large = (1 << 53) + 1
    columns = {"qid": ["q", "q"], "docno": ["a", "b"], "score": pa.array([large, 1], pa.int64())}
    [batch] = read_retrieval(pa.table(columns), {"q": {"a": 1}}).batches()
    assert batch.column("retrieved_scores").to_pylist() == [[float(large), 1.0]]
    for score in (None, float("nan"), float("inf")):
        table = pa.table({**columns, "score": pa.array([1.0, score], pa.float64())})
        with pytest.raises(DataError, match=r"^run: row 2: the number must"):
            read_retrieval(table, {"q": {"a": 1}})


BY_SUBTOPIC = [
    {
        "id": "q2",
        "relevance": [{"id": "b", "grade": 0.0}, {"id": "文", "grade": 2.0}],
        "subtopics": [
            {"id": "文", "subtopic": "1", "grade": 0.0},
            {"id": "b", "subtopic": "1", "grade": 0.0},
            {"id": "文", "subtopic": "2", "grade": 2.0},
        ],
    },
    {
        "id": "q1",
        "relevance": [{"id": "文", "grade": 1.0}],
        "subtopics": [{"id": "文", "subtopic": "1", "grade": 1.0}],
    },
]
LINES = ["q2 1 文 0", "q1 1 文 1", "q2 1 b 0", "q2 2 文 2"]


@pytest.mark.parametrize("lines", [
    "\n".join(LINES), "\n".join(LINES) + "\n", "\r\n".join(LINES) + "\r\n", "\n".join(LINES).replace(" ", "\t"),
    "# by hand\n" + "\n".join(LINES), "\n".join(LINES).replace(" ", "   "),
])  # fmt: skip
def test_judgements_of_trec_by_subtopic(lines: str, tmp_path: Path) -> None:
    path = tmp_path / "qrels"
    path.write_bytes(lines.encode())
    assert read_qrels(path).to_pylist() == sorted(BY_SUBTOPIC, key=lambda row: lines.index(str(row["id"])))
    run = {"q1": {"文": 1.0}}
    assert "the judgements are by subtopic; the grade of a document is its highest" in read_retrieval(run, path).notes


def test_judgements_as_rows_with_a_subtopic() -> None:
    names = ("query_id", "subtopic_id", "doc_id", "relevance")
    rows: list[dict[str, Any]] = [dict(zip(names, line.split(), strict=True)) for line in LINES]
    for row in rows:
        row["relevance"] = int(row["relevance"])
    assert read_qrels(rows).to_pylist() == BY_SUBTOPIC
    assert read_qrels(pd.DataFrame(rows)).to_pylist() == BY_SUBTOPIC
    rows[0]["subtopic_id"] = None
    with pytest.raises(DataError, match="row 1: the subtopic must not be null"):
        read_qrels(rows)


@pytest.mark.parametrize("field", ["0", "Q0", "7"])
def test_a_second_field_that_never_differs_is_no_subtopic(field: str, tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text(f"q1 {field} a 1\nq1 {field} b 0\n", encoding="utf-8")
    assert read_qrels(tmp_path / "qrels").column_names == ["id", "relevance"]
    iterated = [{"query_id": "q1", "doc_id": one, "relevance": 1, "iteration": field} for one in "ab"]
    assert read_qrels(iterated).column_names == ["id", "relevance"]
