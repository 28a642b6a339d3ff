"""Which text of a step's inputs and outputs is the question, the answer, a document or a right answer."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ragauge.formats.sources.payloads import answer_of, documents_of, question_of, references_of, unwritten

USER = {"role": "user", "content": "茶馆几点开门？"}
MODEL = {"role": "assistant", "content": "十点。"}
DUMP = {"lc": 1, "type": "constructor", "kwargs": {"type": "human", "content": "Who?"}}


def nested(levels: int, inner: Any) -> Any:
    for _ in range(levels):
        inner = {"input": inner}
    return inner


@pytest.mark.parametrize(
    ("value", "held"),
    [
        ('{"a": 1}', {"a": 1}),
        ('  [1, "二"]', [1, "二"]),
        ('"quoted"', "quoted"),
        ('"open', '"open'),
        ("[" * 100_000, "[" * 100_000),
        ("{not JSON}", "{not JSON}"),
        ("1", "1"),
        ("", ""),
        (None, None),
        (3, 3),
    ],
)
def test_texts_of_json(value: Any, held: Any) -> None:
    assert unwritten(value) == held


@pytest.mark.parametrize(
    ("value", "question"),
    [
        ("Who?", "Who?"),
        ('"Who?"', "Who?"),
        (None, None),
        (5, None),
        ([], None),
        ({}, None),
        ({"k": 3}, None),
        ({"anything": "Who?"}, "Who?"),
        ({"a": "Who?", "b": "Where?"}, None),
        ({"input": "later", "question": "Who?"}, "Who?"),
        ({"query": None, "text": "Who?", "k": 5}, "Who?"),
        ([USER, MODEL], "茶馆几点开门？"),
        ([{"role": "user", "content": "first"}, MODEL, USER, MODEL], "茶馆几点开门？"),
        ([MODEL], None),
        ([MODEL, "text"], None),
        ([[MODEL, USER]], "茶馆几点开门？"),
        ([{"type": "human", "content": "Who?"}, {"type": "ai", "content": "Anna."}], "Who?"),
        ([DUMP], "Who?"),
        ({"messages": json.dumps([USER, MODEL])}, "茶馆几点开门？"),
        ([{"type": "text", "text": "Who?"}, {"type": "input_text", "text": "Where?"}], "Who?\nWhere?"),
        ([{"role": "user", "parts": [{"type": "text", "content": "Who?"}]}], "Who?"),
        ([{"role": "user", "content": [{"type": "text", "text": "Who?"}, {"type": "image"}]}], None),
        (nested(8, "Who?"), "Who?"),
        (nested(9, "Who?"), "Who?"),
        (nested(10, "Who?"), None),
    ],
)
def test_questions(value: Any, question: str | None) -> None:
    assert question_of(value) == question


@pytest.mark.parametrize(
    ("value", "answer"),
    [
        ("Anna.", "Anna."),
        ({"answer": "Anna.", "text": "other"}, "Anna."),
        ([USER, MODEL], "十点。"),
        ([MODEL, USER], "茶馆几点开门？"),
        (["first", "second"], "first"),
        ([["first"], ["second"]], "first"),
        ([{"text": "first"}, {"text": "second"}], "first"),
        ([{"type": "ai", "content": "first"}, {"type": "ai", "content": "second"}], "second"),
        ({"choices": [{"message": MODEL}, {"message": USER}]}, "十点。"),
        ({"generations": [[{"text": "Anna.", "generation_info": None}]]}, "Anna."),
        ([{"type": "output_text", "text": "one"}, {"type": "output_text", "text": "two"}], "one\ntwo"),
        ([{"type": "text", "text": "one", "role": "user"}, {"type": "text", "text": "two", "role": "user"}], "two"),
        ({"lc": 1, "kwargs": {"content": "Anna."}}, "Anna."),
        ({"lc": 1, "kwargs": None, "output": "Anna."}, "Anna."),
        ({"kwargs": {"content": "hidden"}, "output": "Anna."}, "Anna."),
        ({"a": 1, "b": 2}, None),
        (False, None),
    ],
)
def test_answers(value: Any, answer: str | None) -> None:
    assert answer_of(value) == answer


@pytest.mark.parametrize(
    ("value", "references"),
    [
        ("Anna", ["Anna"]),
        (1991, ["1991"]),
        (0.5, ["0.5"]),
        (True, None),
        (None, None),
        ("", [""]),
        ([], None),
        (["Anna", 3], ["Anna", "3"]),
        (["Anna", None], None),
        ('["Anna", "Lin"]', ["Anna", "Lin"]),
        ({"answer": "Anna", "output": "other"}, ["Anna"]),
        ({"own": "Anna"}, ["Anna"]),
        ({"own": "Anna", "other": "Lin"}, None),
        ({"own": "Lin", "ground_truth": ["Anna"]}, ["Anna"]),
    ],
)
def test_right_answers(value: Any, references: list[str] | None) -> None:
    assert references_of(value) == references


TEA = {"page_content": "茶"}


@pytest.mark.parametrize(
    ("value", "documents"),
    [
        ([TEA, "text"], [TEA, "text"]),
        ([json.dumps(TEA)], [TEA]),
        (json.dumps([TEA]), [TEA]),
        ({"documents": [TEA], "k": 3}, [TEA]),
        ({"own": [TEA]}, [TEA]),
        ({"own": [TEA], "other": 3}, None),
        ({"documents": None, "nodes": [TEA]}, [TEA]),
        ({"result": json.dumps([TEA])}, [TEA]),
        ([], []),
        ([TEA, 3], None),
        ("text", None),
        (b"text", None),
        (None, None),
        (3, None),
    ],
)
def test_documents(value: Any, documents: list[Any] | None) -> None:
    assert documents_of(value) == documents
