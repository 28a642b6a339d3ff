"""Batch endpoints on this machine, in the form that OpenAI and Anthropic document: resumed, expired, failed, killed."""

from __future__ import annotations

import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request as Received
from werkzeug import Response

import ragauge
from ragauge.errors import UsageError
from ragauge.judges import FunctionJudge, Price, Session
from ragauge.judges.chat import Chat
from ragauge.judges.jury import Jury
from tests.cli.running import here, write_rows

from .conftest import chat_answer, no_complaint, question

METRIC = "judged-groundedness-rating"
ROWS = [
    {"id": str(place), "question": "What is tea?", "answer": f"Tea {place} is hot.", "contexts": [f"Tea {place}."]}
    for place in range(12)
]


def no(status: int = 404) -> Response:
    return Response('{"error": {"message": "there is no such thing"}}', status, content_type="application/json")


class BatchServer:
    """Both protocols of batches, in memory.

    ``polls``: how often a batch is still under way; ``result(body, turn)`` returns the status and the body of a
    request's answer, or ``expired`` or ``cancelled``; ``status``: of batches that have ended; ``before(method, path)``
    is called before each request is answered, and may return an answer of its own.
    """

    def __init__(self, http: HTTPServer) -> None:
        self.openai, self.anthropic = http.url_for("/v1"), http.url_for("/v1/messages")
        self.files: dict[str, str] = {}
        self.batches: dict[str, dict[str, Any]] = {}
        self.live: list[Any] = []
        self.sent: list[list[str]] = []
        self.keys: set[Any] = set()
        self.polls = 1
        self.page = 100
        self.status = "completed"
        self.before: Callable[[str, str], Response | None] = lambda method, path: None
        self.result: Callable[[Any], Any] = lambda body: (200, answered(body))
        self._lock = threading.Lock()
        http.expect_request(re.compile("/v1/.*")).respond_with_handler(self._handle)

    def judge(self, url: str = "", **options: Any) -> Chat:
        return Chat(url=url or self.openai, model="m", retries=0, **options)

    def scored(self, folder: Path, url: str = "", rows: Any = ROWS, **limits: Any) -> Any:
        with Session(folder / "judge.sqlite", batch=True, **limits) as session:
            return ragauge.evaluate(rows, METRIC, judge=self.judge(url), session=session, resamples=0)

    def _handle(self, received: Received) -> Response:
        path = received.path.removeprefix("/v1")
        own = self.before(received.method, path)
        if own is not None:
            return own
        with self._lock:
            self.keys.add(received.headers.get("Authorization") or received.headers.get("X-Api-Key"))
            content = self._answer(received, path)
        if isinstance(content, Response):
            return content
        text = content if isinstance(content, str) else json.dumps(content)
        return Response(text, 200, content_type="application/json")

    def _answer(self, received: Received, path: str) -> Any:  # noqa: PLR0911 - one for each path
        if path in ("/chat/completions", "/messages"):
            self.live.append(received.get_json())
            return answered(self.live[-1])
        if path == "/files":
            assert received.form["purpose"] == "batch"
            name = f"file-{len(self.files)}"
            self.files[name] = received.files["file"].read().decode()
            return {"id": name, "object": "file", "purpose": "batch"}
        if (path, received.method) in (("/batches", "POST"), ("/messages/batches", "POST")):
            return self._begun(received.get_json())
        if path == "/batches":
            names = list(self.batches)[::-1]  # the newest first
            names = names[names.index(received.args["after"]) + 1 if "after" in received.args else 0 :]
            page = names[: min(int(received.args["limit"]), self.page)]
            data = [self._shown(name) for name in page]
            return {"object": "list", "data": data, "has_more": len(names) > len(page)}
        if match := re.fullmatch("/files/(.*)/content", path):
            return self.files.get(match[1], no())
        if match := re.fullmatch("/messages/batches/(.*)/results", path):
            return self._results(match[1], of_anthropic)
        match = re.fullmatch("(?:/messages)?/batches/(.*)", path)
        if match is None or match[1] not in self.batches:
            return no()
        self.batches[match[1]]["polls"] -= 1
        return self._shown(match[1])

    def _begun(self, body: Any) -> Any:
        if "requests" in body:
            requests = {one["custom_id"]: one["params"] for one in body["requests"]}
            assert all(re.fullmatch("[a-zA-Z0-9_-]{1,64}", name) for name in requests)
        else:
            assert body["endpoint"] == "/v1/chat/completions"
            assert body["completion_window"] == "24h"
            lines = [json.loads(line) for line in self.files[body["input_file_id"]].splitlines()]
            assert {(line["method"], line["url"]) for line in lines} == {("POST", "/v1/chat/completions")}
            requests = {line["custom_id"]: line["body"] for line in lines}
        name = f"batch_{len(self.batches)}"
        self.batches[name] = {"requests": requests, "polls": self.polls, "metadata": body.get("metadata")}
        self.sent.append(list(requests))
        return self._shown(name)

    def _shown(self, name: str) -> Any:
        batch = self.batches[name]
        ended = batch["polls"] < 0
        shown = {"id": name, "object": "batch", "metadata": batch["metadata"]}
        shown |= {"processing_status": "ended" if ended else "in_progress", "status": "in_progress"}
        if ended:
            shown["status"] = self.status
            for kind, good in (("output", True), ("error", False)):
                content = self._results(name, of_openai, good=good)
                self.files[f"{name}-{kind}"] = content
                # A file without a line is not made.
                if content and self.status != "failed":
                    shown[f"{kind}_file_id"] = f"{name}-{kind}"
            shown |= {"errors": {"data": [{"code": "model_not_found", "message": "The model has no batches"}]}}
        return shown

    def _results(self, name: str, form: Callable[[str, Any], Any], *, good: bool | None = None) -> str:
        batch = self.batches[name]
        if "results" not in batch:
            batch["results"] = {key: self.result(body) for key, body in batch["requests"].items()}
        kept = {key: one for key, one in batch["results"].items() if good in (None, isinstance(one, tuple))}
        # In another order than they were sent.
        return "\n".join([json.dumps(form(key, one)) for key, one in list(kept.items())[::-1] if one is not None])


