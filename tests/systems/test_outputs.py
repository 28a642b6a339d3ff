"""What a system returns: each form that people return becomes the right columns, or fails with the reason."""

from __future__ import annotations

import datetime as dt
import enum
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from types import SimpleNamespace
from typing import Any, NamedTuple
from unittest.mock import MagicMock

import numpy as np
import pytest

from ragauge.core.sample import Sample
from ragauge.systems.objects import BadOutputError
from ragauge.systems.outputs import read_output


def columns_of(output: object, *naming: Any, **options: Any) -> dict[str, Any]:
    return read_output(output, *naming, **options).columns


@dataclass
class Document:
    """As LangChain's."""

    page_content: str
    id: str | None = None
    metadata: dict[str, Any] = field(default_factory=dict)


class Message:
    """As LangChain's AIMessage."""

    def __init__(self, content: Any, usage: dict[str, int] | None = None) -> None:
        self.content, self.usage_metadata = content, usage
        self.response_metadata: dict[str, Any] = {}


@pytest.mark.parametrize(
    "output",
    [
        [{"role": "assistant", "content": "茶"}],
        [{"role": "user", "content": "?"}, {"role": "assistant", "content": [{"type": "text", "text": "茶"}]}],
        [Message("?"), Message([{"type": "text", "text": "茶"}])],
        [Message("茶")],
    ],
)
def test_a_list_of_messages_is_a_chat_and_its_last_the_answer(output: Any) -> None:
    columns = columns_of(output)
    assert (columns["answer"], "contexts" in columns) == ("茶", False)


def test_a_chat_whose_last_message_is_the_question_has_no_answer() -> None:
    with pytest.raises(BadOutputError, match="returned messages, and the last is by the user"):
        read_output([{"role": "user", "content": "茶?"}])


@pytest.mark.parametrize("content", ["42", [{"type": "text", "text": "42"}]])
def test_the_text_of_a_tool_is_no_answer_but_where_it_is_mapped(content: Any) -> None:
    call = {"role": "assistant", "content": None, "tool_calls": [{"id": "1"}]}
    chat = [call, {"role": "tool", "content": content}]
    with pytest.raises(BadOutputError, match="returned messages, and the last is by the tool; return a text"):
        read_output(chat)
    with pytest.raises(BadOutputError, match=r"last is by the tool; return the text of the answer$"):
        read_output({"messages": chat})
    assert columns_of({"messages": chat}, {"answer": "messages.-1.content"})["answer"] == "42"


@pytest.mark.parametrize(
    ("before", "path"),
    [
        ([{"role": "assistant", "content": "茶"}], "messages.-2.content"),
        ([{"role": "user", "content": "?"}, {"role": "assistant", "content": "茶"}], "messages.-2.content"),
        ([{"role": "assistant", "content": "茶"}, {"role": "assistant", "content": None}], "messages.-3.content"),
        ([{"role": "assistant", "content": "茶"}, {"role": "user", "content": "?"}], "messages.-3.content"),
        ([{"role": "assistant", "content": [{"type": "text", "text": "茶"}]}], "messages.-2.content"),
    ],
)
def test_the_advised_place_is_that_of_the_last_text_of_an_assistant(before: list[Any], path: str) -> None:
    output = {"data": {"messages": [*before, {"role": "tool", "content": "42"}]}}
    with pytest.raises(BadOutputError, match=rf"return the text of the answer, or .*--map answer=data\.{path}$"):
        read_output(output)
    assert columns_of(output, {"answer": f"data.{path}"})["answer"] == "茶"


def test_a_list_of_one_object_with_an_answer_is_that_object_and_of_several_none() -> None:
    assert columns_of([{"답변": "차"}]) == {"answer": "차"}
    with pytest.raises(BadOutputError, match="returned a list with 2 answers; return one of them"):
        read_output([{"answer": "차"}, {"answer": "물"}])


@dataclass
class Node:
    """As LlamaIndex's TextNode."""

    text: str
    node_id: str


@dataclass
class NodeWithScore:
    """As LlamaIndex's."""

    node: Node
    score: float


class Reply(NamedTuple):
    """What a function may return."""

    contexts: list[str]
    answer: str


PASSAGES = [Document("茶馆一九九〇年开业。", "d1"), Document("여는 시간은 9시입니다.", "d2")]
TEXTS = [one.page_content for one in PASSAGES]


def stream() -> Iterator[str]:
    yield "茶馆"
    yield "很旧。"


