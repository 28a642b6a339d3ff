"""Langfuse: exported traces with their observations, and exported observations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ragauge.formats.sources.payloads import answer_of, documents_of, question_of, unwritten
from ragauge.formats.sources.traces import Step, samples_of, seconds

ORIGINS: Mapping[str, str] = {
    "id": "trace id",
    "question": "input of the trace",
    "answer": "output of the trace",
    "contexts": "output of observations of type RETRIEVER",
}
_KINDS = {"retriever": "retriever", "generation": "llm", "evaluator": "evaluator"}
_NAMED = ("retriev", "search", "rerank")
"""Parts of the names of spans that retrieve, where a span of no such type holds documents."""


def samples(rows: Iterable[Mapping[str, Any]], notes: list[str]) -> Iterator[dict[str, Any]]:
    """Yield a sample for each trace.

    >>> trace = {"id": "1", "input": {"question": "Who?"}, "output": "Anna.", "observations": []}
    >>> next(samples([trace], []))
    {'id': '1', 'question': 'Who?', 'answer': 'Anna.'}
    """
    yield from samples_of((step for row in rows for step in _steps(row)), notes)


def _steps(row: Mapping[str, Any]) -> Iterator[Step]:
    if "traceId" in row:
        yield _observation(row, str(row["traceId"]), None)
        return
    trace = str(row.get("id"))
    inputs, returned = row.get("input"), row.get("output")
    yield Step(trace, trace, None, "other", 0.0, 0.0, question_of(inputs), answer_of(returned))
    for one in unwritten(row.get("observations")) or ():
        if isinstance(one, Mapping):
            yield _observation(one, trace, trace)


def _observation(one: Mapping[str, Any], trace: str, root: str | None) -> Step:
    inputs, returned = unwritten(one.get("input")), unwritten(one.get("output"))
    kind = _KINDS.get(str(one.get("type")).lower(), "other")
    name = str(one.get("name") or "").lower()
    if kind == "other" and any(part in name for part in _NAMED) and documents_of(returned):
        kind = "reranker" if "rerank" in name else "retriever"
    retrieves = kind in ("retriever", "reranker")
    parent = one.get("parentObservationId") or root
    return Step(
        trace,
        str(one.get("id")),
        None if parent is None else str(parent),
        kind,
        seconds(one.get("startTime")),
        seconds(one.get("endTime")),
        question_of(inputs),
        None if retrieves else answer_of(returned),
        documents_of(returned) if retrieves else None,
        failure=str(one.get("statusMessage") or "ERROR") if one.get("level") == "ERROR" else None,
    )
