"""Scores in Langfuse: real HTTP to a server on this machine that answers as Langfuse's API does."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

import ragauge
from ragauge.errors import OptionError, UsageError
from ragauge.results.result import Result
from tests.cli.running import here
from tests.writers.runs import LABELS, TEXTS, some_result

ACCEPTED: tuple[int, Any] = (202, {"message": "Accepted"})
SCORES, INGESTION = "/api/public/scores", "/api/public/ingestion"


class LangfuseServer:
    """Keeps scores by id, and answers with status and JSON as ``reply(path, turn)`` says."""

    def __init__(self, server: HTTPServer) -> None:
        self.url = server.url_for("")
        self.requests: list[tuple[str, Any, dict[str, str]]] = []
        self.reply: Callable[[str, int], tuple[int, Any]] = lambda path, turn: ACCEPTED
        self.scores: dict[str, dict[str, Any]] = {}
        for path in (SCORES, INGESTION):
            server.expect_request(path, method="POST").respond_with_handler(self._handle)

    def _handle(self, received: Request) -> Response:
        body = received.get_json()
        self.requests.append((received.path, body, dict(received.headers)))
        status, content = self.reply(received.path, len(self.requests))
        if status in (202, 207):
            events = body if received.path == SCORES else [one["body"] for one in body["batch"]]
            self.scores |= {one["id"]: one for one in events}
        return Response(json.dumps(content), status, content_type="application/json")


@pytest.fixture
def server(httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch) -> LangfuseServer:
    monkeypatch.setenv("LANGFUSE_PUBLIC_KEY", "pk-lf-1")
    monkeypatch.setenv("LANGFUSE_SECRET_KEY", "sk-lf-2")
    monkeypatch.setattr("ragauge.endpoints.endpoint._FIRST_WAIT_S", 0.01)
    return LangfuseServer(httpserver)


@pytest.fixture(scope="module")
def result() -> Result:
    return some_result()


def test_each_sample_gets_a_score_for_each_metric(server: LangfuseServer, result: Result) -> None:
    written = ragauge.export(result, "langfuse", url=server.url, name="今天")
    assert written.where == f"44 scores at {server.url}"
    assert written.notes == ("the means were not written: name a dataset run by option 'dataset_run'",)
    by_name = {(one["traceId"], one["name"]): one for one in server.scores.values()}
    assert len(by_name) == 44
    wrong = by_name[f"{20:032x}", "exact-match"]
    assert (wrong["value"], wrong["dataType"], wrong["metadata"]["run"]) == (0.0, "NUMERIC", "今天")
    for number in range(1, len(TEXTS) + 1):
        assert by_name[f"{number:032x}", LABELS[0]]["value"] == 1.0
    assert by_name[f"{1:032x}", "latency"]["metadata"]["direction"] == "lower"
    assert all(headers["Authorization"] == "Basic cGstbGYtMTpzay1sZi0y" for _, _, headers in server.requests)


def test_what_has_no_score_is_no_number(server: LangfuseServer, result: Result) -> None:
    ragauge.export(result, "langfuse", url=server.url)
    statuses = {one["traceId"]: one for one in server.scores.values() if one["name"] == "exact-match status"}
    assert {trace: one["value"] for trace, one in statuses.items()} == {
        f"{21:032x}": "failed",
        f"{22:032x}": "undefined",
        f"{23:032x}": "missing",
    }
    assert statuses[f"{21:032x}"]["comment"] == "超时：\n<b>"
    assert {one["dataType"] for one in statuses.values()} == {"CATEGORICAL"}


def test_writing_a_saved_run_again_replaces_its_scores(server: LangfuseServer, tmp_path: Any, result: Result) -> None:
    result.save(tmp_path / "run", tag="новый")
    ragauge.export(tmp_path / "run", "langfuse", url=server.url)
    first = dict(server.scores)
    ragauge.export(tmp_path / "run", "langfuse", url=server.url)
    assert server.scores == first
    assert len({one["timestamp"] for one in first.values()}) == 1
    result.save(tmp_path / "run", force=True)
    ragauge.export(tmp_path / "run", "langfuse", url=server.url)
    assert len(server.scores) == 2 * len(first)


def test_older_servers_get_batches(server: LangfuseServer, result: Result) -> None:
    def reply(path: str, turn: int) -> tuple[int, Any]:
        return (400, {"message": "Invalid request data"}) if path == SCORES else (207, {"successes": [], "errors": []})

    server.reply = reply
    ragauge.export(result, "langfuse", url=server.url)
    assert [path for path, _, _ in server.requests] == [SCORES, INGESTION]
    [event, *_] = server.requests[1][1]["batch"]
    assert event["type"] == "score-create"
    assert len(server.scores) == 44
    assert len({one["id"] for one in server.requests[1][1]["batch"]}) == 44


def test_requests_are_of_the_size_that_the_server_takes(server: LangfuseServer) -> None:
    rows = [{"id": f"{number:032x}", "failure": "很长" * 3000, "references": ["x"]} for number in range(1, 60)]
    result = ragauge.evaluate([*rows, {"id": "f" * 32, "answer": "x", "references": ["x"]}], ["exact-match", "chrf"])
    ragauge.export(result, "langfuse", url=server.url)
    assert len(server.scores) == 120
    assert len(server.requests) > 2
    assert max(len(json.dumps(body)) for _, body, _ in server.requests) < 1 << 20


def test_a_server_that_is_busy_is_asked_again(server: LangfuseServer, result: Result) -> None:
    server.reply = lambda path, turn: (503, {}) if turn < 3 else ACCEPTED
    ragauge.export(result, "langfuse", url=server.url)
    assert (len(server.requests), len(server.scores)) == (3, 44)
    server.reply = lambda path, turn: (503, {"message": "忙"})
    with pytest.raises(UsageError, match=r"answered 503: .*look at url of writer 'langfuse'"):
        ragauge.export(result, "langfuse", url=server.url, retries=1)


def test_scores_that_are_refused_are_named(server: LangfuseServer, result: Result) -> None:
    server.reply = lambda path, turn: (207, {"accepted": 42, "rejected": 2, "errors": [{"message": "плохо"}]})
    with pytest.raises(UsageError, match="refused 2 of 44 scores: плохо; the others are written"):
        ragauge.export(result, "langfuse", url=server.url)


def test_no_key_is_shown(server: LangfuseServer, result: Result, monkeypatch: pytest.MonkeyPatch) -> None:
    server.reply = lambda path, turn: (401, {"message": "Invalid credentials cGstbGYtMTpzay1sZi0y"})
    with pytest.raises(UsageError) as refused:
        ragauge.export(result, "langfuse", url=server.url)
    assert "401" in str(refused.value)
    assert "cGstbGYtMTpzay1sZi0y" not in str(refused.value)
    monkeypatch.delenv("LANGFUSE_SECRET_KEY")
    with pytest.raises(UsageError, match="the environment variable LANGFUSE_SECRET_KEY is not set"):
        ragauge.export(result, "langfuse", url=server.url)
    monkeypatch.setenv("LANGFUSE_SECRET_KEY", "ключ")
    with pytest.raises(UsageError, match="only printable ASCII can be sent"):
        ragauge.export(result, "langfuse", url=server.url)


def test_means_go_to_a_dataset_run(server: LangfuseServer, result: Result) -> None:
    written = ragauge.export(result, "langfuse", url=server.url, dataset_run="run-1", environment="ci")
    assert written.notes == ()
    means = {one["name"]: one for one in server.scores.values() if one.get("datasetRunId") == "run-1"}
    assert {name: one["value"] for name, one in means.items()} == {name: result[name].value for name in result.metrics}
    assert means["exact-match"]["comment"] == (
        "95 % interval [0.53, 0.98]; 8 of 11 scored, 1 failed, 1 missing, 1 undefined; higher is better"
    )
    assert means["latency"]["metadata"]["direction"] == "lower"
    assert {one["environment"] for one in server.scores.values()} == {"ci"}


def test_the_evidence_is_the_comment(server: LangfuseServer) -> None:
    rows = [{"trace_id": "любой", "observation_id": "o1", "answer": "Anna was born in 1991.",
             "contexts": ["Anna was born in 1990."]}, {"answer": "林婉种茶。", "contexts": ["林婉种茶。"]}]  # fmt: skip
    result = ragauge.evaluate(rows, "groundedness", evidence=True)
    written = ragauge.export(result, "langfuse", url=server.url)
    [score] = server.scores.values()
    assert (score["traceId"], score["observationId"]) == ("любой", "o1")
    assert score["comment"].startswith("not supported 0.01: Anna was born in 1991. | Anna was born in 1990. | the ")
    assert written.notes[0] == "1 of 2 samples has no trace, and was left out"


def test_ids_of_opentelemetry_are_those_of_langfuse(server: LangfuseServer) -> None:
    trace, span = "0e50" + "a" * 28, "b" * 16
    rows = [{"trace_id": f"0x{trace}", "observation_id": f"0x{span}", "answer": "a", "references": ["a"]}]
    result = ragauge.evaluate(rows, "exact-match", resamples=0)
    ragauge.export(result, "langfuse", url=server.url)
    [score] = server.scores.values()
    assert (score["traceId"], score["observationId"]) == (trace, span)


@pytest.mark.parametrize("answer", [[], None, {"errors": "x", "rejected": "y"}, {"errors": ["x"]}])
def test_an_answer_of_another_server_is_told(answer: Any, server: LangfuseServer, result: Result) -> None:
    server.reply = lambda path, turn: (200, answer)
    with pytest.raises(UsageError, match="did not answer as Langfuse does; look at url of writer 'langfuse'"):
        ragauge.export(result, "langfuse", url=server.url)


def test_wrong_options(server: LangfuseServer) -> None:
    result = ragauge.evaluate([{"id": "q1", "answer": "x", "references": ["x"]}], "exact-match")
    with pytest.raises(UsageError, match=r"no sample has a trace: id holds no id of one; .* trace=my_column"):
        ragauge.export(result, "langfuse", url=server.url)
    with pytest.raises(UsageError, match="option 'trace' of writer 'langfuse' must be a column of the data"):
        ragauge.export(result, "langfuse", url=server.url, trace="nothing")
    with pytest.raises(UsageError, match="option 'span' of writer 'langfuse' must be a column of the data"):
        ragauge.export(result, "langfuse", url=server.url, trace="id", span="nothing")
    with pytest.raises(OptionError, match="option 'url' of writer 'langfuse' must be an address"):
        ragauge.export(result, "langfuse", url="localhost")
    ragauge.export(result, "langfuse", url=server.url, trace="id")
    assert [one["traceId"] for one in server.scores.values()] == ["q1"]


def test_from_the_command_line(
    server: LangfuseServer, result: Result, capsys: pytest.CaptureFixture[str], tmp_path: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    result.save(tmp_path / "run")
    monkeypatch.setenv("LANGFUSE_BASE_URL", server.url)
    done = here(capsys, "export", tmp_path / "run", "--to", "langfuse[environment=ci]")
    assert (done.code, done.out) == (0, f"langfuse: 44 scores at {server.url}\n")
    assert "langfuse: the means were not written" in done.err
