"""OpenTelemetry spans: OTLP JSON, JSON of the SDK, data frames of Phoenix, and event tables of TruLens."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ragauge.formats.sources.conventions import inputs_and_outputs, kind_of_span
from ragauge.formats.sources.export import Export, Rows
from ragauge.formats.sources.payloads import unwritten
from ragauge.formats.sources.traces import Step, samples_of, seconds

ORIGINS: Mapping[str, str] = {
    "id": "trace id",
    "question": "input of the root span",
    "answer": "output of the root span",
    "references": "ground truth of the root span",
    "contexts": "documents of retriever and reranker spans",
}
_VALUES = (
    *("stringValue", "intValue", "doubleValue", "boolValue"),
    *("string_value", "int_value", "double_value", "bool_value"),
)
_ATTRIBUTES = "attributes."


def samples(rows: Rows, notes: list[str]) -> Iterator[dict[str, Any]]:
    """Yield a sample for each trace of the spans in ``rows``: spans, or what an exporter sends at a time.

    >>> attributes = {"input.value": "Who?", "output.value": "Anna."}
    >>> next(samples([{"context": {"trace_id": "1", "span_id": "2"}, "attributes": attributes}], []))
    {'id': '1', 'question': 'Who?', 'answer': 'Anna.', 'span_id': '2'}
    """
    yield from samples_of((step_of(span) for row in rows for span in _spans(row)), notes, "span_id")


def _spans(row: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the spans in a row: of ExportTraceServiceRequest all, else the row itself."""
    resources = row.get("resourceSpans", row.get("resource_spans"))
    if resources is None:
        yield row
        return
    for resource in resources:
        for scope in resource.get("scopeSpans", resource.get("scope_spans")) or ():
            yield from scope.get("spans") or ()


def step_of(span: Mapping[str, Any]) -> Step:
    """Return a span of any form as a step."""
    context = span.get("context") or span.get("trace")
    within = context if isinstance(context, Mapping) else {}
    trace, name, parent = (
        _first(span, within, names)
        for names in (
            ("traceId", "trace_id", "context.trace_id"),
            ("spanId", "span_id", "context.span_id"),
            ("parentSpanId", "parent_span_id", "parent_id"),
        )
    )
    attributes = _attributes(span)
    kind = kind_of_span(attributes)
    if kind == "other" and str(span.get("span_kind") or "").lower() in ("retriever", "reranker", "llm", "evaluator"):
        kind = str(span["span_kind"]).lower()
    events = [{**one, "attributes": _plain(one.get("attributes"))} for one in unwritten(span.get("events")) or ()]
    return Step(
        str(trace),
        str(name),
        str(parent) if parent else None,
        kind,
        seconds(_first(span, {}, ("startTimeUnixNano", "start_time_unix_nano", "start_time", "start_timestamp"))),
        seconds(_first(span, {}, ("endTimeUnixNano", "end_time_unix_nano", "end_time", "timestamp"))),
        failure=_failure(span),
        **inputs_and_outputs(attributes, events, kind),
    )


def _first(span: Mapping[str, Any], within: Mapping[str, Any], names: Iterable[str]) -> Any:
    return next((one[name] for name in names for one in (span, within) if one.get(name) is not None), None)


def _attributes(span: Mapping[str, Any]) -> dict[str, Any]:
    """Return the attributes of a span, also those that Phoenix writes as columns ``attributes.NAME``."""
    held = unwritten(span.get("attributes", span.get("record_attributes")))
    columns = {name[len(_ATTRIBUTES) :]: one for name, one in span.items() if name.startswith(_ATTRIBUTES)}
    return _plain(held) | {name: one for name, one in columns.items() if one is not None}


def _plain(attributes: Any) -> dict[str, Any]:
    """Return attributes as a dict; OTLP writes a list of keys with typed values.

    >>> _plain([{"key": "a", "value": {"stringValue": "b"}}])
    {'a': 'b'}
    """
    if isinstance(attributes, list):
        return {one["key"]: _value(one.get("value") or {}) for one in attributes if isinstance(one, Mapping)}
    return dict(attributes) if isinstance(attributes, Mapping) else {}


def _value(value: Mapping[str, Any]) -> Any:
    for name in _VALUES:
        if name in value:
            return value[name]
    array = value.get("arrayValue", value.get("array_value"))
    if array is not None:
        return [_value(one) for one in array.get("values") or ()]
    pairs = value.get("kvlistValue", value.get("kvlist_value"))
    return None if pairs is None else _plain(pairs.get("values"))


def _failure(span: Mapping[str, Any]) -> str | None:
    """Return the message of a span whose status is an error; None for any other."""
    status = span.get("status")
    code = status.get("status_code", status.get("code")) if isinstance(status, Mapping) else span.get("status_code")
    if str(code).upper() not in ("ERROR", "STATUS_CODE_ERROR", "2"):
        return None
    held = status if isinstance(status, Mapping) else {}
    return str(held.get("description") or held.get("message") or span.get("status_message") or "the root span failed")


SPANS = Export(
    "OpenTelemetry spans",
    [
        ("resourceSpans",),
        ("resource_spans",),
        ("context", "attributes", "parent_id"),
        ("context.trace_id", "parent_id"),
        ("traceId", "spanId", "attributes"),
        ("trace_id", "span_id", "attributes"),
        ("record_attributes", "trace"),
    ],
    samples,
    {
        "id": "trace id",
        "question": "input of the root span",
        "answer": "output of the root span",
        "references": "ground truth of the root span",
        "contexts": "documents of retriever and reranker spans",
    },
)
"""The lists of spans within what an exporter writes may be read one span at a time."""
