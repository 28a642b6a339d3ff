"""MLflow: what search_traces returns, as a data frame or as traces, their JSON, and tables of log_table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from ragauge.formats.sources.export import Export, row_by_row
from ragauge.formats.sources.payloads import answer_of, question_of, references_of, unwritten
from ragauge.formats.sources.spans import step_of
from ragauge.formats.sources.traces import Step, seconds, traced

_EXPECTED = frozenset({"expected_response", "ground_truth", "expected_output"})


def _steps(row: Mapping[str, Any]) -> Iterator[Step]:
    """Yield the spans of a trace below a step for the trace itself."""
    info, data = unwritten(row.get("info")) or {}, unwritten(row.get("data")) or {}
    spans = unwritten(row.get("spans", data.get("spans"))) or []
    trace = str(row.get("trace_id") or info.get("trace_id") or info.get("request_id"))
    metadata = info.get("trace_metadata") or {}
    request = row.get("request", metadata.get("mlflow.traceInputs", data.get("request")))
    response = row.get("response", metadata.get("mlflow.traceOutputs", data.get("response")))
    steps = [step_of(span) for span in spans if isinstance(span, Mapping)]
    root = next((step for step in steps if step.parent is None), None)
    yield Step(
        trace,
        "trace",
        None,
        "other",
        root.start if root else seconds(row.get("request_time")),
        root.end if root else 0.0,
        question_of(request) if request is not None else root.question if root else None,
        answer_of(response) if response is not None else root.answer if root else None,
        references=_expected(row.get("assessments", info.get("assessments"))),
        failure=root.failure if root else None,
    )
    for step in steps:
        yield replace(step, trace=trace, parent=step.parent or "trace")


def _expected(assessments: Any) -> list[str] | None:
    """Return the right answers among the assessments that people or programs added to a trace."""
    for one in unwritten(assessments) or ():
        if isinstance(one, Mapping) and (one.get("assessment_name") or one.get("name")) in _EXPECTED:
            value = one.get("expectation", one.get("value"))
            return references_of(value.get("value") if isinstance(value, Mapping) else value)
    return None


def _rows_of_table(table: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the rows of a table that has names of columns and rows of values, as pandas' split has them too."""
    for row in table["data"]:
        yield dict(zip(table["columns"], row, strict=True))


EXPORTS = (
    Export(
        "MLflow traces",
        [("trace_id", "request", "response", "spans"), ("info", "data")],
        traced(_steps),
        {
            "id": "trace_id",
            "question": "request",
            "answer": "response",
            "references": "assessments named expected_response",
            "contexts": "outputs of spans of type RETRIEVER",
        },
    ),
    Export("an MLflow table", [("columns", "data")], row_by_row(_rows_of_table)),
)
