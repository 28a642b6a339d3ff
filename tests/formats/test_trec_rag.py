"""Answers of TREC RAG by sentence with citations, and nuggets as nuggetizer writes them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import ragauge
from ragauge.formats import read
from tests.formats.test_labelling import ids_of
from tests.frameworks.reading import rows

FIRST, SECOND = "Die Teestube öffnete 1990.", "林婉开办了它。"
SENTENCES = [{"text": FIRST, "citations": [0, 1]}, {"text": SECOND, "citations": []}]
CITED: list[dict[str, Any]] = [{"text": FIRST, "citations": ["d1", "d2"]}, {"text": SECOND, "citations": []}]
WEIGHTED = [{"text": FIRST, "citations": {"d1": 1, "d2": 0.5}}, CITED[1]]
NUGGETS = [
    {"text": FIRST, "importance": "vital", "assignment": "support"},
    {"text": SECOND, "importance": "okay", "assignment": "partial_support"},
]


def of_2024(**more: Any) -> dict[str, Any]:
    return {"run_id": "ours", "topic_id": 7, "topic": "When?", "references": ["d1", "d2"], "response_length": 5,
            "answer": SENTENCES, **more}  # fmt: skip


def of_2025(about: dict[str, Any], name: str = "answer", sentences: Any = SENTENCES) -> dict[str, Any]:
    return {"metadata": {"run_id": "ours", **about}, "references": ["d1", "d2"], name: sentences}


@pytest.mark.parametrize(
    "row",
    [
        of_2024(),
        of_2025({"narrative_id": "7", "narrative": "When?"}),
        of_2025({"topic_id": "7", "title": "When?"}, "responses"),
        of_2025({"topic_id": "7", "title": "When?"}, "responses", CITED),
        of_2025({"topic_id": "7", "title": "When?"}, "responses", WEIGHTED),
    ],
    ids=["2024", "2025", "responses", "ids", "ids with support"],
)
def test_answers_are_joined_and_ids_are_what_was_retrieved(row: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_text(json.dumps(row) + "\n", encoding="utf-8")
    for source in ([row], str(path)):
        [one] = rows(source)
        assert (one["question"], one["answer"]) == ("When?", f"{FIRST} {SECOND}")
        assert (one["retrieved"], one["citations"], one["run_id"]) == (["d1", "d2"], CITED, "ours")
        assert "references" not in one
        assert ids_of(source) == ["7"]
        assert read(source).notes[0] == "read as answers of TREC RAG"


def test_texts_of_documents_are_the_contexts() -> None:
    [row] = rows([of_2024(documents={"d2": {"text": "b"}, "d1": {"text": "a"}})])
    assert row["contexts"] == ["a", "b"]
    assert "contexts" not in rows([of_2024(documents={"d1": {"text": "a"}})])[0]


def test_a_citation_of_no_reference_is_kept() -> None:
    [row] = rows([of_2024(answer=[{"text": FIRST, "citations": [2, "d9"]}])])
    assert row["citations"] == [{"text": FIRST, "citations": ["3", "d9"]}]


def test_rows_of_samples_are_no_answers_of_trec_rag() -> None:
    row = {
        "question": "When?",
        "answer": FIRST,
        "references": [FIRST],
        "metadata": {"a": 1},
        "nuggets": NUGGETS,
        "qid": "q",
    }
    assert rows([row])[0]["references"] == [FIRST]
    assert "read as" not in str(read([row]).notes)


def test_nuggets_of_nuggetizer() -> None:
    """Its files of nuggets, of answers with assignments, and of passages with assignments."""
    proposed = {"query": "When?", "qid": "q1", "nuggets": [{"text": FIRST, "importance": "vital"}]}
    assigned = {
        "query": "When?",
        "qid": "q1",
        "answer_text": FIRST,
        "response_length": 4,
        "run_id": "r",
        "nuggets": NUGGETS,
    }
    passages = [
        {"text": "When?", "qid": "q1", "candidate_text": FIRST, "docid": name, "nuggets": NUGGETS} for name in "ab"
    ]
    assert rows([proposed])[0]["nuggets"][0]["importance"] == "vital"
    [one] = rows([assigned])
    assert (one["question"], one["answer"], one["nuggets"]) == ("When?", FIRST, NUGGETS)
    assert (ids_of([proposed]), ids_of([assigned]), ids_of(passages)) == (["q1"], ["q1"], ["q1 a", "q1 b"])
    assert [one["topic_id"] for one in rows(passages)] == ["q1", "q1"]
    assert ragauge.evaluate([assigned], "nugget-all", resamples=0)["nugget-all"].value == 0.75


def test_what_commands_of_castorini_print() -> None:
    envelope = {
        "schema_version": "castorini.cli.v1",
        "command": "generate",
        "artifacts": [{"name": "x", "data": [of_2024()]}],
    }
    assert rows([envelope])[0]["citations"] == CITED
    one = {"query": "When?", "qid": "q1", "nuggets": NUGGETS[:1]}
    assert rows([{**envelope, "artifacts": [{"name": "create-result", "data": one}]}])[0]["nuggets"][0]["text"] == FIRST
