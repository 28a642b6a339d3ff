from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ragauge.core.batch import Batch, Dataset
from ragauge.errors import ColumnError, DataError
from ragauge.formats import read_retrieval
from ragauge.ranking import ArrowRankings, DictRankings, Rankings
from tests.approved import approved, pattern

RUN = {"q1": {"d1": 0.5, "d2": 2.0}, "q2": {"d3": 1.0}, "q9": {"d1": 1.0}}
QRELS = {"q2": {"d3": 1, "d4": 2}, "q1": {"d1": 1}, "q3": {"d1": 1}}
NOTES = ("1 judged query is not in the run", "1 run query has no judgements and was left out")


def one(data: Dataset) -> Batch:
    [batch] = data.batches()
    return batch


def run_file(path: Path) -> Path:
    lines = [f"{query} Q0 {doc} 1 {score} tag\n" for query, docs in RUN.items() for doc, score in docs.items()]
    path.write_text("".join(lines))
    return path


def qrels_file(path: Path) -> Path:
    path.write_text(
        "".join(f"{query} 0 {doc} {grade}\n" for query, docs in QRELS.items() for doc, grade in docs.items())
    )
    return path


@pytest.fixture(params=["dicts", "files", "run file", "qrels file", "JSON files"])
def given(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Any, Any]:
    (tmp_path / "run.json").write_text(json.dumps(RUN))
    (tmp_path / "qrels.json").write_text(json.dumps(QRELS))
    run, qrels = run_file(tmp_path / "run.txt"), qrels_file(tmp_path / "qrels.txt")
    pairs: dict[str, tuple[Any, Any]] = {
        "dicts": (RUN, QRELS),
        "files": (run, str(qrels)),
        "run file": (run, QRELS),
        "qrels file": (RUN, qrels),
        "JSON files": (tmp_path / "run.json", tmp_path / "qrels.json"),
    }
    return pairs[request.param]


def test_one_row_a_judged_query(given: tuple[Any, Any]) -> None:
    data = read_retrieval(*given)
    batch = one(data)
    assert data.rows == 3
    assert data.notes == NOTES
    assert set(data.columns) == {"id", "retrieved", "retrieved_scores", "relevance", "in_run"}
    assert batch.column("id").to_pylist() == ["q2", "q1", "q3"]
    assert batch.column("in_run").to_pylist() == [True, True, False]
    scored = [
        dict(zip(ids, scores or [], strict=True))
        for ids, scores in zip(
            batch.column("retrieved").to_pylist(), batch.column("retrieved_scores").to_pylist(), strict=True
        )
    ]
    assert scored == [RUN["q2"], RUN["q1"], {}]
    assert [{one["id"]: one["grade"] for one in row} for row in batch.column("relevance").to_pylist()] == [
        QRELS["q2"],
        QRELS["q1"],
        QRELS["q3"],
    ]


def rankings(batch: Batch) -> Rankings:
    return batch.derived("rankings", lambda: pytest.fail("rankings are not given"))


def test_rankings_are_given(given: tuple[Any, Any]) -> None:
    found = rankings(one(read_retrieval(*given)))
    assert isinstance(
        found, DictRankings if isinstance(given[0], dict) and isinstance(given[1], dict) else ArrowRankings
    )
    ranks = found.judged(ties="docid-desc", score_dtype="float64", duplicates="error")
    assert ranks.ranks.to_lists() == [[1], [2], []]
    assert ranks.judged.to_lists() == [[2.0, 1.0], [1.0], [1.0]]


def test_the_limit_is_of_judged_queries(given: tuple[Any, Any]) -> None:
    data = read_retrieval(*given, limit=2)
    assert one(data).column("id").to_pylist() == ["q2", "q1"]
    assert data.rows == 2
    assert len(rankings(one(data)).judged(ties="input", score_dtype="float64", duplicates="error")) == 2


def test_columns_of_dicts_are_made_only_when_read() -> None:
    batch = one(read_retrieval(RUN, {"q1": {"d1": 1}}))
    assert batch.names == ("id", "in_run", "retrieved", "retrieved_scores", "relevance")
    assert batch.column("retrieved").to_pylist() == [["d2", "d1"]]
    assert batch.column("retrieved_scores").to_pylist() == [[2.0, 0.5]]


