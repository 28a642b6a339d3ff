"""Langfuse: exported traces with their observations, and exported observations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ragauge.formats.sources.export import Export
from ragauge.formats.sources.payloads import documents_of, unwritten
from ragauge.formats.sources.traces import Step, seconds, traced

_KINDS = {"retriever": "retriever", "generation": "llm", "evaluator": "evaluator"}
_NAMED = ("retriev", "search", "rerank")
"""Parts of the names of spans that retrieve, where a span of no such type holds documents."""


def _steps(row: Mapping[str, Any]) -> Iterator[Step]:
    """Yield a trace with its observations, or the one observation that a row is."""
    if "traceId" in row:
        yield _observation(row, str(row["traceId"]), None)
        return
    trace = str(row.get("id"))
    yield Step.of("other", row.get("input"), row.get("output"), trace=trace, id=trace, parent=None, start=0.0, end=0.0)
    for one in unwritten(row.get("observations")) or ():
        if isinstance(one, Mapping):
            yield _observation(one, trace, trace)


def _observation(one: Mapping[str, Any], trace: str, root: str | None) -> Step:
    kind = _KINDS.get(str(one.get("type")).lower(), "other")
    name = str(one.get("name") or "").lower()
    if kind == "other" and any(part in name for part in _NAMED) and documents_of(one.get("output")):
        kind = "reranker" if "rerank" in name else "retriever"
    parent = one.get("parentObservationId") or root
    return Step.of(
        kind,
        one.get("input"),
        one.get("output"),
        trace=trace,
        id=str(one.get("id")),
        parent=None if parent is None else str(parent),
        start=seconds(one.get("startTime")),
        end=seconds(one.get("endTime")),
        failure=str(one.get("statusMessage") or "ERROR") if one.get("level") == "ERROR" else None,
    )


EXPORTS = (
    Export(
        "Langfuse traces",
        [("observations", "input"), ("traceId", "type", "input")],
        traced(_steps),
        {
            "id": "trace id",
            "question": "input of the trace",
            "answer": "output of the trace",
            "contexts": "output of observations of type RETRIEVER",
        },
    ),
)
