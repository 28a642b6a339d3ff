"""OpenTelemetry spans: OTLP JSON, JSON of the SDK, data frames of Phoenix, and event tables of TruLens.

OpenInference, GenAI, OpenLLMetry, TruLens and MLflow name the attributes of a span differently.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ragauge.formats.sources.export import Export
from ragauge.formats.sources.payloads import answer_of, documents_of, first_of, question_of, references_of, unwritten
from ragauge.formats.sources.traces import Step, seconds, traced

_KINDS = (
    *("ai.observability.span_type", "openinference.span.kind", "gen_ai.operation.name", "traceloop.span.kind"),
    "mlflow.spanType",
)
_WORDS_OF_KINDS = {
    "retriever": "retriever retrieval",
    "reranker": "reranker reranking",
    "llm": "llm chat_model chat text_completion generate_content generation",
    "evaluator": "evaluator eval_root eval",
}
_KIND_OF = {word: kind for kind, words in _WORDS_OF_KINDS.items() for word in words.split()}
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
_NUMBERED = (
    *("retrieval.documents", "reranker.output_documents", "llm.input_messages", "llm.output_messages"),
    *("gen_ai.prompt", "gen_ai.completion"),
)
"""Attributes that are lists; each field of each item is one, as in ``retrieval.documents.0.document.id``."""
_SPOKEN = {"gen_ai.user.message": "llm.input_messages", "gen_ai.choice": "llm.output_messages"}
"""Event of a model's span -> the attribute that it replaces."""
_DETAILS = "gen_ai.client.inference.operation.details"
_SCALARS = frozenset({"stringvalue", "intvalue", "doublevalue", "boolvalue"})
_ATTRIBUTES = "attributes."


def _steps(row: Mapping[str, Any]) -> Iterator[Step]:
    """Yield the spans in a row: of ExportTraceServiceRequest all, else the row itself."""
    resources = row.get("resourceSpans", row.get("resource_spans"))
    if resources is None:
        yield step_of(row)
        return
    for resource in resources:
        for scope in resource.get("scopeSpans", resource.get("scope_spans")) or ():
            yield from map(step_of, scope.get("spans") or ())


def step_of(span: Mapping[str, Any]) -> Step:
    """Return a span of any form as a step."""
    context = span.get("context") or span.get("trace")
    within = context if isinstance(context, Mapping) else {}
    named = {**within, **{name: one for name, one in span.items() if one is not None}}
    parent = first_of(named, ("parentSpanId", "parent_span_id", "parent_id"))
    attributes = _attributes(span)
    kind = kind_of_span(attributes)
    if kind == "other":
        kind = _KIND_OF.get(str(span.get("span_kind")).lower(), "other")
    events = [{**one, "attributes": _plain(one.get("attributes"))} for one in unwritten(span.get("events")) or ()]
    return Step(
        str(first_of(named, ("traceId", "trace_id", "context.trace_id"))),
        str(first_of(named, ("spanId", "span_id", "context.span_id"))),
        str(parent) if parent else None,
        kind,
        seconds(first_of(span, ("startTimeUnixNano", "start_time_unix_nano", "start_time", "start_timestamp"))),
        seconds(first_of(span, ("endTimeUnixNano", "end_time_unix_nano", "end_time", "timestamp"))),
        failure=_failure(span),
        **inputs_and_outputs(attributes, events, kind),
    )


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


def _value(typed: Mapping[str, Any]) -> Any:
    for name, value in typed.items():
        kind = name.replace("_", "").lower()
        if kind in _SCALARS:
            return value
        if kind == "arrayvalue":
            return [_value(one) for one in value.get("values") or ()]
        if kind == "kvlistvalue":
            return _plain(value.get("values"))
    return None


def _failure(span: Mapping[str, Any]) -> str | None:
    """Return the message of a span whose status is an error; None for any other."""
    status = span.get("status")
    held = status if isinstance(status, Mapping) else {}
    code = held.get("status_code", held.get("code")) if held else span.get("status_code")
    if str(code).upper() not in ("ERROR", "STATUS_CODE_ERROR", "2"):
        return None
    return str(held.get("description") or held.get("message") or span.get("status_message") or "the root span failed")


def kind_of_span(attributes: Mapping[str, Any]) -> str:
    """Return the kind of a span: ``retriever``, ``reranker``, ``llm``, ``evaluator`` or ``other``.

    >>> kind_of_span({"openinference.span.kind": "RETRIEVER"}), kind_of_span({"gen_ai.operation.name": "chat"})
    ('retriever', 'llm')
    """
    return _KIND_OF.get(str(unwritten(first_of(attributes, _KINDS))).lower(), "other")


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
            before = attributes.get(_SPOKEN[name])
            attributes = {**attributes, _SPOKEN[name]: [*(before if isinstance(before, list) else ()), message]}
    return attributes


def _passage(document: Any) -> Any:
    """Return a document with its fields under plain names: Phoenix writes ``document.content``."""
    if not isinstance(document, Mapping):
        return document
    return {str(name).removeprefix("document."): value for name, value in document.items() if value is not None}


EXPORTS = (
    Export(
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
        traced(_steps, "span_id"),
        {
            "id": "trace id",
            "question": "input of the root span",
            "answer": "output of the root span",
            "references": "ground truth of the root span",
            "contexts": "documents of retriever and reranker spans",
        },
    ),
)
[SPANS] = EXPORTS
"""The lists of spans within what an exporter writes may be read one span at a time."""
