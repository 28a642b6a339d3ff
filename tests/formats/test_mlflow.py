"""Traces and tables of MLflow."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd

from ragauge.formats.sources import (
    mlflow,
)
from tests.frameworks.reading import ANSWER, GOLD, QUESTION, READ, TEXTS, parts, samples


def test_a_table_of_mlflow_and_its_traces(tmp_path: Path) -> None:
    path = tmp_path / "table.json"
    path.write_text(json.dumps({"columns": ["inputs", "outputs"], "data": [[QUESTION, ANSWER]]}), encoding="utf-8")
    assert parts(path) == {"question": QUESTION, "answer": ANSWER}
    spans = [
        {"name": "search", "span_id": "b", "parent_span_id": "a", "start_time_unix_nano": 2,
         "attributes": {"mlflow.spanType": '"RETRIEVER"',
                        "mlflow.spanOutputs": json.dumps([{"page_content": text} for text in TEXTS])}},
    ]  # fmt: skip
    expected = [{"assessment_name": "expected_response", "expectation": {"value": GOLD}}]
    frame = pd.DataFrame([{"trace_id": "t", "request": json.dumps({"question": QUESTION}), "response": ANSWER,
                               "spans": spans, "assessments": expected}])  # fmt: skip
    assert parts(frame) == {**READ, "references": [GOLD]}


def test_traces_of_mlflow() -> None:
    span = {"name": "root", "span_id": "a", "start_time_unix_nano": 1_000_000_000, "end_time_unix_nano": 3_500_000_000,
            "attributes": {"mlflow.spanInputs": '"Where?"', "mlflow.spanOutputs": '"There."'}}  # fmt: skip
    row: dict[str, Any] = {"info": {"trace_id": "t"}, "data": {"spans": [span, "no span"]}}
    [read] = samples(mlflow, [row])
    assert read == {"id": "t", "question": "Where?", "answer": "There.", "latency": 2.5}
    metadata = {"mlflow.traceInputs": '{"question": "Who?"}', "mlflow.traceOutputs": '"Anna."'}
    info = {"request_id": "t", "trace_metadata": metadata,
            "assessments": [{"name": "rating", "value": 1}, {"name": "ground_truth", "value": "安娜"}]}  # fmt: skip
    [read] = samples(mlflow, [{"info": info, "data": {"spans": [span]}}])
    assert read == {"id": "t", "question": "Who?", "answer": "Anna.", "references": ["安娜"], "latency": 2.5}
    failed = {**span, "attributes": {}, "status": {"code": "ERROR", "message": "no"}}
    [read] = samples(mlflow, [{"trace_id": "t", "request": "Who?", "response": None, "spans": [failed]}])
    assert read == {"id": "t", "question": "Who?", "failure": "no", "latency": 2.5}
    empty = {"trace_id": "t", "request": "Who?", "response": "Anna.", "spans": [], "request_time": 5}
    assert samples(mlflow, [empty]) == [{"id": "t", "question": "Who?", "answer": "Anna."}]
