"""Passages of earlier turns stand behind the own ones; what a batch was given stays."""

from __future__ import annotations

import pyarrow as pa

import ragauge
from ragauge.core.batch import Batch
from ragauge.grounding.earlier import all_passages


def test_the_same_batch_where_there_are_none() -> None:
    batch = Batch(pa.table({"contexts": [["Tea."]]}))
    assert all_passages(batch) is batch


def test_passages_of_both_and_what_was_given() -> None:
    table = pa.table(
        {"id": ["a", "b", "c"], "contexts": [["Tea."], None, []], "earlier_contexts": [None, ["x"], ["y"]]}
    )
    batch = Batch(table).given("key", "value")
    both = all_passages(batch)
    assert both.column("contexts").to_pylist() == [["Tea."], None, ["y"]]
    assert both.names == ("id", "contexts")
    assert both.derived("key", lambda: "another") == "value"
    assert all_passages(batch) is both
    assert all_passages(both) is both


def test_they_support_an_answer_by_a_judge_too() -> None:
    asked: list[str] = []

    def reply(messages: object) -> str:
        asked.append(str(messages))
        return '{"claims": [{"claim": 1, "passages": [2]}]}'

    judge = ragauge.judges.FunctionJudge(reply, "example")
    row = {"answer": "It opened.", "contexts": ["It rained."], "earlier_contexts": ["The shop opened."]}
    result = ragauge.evaluate([row], "judged-faithfulness", judge=judge, evidence=True, resamples=0)
    assert result.table[0].value == 1.0
    assert "The shop opened." in asked[0]