@pytest.mark.parametrize(
    ("output", "columns"),
    [
        ("答案", {"answer": "答案"}),
        ("", {"answer": ""}),
        (42, {"answer": "42"}),
        (np.float64(0.5), {"answer": "0.5"}),
        ({"answer": np.int64(7)}, {"answer": "7"}),
        ({"response": "はい", "docs_seen": 2}, {"answer": "はい", "docs_seen": 2}),
        (
            {"input": "?", "context": PASSAGES, "answer": "да"},
            {"answer": "да", "contexts": TEXTS, "retrieved": ["d1", "d2"]},
        ),
        ({"answer": "a", "context": "one passage"}, {"answer": "a", "contexts": ["one passage"]}),
        ({"answer": "a", "contexts": []}, {"answer": "a", "contexts": []}),
        ({"answer": Document("نعم")}, {"answer": "نعم"}),
        ({"answer": Message("हाँ")}, {"answer": "हाँ"}),
        ({"answer": ["ใช่"]}, {"answer": "ใช่"}),
        ({"answer": stream()}, {"answer": "茶馆很旧。"}),
        (stream(), {"answer": "茶馆很旧。"}),
        (("a", PASSAGES), {"answer": "a", "contexts": TEXTS, "retrieved": ["d1", "d2"]}),
        (("a", TEXTS), {"answer": "a", "contexts": TEXTS}),
        (PASSAGES, {"contexts": TEXTS, "retrieved": ["d1", "d2"]}),
        ([], {"contexts": []}),
        (Message([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]), {"answer": "ab"}),
        (Message("a", {"input_tokens": 7, "output_tokens": 2}), {"answer": "a", "input_tokens": 7, "output_tokens": 2}),
        (Sample(answer="a", contexts=["p"], tags={"route": "b"}), {"answer": "a", "contexts": ["p"], "route": "b"}),
        (SimpleNamespace(data="a", documents=[Document("p")]), {"answer": "a", "contexts": ["p"]}),
        ({"llm": {"replies": ["a"]}, "retriever": {"documents": [Document("p")]}}, {"answer": "a", "contexts": ["p"]}),
        ({"query": "?", "result": "a", "source_documents": [Document("p")]}, {"answer": "a", "contexts": ["p"]}),
        ({"答案": "是", "文档": ["p"]}, {"answer": "是", "contexts": ["p"]}),
        ({"answer": "a", "docs": ["p"], "chunks": ["q"]}, {"answer": "a", "docs": ["p"], "chunks": ["q"]}),
        ({"answer": "a", "contexts": [], "sources": ["u"]}, {"answer": "a", "contexts": [], "sources": ["u"]}),
        (Reply(["p"], "a"), {"answer": "a", "contexts": ["p"]}),
        ({"answer": "a", "contexts": [SimpleNamespace(text="p", id="d1")]},
         {"answer": "a", "contexts": ["p"], "retrieved": ["d1"]}),
        ([SimpleNamespace(page_content="p"), SimpleNamespace(content="q")], {"contexts": ["p", "q"]}),
        (SimpleNamespace(text="a"), {"answer": "a"}),
        (SimpleNamespace(content="a", sources=["p"]), {"answer": "a", "contexts": ["p"]}),
        (SimpleNamespace(answer="a", contexts=["p"], _client=object()), {"answer": "a", "contexts": ["p"]}),
        (SimpleNamespace(response_gen=stream(), source_nodes=[]), {"answer": "茶馆很旧。", "contexts": []}),
        (SimpleNamespace(response="", is_dummy_stream=False, response_gen=stream(), source_nodes=[]),
         {"answer": "", "contexts": []}),
        ({"query": "?", "answer": SimpleNamespace(data="a", documents=[])}, {"answer": "a", "contexts": []}),
        # A server's wrapping has an answer beside the documents; a component of a pipeline has not.
        ({"data": {"answer": "九時", "documents": [{"content": "p", "id": "d1"}]}, "usage": {"prompt_tokens": 11}},
         {"answer": "九時", "contexts": ["p"], "retrieved": ["d1"], "input_tokens": 11}),
        ({"payload": {"text": "ใช่", "documents": [{"content": "p"}]}}, {"answer": "ใช่", "contexts": ["p"]}),
        ({"response": {"text": "نعم", "contexts": ["p", "q"]}}, {"answer": "نعم", "contexts": ["p", "q"]}),
        ({"response": {"text": "हाँ", "sources": ["http://a"]}}, {"answer": "हाँ"}),
        ({"retrieved": "d1"}, {"retrieved": ["d1"]}),
        ({"retrieved": {"b": 0.5, "a": 0.9}}, {"retrieved": ["a", "b"], "retrieved_scores": [0.9, 0.5]}),
    ],
)  # fmt: skip
def test_what_has_a_clear_meaning_is_converted(output: Any, columns: dict[str, Any]) -> None:
    assert columns_of(output) == columns


def test_an_answer_is_still_looked_for_where_the_passages_are_mapped() -> None:
    reply = {"data": {"result": {"text": "茶"}, "hits": [{"chunk": {"content": "云南的茶"}}]}, "meta": "x"}
    mapping = {"contexts": "data.hits.chunk.content"}
    assert read_output(reply, mapping).columns == {"answer": "茶", "contexts": ["云南的茶"], "meta": "x"}
    assert read_output(reply, {**mapping, "answer": "meta"}).columns == {"answer": "x", "contexts": ["云南的茶"]}


