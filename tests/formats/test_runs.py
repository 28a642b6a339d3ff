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


@pytest.mark.parametrize(
    ("run", "qrels"),
    [
        ("query_id,Q0,doc_id,rank,score,tag\nq1,Q0,d2,2,0.25,x\nq1,Q0,d1,1,0.5,x\nq2,Q0,d3,1,1,x\n",
         "qid,docno,relevance\nq1,d2,1\nq2,d3,2\n"),
        ("\ufeffqid;docno;score\r\nq1;d1;0.5\r\nq1;d2;0.25\r\nq2;d3;1\r\n",
         "query-id\tcorpus-id\tscore\nq1\td2\t1\nq2\td3\t2\n"),
        ('"Query ID","Doc ID","Score"\n"q1","d1","0.5"\n"q1","d2","0.25"\n"q2","d3","1"\n',
         "query_id;doc_id;label\nq1;d2;1\nq2;d3;2\n"),
        ("query_id\tdoc_id\tscore\nq1\td1\t0.5\nq1\td2\t0.25\nq2\td3\t1\n", "q1 0 d2 1\nq2 0 d3 2\n"),
    ],
)  # fmt: skip
def test_tables_in_files_with_a_header(run: str, qrels: str, tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("a.csv", "b.txt")]
    for path, text in zip(paths, (run, qrels), strict=True):
        path.write_bytes(text.encode())
    wanted = read_retrieval({"q1": {"d1": 0.5, "d2": 0.25}, "q2": {"d3": 1.0}}, {"q1": {"d2": 1}, "q2": {"d3": 2}})
    [batch] = read_retrieval(*paths).batches()
    [same] = wanted.batches()
    for name in ("id", "relevance"):
        assert batch.column(name).to_pylist() == same.column(name).to_pylist()
    assert [sorted(row) for row in batch.column("retrieved").to_pylist()] == [["d1", "d2"], ["d3"]]


def test_lines_with_commas_are_named(tmp_path: Path) -> None:
    path = tmp_path / "a.run"
    path.write_text("q1,Q0,d1,1,0.9,x\nq1,Q0,d2,2,0.8,x\n", encoding="utf-8")
    with pytest.raises(DataError, match="As CSV, begin with a line of names: query_id,doc_id,score for a run"):
        read_retrieval(path, {"q1": {"d1": 1}})
    path.write_text("query_id,doc_id,score\nq1,d1,0.9\nq1,d2,high\n", encoding="utf-8")
    with pytest.raises(DataError, match="row 3: the number must be a finite number; got a text"):
        read_retrieval(path, {"q1": {"d1": 1}})
