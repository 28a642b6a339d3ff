"""Events of evaluations in OpenTelemetry: at a real OTLP server, and through the provider of an application."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

import ragauge
from ragauge.errors import UsageError
from ragauge.results.result import Result
from tests.writers.runs import LABELS, library, some_result

library("opentelemetry.exporter.otlp.proto.http", "opentelemetry-exporter-otlp-proto-http")
library("opentelemetry.sdk._logs", "opentelemetry-sdk")

RESULT, SUMMARY = "gen_ai.evaluation.result", "ragauge.evaluation.summary"


@pytest.fixture(scope="module")
def result() -> Result:
    return some_result()


class OtlpServer:
    """Keeps each event that it gets."""

    def __init__(self, server: HTTPServer) -> None:
        self.url = server.url_for("/v1/logs")
        self.events: list[Any] = []
        self.requests = 0
        self.status = 200
        server.expect_request("/v1/logs", method="POST").respond_with_handler(self._handle)

    def _handle(self, received: Request) -> Response:
        from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest

        request = ExportLogsServiceRequest.FromString(received.get_data())
        self.requests += 1
        self.events += [
            record for one in request.resource_logs for scope in one.scope_logs for record in scope.log_records
        ]
        return Response(b"", self.status, content_type="application/x-protobuf")

    def named(self, name: str) -> list[tuple[str, dict[str, Any]]]:
        """Return trace id and attributes of the events of that name."""
        return [(one.trace_id.hex(), attributes(one)) for one in self.events if one.event_name == name]


def attributes(event: Any) -> dict[str, Any]:
    return {one.key: getattr(one.value, one.value.WhichOneof("value")) for one in event.attributes}


@pytest.fixture
def server(httpserver: HTTPServer) -> OtlpServer:
    return OtlpServer(httpserver)


def test_each_sample_gets_an_event_on_its_trace(server: OtlpServer, result: Result) -> None:
    written = ragauge.export(result, "opentelemetry", url=server.url, name="今天")
    assert written.where == f"48 events to {server.url}"
    events = {(trace, one["gen_ai.evaluation.name"]): one for trace, one in server.named(RESULT)}
    assert len(events) == 44
    right = events[f"{1:032x}", LABELS[0]]
    assert right["gen_ai.evaluation.score.value"] == 1.0
    assert right["gen_ai.evaluation.score.label"] == "ok"
    assert (right["ragauge.run"], right["ragauge.sample.id"]) == ("今天", f"{1:032x}")
    failed = events[f"{21:032x}", "exact-match"]
    assert (failed["gen_ai.evaluation.score.label"], failed["error.type"]) == ("failed", "_OTHER")
    assert failed["gen_ai.evaluation.explanation"] == "超时：\n<b>"
    assert "gen_ai.evaluation.score.value" not in failed
    labels = [events[f"{number:032x}", "exact-match"]["gen_ai.evaluation.score.label"] for number in (20, 22, 23)]
    assert labels == ["ok", "undefined", "missing"]


def test_means_are_events_of_their_own(server: OtlpServer, result: Result) -> None:
    ragauge.export(result, "opentelemetry", url=server.url)
    means = {one["gen_ai.evaluation.name"]: one for trace, one in server.named(SUMMARY) if not trace.strip("0")}
    assert {*means} == {*result.metrics}
    score, mean = result["exact-match"], means["exact-match"]
    assert [mean[f"ragauge.{word}"] for word in ("mean", "low", "high", "coverage", "failed", "scored")] == [
        score.value, score.low, score.high, 8 / 11, 1, 8,
    ]  # fmt: skip
    assert means["latency"]["ragauge.direction"] == "lower"


def test_the_span_and_the_response_of_a_sample(server: OtlpServer) -> None:
    ids = {"trace_id": "0af7651916cd43dd8448eb211c80319c", "span_id": "b7ad6b7169203331", "response_id": "chatcmpl-1"}
    rows: list[dict[str, Any]] = [
        {**ids, "answer": "वह चाय उगाती है।", "contexts": ["वह चाय उगाती है।"]},
        {"trace_id": None, "answer": "x", "contexts": ["y"]},
    ]
    result = ragauge.evaluate(rows, "groundedness", evidence=True)
    written = ragauge.export(result, "opentelemetry", url=server.url)
    [event] = [one for one in server.events if one.event_name == RESULT]
    assert (event.trace_id.hex(), event.span_id.hex()) == (ids["trace_id"], ids["span_id"])
    assert attributes(event)["gen_ai.response.id"] == "chatcmpl-1"
    assert attributes(event)["gen_ai.evaluation.explanation"].startswith("supported 1.00: वह चाय")
    assert written.notes == ("1 of 2 samples has no trace, and was left out",)


@pytest.mark.parametrize("prefix", ["", "0x"])
def test_samples_read_from_spans_get_events_on_their_root(server: OtlpServer, prefix: str) -> None:
    trace, root, child = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331", "c7ad6b7169203331"
    context = {"trace_id": prefix + trace}
    spans = [
        {"context": {**context, "span_id": prefix + child}, "parent_id": prefix + root,
         "attributes": {"openinference.span.kind": "RETRIEVER", "retrieval.documents.0.document.content": "茶"}},
        {"context": {**context, "span_id": prefix + root},
         "attributes": {"input.value": "谁种茶？", "output.value": "林婉种茶。"}},
    ]  # fmt: skip
    result = ragauge.evaluate(spans, "groundedness")
    assert not [note for note in result.data.notes if "span_id" in note]
    ragauge.export(result, "opentelemetry", url=server.url)
    [event] = [one for one in server.events if one.event_name == RESULT]
    assert (event.trace_id.hex(), event.span_id.hex()) == (trace, root)


def test_many_events_go_in_several_requests_and_none_is_lost(server: OtlpServer) -> None:
    rows = [{"id": f"{number:032x}", "answer": "x", "references": ["x"]} for number in range(1, 3001)]
    ragauge.export(ragauge.evaluate(rows, "exact-match", resamples=0), "opentelemetry", url=server.url)
    assert len({trace for trace, _ in server.named(RESULT)}) == 3000
    assert server.requests == 7


def test_a_server_that_refuses_is_an_error(server: OtlpServer, result: Result) -> None:
    server.status = 400
    with pytest.raises(UsageError, match="the OTLP server did not take the events; look at url"):
        ragauge.export(result, "opentelemetry", url=server.url)


def test_ids_of_another_form(server: OtlpServer) -> None:
    rows = [{"trace_id": "следа нет", "answer": "x", "references": ["x"]}]
    with pytest.raises(UsageError, match=r"option 'trace' .* must name ids of 32 hexadecimal digits; got 'следа нет'"):
        ragauge.export(ragauge.evaluate(rows, "exact-match"), "opentelemetry", url=server.url)
    rows = [{"trace_id": "a" * 32, "span": "b" * 15, "answer": "x", "references": ["x"]}]
    with pytest.raises(UsageError, match=r"option 'span' .* must name ids of 16 hexadecimal digits"):
        ragauge.export(ragauge.evaluate(rows, "exact-match"), "opentelemetry", url=server.url, span="span")
    rows = [{"trace_id": "a" * 32, "span_id": "None", "answer": "x", "references": ["x"]}]
    written = ragauge.export(ragauge.evaluate(rows, "exact-match"), "opentelemetry", url=server.url)
    assert written.notes == (
        "1 id in column span_id is not of 16 hexadecimal digits: events there are on the trace alone",
    )


def test_the_provider_of_an_application_is_taken() -> None:
    code = """
from opentelemetry._logs import set_logger_provider
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import BatchLogRecordProcessor, InMemoryLogRecordExporter
import ragauge
kept, provider = InMemoryLogRecordExporter(), LoggerProvider()
provider.add_log_record_processor(BatchLogRecordProcessor(kept))
set_logger_provider(provider)
rows = [{"id": f"{number:032x}", "answer": "x", "references": ["x"]} for number in range(1, 5001)]
written = ragauge.export(ragauge.evaluate(rows, "exact-match", resamples=0), "opentelemetry")
assert written.where == "5001 events to the logger provider of this process", written
assert len(kept.get_finished_logs()) == 5001, len(kept.get_finished_logs())
"""
    subprocess.run([sys.executable, "-c", code], check=True)
