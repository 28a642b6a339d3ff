"""LangChain and LangSmith: run trees, exported runs, rows of experiments, and what RetrievalQA returns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ragauge.formats.sources.payloads import answer_of, documents_of, question_of, references_of
from ragauge.formats.sources.traces import Step, samples_of, seconds

ORIGINS: Mapping[str, str] = {
    "question": "inputs of the root run",
    "answer": "outputs of the root run",
    "references": "outputs of the example",
    "contexts": "outputs of retriever runs",
}
_KINDS = {"retriever": "retriever", "llm": "llm", "chat_model": "llm"}


def samples(rows: Iterable[Mapping[str, Any]], notes: list[str]) -> Iterator[dict[str, Any]]:
    """Yield a sample for each trace of runs, whose child runs are within them or rows of their own.

    >>> run = {"id": "1", "run_type": "chain", "inputs": {"question": "Who?"}, "outputs": {"answer": "Anna."}}
    >>> next(samples([run], []))["answer"]
    'Anna.'
    """
    yield from samples_of((step for row in rows for step in _steps_of_row(row)), notes)


def _steps_of_row(row: Mapping[str, Any]) -> Iterator[Step]:
    run, example = row.get("run"), row.get("example")
    if isinstance(run, Mapping):
        wanted = references_of(example.get("outputs")) if isinstance(example, Mapping) else None
        yield from _steps(run, None, wanted)
    else:
        yield from _steps(row, None, references_of(row.get("reference_outputs")))


def _steps(run: Mapping[str, Any], parent: Mapping[str, Any] | None, references: list[str] | None) -> Iterator[Step]:
    kind = _KINDS.get(str(run.get("run_type")), "other")
    inputs, outputs, above = run.get("inputs"), run.get("outputs"), parent or {}
    name = str(run.get("id"))
    over = run.get("parent_run_id") or above.get("id")
    trace = str(run.get("trace_id") or above.get("trace_id") or above.get("id") or name)
    yield Step(
        trace,
        name,
        None if over is None else str(over),
        kind,
        seconds(run.get("start_time")),
        seconds(run.get("end_time")),
        question_of(inputs),
        None if kind == "retriever" else answer_of(outputs),
        documents_of(outputs) if kind == "retriever" else None,
        references,
        str(run["error"]) if run.get("error") else None,
    )
    children = run.get("child_runs")
    for child in children if isinstance(children, list) else ():
        yield from _steps(child, {**run, "trace_id": trace, "id": name}, None)
