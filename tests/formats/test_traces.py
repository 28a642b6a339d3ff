"""Steps of an application become one sample a trace: which step gives question, answer and documents."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from ragauge.formats.sources.traces import Step, samples_of, seconds


def step(name: str, parent: str | None, kind: str = "other", start: float = 1.0, **more: Any) -> Step:
    return Step("t", name, parent, kind, start, more.pop("end", 0.0), **more)


def sample_of(*steps: Step) -> dict[str, Any]:
    [sample] = samples_of(steps, [])
    return {name: value for name, value in sample.items() if name != "id"}


ROOT = step("a", None, question="Who?", answer="Anna.")


@pytest.mark.parametrize(
    ("steps", "sample"),
    [
        ([ROOT], {"question": "Who?", "answer": "Anna."}),
        # A root that says nothing is passed over; one whose caller is elsewhere is a root too.
        ([step("r", None), step("a", "gone", question="Who?")], {"question": "Who?"}),
        # Without words of a root: the first retriever asks, and the last model answers.
        (
            [
                step("m1", "r", "llm", 2, question="prompt", answer="draft"),
                step("m2", "r", "llm", 4, answer="Anna."),
                step("s", "r", "retriever", 3, question="茶"),
                step("r", None),
            ],
            {"question": "茶", "answer": "Anna."},
        ),
        ([step("r", None), step("b", "r", question="Who?")], {"question": "Who?"}),
        # A root with a question or an answer alone is one.
        ([step("r", None, question="Who?"), step("s", "r", "retriever", 2, question="茶")], {"question": "Who?"}),
        ([step("r", None, answer="Anna."), step("m", "r", "llm", 2, answer="draft")], {"answer": "Anna."}),
        ([step("r", None, question=""), step("b", "r", question="Who?")], {"question": "Who?"}),
        # The words of evaluators are none of the application.
        ([ROOT, step("e", None, "evaluator", 0, question="Is it right?", answer="yes")],
         {"question": "Who?", "answer": "Anna."}),
        ([ROOT, step("b", "a", references=["Anna"])], {"question": "Who?", "answer": "Anna.", "references": ["Anna"]}),
        ([step("a", None, question="Who?", failure="timeout")], {"question": "Who?", "failure": "timeout"}),
        ([step("a", None, question="Who?", answer="", failure="timeout")],
         {"question": "Who?", "answer": "", "failure": "timeout"}),
        ([step("a", None, question="Who?", answer="Anna.", failure="late")], {"question": "Who?", "answer": "Anna."}),
        ([step("a", None, question="Who?", start=1.5, end=3.75)], {"question": "Who?", "latency": 2.25}),
        ([step("a", None, question="Who?", start=0.0, end=3.75)], {"question": "Who?"}),
        ([step("a", None, question="Who?", start=1.0, end=1.0000004)], {"question": "Who?", "latency": 0.0}),
    ],
)  # fmt: skip
def test_questions_and_answers(steps: list[Step], sample: dict[str, Any]) -> None:
    assert sample_of(*steps) == sample
    assert sample_of(*reversed(steps)) == sample


@pytest.mark.parametrize(
    ("steps", "contexts"),
    [
        ([step("s", "a", "retriever", documents=["x", "y", "x"])], ["x", "y"]),
        ([step("s", "a", "retriever", 3, documents=["x"]), step("u", "a", "retriever", 2, documents=["y", "x"])],
         ["y", "x"]),
        ([step("s", "a", "retriever", documents=[]), step("u", "a", "retriever")], []),
        ([step("u", "a", "retriever")], None),
        ([step("s", "a", documents=["x"])], None),
        # One within another, also through a step between them, is a part of it.
        ([step("s", "a", "retriever", documents=["x"]), step("b", "s"), step("u", "b", "retriever", documents=["z"])],
         ["x"]),
        # The last reranker that returned documents.
        ([step("s", "a", "retriever", documents=["x", "y"]), step("r", "a", "reranker", 2, documents=["y"]),
          step("q", "a", "reranker", 3, documents=["x"]), step("p", "a", "reranker", 4)], ["x"]),
        # Steps that call each other.
        ([step("s", "u", "retriever", documents=["x"]), step("u", "s", documents=["z"])], ["x"]),
    ],
)  # fmt: skip
def test_documents(steps: list[Step], contexts: list[str] | None) -> None:
    for order in (steps, steps[::-1]):
        assert sample_of(ROOT, *order).get("contexts") == contexts


def test_the_size_of_a_step_is_that_of_its_texts() -> None:
    assert step("a", None).size() == 256
    assert step("a", None, question="Who?", answer="Anna.", documents=["绿茶", {"a": 1}]).size() == 256 + 4 + 5 + 2 + 8


def test_traces_that_say_nothing_are_counted() -> None:
    notes: list[str] = []
    silent = [Step(name, "a", None, "other", 1.0, 2.0) for name in ("t1", "t2")]
    assert [one["id"] for one in samples_of([silent[0], ROOT, silent[1]], notes)] == ["t"]
    assert notes == ["2 traces were left out: they have neither a question nor an answer nor documents"]


@pytest.mark.parametrize(
    ("moment", "number"),
    [
        (datetime(1970, 1, 1, 0, 1, tzinfo=UTC), 60.0),
        ("1970-01-01T00:01:00+00:00", 60.0),
        ("1500000000", 1.5),
        (2_500_000_000, 2.5),
        (5e8, 0.5),
        (0, 0.0),
        ("", 0.0),
        ("yesterday", 0.0),
        (None, 0.0),
        ([1], 0.0),
    ],
)
def test_times(moment: Any, number: float) -> None:
    assert seconds(moment) == number
