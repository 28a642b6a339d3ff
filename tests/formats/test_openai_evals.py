"""Logs of OpenAI evals: a sample for each id, whatever the order of its events."""

from __future__ import annotations

from typing import Any

import pytest

from ragauge.formats.sources import openai_evals
from tests.frameworks.reading import rows, samples


def event(kind: str, data: Any, sample: Any = "s.0") -> dict[str, Any]:
    return {"run_id": "1", "event_id": 0, "sample_id": sample, "type": kind, "data": data, "created_at": "x"}


ASKED = event("sampling", {"prompt": "茶？", "sampled": ["茶。"]})
GRADED = event("sampling", {"prompt": "Is 茶。 right?", "sampled": ["Yes"]})
MATCH = event("match", {"correct": True, "expected": ["茶", "绿茶"]})


@pytest.mark.parametrize("log", [[ASKED, GRADED, MATCH], [MATCH, ASKED, GRADED], [event("metrics", 3), ASKED, MATCH]])
def test_a_sample_is_what_was_asked_and_not_what_graded_it(log: list[dict[str, Any]]) -> None:
    [row] = rows(log)
    assert (row["question"], row["answer"], row["references"]) == ("茶？", "茶。", ["茶", "绿茶"])
    assert row["correct"] is True


def test_an_error_is_a_failure_and_a_report_is_no_sample() -> None:
    failed = event("error", {"type": "APIError", "message": "overloaded"}, "s.1")
    spec = {"spec": {"eval_name": "tea", "run_id": "1"}}
    found = samples(openai_evals, [spec, ASKED, failed, {"final_report": {"accuracy": 1.0}}])
    assert [row["id"] for row in found] == ["s.0", "s.1"]
    assert found[1]["failure"] == "overloaded"
