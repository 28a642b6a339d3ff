"""LangChain and LangSmith: run trees, exported runs, rows of experiments, and what RetrievalQA returns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ragauge.formats.sources.export import Export, row_by_row
from ragauge.formats.sources.payloads import references_of
from ragauge.formats.sources.traces import Step, seconds, traced

_KINDS = {"retriever": "retriever", "llm": "llm", "chat_model": "llm"}
_RETRIEVAL_QA = {"question": "query", "answer": "result", "contexts": "source_documents"}
_KNOWN = {name: known for known, name in _RETRIEVAL_QA.items()}


def _steps_of_row(row: Mapping[str, Any]) -> Iterator[Step]:
    """Yield a run and its child runs, which are within it or rows of their own."""
    run, example = row.get("run"), row.get("example")
    if isinstance(run, Mapping):
        wanted = references_of(example.get("outputs")) if isinstance(example, Mapping) else None
        yield from _steps(run, None, wanted)
    else:
        yield from _steps(row, None, references_of(row.get("reference_outputs")))


def _steps(run: Mapping[str, Any], parent: Mapping[str, Any] | None, references: list[str] | None) -> Iterator[Step]:
    above = parent or {}
    name = str(run.get("id"))
    over = run.get("parent_run_id") or above.get("id")
    trace = str(run.get("trace_id") or above.get("trace_id") or above.get("id") or name)
    yield Step.of(
        _KINDS.get(str(run.get("run_type")), "other"),
        run.get("inputs"),
        run.get("outputs"),
        trace=trace,
        id=name,
        parent=None if over is None else str(over),
        start=seconds(run.get("start_time")),
        end=seconds(run.get("end_time")),
        references=references,
        failure=str(run["error"]) if run.get("error") else None,
    )
    children = run.get("child_runs")
    for child in children if isinstance(children, list) else ():
        yield from _steps(child, {**run, "trace_id": trace, "id": name}, None)


EXPORTS = (
    Export(
        "LangChain runs",
        [("run_type", "inputs"), ("run", "example")],
        traced(_steps_of_row),
        {
            "question": "inputs of the root run",
            "answer": "outputs of the root run",
            "references": "outputs of the example",
            "contexts": "outputs of retriever runs",
        },
    ),
    Export(
        "what RetrievalQA returns",
        [tuple(_KNOWN)],
        row_by_row(lambda row: [{_KNOWN.get(name, name): value for name, value in row.items()}]),
        _RETRIEVAL_QA,
    ),
)
