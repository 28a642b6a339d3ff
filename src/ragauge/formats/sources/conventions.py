"""What the attributes of a span say: OpenInference, GenAI, OpenLLMetry, TruLens and MLflow name them differently."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ragauge.formats.sources.payloads import answer_of, documents_of, first_of, question_of, references_of, unwritten

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


_SPOKEN = {"gen_ai.user.message": "llm.input_messages", "gen_ai.choice": "llm.output_messages"}
"""Event of a model's span -> the attribute in whose place it stands."""
_DETAILS = "gen_ai.client.inference.operation.details"


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