def answered(body: Any) -> Any:
    """Return what the model of a request's protocol says: a rating of 2 for each even number in the answer."""
    number = int(re.findall(r"Tea (\d+) is hot", json.dumps(body))[-1])
    rating = json.dumps({"rating": 2 * (number % 2)})
    if "system" in body:
        return {
            "content": [{"type": "text", "text": rating}],
            "stop_reason": "end_turn",
            "usage": {"input_tokens": 100, "output_tokens": 10},
        }
    return {**chat_answer(rating), "usage": {"prompt_tokens": 100, "completion_tokens": 10}}


def of_openai(key: str, result: Any) -> Any:
    if isinstance(result, tuple):
        return {"custom_id": key, "response": {"status_code": result[0], "body": result[1]}, "error": None}
    return {"custom_id": key, "response": None, "error": {"code": f"batch_{result}", "message": "too late"}}


def of_anthropic(key: str, result: Any) -> Any:
    if isinstance(result, str):
        return {"custom_id": key, "result": {"type": result.replace("lled", "led")}}
    status, body = result
    if status == 200:
        return {"custom_id": key, "result": {"type": "succeeded", "message": body}}
    error = {"type": "error", "error": {"type": "invalid_request_error", "message": body["error"]["message"]}}
    return {"custom_id": key, "result": {"type": "errored", "error": error}}


@pytest.fixture
def served(listening: HTTPServer, monkeypatch: pytest.MonkeyPatch) -> BatchServer:
    from ragauge.judges import batches

    monkeypatch.setattr(batches, "_FIRST_WAIT_S", 0.01)
    monkeypatch.setattr(batches, "_LONGEST_WAIT_S", 0.05)
    listening.clear()
    return BatchServer(listening)