def test_rows_beside_a_run(given: tuple[Any, Any]) -> None:
    rows = [
        {"id": "q1", "user_input": "谁？", "topic": "a", "retrieved": ["not", "this"]},
        {"id": "q3", "user_input": "Who?", "topic": "b", "retrieved": []},
        {"id": "q8", "user_input": "What?", "topic": "c", "retrieved": []},
    ]
    data = read_retrieval(*given, data=rows)
    batch = one(data)
    assert batch.column("question").to_pylist() == [None, "谁？", "Who?"]
    assert batch.column("topic").to_pylist() == [None, "a", "b"]
    assert sorted(batch.column("retrieved").to_pylist()[1]) == ["d1", "d2"]
    assert dict(data.mapping) == {"question": "user_input"}
    assert data.notes == (
        *NOTES,
        "1 judged query is not in the data",
        "left out 1 row of the data whose id is no judged query's",
    )


def test_a_mapping_is_of_the_rows() -> None:
    data = read_retrieval(RUN, QRELS, data=[{"key": "q1", "cat": "a"}], mapping={"id": "key", "topic": "cat"})
    assert one(data).column("topic").to_pylist() == [None, "a", None]


def test_rows_without_ids_are_refused() -> None:
    with pytest.raises(ColumnError) as caught:
        read_retrieval(RUN, QRELS, data=[{"question": "Who?"}])
    assert str(caught.value) == (approved("formats.list_of_dicts_beside_a_run_and"))


def test_beir_gives_questions(tmp_path: Path) -> None:
    (tmp_path / "qrels").mkdir()
    (tmp_path / "queries.jsonl").write_text(
        '{"_id": "q1", "text": "谁？", "metadata": {}}\n{"_id": "q2", "text": "Who?"}\n{"_id": "q7", "text": "x"}\n'
    )
    lines = [f"{query}\t{doc}\t{grade}\n" for query, docs in QRELS.items() for doc, grade in docs.items()]
    (tmp_path / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\n" + "".join(lines))
    data = read_retrieval(RUN, tmp_path / "qrels" / "test.tsv")
    assert one(data).column("question").to_pylist() == ["Who?", "谁？", None]
    assert data.notes == (*NOTES, "1 judged query is not in queries.jsonl")


def test_a_run_of_other_queries() -> None:
    with pytest.raises(DataError) as caught:
        read_retrieval({"1": {"d1": 1.0}}, QRELS)
    assert str(caught.value) == (approved("formats.run_dict_and_qrels_dict_no_judged"))


def test_a_run_file_of_other_queries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    qrels_file(Path("qrels.txt"))
    with pytest.raises(DataError, match=pattern("formats.run_dict_and_qrels_txt_no_judged")):
        read_retrieval({"1": {"d1": 1.0}}, "qrels.txt")


FORMS = "must be a path, a dict query -> document -> number, or rows with a query, a document and a number each"


@pytest.mark.parametrize(
    ("run", "qrels", "message"),
    [
        ({}, QRELS, "run (dict) and qrels (dict): there is no query in the run; give at least one"),
        (RUN, {}, "run (dict) and qrels (dict): there is no query in the judgements; give at least one"),
        (RUN, {1: {"d1": 1}, "q1": {}}, "qrels (dict): query ids must be text; got the number 1"),
        (
            [1],
            QRELS,
            f"run: {FORMS}; got a list",
        ),
        (
            RUN,
            7,
            f"qrels: {FORMS}; got the number 7",
        ),
        ({"q1": 7}, QRELS, "run (dict): query 'q1': the run must be a list of ids; got the number 7"),
    ],
)
def test_dicts_that_are_wrong(run: Any, qrels: Any, message: str) -> None:
    with pytest.raises(DataError) as caught:
        read_retrieval(run, qrels)
    assert str(caught.value) == message


def test_dicts_of_lists_of_ids() -> None:
    batch = one(read_retrieval({"q1": ["d2", "d1"]}, {"q1": ["d1"]}))
    assert batch.column("retrieved").to_pylist() == [["d2", "d1"]]
    assert batch.column("relevance").to_pylist() == [[{"id": "d1", "grade": 1.0}]]


def test_a_bad_dict_beside_a_file(tmp_path: Path) -> None:
    run: Any = {"q1": {"d1": "high"}, "q2": {"d1": float("nan")}}
    with pytest.raises(DataError) as caught:
        read_retrieval(run, qrels_file(tmp_path / "qrels.txt"))
    assert str(caught.value) == (approved("formats.run_dict_problems_query_q_the_run"))
