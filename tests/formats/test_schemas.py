"""Rows as each library writes them."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from ragauge.core.batch import concatenated
from ragauge.errors import ColumnError
from ragauge.formats import read
from tests.formats.files import one

QUESTION, ANSWER, GOLD = "谁写了这本书？", "安娜写的。", "安娜"
GOT, WANTED = ["安娜写了这本书。", "另一段。"], ["这本书是安娜写的。"]
BASE = {"question": QUESTION, "answer": ANSWER, "references": [GOLD], "contexts": GOT, "reference_contexts": WANTED}
RAG = {name: BASE[name] for name in ("question", "answer", "references", "contexts")}


SCHEMAS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "ragas 0.0": ({"question": QUESTION, "answer": ANSWER, "contexts": GOT, "ground_truths": [GOLD]}, RAG),
    "ragas 0.1": ({"question": QUESTION, "answer": ANSWER, "contexts": GOT, "ground_truth": GOLD}, RAG),
    "ragas 0.2": (
        {
            "user_input": QUESTION,
            "response": ANSWER,
            "reference": GOLD,
            "retrieved_contexts": GOT,
            "reference_contexts": WANTED,
            "retrieved_context_ids": ["d1", 2],
            "reference_context_ids": [2, 7],
            "rubrics": {"score1": "bad"},
        },
        {
            **BASE,
            "retrieved": ["d1", "2"],
            "relevance": [{"id": "2", "grade": 1.0}, {"id": "7", "grade": 1.0}],
            "rubrics": {"score1": "bad"},
        },
    ),
    "ragas messages": (
        {
            "user_input": [
                {"content": "你好", "type": "human"},
                {"content": "您好", "type": "ai"},
                {"content": QUESTION, "type": "human"},
            ],
            "response": ANSWER,
        },
        {"question": QUESTION, "answer": ANSWER},
    ),
    "deepeval": (
        {
            "input": QUESTION,
            "actual_output": ANSWER,
            "expected_output": GOLD,
            "retrieval_context": GOT,
            "context": WANTED,
            "name": "case 1",
        },
        {**BASE, "name": "case 1"},
    ),
    "deepeval camel case": (
        {
            "input": QUESTION,
            "actualOutput": ANSWER,
            "expectedOutput": GOLD,
            "retrievalContext": [{"context": text, "source": "a.md"} for text in GOT],
            "context": WANTED,
        },
        BASE,
    ),
    "TruLens": (
        {
            "query": QUESTION,
            "query_id": "1",
            "response": ANSWER,
            "retrieved_context_chunks": GOT,
            "expected_response": GOLD,
            "expected_chunks": [{"text": WANTED[0], "title": "书", "expect_score": 0.9}],
            "dataset_id": "d",
        },
        {**BASE, "dataset_id": "d"},
    ),
    "continuous-eval": (
        {
            "uid": "1",
            "question": QUESTION,
            "answer": ANSWER,
            "retrieved_context": GOT,
            "ground_truth_answers": [GOLD],
            "ground_truth_context": WANTED,
        },
        BASE,
    ),
    "RAGChecker": (
        {
            "query_id": "0",
            "query": QUESTION,
            "gt_answer": GOLD,
            "response": ANSWER,
            "retrieved_context": [{"doc_id": "000", "text": GOT[0]}, {"doc_id": "001", "text": GOT[1]}],
            "response_claims": [["安娜", "写", "书"]],
        },
        {**RAG, "retrieved": ["000", "001"], "response_claims": [["安娜", "写", "书"]]},
    ),
    "LlamaIndex": (
        {"query": QUESTION, "response": ANSWER, "contexts": GOT, "reference": GOLD, "reference_contexts": WANTED},
        BASE,
    ),
    "LlamaIndex retrieval": (
        {
            "query": QUESTION,
            "retrieved_ids": ["n1", "n2"],
            "expected_ids": ["n2"],
            "retrieved_texts": GOT,
            "expected_texts": WANTED,
        },
        {
            "question": QUESTION,
            "contexts": GOT,
            "reference_contexts": WANTED,
            "retrieved": ["n1", "n2"],
            "relevance": [{"id": "n2", "grade": 1.0}],
        },
    ),
    "LlamaIndex nodes": (
        {
            "query": QUESTION,
            "contexts": [{"node": {"id_": "n1", "text": GOT[0]}, "score": 0.5}],
        },
        {"question": QUESTION, "contexts": GOT[:1], "retrieved": ["n1"], "retrieved_scores": [0.5]},
    ),
    "Phoenix": (
        {"input": QUESTION, "output": ANSWER, "expected": GOLD},
        {"question": QUESTION, "answer": ANSWER, "references": [GOLD]},
    ),
    "mlflow": (
        {
            "inputs": {"question": QUESTION},
            "outputs": ANSWER,
            "expectations": {"expected_response": GOLD, "expected_facts": ["安娜是作者"]},
        },
        {
            "question": QUESTION,
            "answer": ANSWER,
            "references": [GOLD],
            "expectations.expected_facts": ["安娜是作者"],
        },
    ),
    "mlflow messages": (
        {
            "inputs": {"messages": [{"role": "user", "content": [{"type": "text", "text": QUESTION}]}]},
            "outputs": {"response": ANSWER},
        },
        {"question": QUESTION, "answer": ANSWER},
    ),
    "inspect_ai": (
        {"id": 1, "input": QUESTION, "target": [GOLD, "Anna"], "output": ANSWER, "metadata": {"level": "easy"}},
        {"question": QUESTION, "answer": ANSWER, "references": [GOLD, "Anna"], "metadata": {"level": "easy"}},
    ),
    "inspect_ai chat": (
        {"input": [{"role": "system", "content": "简短"}, {"role": "user", "content": QUESTION}], "target": GOLD},
        {"question": QUESTION, "references": [GOLD]},
    ),
    "LangChain documents": (
        {"question": QUESTION, "contexts": [{"page_content": text, "metadata": {}} for text in GOT]},
        {"question": QUESTION, "contexts": GOT},
    ),
    "BEIR queries": ({"_id": "1", "text": QUESTION}, {"text": QUESTION}),
    "FlashRAG": (
        {"id": "0", "question": QUESTION, "golden_answers": [GOLD]},
        {"question": QUESTION, "references": [GOLD]},
    ),
    "bare names": (
        {"query": QUESTION, "prediction": ANSWER, "gold": GOLD},
        {"question": QUESTION, "answer": ANSWER, "references": [GOLD]},
    ),
    "translation": ({"hypothesis": ANSWER, "reference": GOLD}, {"answer": ANSWER, "references": [GOLD]}),
}


@pytest.mark.parametrize("schema", SCHEMAS)
def test_rows_of_every_library(schema: str) -> None:
    row, expected = SCHEMAS[schema]
    found, mapping = one(row)
    assert found == expected
    assert all(name not in mapping or mapping[name].split(".")[0] in row for name in found)


@pytest.mark.parametrize("schema", SCHEMAS)
def test_the_same_as_arrow_columns(schema: str) -> None:
    row, expected = SCHEMAS[schema]
    try:
        table = pa.Table.from_pylist([row])
    except pa.ArrowException:
        pytest.skip("Arrow has no type for a list of texts and numbers")
    [found] = concatenated(read(table).batches()).table().drop_columns(["id"]).to_pylist()
    assert found == expected


def test_haystack_columns() -> None:
    columns = {
        "questions": [QUESTION],
        "predicted_answers": [ANSWER],
        "ground_truth_answers": [GOLD],
        "retrieved_documents": [[{"id": "d1", "content": GOT[0], "score": 0.5}]],
        "ground_truth_documents": [[{"id": "d1", "content": WANTED[0]}]],
    }
    [found] = concatenated(read(columns).batches()).table().drop_columns(["id"]).to_pylist()
    assert found == {**BASE, "contexts": GOT[:1], "retrieved": ["d1"], "retrieved_scores": [0.5]}


def test_the_mapping_is_said() -> None:
    assert one({"user_input": "a", "answer": "b", "reference": "c"})[1] == {
        "question": "user_input",
        "references": "reference",
    }


def test_a_given_mapping_wins() -> None:
    row = {"question": "a", "answer": "gold", "prediction": "system", "meta": {"lang": "zh"}}
    found, mapping = one(row, mapping={"answer": "prediction", "references": "answer", "language": "meta.lang"})
    assert found == {"question": "a", "answer": "system", "references": ["gold"], "language": "zh"}
    assert mapping == {"answer": "prediction", "references": "answer", "language": "meta.lang"}


def test_a_mapping_to_a_new_name() -> None:
    assert one({"answer": "a", "cat": "x"}, mapping={"topic": "cat"})[0] == {"answer": "a", "topic": "x"}


def test_one_source_for_two_columns() -> None:
    found, _ = one({"input": "a"}, mapping={"question": "input", "answer": "input"})
    assert found == {"question": "a", "answer": "a"}


def test_the_canonical_name_wins_over_others_with_a_note() -> None:
    data = read([{"answer": "a", "prediction": "b"}])
    assert data.columns == ("id", "answer", "prediction")
    assert data.notes == ("column prediction was kept but not read as answer: there is a column answer",)


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        (("retrieval_context", "context"), {"contexts": "retrieval_context", "reference_contexts": "context"}),
        (("contexts", "context"), {}),
        (("reference_contexts", "context"), {}),
    ],
)
def test_what_context_is(columns: tuple[str, ...], expected: dict[str, str]) -> None:
    assert one({name: ["a"] for name in columns})[1] == expected


@pytest.mark.parametrize("known", ["contexts", "reference_contexts"])
def test_context_as_the_user_says(known: str) -> None:
    assert one({"context": ["a"]}, mapping={known: "context"})[0] == {known: ["a"]}


@pytest.mark.parametrize("names", [("query", "input"), ("response", "output"), ("ground_truth", "expected_output")])
def test_two_names_for_one_column_are_an_error(names: tuple[str, str]) -> None:
    with pytest.raises(ColumnError, match="could both be"):
        read([dict.fromkeys(names, "a")])
