"""OpenTelemetry spans in the conventions of each library: the sample that each trace becomes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from ragauge.errors import DataError
from ragauge.formats import read
from ragauge.formats.sources import (
    spans,
    traces,
)
from ragauge.formats.sources.spans import inputs_and_outputs, kind_of_span
from tests.frameworks.reading import ANSWER, FIRST, QUESTION, READ, SECOND, TEXTS, parts, rows


def span(name: str, parent: str | None, start: int, attributes: dict[str, Any], **others: Any) -> dict[str, Any]:
    """Return a span of OTLP JSON."""
    typed = [
        {"key": key, "value": {"doubleValue": one} if isinstance(one, float) else {"stringValue": one}}
        for key, one in attributes.items()
    ]
    times = {"startTimeUnixNano": str(start * 10**9), "endTimeUnixNano": str((start + 1) * 10**9)}
    above = {} if parent is None else {"parentSpanId": parent}
    return {"traceId": "t1", "spanId": name, **above, **times, "attributes": typed, **others}


def request(*spans: dict[str, Any]) -> dict[str, Any]:
    scopes = [{"scope": {"name": "a", "b": [1, {}]}, "spans": [one]} for one in spans]
    return {"resourceSpans": [{"resource": {"attributes": []}, "scopeSpans": scopes}], "other": [1, {"a": []}]}


ROOT = span("a", None, 1, {"input.value": json.dumps({"question": QUESTION}), "output.value": ANSWER})
SEARCH = span(
    "b",
    "a",
    2,
    {
        "openinference.span.kind": "RETRIEVER",
        "retrieval.documents.0.document.content": FIRST,
        "retrieval.documents.1.document.content": SECOND,
    },
)
CONVENTIONS: dict[str, list[dict[str, Any]]] = {
    "OpenInference": [SEARCH, ROOT],
    "OpenInference, reranked": [
        span("r", "a", 3, {"openinference.span.kind": "RERANKER", "reranker.output_documents.0.document.content": FIRST,
                           "reranker.output_documents.1.document.content": SECOND}),
        span("b", "a", 2, {"openinference.span.kind": "RETRIEVER", "retrieval.documents.0.document.content": "other"}),
        ROOT,
    ],
    "a retriever within a retriever": [
        SEARCH,
        span("c", "b", 3, {"openinference.span.kind": "RETRIEVER", "retrieval.documents.0.document.content": "part"}),
        ROOT,
    ],
    "the same passage by two retrievers": [SEARCH, {**SEARCH, "spanId": "d"}, ROOT],
    "GenAI": [
        span("a", None, 1, {"gen_ai.operation.name": "invoke_agent",
             "gen_ai.input.messages": json.dumps([{"role": "user", "parts": [{"type": "text", "content": QUESTION}]}]),
             "gen_ai.output.messages": json.dumps(
                 [{"role": "assistant", "parts": [{"type": "text", "content": ANSWER}], "finish_reason": "stop"}])}),
        span("b", "a", 2, {"gen_ai.operation.name": "retrieval", "gen_ai.retrieval.query.text": "茶",
             "gen_ai.retrieval.documents": json.dumps([{"content": text} for text in TEXTS])}),
    ],
    "GenAI events": [
        span("a", None, 1, {"gen_ai.operation.name": "chat"}, events=[
            {"name": "gen_ai.user.message", "attributes": [{"key": "content", "value": {"stringValue": QUESTION}}]},
            {"name": "gen_ai.choice", "attributes": [{"key": "message", "value": {"kvlistValue": {"values": [
                {"key": "content", "value": {"stringValue": ANSWER}}]}}}]},
        ]),
        SEARCH,
    ],
    "OpenLLMetry": [
        span("a", None, 1, {"traceloop.span.kind": "workflow", "traceloop.entity.input": QUESTION,
                            "traceloop.entity.output": ANSWER}),
        span("m", "a", 4, {"gen_ai.prompt.0.content": "other", "gen_ai.prompt.0.role": "user",
                           "gen_ai.completion.0.content": "other"}),
        SEARCH,
    ],
    "MLflow by OTLP": [
        span("a", None, 1, {"mlflow.spanType": '"CHAIN"', "mlflow.spanInputs": json.dumps({"question": QUESTION}),
                            "mlflow.spanOutputs": json.dumps(ANSWER)}),
        span("b", "a", 2, {"mlflow.spanType": '"RETRIEVER"',
                           "mlflow.spanOutputs": json.dumps([{"page_content": text} for text in TEXTS])}),
    ],
}  # fmt: skip


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_spans(convention: str, tmp_path: Path) -> None:
    path = tmp_path / "spans.json"
    for indent in (None, 1):
        path.write_text(json.dumps(request(*CONVENTIONS[convention]), indent=indent), encoding="utf-8")
        assert parts(path) == READ


def test_a_trace_without_root_or_content(tmp_path: Path) -> None:
    path = tmp_path / "spans.jsonl"
    health = {**span("h", None, 1, {"http.route": "/health"}), "traceId": "t2"}
    orphan = {**SEARCH, "parentSpanId": "elsewhere"}
    path.write_text("\n".join(json.dumps(request(one)) for one in (health, orphan)), encoding="utf-8")
    assert parts(path) == {"contexts": TEXTS}
    assert "1 trace was left out: it has neither a question nor an answer nor documents" in read(path).notes


def test_a_root_that_failed() -> None:
    failed = span("a", None, 1, {"input.value": QUESTION}, status={"code": 2, "message": "timeout"})
    assert parts([request(failed)]) == {"question": QUESTION, "failure": "timeout"}


def test_many_spans_go_by_way_of_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    every = [
        {**one, "traceId": f"t{number}", "startTimeUnixNano": f"{number + place}"}
        for place, one in enumerate((SEARCH, ROOT))
        for number in range(300)
    ]
    path = tmp_path / "spans.json"
    path.write_text(json.dumps(request(*every)), encoding="utf-8")
    in_memory = sorted(rows(path), key=str)
    ids = sorted(one for batch in read(path).batches() for one in batch.column("id").to_pylist())
    monkeypatch.setattr(traces, "_HELD", 20_000)
    assert sorted(rows(path), key=str) == in_memory
    assert sorted(one for batch in read(path).batches() for one in batch.column("id").to_pylist()) == ids
    assert len(ids) == 300


@pytest.mark.parametrize("broken", ['{"resourceSpans": 3}', '{"resourceSpans": [{"scopeSpans": [{"spans": [{]}]}',
                                    '{"resourceSpans": [', '{"resourceSpans": [] "a": 1}'])  # fmt: skip
def test_broken_otlp_is_named(broken: str, tmp_path: Path) -> None:
    path = tmp_path / "spans.json"
    path.write_text(broken, encoding="utf-8")
    with pytest.raises(DataError, match=r"spans.json: line 1: "):
        read(path)


@pytest.mark.parametrize(
    ("document", "key"),
    [('{"resourceSpans":\n{}}', "resourceSpans"), ('{"resourceSpans": [\n{"scopeSpans": "x"}]}', "scopeSpans"),
     ('{"resourceSpans": [{"scopeSpans": [\n{"spans": null}]}]}', "spans")],
)  # fmt: skip
def test_what_must_be_a_list_is_named_with_its_line(document: str, key: str, tmp_path: Path) -> None:
    path = tmp_path / "spans.json"
    path.write_text(document, encoding="utf-8")
    with pytest.raises(DataError, match=f"^{path}: line 2: {key} must be a list; correct the file$"):
        read(path)


def test_a_frame_of_phoenix() -> None:
    documents = [{"document.content": text, "document.id": name} for text, name in ((FIRST, "d1"), (SECOND, "d2"))]
    shared = {"context.trace_id": "t", "span_kind": "CHAIN", "start_time": pd.Timestamp("2026-01-01", tz="UTC")}
    frame = pd.DataFrame(
        [
            {**shared, "context.span_id": "a", "parent_id": None, "attributes.input.value": QUESTION,
             "attributes.output.value": ANSWER},
            {**shared, "context.span_id": "b", "parent_id": "a", "span_kind": "RETRIEVER",
             "attributes.retrieval.documents": documents},
        ]
    )  # fmt: skip
    assert parts(frame) == {**READ, "retrieved": ["d1", "d2"]}


def test_the_form_is_said_also_where_only_some_rows_are_read(tmp_path: Path) -> None:
    path = tmp_path / "spans.json"
    path.write_text(json.dumps(request(SEARCH, ROOT, {**ROOT, "traceId": "t2"})), encoding="utf-8")
    data = read(path, limit=1)
    assert (data.rows, data.notes) == (1, ("read as OpenTelemetry spans",))


@pytest.mark.parametrize(
    ("attributes", "kind"),
    [
        ({"openinference.span.kind": "RETRIEVER"}, "retriever"),
        ({"gen_ai.operation.name": "text_completion"}, "llm"),
        ({"mlflow.spanType": '"RERANKER"'}, "reranker"),
        ({"ai.observability.span_type": "eval_root", "openinference.span.kind": "LLM"}, "evaluator"),
        ({"traceloop.span.kind": "workflow"}, "other"),
        ({}, "other"),
    ],
)
def test_kinds_of_spans(attributes: dict[str, Any], kind: str) -> None:
    assert kind_of_span(attributes) == kind


def test_numbered_attributes_are_lists() -> None:
    attributes = {
        "retrieval.documents.10.document.content": "last",
        "retrieval.documents.2.document.content": "first",
        "retrieval.documents.2.document.id": "d2",
        "retrieval.documents.no.document.content": "no number",
        "retrieval.documents.3": "no field",
        "llm.input_messages.0.message.role": "user",
        "llm.input_messages.0.message.content": "谁？",
    }
    held = inputs_and_outputs(attributes, [], "retriever")
    assert held["documents"] == [{"content": "first", "id": "d2"}, {"content": "last"}]
    assert held["question"] == "谁？"
    assert held["answer"] is None
    assert inputs_and_outputs({"output.value": "Anna."}, [], "llm")["answer"] == "Anna."
    assert inputs_and_outputs({"output.value": '["茶"]'}, [], "llm")["documents"] is None
    assert inputs_and_outputs({"output.value": '["茶"]'}, [], "reranker")["documents"] == ["茶"]
    truth = {"ai.observability.record_root.ground_truth_output": "Anna"}
    assert inputs_and_outputs(truth, [], "other")["references"] == ["Anna"]


def test_messages_in_events() -> None:
    events: list[dict[str, Any]] = [
        {"name": "gen_ai.user.message", "attributes": {"content": "Hello"}},
        {"name": "gen_ai.user.message", "attributes": {"content": "Who?"}},
        {"name": "other", "attributes": {"content": "nothing"}},
        {"name": "gen_ai.choice", "attributes": {"content": "Anna."}},
        {"name": "later"},
    ]
    held = inputs_and_outputs({}, events, "llm")
    assert (held["question"], held["answer"]) == ("Who?", "Anna.")
    for name in ("gen_ai.client.inference.operation.details", "gen_ai.content.prompt"):
        details = [{"name": name, "attributes": {"gen_ai.prompt": "Where?", "gen_ai.completion": "There."}}]
        held = inputs_and_outputs({}, details, "llm")
        assert (held["question"], held["answer"]) == ("Where?", "There.")
    # What stands at the span itself counts.
    own = inputs_and_outputs({"gen_ai.prompt": "Own?"}, details, "llm")
    assert (own["question"], own["answer"]) == ("Own?", "There.")


@pytest.mark.parametrize(
    ("span", "expected"),
    [
        ({"traceId": "t", "spanId": "a", "status": {"code": 1, "message": "fine"}}, (None, "other")),
        ({"traceId": "t", "spanId": "a", "status": {"code": "STATUS_CODE_ERROR", "message": "no"}}, ("no", "other")),
        ({"traceId": "t", "spanId": "a", "status": {"status_code": "ERROR", "description": "no"}}, ("no", "other")),
        ({"traceId": "t", "spanId": "a", "status": {"code": 2}}, ("the root span failed", "other")),
        ({"context.trace_id": "t", "context.span_id": "a", "status_code": "ERROR", "status_message": "no"},
         ("no", "other")),
        ({"context": {"trace_id": "t", "span_id": "a"}, "span_kind": "LLM"}, (None, "llm")),
        ({"trace_id": "t", "span_id": "a", "span_kind": "CLIENT"}, (None, "other")),
        ({"trace_id": "t", "span_id": "a", "attributes": {"openinference.span.kind": "RETRIEVER"}, "span_kind": "LLM"},
         (None, "retriever")),
    ],
)  # fmt: skip
def test_forms_of_spans(span: dict[str, Any], expected: tuple[str | None, str]) -> None:
    found = spans.step_of(span)
    assert (found.trace, found.id, found.parent) == ("t", "a", None)
    assert (found.failure, found.kind) == expected


def test_values_of_otlp() -> None:
    values = [
        {"boolValue": False}, {"intValue": "3"}, {"arrayValue": {"values": [{"stringValue": "茶"}]}},
        {"kvlistValue": {"values": [{"key": "k", "value": {"doubleValue": 0.5}}]}}, {"other": 1}, {"arrayValue": {}},
    ]  # fmt: skip
    keys = "abcdef"
    listed = [{"key": key, "value": value} for key, value in zip(keys, values, strict=True)]
    expected = [False, "3", ["茶"], {"k": 0.5}, None, []]
    assert spans._plain(listed) == dict(zip(keys, expected, strict=True))
    assert spans._plain(None) == {}


def test_the_mapping_says_where_in_an_export_each_column_comes_from(tmp_path: Path) -> None:
    path = tmp_path / "spans.json"
    path.write_text(json.dumps(request(SEARCH, ROOT)), encoding="utf-8")
    assert read(path).mapping == {
        "id": "trace id", "question": "input of the root span", "answer": "output of the root span",
        "contexts": "documents of retriever and reranker spans",
    }  # fmt: skip
    run = {"id": "1", "run_type": "chain", "inputs": {"question": "Who?"}, "outputs": {"answer": "Anna."}}
    assert read([run]).mapping == {"question": "inputs of the root run", "answer": "outputs of the root run"}