PROTOCOLS = ("openai", "anthropic")


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_all_but_the_first_question_go_in_one_batch(
    served: BatchServer, tmp_path: Path, protocol: str, monkeypatch: Any
) -> None:
    monkeypatch.setenv("RAGAUGE_JUDGE_API_KEY", "key-1234567")
    plain = ragauge.evaluate(ROWS, METRIC, judge=served.judge(getattr(served, protocol)), resamples=0).table[0]
    asked = sorted(json.dumps(body, sort_keys=True) for body in served.live)
    served.live.clear()
    result = served.scored(tmp_path, getattr(served, protocol), price=Price(10, 100))
    [score] = result.table
    assert (score.value, score.signature, score.scored) == (plain.value, plain.signature, 12)
    assert (len(served.live), [len(names) for names in served.sent]) == (1, [11])
    [batch] = served.batches.values()
    bodies = [*served.live, *batch["requests"].values()]
    # Each request is what it would be by itself.
    assert sorted(json.dumps(body, sort_keys=True) for body in bodies) == asked
    assert served.keys == {"Bearer key-1234567" if protocol == "openai" else "key-1234567"}
    # All are counted, at half the price.
    used = result.options["judge"]
    assert (used["calls"], used["cached"], used["prompt_tokens"], used["completion_tokens"]) == (12, 0, 1200, 120)
    assert used["cost"] == pytest.approx((1200 * 10 + 120 * 100) / 2 / 1e6)
    # The answers are in the cache: nothing is sent any more, with or without batches.
    again = served.scored(tmp_path, getattr(served, protocol))
    assert (again.table[0].value, again.options["judge"]["calls"]) == (plain.value, 0)
    with Session(tmp_path / "judge.sqlite", offline=True) as session:
        offline = ragauge.evaluate(
            ROWS, METRIC, judge=served.judge(getattr(served, protocol)), session=session, resamples=0
        )
    assert offline.table[0].value == plain.value
    assert (len(served.live), len(served.sent)) == (1, 1)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_what_failed_in_a_batch_fails_with_the_reason(served: BatchServer, tmp_path: Path, protocol: str) -> None:
    def result(body: Any) -> Any:
        number = int(re.findall(r"Tea (\d+) is hot", json.dumps(body))[-1])
        broken: dict[int, Any] = {
            3: (400, {"error": {"message": "that word is not allowed"}}),
            5: (200, {"nonsense": 1}),
            6: "cancelled",
            7: None,
        }
        return broken.get(number, (200, answered(body)))

    served.result = result
    found = served.scored(tmp_path, getattr(served, protocol))
    assert (found.table[0].scored, found.table[0].failed) == (8, 4)
    reasons = found.reasons(METRIC)
    assert re.match("http-400: .*that word is not allowed", reasons[3])
    assert re.match("(no-answer|empty): ", reasons[5])
    assert reasons[6] == "cancelled: its batch was cancelled"
    assert reasons[7] == "no-answer: the results of the batch lack it"
    # The same command sends these again, and only these: the first alone, because no answer has shown the form yet.
    served.result = lambda body: (200, answered(body))
    again = served.scored(tmp_path, getattr(served, protocol))
    assert again.table[0].scored == 12
    assert (len(served.live), [len(names) for names in served.sent]) == (2, [11, 3])


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_an_expired_batch_is_sent_again_for_the_rest_only(served: BatchServer, tmp_path: Path, protocol: str) -> None:
    late = {4, 8}

    def result(body: Any) -> Any:
        number = int(re.findall(r"Tea (\d+) is hot", json.dumps(body))[-1])
        expires = number in late and len(served.sent) == 1
        return "expired" if expires else (200, answered(body))

    served.result, served.status = result, "expired"
    found = served.scored(tmp_path, getattr(served, protocol))
    assert found.table[0].scored == 12
    assert [len(names) for names in served.sent] == [11, 2]
    assert set(served.sent[1]) < set(served.sent[0])
    assert len(served.live) == 1


def test_a_batch_that_always_expires_is_given_up(served: BatchServer, tmp_path: Path) -> None:
    served.result, served.status = lambda body: "expired", "expired"
    found = served.scored(tmp_path)
    assert [len(names) for names in served.sent] == [11, 11, 11]
    assert (found.table[0].scored, found.table[0].failed) == (1, 11)
    assert set(found.reasons(METRIC).values()) == {"expired: its batches were not answered in time"}


def test_a_batch_that_the_server_refuses_fails_with_its_words(served: BatchServer, tmp_path: Path) -> None:
    served.status = "failed"
    found = served.scored(tmp_path)
    assert set(found.reasons(METRIC).values()) == {"batch-failed: The model has no batches"}
    served.status = "completed"
    served.before = lambda method, path: no(500) if (method, path) == ("POST", "/batches") else None
    found = served.scored(tmp_path)
    assert found.table[0].failed == 10
    assert all(reason.startswith("http-500: ") for reason in found.reasons(METRIC).values())
    served.before = lambda method, path: no(404) if (method, path) == ("POST", "/files") else None
    with pytest.raises(UsageError, match="/v1/files answered 404"):
        served.scored(tmp_path)
    # Nothing is left behind.
    served.before = lambda method, path: None
    assert served.scored(tmp_path).table[0].scored == 12


