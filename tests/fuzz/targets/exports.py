"""Exports of frameworks as JSON: spans, runs, traces, responses and logs, in which values stand where none should."""

from __future__ import annotations

import json
from random import Random
from typing import Any

from hypothesis import strategies as st

from tests.fuzz.making import VALUES, as_json, damaged
from tests.fuzz.targets._reading import read_file

_DOCUMENTS = [{"page_content": "茶", "id": "d1"}, {"content": "tea", "score": 0.5}]
_MESSAGES = [{"role": "user", "content": "谁？"}, {"role": "assistant", "content": [{"type": "text", "text": "Anna."}]}]
_SPAN = {
    "traceId": "t", "spanId": "a", "parentSpanId": "b", "startTimeUnixNano": "1000000000", "status": {"code": 2},
    "attributes": [
        {"key": "openinference.span.kind", "value": {"stringValue": "RETRIEVER"}},
        {"key": "input.value", "value": {"stringValue": json.dumps(_MESSAGES)}},
        {"key": "retrieval.documents.0.document.content", "value": {"stringValue": "茶"}},
        {"key": "gen_ai.retrieval.documents", "value": {"arrayValue": {"values": [{"stringValue": "茶"}]}}},
    ],
    "events": [{"name": "gen_ai.choice", "attributes": [{"key": "content", "value": {"stringValue": "Anna."}}]}],
}  # fmt: skip
_RUN = {
    "id": "a", "run_type": "chain", "inputs": {"question": "谁？"}, "outputs": {"output": "Anna."}, "error": None,
    "start_time": "2026-01-01T00:00:00", "child_runs": [{"id": "b", "run_type": "retriever", "inputs": {"query": "茶"},
    "outputs": {"documents": _DOCUMENTS}}],
}  # fmt: skip
_TRACE = {
    "id": "t", "input": {"question": "谁？"}, "output": "Anna.",
    "observations": [{"id": "o", "type": "RETRIEVER", "name": "search", "output": _DOCUMENTS, "level": "ERROR"}],
}  # fmt: skip
_MLFLOW = {
    "trace_id": "t", "request": '{"question": "谁？"}', "response": '"Anna."',
    "assessments": [{"assessment_name": "ground_truth", "expectation": {"value": "Anna"}}],
    "spans": [{"span_id": "a", "attributes": {"mlflow.spanType": '"RETRIEVER"', "mlflow.spanOutputs": _DOCUMENTS}}],
}  # fmt: skip
_RESULT = {
    "testIdx": 0, "provider": {"id": "a"}, "vars": {"query": "谁？", "context": ["茶"]}, "response": {"output": "x"},
    "testCase": {"assert": [{"type": "equals", "value": "Anna"}]},
}  # fmt: skip
_SAMPLE = {
    "id": 1, "epoch": 2, "input": _MESSAGES, "target": ["Anna"], "output": {"completion": "", "choices": _MESSAGES},
    "messages": [], "metadata": {"contexts": ["茶"]}, "scores": {"includes": {"value": "C"}},
}  # fmt: skip
FORMS: list[Any] = [
    {"resourceSpans": [{"resource": {}, "scopeSpans": [{"scope": {}, "spans": [_SPAN, _SPAN]}]}]},
    [_SPAN, {**_SPAN, "spanId": "b", "parentSpanId": None}],
    [{"context.trace_id": "t", "context.span_id": "a", "parent_id": None, "attributes.input.value": "谁？"}],
    [{"record_attributes": {"ai.observability.span_type": "retrieval"}, "trace": {"trace_id": "t", "span_id": "a"}}],
    _RUN,
    [{"run": _RUN, "example": {"outputs": {"answer": "Anna"}}}],
    [_TRACE],
    [{**_TRACE["observations"][0], "traceId": "t", "input": None}],  # type: ignore[index]
    [_MLFLOW],
    {"info": {"trace_id": "t", "trace_metadata": {"mlflow.traceInputs": "{}"}}, "data": {"spans": _MLFLOW["spans"]}},
    {"columns": ["inputs", "outputs"], "data": [["谁？", "Anna."], ["Who?", None]]},
    {"evalId": "e", "results": {"version": 3, "results": [_RESULT]}},
    {"results": {"results": [_RESULT], "stats": {}}},
    {"version": 2, "eval": {"model": "a"}, "samples": [_SAMPLE, _SAMPLE]},
    [_SAMPLE],
    {"query": "谁？", "result": "Anna.", "source_documents": _DOCUMENTS},
    {"response": "Anna.", "source_nodes": [{"node": {"id_": "n", "text": "茶"}, "score": 0.5}], "metadata": None},
    {"retriever": {"documents": _DOCUMENTS}, "llm": {"replies": ["Anna."]}, "b": {"answers": [{"data": "Anna."}]}},
    {"data": "Anna.", "query": "谁？", "documents": _DOCUMENTS, "meta": {}},
    {"run_name": "a", "inputs": {"question": ["谁？"]}, "results": {"mrr": {"individual_scores": [1.0]}}},
]


def changed(value: Any, others: list[Any], random: Random) -> Any:
    """Return ``value`` with about one of its parts replaced by one of ``others``, left out, or written as JSON."""
    kind = random.randrange(40)
    if kind < 2:
        return random.choice(others)
    if kind == 2:
        return json.dumps(value)
    if isinstance(value, dict):
        lost = random.choice([*value, None, None, None]) if value else None
        return {key: changed(one, others, random) for key, one in value.items() if key != lost}
    if isinstance(value, list):
        return [changed(one, others, random) for one in value] * random.choice([1, 1, 1, 2, 0])
    return value


_OTHERS: st.SearchStrategy[list[Any]] = st.lists(
    st.one_of(VALUES, st.sampled_from([None, [], {}, "", 0, [None], [[]], {"a": None}])), min_size=1
)
_CHANGED = st.builds(
    lambda form, others, seed: changed(form, others, Random(seed)),  # noqa: S311 - no secret is drawn
    st.sampled_from(FORMS),
    _OTHERS,
    st.integers(0, 2**32),
)
STRATEGY = st.one_of(_CHANGED.map(as_json), damaged(_CHANGED.map(as_json)))


def target(data: bytes) -> None:
    """Read ``data`` as JSON."""
    read_file("export.json", data)
