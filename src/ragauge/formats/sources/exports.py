"""Which export of a framework rows are of, told by the keys of the first, and the samples in it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from ragauge.formats.objects import plain_values


@dataclass(frozen=True, slots=True)
class Export:
    """A form in which a framework writes what it did.

    ``name``: as a note says it. ``module``: its ``samples(rows, notes)`` yields rows of known columns, and adds to the
    notes; its ``ORIGINS`` says from where in the export each known column comes.
    """

    name: str
    module: str

    def samples(self, rows: Iterable[Any], notes: list[str]) -> Iterator[dict[str, Any]]:
        """Yield the samples in ``rows``; ``notes`` are complete after the last."""
        reader = import_module(f"{__package__}.{self.module}")
        plain = (plain_values([row])[0] for row in rows)
        yield from reader.samples(plain, notes)

    @property
    def origins(self) -> Mapping[str, str]:
        """Known column -> where it comes from."""
        origins: Mapping[str, str] = import_module(f"{__package__}.{self.module}").ORIGINS
        return origins


SPANS = Export("OpenTelemetry spans", "spans")
"""Spans of OpenTelemetry: the lists of spans within what it exports may be read one span at a time."""
_LANGSMITH = Export("LangChain runs", "langchain")
_RETRIEVAL_QA = Export("what RetrievalQA returns", "retrieval_qa")
_LLAMA_INDEX = Export("LlamaIndex responses", "llama_index")
_HAYSTACK = Export("Haystack results", "haystack")
_HAYSTACK_EVALUATION = Export("a Haystack evaluation", "haystack_evaluation")
_MLFLOW = Export("MLflow traces", "mlflow_traces")
_MLFLOW_TABLE = Export("an MLflow table", "split_table")
_LANGFUSE = Export("Langfuse traces", "langfuse")
_PROMPTFOO = Export("promptfoo results", "promptfoo")
_INSPECT = Export("inspect_ai samples", "inspect_ai")
_INSPECT_FRAME = Export("a frame of inspect_ai", "inspect_frame")
_MARKS: tuple[tuple[Export, tuple[str, ...]], ...] = (
    (SPANS, ("resourceSpans",)),
    (SPANS, ("resource_spans",)),
    (SPANS, ("context", "attributes", "parent_id")),
    (SPANS, ("context.trace_id", "parent_id")),
    (SPANS, ("traceId", "spanId", "attributes")),
    (SPANS, ("trace_id", "span_id", "attributes")),
    (SPANS, ("record_attributes", "trace")),
    (_MLFLOW, ("trace_id", "request", "response", "spans")),
    (_MLFLOW, ("info", "data")),
    (_MLFLOW_TABLE, ("columns", "data")),
    (_LANGSMITH, ("run_type", "inputs")),
    (_LANGSMITH, ("run", "example")),
    (_RETRIEVAL_QA, ("query", "result", "source_documents")),
    (_LLAMA_INDEX, ("source_nodes",)),
    (_LANGFUSE, ("observations", "input")),
    (_LANGFUSE, ("traceId", "type", "input")),
    (_PROMPTFOO, ("vars", "response")),
    (_PROMPTFOO, ("evalId", "results")),
    (_INSPECT_FRAME, ("eval_id", "sample_id", "input", "target")),
    (_INSPECT, ("eval", "samples")),
    (_INSPECT, ("input", "target", "output", "messages")),
    (_HAYSTACK_EVALUATION, ("run_name", "inputs", "results")),
    (_HAYSTACK, ("data", "query", "documents")),
)
"""Exports, and keys of their first row that no row of samples has together."""
_OUTPUTS = frozenset({"replies", "answers", "documents"})
_FIRST = frozenset(keys[0] for _, keys in _MARKS)


def export_of(keys: Collection[str]) -> Export | None:
    """Return the export whose rows have these keys; None for rows of samples, and for all others.

    >>> export_of({"resourceSpans"}).name, export_of({"question", "answer", "context"})
    ('OpenTelemetry spans', None)
    """
    names = frozenset(keys)
    if names.isdisjoint(_FIRST):
        return _by_values(keys) if isinstance(keys, Mapping) else None
    return next((export for export, marks in _MARKS if names.issuperset(marks)), None)


def _by_values(row: Mapping[str, Any]) -> Export | None:
    """Return the export that a row of any keys is of, as its values tell: a pipeline's, or an older promptfoo's."""
    results = row.get("results")
    if isinstance(results, Mapping) and isinstance(results.get("results"), list):
        return _PROMPTFOO
    return _HAYSTACK if _is_of_components(row) else None


def _is_of_components(row: Mapping[str, Any]) -> bool:
    """Return whether a row is what a pipeline of Haystack returned: the outputs of its components by their names."""
    outputs = list(row.values())
    if not outputs or not all(isinstance(one, Mapping) for one in outputs):
        return False
    # Each of a component's outputs is a list: a row of samples has texts or numbers within its objects.
    lists = all(isinstance(next(iter(one.values()), []), list) for one in outputs)
    return lists and any(not _OUTPUTS.isdisjoint(one) for one in outputs)