def test_a_response_with_source_nodes() -> None:
    nodes = [NodeWithScore(Node("p", "n1"), 0.75)]
    response = SimpleNamespace(response="a", source_nodes=nodes)
    assert columns_of(response) == {"answer": "a", "contexts": ["p"], "retrieved": ["n1"], "retrieved_scores": [0.75]}


@pytest.mark.parametrize(
    ("output", "reason"),
    [
        (None, "the system returned None"),
        (True, "the system returned true"),
        ({"answer": None, "contexts": ["p"]}, "None as its answer"),
        ({"answer": ["a", "b"]}, "answer must be text; got a list"),
        ({"answer": {"yes": 1}}, "answer must be text; got an object"),
        ({"answer": "half \ud800"}, "half a character"),
        ({"answer": object()}, "returned a object within its answer"),
        ({"answer": "a", "contexts": [object()]}, "returned a object within"),
        ({"answer": "a", "contexts": [{"title": "t"}]}, "has no text"),
        ({"retrieved": ["a"], "retrieved_scores": [1.0, 2.0]}, "retrieved has 1 id, but retrieved_scores has 2"),
        ({"answer": "a", "latency": "fast"}, "latency must be a number; got a text"),
        ({}, "without an answer or passages"),
        ({"question": "q"}, "without an answer or passages"),
        ({"hops": 3}, "without an answer or passages (it has hops); return a text"),
        (["a", "b"], "a list of texts, which could be answers or passages"),
        ((1, 2, 3), "a tuple of int"),
        (Document("p"), "one Document, which could be an answer or a passage"),
        (object(), "the system returned an object"),
        (Document, "the system returned a type"),
        ({"response": "a", "output": "b"}, "could both be answer"),
    ],
)  # fmt: skip
def test_what_has_no_clear_meaning_is_a_failure_with_its_reason(output: Any, reason: str) -> None:
    with pytest.raises(BadOutputError) as error:
        columns_of(output)
    assert reason in str(error.value)


def test_other_columns_are_kept_as_json() -> None:
    class Kind(enum.Enum):
        ROUTE = "b"

    loop: dict[str, Any] = {}
    loop["loop"] = loop
    columns = columns_of(
        {
            "answer": "a", "when": dt.date(2026, 1, 2), "share": Decimal("0.5"), "kind": Kind.ROUTE, "none": None,
            "numbers": np.arange(2), "raw": object(), "nan": float("nan"), "bytes": b"x", "loop": loop,
            "cost": Decimal(1),
        }
    )  # fmt: skip
    assert "loop" in str(columns.pop("loop"))
    assert columns == {
        "answer": "a", "when": "2026-01-02", "share": 0.5, "kind": "b", "none": None, "numbers": [0, 1],
        "raw": "<object>", "nan": None, "bytes": "x", "cost": 1.0,
    }  # fmt: skip


def test_a_system_cannot_set_the_task() -> None:
    output = {
        "answer": "a",
        "references": ["a"],
        "relevance": {"d": 1},
        "id": "x",
        "ground_truth": "a",
        "failure": "no",
    }
    assert columns_of(output) == {"answer": "a"}


def test_names_and_separators_of_the_user() -> None:
    assert columns_of({"text": "a", "docs": ["p"]}, {"answer": "text", "contexts": "docs"}) == {
        "answer": "a",
        "contexts": ["p"],
    }
    assert columns_of({"answer": "a", "contexts": "p|q"}, split={"contexts": "|"})["contexts"] == ["p", "q"]
    assert columns_of({"answer": "a", "output": "b"}, {"output": "output"}) == {"answer": "a", "output": "b"}


def test_tokens_of_model_servers() -> None:
    usage = {"prompt_tokens": 10, "completion_tokens": 3, "cost": 0.25}
    assert columns_of({"answer": "a", "usage": usage}) == {
        "answer": "a",
        "input_tokens": 10,
        "output_tokens": 3,
        "cost": 0.25,
    }
    assert columns_of({"answer": "a", "usage": usage, "cost": 1})["cost"] == 1
    # Dify writes prices as texts.
    dify = {"answer": "a", "metadata": {"usage": {"total_price": "0.0012890"}}}
    assert columns_of(dify)["cost"] == 0.001289
    mapped = read_output(dify, {"input_tokens": "metadata.usage.total_price"}).columns
    assert mapped["input_tokens"] == 0.001289


@pytest.mark.parametrize("value", [None, float("nan"), np.float64("nan")])
def test_a_measure_that_is_missing_is_no_column(value: object) -> None:
    assert columns_of({"answer": "茶", "latency": value, "cost": value}) == {"answer": "茶"}


@pytest.mark.parametrize("value", [float("inf"), -np.inf])
def test_a_measure_must_be_finite(value: float) -> None:
    with pytest.raises(BadOutputError, match="the system's cost must be a finite number; got"):
        columns_of({"answer": "чай", "cost": value})


def test_a_mock_is_read_once() -> None:
    """Each of its attributes is a mock again."""
    output = MagicMock(page_content="茶")
    with pytest.raises(BadOutputError):
        read_output(output)
    assert len(output.mock_calls) < 100
