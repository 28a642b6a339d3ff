"""Runs of LangSmith and LangChain, and what RetrievalQA returns."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ragauge.formats.sources import (
    langchain,
)
from tests.frameworks.reading import ANSWER, GOLD, QUESTION, READ, TEXTS, parts, samples


def test_langsmith_runs_as_json(tmp_path: Path) -> None:
    common: dict[str, Any] = {"trace_id": "t", "start_time": "2026-01-01T00:00:00"}
    retriever = {**common, "id": "b", "parent_run_id": "a", "run_type": "retriever", "inputs": {"query": "茶"},
                 "outputs": {"documents": [{"lc": 1, "type": "constructor", "id": ["Document"],
                                            "kwargs": {"page_content": text}} for text in TEXTS]}}  # fmt: skip
    root = {**common, "id": "a", "parent_run_id": None, "run_type": "chain", "inputs": {"input": QUESTION},
            "outputs": {"output": ANSWER}, "reference_outputs": {"answer": GOLD}}  # fmt: skip
    path = tmp_path / "runs.json"
    path.write_text(json.dumps([retriever, root]), encoding="utf-8")
    assert parts(path) == {**READ, "references": [GOLD]}


def test_runs_within_runs() -> None:
    model = {"id": "d", "run_type": "llm", "inputs": {"prompt": "p"}, "outputs": {"text": "Anna."},
             "start_time": "1970-01-01T00:00:03Z"}  # fmt: skip
    child = {"id": "c", "run_type": "retriever", "inputs": {"query": "茶"}, "outputs": {"documents": ["绿茶"]},
             "start_time": "1970-01-01T00:00:02Z", "child_runs": [model]}  # fmt: skip
    run = {"id": "r", "run_type": "chain", "inputs": {"x": 1, "y": 2}, "outputs": None, "child_runs": [child]}
    rows: list[dict[str, Any]] = [{"run": run, "example": {"outputs": {"answer": "安娜"}}}]
    expected = {"id": "r", "question": "茶", "answer": "Anna.", "references": ["安娜"], "contexts": ["绿茶"]}
    assert samples(langchain, rows) == [expected]
    del expected["references"]
    assert samples(langchain, [{"run": run, "example": None}]) == [expected]
    assert samples(langchain, [run]) == [expected]
    lost = {**run, "error": "timeout", "child_runs": [], "inputs": "Who?", "outputs": None}
    assert samples(langchain, [lost]) == [{"id": "r", "question": "Who?", "failure": "timeout"}]
