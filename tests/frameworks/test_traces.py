"""Traces: spans of OpenTelemetry in every form in which they are written, and MLflow's own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ragauge.formats import read
from tests.frameworks.reading import ANSWER, FIRST, QUESTION, SECOND, framework, parts, rows

READ = {"question": QUESTION, "answer": ANSWER, "contexts": [FIRST, SECOND]}
RANKED = {"retrieved": ["d1", "d2"], "retrieved_scores": [0.5, 0.25]}


def spans() -> Any:
    """Return the finished spans of one question, as an instrumented application records them."""
    trace = framework("opentelemetry.sdk.trace", "opentelemetry-sdk")
    semconv = framework("openinference.semconv.trace", "openinference-semantic-conventions")
    export = framework("opentelemetry.sdk.trace.export", "opentelemetry-sdk")
    memory = framework("opentelemetry.sdk.trace.export.in_memory_span_exporter", "opentelemetry-sdk")
    names, document = semconv.SpanAttributes, semconv.DocumentAttributes
    exporter, provider = memory.InMemorySpanExporter(), trace.TracerProvider()
    provider.add_span_processor(export.SimpleSpanProcessor(exporter))
    tracer = provider.get_tracer("test")
    with tracer.start_as_current_span("rag") as root:
        root.set_attributes(
            {names.OPENINFERENCE_SPAN_KIND: "CHAIN", names.INPUT_VALUE: QUESTION, names.OUTPUT_VALUE: ANSWER}
        )
        with tracer.start_as_current_span("search") as span:
            span.set_attributes({names.OPENINFERENCE_SPAN_KIND: "RETRIEVER", names.INPUT_VALUE: "茶"})
            for place, (text, name, score) in enumerate(((FIRST, "d1", 0.5), (SECOND, "d2", 0.25))):
                prefix = f"{names.RETRIEVAL_DOCUMENTS}.{place}."
                span.set_attribute(prefix + document.DOCUMENT_CONTENT, text)
                span.set_attribute(prefix + document.DOCUMENT_ID, name)
                span.set_attribute(prefix + document.DOCUMENT_SCORE, score)
        with tracer.start_as_current_span("model") as span:
            span.set_attributes({names.OPENINFERENCE_SPAN_KIND: "LLM", names.OUTPUT_VALUE: "not the answer"})
    return exporter.get_finished_spans()


@pytest.mark.parametrize("indent", [None, 4])
def test_json_of_the_sdk(indent: int | None, tmp_path: Path) -> None:
    lines = "".join(span.to_json(indent=indent) + "\n" for span in spans())
    path = tmp_path / "spans.json"
    path.write_text(lines, encoding="utf-8")
    assert parts(path) == {**READ, **RANKED}
    assert rows(path)[0]["latency"] > 0
    assert "read as OpenTelemetry spans" in read(path).notes
    assert read(path).mapping["contexts"] == "documents of retriever and reranker spans"


def test_otlp_json(tmp_path: Path) -> None:
    encoder = framework("opentelemetry.exporter.otlp.proto.common.trace_encoder", "opentelemetry-exporter-otlp")
    request = framework("google.protobuf.json_format", "protobuf").MessageToDict(encoder.encode_spans(spans()))
    for name, text in (
        ("one.json", json.dumps(request)),
        ("indented.json", json.dumps(request, indent=2)),
        ("lines.jsonl", json.dumps(request) + "\n"),
        ("list.json", json.dumps([request])),
    ):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        assert parts(path) == {**READ, **RANKED}, name
    assert parts(request) == {**READ, **RANKED}


def test_mlflow(tmp_path: Path) -> None:
    mlflow = framework("mlflow", "mlflow")
    entities = framework("mlflow.entities", "mlflow")
    mlflow.set_tracking_uri(f"file://{tmp_path}/runs")
    mlflow.set_experiment("test")

    def search(query: str) -> list[Any]:
        return [entities.Document(page_content=text, id=name) for text, name in ((FIRST, "d1"), (SECOND, "d2"))]

    def rag(question: str) -> str:
        mlflow.trace(search, span_type=entities.SpanType.RETRIEVER)("茶")
        return ANSWER

    mlflow.trace(rag)(QUESTION)
    mlflow.flush_trace_async_logging()
    expected = {**READ, "retrieved": ["d1", "d2"]}
    traces = mlflow.search_traces(return_type="list")
    assert parts(traces) == expected
    assert parts([one.to_dict() for one in traces]) == expected
    frame = mlflow.search_traces()
    assert parts(frame) == expected
    assert parts(frame.to_dict("records")) == expected
    (tmp_path / "trace.json").write_text(traces[0].to_json(), encoding="utf-8")
    assert parts(tmp_path / "trace.json") == expected


def test_mlflow_table(tmp_path: Path) -> None:
    table = {"columns": ["inputs", "outputs", "contexts"], "data": [[QUESTION, ANSWER, [FIRST, SECOND]]]}
    (tmp_path / "table.json").write_text(json.dumps(table), encoding="utf-8")
    assert parts(tmp_path / "table.json") == READ


def test_trulens() -> None:
    semconv = framework("trulens.otel.semconv.trace", "trulens-core")
    names = semconv.SpanAttributes
    root = {
        names.SPAN_TYPE: names.SpanType.RECORD_ROOT.value,
        names.RECORD_ROOT.INPUT: QUESTION,
        names.RECORD_ROOT.OUTPUT: ANSWER,
        names.RECORD_ROOT.GROUND_TRUTH_OUTPUT: "林婉",
    }
    retrieval = {
        names.SPAN_TYPE: names.SpanType.RETRIEVAL.value,
        names.RETRIEVAL.QUERY_TEXT: "茶",
        names.RETRIEVAL.RETRIEVED_CONTEXTS: [FIRST, SECOND],
    }
    events = [
        {"record_attributes": attributes, "trace": {"trace_id": "t", "span_id": name, "parent_id": parent}}
        for attributes, name, parent in ((retrieval, "b", "a"), (root, "a", ""))
    ]
    assert parts(events) == {**READ, "references": ["林婉"]}
