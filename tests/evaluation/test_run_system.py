"""Asking a system: what it gives is recorded, what it raises is a failure."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ragauge
from ragauge.core.sample import Sample
from ragauge.errors import DataError
from ragauge.evaluation.run_system import recorded
from ragauge.results.result import Result
from tests.approved import pattern

QUESTIONS = [{"id": f"q{i}", "question": f"{i}?", "relevance": {"d": 1}} for i in range(5)]


def evaluated(system: Any, questions: Any = QUESTIONS, **options: Any) -> Result:
    return ragauge.evaluate(questions, ["mrr", "column:name=latency"], system=system, resamples=0, **options)


@pytest.mark.parametrize(
    "output",
    [
        "text",
        {"answer": "text", "contexts": ["p"]},
        Sample(answer="text", contexts=["p"], tags={"cost": 0.5}),
    ],
)
def test_text_mapping_and_sample_are_answers(output: Any) -> None:
    [row] = recorded([{"question": "q"}], lambda question: output)
    assert (row["answer"], row["failure"]) == ("text", None)
    assert row["latency"] >= 0
    assert row.get("cost") == (0.5 if isinstance(output, Sample) else None)


def test_ids_and_latency_reach_the_metrics() -> None:
    result = evaluated(lambda question: {"retrieved": ["e", "d"], "latency": 2.5})
    assert (result["mrr"].value, result["column:name=latency"].value) == (0.5, 2.5)
    assert result.ids[0].to_pylist() == [row["id"] for row in QUESTIONS]


def test_exceptions_fail_their_sample_with_the_reason() -> None:
    def system(question: str) -> dict[str, Any]:
        if question == "3?":
            raise TimeoutError("too slow")
        return {"retrieved": ["d"]}

    result = evaluated(system)
    assert (result["mrr"].scored, result["mrr"].failed) == (4, 1)
    assert dict(result.reasons("mrr")) == {3: "TimeoutError: too slow"}
    assert result["mrr"].bounds == (0.8, 1.0)


def test_an_interrupt_keeps_what_was_answered() -> None:
    asked: list[str] = []

    def system(question: str) -> dict[str, Any]:
        asked.append(question)
        if len(asked) == 3:
            raise KeyboardInterrupt
        return {"retrieved": ["d"]}

    result = evaluated(system)
    assert len(asked) == 3
    assert result.statuses("mrr").tolist() == ["ok", "ok", "failed", "failed", "failed"]
    assert set(result.reasons("mrr").values()) == {"interrupted", "not asked: interrupted"}


def test_where_everything_fails_there_is_a_result_without_a_number() -> None:
    def system(question: str) -> str:
        raise ConnectionError("down")

    result = evaluated(system)
    assert np.isnan(result["mrr"].value)
    assert (result["mrr"].scored, result["mrr"].failed, result["mrr"].bounds) == (0, 5, (0.0, 1.0))


def test_a_system_cannot_choose_what_it_is_judged_by() -> None:
    result = evaluated(lambda question: {"id": "same", "retrieved": ["e"], "relevance": {"e": 1}})
    assert result["mrr"].value == 0.0


def test_what_is_neither_text_nor_mapping_is_a_failure() -> None:
    [row] = recorded([{"question": "q"}], lambda question: 42)
    assert row["failure"] == "TypeError: the system returned int; it must return text, a mapping or a Sample"


def test_rows_without_a_question_are_refused_before_any_is_asked() -> None:
    asked: list[str] = []
    with pytest.raises(DataError, match=pattern("evaluation.questions_sample_no_question_every_sample_needs")):
        recorded([{"question": "q"}, {"question": ""}], asked.append)
    assert asked == []


def test_questions_may_be_a_list_of_texts_or_a_mapped_table() -> None:
    texts = ragauge.evaluate(["a?", "b?"], "column:name=latency", system=str.upper, resamples=0)
    assert [row["answer"] for row in texts.to_arrow().to_pylist()] == ["A?", "B?"]
    mapped = ragauge.evaluate([{"Frage": "a?"}], "column:name=latency", system=str.upper, map={"question": "Frage"})
    assert dict(mapped.data.mapping) == {"question": "Frage"}
