"""Answers and nuggets as TREC RAG and nuggetizer have them; what is written is read back as it was."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import ragauge
from ragauge.errors import UsageError
from ragauge.results.result import Result
from tests.frameworks.reading import rows as read_rows
from tests.writers.runs import TEXTS

ANSWER = "Die Teestube öffnete 1990 [1][2]. 林婉开办了它。Она красная [9]."
NUGGETS = [{"text": "Lin opened it", "importance": "okay", "assignment": "partial_support"}, {"text": "茶"}]


def run(*rows: dict[str, Any], **options: Any) -> Result:
    given = [
        {"id": f"q{place}", "retrieved": ["d1", "d2"], "question": "When?", **row} for place, row in enumerate(rows)
    ]
    return ragauge.evaluate(given, **{"metrics": "nugget-all", "evidence": True, "resamples": 0, **options})


def written(path: Path, result: Result, **options: Any) -> tuple[list[dict[str, Any]], ragauge.Written]:
    done = ragauge.export(result, "trec", name="ours", path=str(path / "t.jsonl"), **options)
    return [json.loads(line) for line in (path / "t.jsonl").read_text(encoding="utf-8").splitlines()], done


def test_answers_are_sentences_with_the_places_of_what_they_cite(tmp_path: Path) -> None:
    result = run({"answer": ANSWER, "nuggets": NUGGETS}, {"answer": None, "failure": "timeout", "nuggets": NUGGETS})
    (first, second), done = written(tmp_path, result, team="us")
    assert first == {
        "metadata": {
            "team_id": "us",
            "run_id": "ours",
            "type": "automatic",
            "narrative_id": "q0",
            "narrative": "When?",
        },
        "references": ["d1", "d2"],
        "answer": [
            {"text": "Die Teestube öffnete 1990.", "citations": [0, 1]},
            {"text": "林婉开办了它。", "citations": []},
            {"text": "Она красная.", "citations": []},
        ],
    }
    assert second["answer"] == []
    assert done.notes == ("left out: 1 citation of no passage",)
    [one, _] = read_rows(str(tmp_path / "t.jsonl"))
    assert one["citations"][0] == {"text": "Die Teestube öffnete 1990.", "citations": ["d1", "d2"]}


@pytest.mark.parametrize("text", TEXTS.values())
def test_answers_of_trec_rag_are_written_as_they_were_read(text: str, tmp_path: Path) -> None:
    row = {"metadata": {"team_id": "us", "run_id": "ours", "type": "automatic", "narrative_id": "7", "narrative": "?"},
           "references": ["d1", "d2"],
           "answer": [{"text": text, "citations": [1]}, {"text": "It is red.", "citations": []}]}  # fmt: skip
    result = ragauge.evaluate([row], "abstention", resamples=0)
    assert written(tmp_path, result, team="us")[0] == [row]


def test_nuggets_have_what_the_run_found(tmp_path: Path) -> None:
    """What the data assign is kept; else it is the evidence of a metric, and what no metric says is left open."""
    result = run({"answer": "茶。", "nuggets": NUGGETS}, {"answer": None, "nuggets": ["x"]})
    (first, second), _ = written(tmp_path, result, what="nuggets")
    okay, vital = first["nuggets"]
    assert okay == NUGGETS[0]
    assert vital == {"text": "茶", "importance": "vital", "assignment": "support"}
    assert (first["answer_text"], first["run_id"], first["qid"]) == ("茶。", "ours", "q0")
    assert "answer_text" not in second
    again = ragauge.evaluate(str(tmp_path / "t.jsonl"), "nugget-all", resamples=0)
    assert again.scores("nugget-all")[0] == result.scores("nugget-all")[0] == 0.75


def test_nuggets_without_evidence_are_those_of_the_data(tmp_path: Path) -> None:
    result = run({"answer": "茶。", "nuggets": NUGGETS}, metrics="abstention")
    (row,), _ = written(tmp_path, result, what="nuggets")
    assert row["nuggets"] == [NUGGETS[0], {"text": "茶", "importance": "vital"}]


def test_the_metric_that_assigns_can_be_named(tmp_path: Path) -> None:
    low, high = "low=nugget-all:threshold=0.0001", "high=nugget-all:threshold=1"
    result = run({"answer": "Lin opened the tea house.", "nuggets": ["Lin opened a shop."]}, metrics=[low, high])
    found = []
    for name in ("low", "high"):
        (row,), _ = written(tmp_path, result, what="nuggets", metric=name, force=True)
        found.append(row["nuggets"][0]["assignment"])
    assert found[0] == "support" != found[1]


@pytest.mark.parametrize(("what", "column"), [("answers", "retrieved"), ("nuggets", "nuggets")])
def test_a_column_that_is_wanted_is_named(what: str, column: str, tmp_path: Path) -> None:
    result = ragauge.evaluate([{"question": "?", "answer": "茶。"}], "abstention", resamples=0)
    with pytest.raises(UsageError, match=f"writer 'trec' needs column {column}, .*: .*answer"):
        written(tmp_path, result, what=what)


def test_grades_are_qrels_with_the_name_of_the_judge(tmp_path: Path) -> None:
    grades = {"AAA": 3, "BBB": 0, "CCC": 2, "DDD": 1}  # by passage: the questions are asked side by side

    def rate(messages: Sequence[tuple[str, str]]) -> str:
        asked = messages[-1][1]
        return json.dumps({"rating": next(grade for passage, grade in grades.items() if passage in asked)})

    judge = ragauge.judges.FunctionJudge(rate, "my judge")
    rows = [{"id": "q 1", "question": "Когда?", "contexts": ["AAA", " ", "BBB"], "retrieved": ["d1", "d2", "d3"]},
            {"id": "q2", "question": "谁？", "contexts": ["CCC", "DDD"], "retrieved": None},
            {"id": "q3", "question": "", "contexts": ["c"], "retrieved": ["d1"]}]  # fmt: skip
    result = ragauge.evaluate(rows, "judged-passage-relevance", judge=judge, evidence=True, resamples=0)
    assert result.scores("judged-passage-relevance")[:2].tolist() == [pytest.approx(3 / 9), pytest.approx(3 / 6)]
    done = ragauge.export(result, "trec", path=str(tmp_path / "q.txt"), what="qrels")
    assert (tmp_path / "q.txt").read_text(encoding="utf-8").splitlines() == [
        "q_1 my-judge d1 3", "q_1 my-judge d2 0", "q_1 my-judge d3 0", "q2 my-judge 1 2", "q2 my-judge 2 1",
    ]  # fmt: skip
    assert done.notes == ("left out: 1 sample without grades",)
    ranked = {"q_1": {"d1": 0.5, "d3": 0.9}, "q2": {"1": 1.0}}
    read = ragauge.evaluate(run=ranked, qrels=str(tmp_path / "q.txt"), metrics="mrr", resamples=0)
    assert read["mrr"].value == (0.5 + 1) / 2


def test_qrels_need_grades(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="needs the evidence of judged-passage-relevance"):
        ragauge.export(run({"answer": "a", "nuggets": ["a"]}), "trec", path=str(tmp_path / "q.txt"), what="qrels")
