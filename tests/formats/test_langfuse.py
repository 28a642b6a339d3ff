"""Traces and observations of Langfuse."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ragauge.formats.sources import (
    langfuse,
)
from tests.frameworks.reading import ANSWER, QUESTION, READ, TEXTS, parts, samples

RETRIEVED: list[dict[str, Any]] = [{"pageContent": "x", "page_content": text} for text in TEXTS]
OBSERVATIONS: list[dict[str, Any]] = [
    {"id": "o1", "traceId": "t", "type": "RETRIEVER", "name": "search", "startTime": "2026-01-01T00:00:01.000Z",
     "input": "茶", "output": RETRIEVED, "parentObservationId": None},
    {"id": "o2", "traceId": "t", "type": "GENERATION", "name": "model", "startTime": "2026-01-01T00:00:02.000Z",
     "input": [{"role": "user", "content": "prompt"}], "output": {"role": "assistant", "content": "other"}},
]  # fmt: skip


def test_langfuse(tmp_path: Path) -> None:
    trace = {"id": "t", "name": "rag", "input": {"question": QUESTION}, "output": {"answer": ANSWER}}
    assert parts([{**trace, "observations": OBSERVATIONS}]) == READ
    root = {"id": "o0", "traceId": "t", "type": "SPAN", "name": "rag", "startTime": "2026-01-01T00:00:00.000Z",
            "input": {"question": QUESTION}, "output": ANSWER}  # fmt: skip
    path = tmp_path / "observations.jsonl"
    below = [{**one, "parentObservationId": "o0"} for one in OBSERVATIONS]
    path.write_text("\n".join(json.dumps(one) for one in (*below, root)), encoding="utf-8")
    assert parts(path) == READ


@pytest.mark.parametrize(
    ("observation", "sample"),
    [
        ({"type": "SPAN", "name": "Search", "output": ["茶"]}, {"contexts": ["茶"]}),
        ({"type": "SPAN", "name": "rerank search", "output": ["茶"]}, {"contexts": ["茶"]}),
        ({"type": "SPAN", "name": "load", "output": ["茶"]}, {}),
        ({"type": "SPAN", "name": "search", "output": "茶"}, {}),
        ({"type": "EVALUATOR", "name": "judge", "output": "0.5"}, {}),
        ({"type": "EVENT", "name": None, "output": None}, {}),
    ],
)
def test_observations_of_langfuse(observation: dict[str, Any], sample: dict[str, Any]) -> None:
    trace = {"id": "t", "input": "Who?", "output": "Anna.", "observations": [{"id": "o", **observation}, 3]}
    [found] = samples(langfuse, [trace])
    assert found == {"id": "t", "question": "Who?", "answer": "Anna.", **sample}


def test_an_observation_of_langfuse_that_failed() -> None:
    row = {"traceId": "t", "id": "o", "type": "SPAN", "input": "Who?", "output": None, "level": "ERROR"}
    assert samples(langfuse, [row]) == [{"id": "t", "question": "Who?", "failure": "ERROR"}]
    named = {**row, "statusMessage": "timeout"}
    assert samples(langfuse, [named])[0]["failure"] == "timeout"
    assert "failure" not in samples(langfuse, [{**named, "level": "WARNING"}])[0]