def test_a_batch_whose_id_did_not_come_in_time_is_found(
    served: BatchServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from ragauge.judges import batch_servers

    monkeypatch.setattr(batch_servers, "_FILE_S", 0.5)
    plain = served._begun

    def begun(body: Any) -> Any:
        made = plain(body)
        time.sleep(1)
        return made

    served._begun = begun  # type: ignore[method-assign]
    with Session(tmp_path / "judge.sqlite", batch=True) as session:
        judge = served.judge(timeout=0.5)
        found = ragauge.evaluate(ROWS, METRIC, judge=judge, session=session, resamples=0)
    assert (found.table[0].scored, [len(names) for names in served.sent]) == (12, [11])


@pytest.mark.parametrize("others", [0, 2, 5])
def test_a_batch_whose_answer_was_cut_off_is_not_paid_twice(served: BatchServer, tmp_path: Path, others: int) -> None:
    plain, served.page = served._begun, 2

    def begun(body: Any) -> Any:
        plain(body)
        for number in range(others):  # of other programs, meanwhile
            served.batches[f"other_{number}"] = {"requests": {}, "polls": 0, "metadata": None}
        return Response(iter([b'{"id": "ba']), headers={"Content-Length": "500"}, content_type="application/json")

    served._begun = begun  # type: ignore[method-assign]
    found = served.scored(tmp_path)
    assert found.reasons(METRIC) == {}
    assert (found.table[0].scored, [len(names) for names in served.sent]) == (12, [11])


@pytest.mark.parametrize("status", [429, 503])
@pytest.mark.parametrize("path", ["/files", "/batches", "/messages/batches"])
def test_a_batch_that_a_busy_server_did_not_take_is_sent_again(
    served: BatchServer, tmp_path: Path, status: int, path: str
) -> None:
    refused: list[str] = []

    def before(method: str, asked: str) -> Response | None:
        if (method, asked) == ("POST", path) and not refused:
            refused.append(asked)
            return no(status)
        return None

    served.before = before
    url = served.anthropic if path == "/messages/batches" else served.openai
    with Session(tmp_path / "judge.sqlite", batch=True) as session:
        judge = Chat(url=url, model="m", retries=1)
        found = ragauge.evaluate(ROWS, METRIC, judge=judge, session=session, resamples=0)
    assert refused == [path]
    assert (found.table[0].scored, [len(names) for names in served.sent]) == (12, [11])


def test_questions_that_follow_from_answers_are_the_next_batch(served: BatchServer, tmp_path: Path) -> None:
    def said(body: Any) -> Any:
        text = body["messages"][-1]["content"]
        if '"rating"' in text:
            return {"rating": 1}
        if "Claims:" in text:
            return {"claims": [{"claim": 1, "passages": [1]}, {"claim": 2, "passages": []}]}
        return {"claims": ["It is hot.", "It is wet."]}

    served.result = lambda body: (200, chat_answer(said(body)))
    served.before = lambda method, path: None
    plain, live = served._answer, []

    def answer(received: Received, path: str) -> Any:
        if path == "/chat/completions":
            live.append(received.get_json())
            return chat_answer(said(live[-1]))
        return plain(received, path)

    served._answer = answer  # type: ignore[method-assign]
    with Session(tmp_path / "judge.sqlite", batch=True) as session:
        result = ragauge.evaluate(
            ROWS, ["judged-faithfulness:claims=judge", METRIC.replace("groundedness", "context")],
            judge=served.judge(), session=session, resamples=0,
        )  # fmt: skip
    assert result.table[0].value == 0.5
    # The first claims and the first rating were asked alone, so the support of the first claims is in the first batch.
    assert [len(names) for names in served.sent] == [11 + 11 + 1, 11]
    assert len(live) == 2


def test_each_judge_of_a_jury_has_its_batch(served: BatchServer, tmp_path: Path) -> None:
    jury = Jury((served.judge(served.openai), served.judge(served.anthropic)))
    with Session(tmp_path / "judge.sqlite", batch=True) as session:
        result = ragauge.evaluate(ROWS, METRIC, judge=jury, session=session, resamples=0)
    assert (result.table[0].value, result.table[0].scored) == (0.5, 12)
    assert [len(names) for names in served.sent] == [11, 11]


def test_a_wrong_reply_is_asked_for_once_more_in_a_batch(served: BatchServer, tmp_path: Path) -> None:
    served.result = lambda body: (
        200,
        chat_answer({"rating": 9}) if len(body["messages"]) < 4 else answered({"messages": body["messages"][:2]}),
    )
    found = served.scored(tmp_path)
    assert found.table[0].scored == 12
    assert [len(names) for names in served.sent] == [11, 11]


def test_limits_hold_for_batches(served: BatchServer, tmp_path: Path) -> None:
    found = served.scored(tmp_path, max_calls=5)
    assert (len(served.live), sum(map(len, served.sent))) == (1, 4)
    assert (found.table[0].scored, found.table[0].failed) == (5, 7)
    assert all(reason.startswith("budget: ") for reason in found.reasons(METRIC).values())


def command(folder: Path, served: BatchServer, *more: str) -> list[str]:
    data = write_rows(folder / "data.jsonl", ROWS)
    judge = ("--judge", served.openai, "--judge-model", "m", "--judge-batch", "--judge-cache", "judge.sqlite")
    return [sys.executable, "-m", "ragauge", "score", str(data), "-m", METRIC, *judge, "--output-format", "json", *more]


@pytest.mark.parametrize("moment", ["under way", "sent, and not known to be"])
def test_after_kill_9_the_same_command_goes_on(served: BatchServer, tmp_path: Path, moment: str) -> None:
    served.polls = 10**9
    hold, seen = threading.Event(), threading.Event()

    def before(method: str, path: str) -> None:
        if moment == "under way" and method == "GET" and path.startswith("/batches/"):
            seen.set()
        if moment != "under way" and (method, path) == ("GET", "/batches/x"):
            seen.set()

    served.before = before
    plain = served._begun

    def begun(body: Any) -> Any:
        made = plain(body)
        if moment != "under way":
            seen.set()
            hold.wait(60)
        return made

    served._begun = begun  # type: ignore[method-assign]
    with subprocess.Popen(
        command(tmp_path, served), cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    ) as running:
        assert seen.wait(60)
        os.kill(running.pid, signal.SIGKILL)
        running.communicate(timeout=60)
    hold.set()
    served._begun = plain  # type: ignore[method-assign]
    for batch in served.batches.values():
        batch["polls"] = 0
    done = subprocess.run(command(tmp_path, served), cwd=tmp_path, capture_output=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    printed = json.loads(done.stdout)
    assert (printed["metrics"][0]["value"], printed["metrics"][0]["scored"]) == (0.5, 12)
    # One question was asked alone, all others in the one batch that was sent before.
    assert (len(served.live), [len(names) for names in served.sent]) == (1, [11])
    with closing(sqlite3.connect(tmp_path / "judge.sqlite.batches")) as connection, connection:
        assert connection.execute("SELECT count(*) FROM batches").fetchone() == (0,)


def test_the_plan_has_half_the_price(served: BatchServer, tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    monkeypatch.chdir(tmp_path)
    write_rows(tmp_path / "data.jsonl", ROWS)
    judge = ("--judge", served.openai, "--judge-model", "m", "--price-in", 1, "--price-out", 2)
    call = ("score", "data.jsonl", "-m", METRIC, *judge, "--output-format", "json", "--dry-run")
    whole, half = (here(capsys, *call, *more).json["dry_run"][-1] for more in ((), ("--judge-batch",)))
    assert half["cost"] == pytest.approx(whole["cost"] / 2, abs=1e-6)
    assert half["requests"] == whole["requests"] == 12
    assert served.live == []


def test_what_has_no_batches_says_so(served: BatchServer, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="needs a file that caches replies"):
        Session(batch=True)
    with Session(tmp_path / "cache", batch=True) as session:
        for judge in (
            FunctionJudge(lambda messages: '{"rating": 1}', "f"),
            Chat(url=f"{served.openai[:-3]}/api/chat", model="m"),
        ):
            with pytest.raises(UsageError, match="needs a server that takes batches"):
                ragauge.evaluate(ROWS, METRIC, judge=judge, session=session, resamples=0)
    with Session(tmp_path / "other", batch=True) as session, pytest.raises(UsageError, match="in one process"):
        served.judge().ask([question("how many?")], no_complaint, session)
    (tmp_path / "judge.sqlite.batches").write_bytes(b"nonsense" * 1000)
    with pytest.raises(UsageError, match="cannot be read"):
        served.scored(tmp_path)


HOSTILE = [b"", b"nonsense", b"[]", b'{"id": 5}', b'{"status": "odd", "id": "b"}', b"[" * 100_000, b'{"id": "../../x"}']


@pytest.mark.parametrize("content", HOSTILE)
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_hostile_server_ends_with_reasons(served: BatchServer, tmp_path: Path, content: bytes, protocol: str) -> None:
    def before(method: str, path: str) -> Response | None:
        return None if path in ("/chat/completions", "/messages") else Response(content, 200)

    served.before = before
    begun = time.monotonic()
    found = served.scored(tmp_path, getattr(served, protocol))
    assert time.monotonic() - begun < 30
    assert found.table[0].failed == 11
    assert all(len(reason) < 1500 for reason in found.reasons(METRIC).values())
