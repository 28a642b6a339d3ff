"""OpenTelemetry spans: OTLP JSON, JSON of the SDK, data frames of Phoenix, and event tables of TruLens.

OpenInference, GenAI, OpenLLMetry, TruLens and MLflow name the attributes of a span differently.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ragauge.formats.sources.export import Export, Rows
from ragauge.formats.sources.payloads import answer_of, documents_of, first_of, question_of, references_of, unwritten
from ragauge.formats.sources.traces import Step, samples_of, seconds

ORIGINS: Mapping[str, str] = {
    "id": "trace id",
    "question": "input of the root span",
    "answer": "output of the root span",
    "references": "ground truth of the root span",
    "contexts": "documents of retriever and reranker spans",
}
_KINDS = ("openinference.span.kind", "gen_ai.operation.name", "traceloop.span.kind", "mlflow.spanType")
_TRULENS = "ai.observability."
_KIND_OF = {
    "retriever": "retriever",
    "retrieval": "retriever",
    "reranker": "reranker",
    "reranking": "reranker",
    "llm": "llm",
    "chat_model": "llm",
    "chat": "llm",
    "text_completion": "llm",
    "generate_content": "llm",
    "generation": "llm",
    "evaluator": "evaluator",
    "eval_root": "evaluator",
    "eval": "evaluator",
}
"""Kind of a span in any convention, in lower case -> kind of a `Step`."""
_INPUTS = (
    *("input.value", "ai.observability.record_root.input", "ai.observability.retrieval.query_text"),
    *("gen_ai.retrieval.query.text", "gen_ai.input.messages", "traceloop.entity.input", "mlflow.spanInputs"),
    *("gen_ai.prompt", "llm.input_messages"),
)
_OUTPUTS = (
    *("output.value", "ai.observability.record_root.output", "gen_ai.output.messages", "traceloop.entity.output"),
    *("mlflow.spanOutputs", "gen_ai.completion", "llm.output_messages"),
)
_DOCUMENTS = (
    *("reranker.output_documents", "retrieval.documents", "ai.observability.reranking.output_context_texts"),
    *("ai.observability.retrieval.retrieved_contexts", "gen_ai.retrieval.documents"),
)
_REFERENCES = "ai.observability.record_root.ground_truth_output"
_PREFIXES = ("retrieval.documents", "reranker.output_documents", "llm.input_messages", "llm.output_messages")
_NUMBERED = (*_PREFIXES, "gen_ai.prompt", "gen_ai.completion")
"""Attributes that are lists; each field of each item is one, as in ``retrieval.documents.0.document.id``."""
_SPOKEN = {"gen_ai.user.message": "llm.input_messages", "gen_ai.choice": "llm.output_messages"}
"""Event of a model's span -> the attribute in whose place it stands."""
_DETAILS = "gen_ai.client.inference.operation.details"
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


def kind_of_span(attributes: Mapping[str, Any]) -> str:
    """Return the kind of a span: ``retriever``, ``reranker``, ``llm``, ``evaluator`` or ``other``.

    >>> kind_of_span({"openinference.span.kind": "RETRIEVER"}), kind_of_span({"gen_ai.operation.name": "chat"})
    ('retriever', 'llm')
    """
    trulens = attributes.get(f"{_TRULENS}span_type")
    written = trulens or next((attributes[name] for name in _KINDS if name in attributes), "")
    kind = str(unwritten(written)).lower()
    return _KIND_OF.get(kind, "other")


def inputs_and_outputs(attributes: Mapping[str, Any], events: Iterable[Mapping[str, Any]], kind: str) -> dict[str, Any]:
    """Return the question, answer, documents and references that a span of ``kind`` names, each None if it does not.

    >>> inputs_and_outputs({"input.value": "Who?", "retrieval.documents.0.document.content": "Tea."}, [], "retriever")
    {'question': 'Who?', 'answer': None, 'documents': [{'content': 'Tea.'}], 'references': None}
    """
    named = _with_events(_with_lists(attributes), events)
    returned = first_of(named, _OUTPUTS)
    retrieves = kind in ("retriever", "reranker")
    documents = documents_of(first_of(named, _DOCUMENTS))
    if documents is None and retrieves:
        documents = documents_of(returned)
    return {
        "question": question_of(first_of(named, _INPUTS)),
        "answer": None if retrieves else answer_of(returned),
        "documents": None if documents is None else [_passage(one) for one in documents],
        "references": references_of(named.get(_REFERENCES)),
    }


def _with_lists(attributes: Mapping[str, Any]) -> dict[str, Any]:
    """Return the attributes with the numbered ones gathered into lists of objects."""
    plain: dict[str, Any] = {}
    lists: dict[str, dict[int, dict[str, Any]]] = {}
    for name, value in attributes.items():
        prefix = next((one for one in _NUMBERED if name.startswith(one + ".")), None)
        number, _, field = name[len(prefix) + 1 :].partition(".") if prefix else ("", "", "")
        if prefix and number.isdigit() and field:
            item = lists.setdefault(prefix, {}).setdefault(int(number), {})
            item[field.removeprefix("document.").removeprefix("message.")] = value
        else:
            plain[name] = value
    return plain | {prefix: [items[number] for number in sorted(items)] for prefix, items in lists.items()}


def _with_events(attributes: dict[str, Any], events: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the attributes with the messages that older GenAI conventions write as events."""
    for event in events:
        name, held = event.get("name"), event.get("attributes") or {}
        if name == _DETAILS or "gen_ai.prompt" in held or "gen_ai.completion" in held:
            attributes = {**held, **attributes}
        elif name in _SPOKEN:
            message = {"role": "user" if name == "gen_ai.user.message" else "assistant", **held}
            attributes = {**attributes, _SPOKEN[name]: [*_list(attributes.get(_SPOKEN[name])), message]}
    return attributes


def _list(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list) else ()


def _passage(document: Any) -> Any:
    """Return a document with its fields under plain names: Phoenix writes ``document.content``."""
    if not isinstance(document, Mapping):
        return document
    return {str(name).removeprefix("document."): value for name, value in document.items() if value is not None}


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
