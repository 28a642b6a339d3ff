"""The place of a value in an output: found where one place fits, refused where several could be the answer."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, ClassVar

import pytest

from ragauge.systems.objects import BadOutputError
from ragauge.systems.paths import is_at, nested_names, value_at, with_documents

OUTPUT: dict[str, Any] = {"a.b": 1, "c": [{"d": 2}, {"d": 3}], "e": {"0": 4}}


@pytest.mark.parametrize(("path", "value"), [("a.b", 1), ("c.0.d", 2), ("c.-1.d", 3), ("e.0", 4)])
def test_values_at_paths(path: str, value: int) -> None:
    assert value_at(OUTPUT, path) == value
    assert is_at(OUTPUT, path)


@pytest.mark.parametrize("path", ["", "a", "c.2", "c.x", "c.0.d.e", "e.1", "c.0.", "."])
def test_nothing_is_at_another_path(path: str) -> None:
    assert not is_at(OUTPUT, path)


def test_several_places_of_an_answer_are_refused_and_of_passages_left() -> None:
    with pytest.raises(BadOutputError, match=r"a.answer and b.text could both be the answer; map it, as in"):
        nested_names({"a": {"answer": "x"}, "b": {"text": "y"}}, {})
    docs = [{"text": "x"}]
    assert nested_names({"a": {"docs": docs}, "b": {"docs": docs}, "answer": "x"}, {"answer": "answer"}) == {}
    assert nested_names({"a": {"sources": ["a.md"]}, "answer": "x"}, {"answer": "answer"}) == {}


class Node:
    """A node of a framework; the id of its document is a property, as in LlamaIndex."""

    text = "茶。"
    metadata: ClassVar[dict[str, str]] = {}

    @property
    def ref_doc_id(self) -> str:
        return "doc-1"

    def _hidden(self) -> str:
        return ""


def test_an_attribute_of_an_object_is_a_place() -> None:
    output = {"contexts": [SimpleNamespace(node=Node(), score=0.5)]}
    assert value_at({"contexts": [Node()]}, "contexts.ref_doc_id") == ["doc-1"]
    for path in ("contexts._hidden", "contexts.metadata", "contexts.absent", "contexts.__class__"):
        assert not is_at({"contexts": [Node()]}, path)
    assert not is_at(output, "contexts.x y")


JOINED = "茶。\n\nMilk."


@pytest.mark.parametrize(
    ("output", "contexts"),
    [
        ({"context": JOINED, "quellen": [{"text": "茶。"}, {"text": "Milk."}]}, "quellen"),
        ({"context": JOINED, "文献": [Node()]}, "文献"),
        ({"context": JOINED, "quellen": [{"text": "茶。"}], "all": [{"text": "Milk."}]}, "context"),
        ({"context": JOINED, "steps": [{"text": "thinking"}]}, "context"),
        ({"context": JOINED, "quellen": []}, "context"),
        ({"context": ["茶。"], "quellen": [Node()]}, "context"),
        ({"context": JOINED, "reference_contexts": [{"text": "茶。"}]}, "context"),
        ({"quellen": [Node()]}, "quellen"),
        ({"quellen": [{"text": "茶。"}]}, None),
    ],
)
def test_a_list_of_documents_wins_over_a_text_that_joins_them(output: dict[str, Any], contexts: str | None) -> None:
    names = {"answer": "answer", **({"contexts": "context"} if "context" in output else {})}
    found = with_documents(names, {"answer": "茶。", **output}, ())
    assert found.get("contexts") == contexts
    assert with_documents(names, {"answer": "茶。", **output}, ("contexts",)) == names


def test_passages_are_found_beside_the_object_of_an_answer() -> None:
    chunks = [{"chunk_text": "茶馆九点开门。", "chunk_id": "c1"}]
    output = {"code": 0, "data": {"reply": {"answer": "九点。"}, "chunks": chunks}}
    assert nested_names(output, {}) == {"answer": "data.reply.answer", "contexts": "data.chunks"}
