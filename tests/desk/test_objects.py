"""Objects as people have them in Python: of plain classes, of frameworks, beside their question."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

import ragauge
from ragauge.core.batch import concatenated
from ragauge.formats import read


class Document:
    """A document of somebody's own; ``name``: of the attribute with its text."""

    def __init__(self, name: str, text: str) -> None:
        setattr(self, name, text)


class Answer:
    """A response of somebody's own, like that of LlamaIndex."""

    def __init__(self) -> None:
        self.response = "Anna."
        self.source_nodes = [SimpleNamespace(node=SimpleNamespace(text="Anna grows tea.", node_id="n1"), score=0.5)]


def row_of(data: object) -> dict[str, Any]:
    dataset = read(data)
    [row] = concatenated(dataset.batches()).table().drop_columns(["id"]).to_pylist()
    return dict(row)


@pytest.mark.parametrize("name", ["page_content", "text", "content"])
@pytest.mark.parametrize("kind", [Document, lambda name, text: SimpleNamespace(**{name: text, "metadata": {}})])
def test_passages_are_objects_with_a_text(name: str, kind: Any) -> None:
    for column in ("contexts", "docs", "context"):
        row = {"question": "谁？", "answer": "林婉。", column: [kind(name, "林婉种茶。"), kind(name, "茶产于云南。")]}
        assert row_of([row])["contexts"] == ["林婉种茶。", "茶产于云南。"]


@pytest.mark.parametrize("name", ["page_content", "text", "content", "answer", "response"])
def test_an_answer_is_an_object_with_a_text(name: str) -> None:
    for answer in (SimpleNamespace(**{name: "林婉。"}), {name: "林婉。", "tokens": 3}):
        row = row_of([{"query": "谁？", "response": answer, "references": [answer]}])
        assert row == {"question": "谁？", "answer": "林婉。", "references": ["林婉。"]}


def test_rows_are_objects_of_a_plain_class() -> None:
    assert row_of([SimpleNamespace(question="Кто?", answer="Анна.", _own=1)]) == {"question": "Кто?", "answer": "Анна."}


def test_a_response_beside_its_question() -> None:
    for response in (Answer(), {"response": "Anna.", "source_nodes": [{"node": {"text": "Anna grows tea."}}]}):
        row = row_of([{"query": "Who?", "response": response, "topic": "tea"}])
        assert (row["question"], row["answer"], row["topic"]) == ("Who?", "Anna.", "tea")
        assert row["contexts"] == ["Anna grows tea."]


def test_an_exception_is_why_a_sample_failed() -> None:
    error = TimeoutError("no answer")
    error.request = object()  # type: ignore[attr-defined]
    rows = [{"answer": None, "references": ["a"], "failure": error}, {"answer": "a", "references": ["a"]}]
    result = ragauge.evaluate(rows, "token-f1", resamples=0)
    assert (result["token-f1"].failed, result["token-f1"].value) == (1, 1.0)


def test_no_group_is_none() -> None:
    assert ragauge.evaluate([{"answer": "a", "references": ["a"]}], "bleu", by=None, resamples=0)["bleu"].scored == 1
