"""The chat endpoint against a real HTTP server: each thing that goes wrong has its status and its reason."""

from __future__ import annotations

import json
import math
import socket
import threading
import time
from contextlib import closing
from typing import Any

import pytest
from pytest_httpserver import HTTPServer

from ragauge.cli.judging import judge_text
from ragauge.endpoints.endpoint import Endpoint
from ragauge.errors import OptionError, UsageError
from ragauge.judges import Session, get
from ragauge.judges.chat import Chat

from .conftest import ChatServer, chat_answer, no_complaint, question


def test_a_request_and_its_reply(server: ChatServer) -> None:
    server.reply = lambda body, turn: chat_answer({"n": 42})
    reply = server.asked()
    assert (reply.value, reply.usage, reply.structured, reply.requests) == ({"n": 42}, (11, 5), "json_schema", 1)
    assert reply.seconds > 0
    body = server.bodies[0]
    assert (body["model"], body["temperature"], body["seed"], body["max_tokens"]) == ("m", 0.0, 0, 1024)
    assert body["messages"] == [{"role": "user", "content": "how many?"}]
    assert body["response_format"]["json_schema"]["schema"]["additionalProperties"] is False


def test_replies_keep_their_order_however_they_come(server: ChatServer) -> None:
    def reply(body: Any, turn: int) -> Any:
        text = body["messages"][0]["content"]
        time.sleep(0.002 * (hash(text) % 7))
        return chat_answer({"n": int(text)})

    server.reply = reply
    replies = server.judge(parallel=16).ask([question(str(number)) for number in range(60)], no_complaint)
    assert [one.value["n"] for one in replies] == list(range(60))


@pytest.mark.parametrize("status", [408, 409, 425, 429, 500, 502, 503, 504, 529])
def test_what_passes_is_sent_again(server: ChatServer, waits: list[float], status: int) -> None:
    server.reply = lambda body, turn: (status, {"error": "later"}, {}) if turn < 3 else chat_answer({"n": 1})
    assert server.asked().ok
    assert len(server.bodies) == 3
    assert 0.5 <= waits[0] <= 1 <= waits[1] <= 2


def test_retry_after_is_waited_for(server: ChatServer, waits: list[float]) -> None:
    server.reply = lambda body, turn: (429, {}, {"Retry-After": "7"}) if turn == 1 else chat_answer({"n": 1})
    assert server.asked().ok
    assert waits[0] >= 7


@pytest.mark.parametrize(
    ("seconds", "told"), [(4, []), (7, ["the judge's server asks to wait 7 s (429); requests go on after that"])]
)
def test_a_long_wait_is_told_once(
    server: ChatServer, waits: list[float], caplog: pytest.LogCaptureFixture, seconds: int, told: list[str]
) -> None:
    server.reply = lambda body, turn: (429, {}, {"Retry-After": str(seconds)}) if turn < 4 else chat_answer({"n": 1})
    assert server.asked().ok
    assert [record.message for record in caplog.records if record.name == "ragauge"] == told


@pytest.mark.parametrize(("status", "code"), [(500, "http-500"), (503, "http-503"), (429, "http-429")])
def test_an_error_that_stays_is_the_reason(server: ChatServer, waits: list[float], status: int, code: str) -> None:
    server.reply = lambda body, turn: (status, {"error": "overloaded"}, {})
    reply = server.asked(retries=2)
    assert (reply.status, reply.code, reply.value) == ("failed", code, None)
    assert "overloaded" in reply.reason
    # An error of the server may be one of its grammars, so the other two forms are tried as often.
    assert len(server.bodies) == {429: 21, 500: 9, 503: 3}[status]


@pytest.mark.parametrize(
    ("status", "body", "headers"),
    [
        (402, "pay first", {}),
        (429, '{"error": {"code": "insufficient_quota"}}', {}),
        (429, "come back tomorrow", {"Retry-After": "40000"}),
    ],
)
def test_an_empty_account_stops_the_run(server: ChatServer, status: int, body: str, headers: Any) -> None:
    server.reply = lambda _body, turn: (status, body.encode(), headers)
    replies = server.judge(parallel=1).ask([question(str(number)) for number in range(5)], no_complaint)
    assert [reply.code for reply in replies] == ["quota"] * 5
    assert len(server.bodies) == 1


@pytest.mark.parametrize("status", [401, 403, 404])
def test_a_wrong_key_address_or_model_is_an_error_at_once(server: ChatServer, status: int) -> None:
    server.reply = lambda body, turn: (status, {"error": "no"}, {})
    with pytest.raises(UsageError, match=f"answered {status}.*url, model and key of judge 'chat'"):
        server.asked()
    assert len(server.bodies) == 1


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b'{"choices": []}', "empty"),
        (b'{"choices": [{"message": {"content": null}}]}', "empty"),
        (b'{"choices": [{"message"', "no-answer"),
        (b"[1]", "no-answer"),
        (b"[" * 100_000, "no-answer"),
        (b'{"choices": [{"message": {"content": "\\ud800"}}]}', "malformed"),
        (b"", "no-answer"),
    ],
)
def test_an_answer_that_is_none(server: ChatServer, waits: list[float], content: bytes, code: str) -> None:
    server.reply = lambda body, turn: content
    assert server.asked().code == code


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ('{"n": 1', "malformed"),
        ('{"n": "one"}', "malformed"),
        ('{"n": 1e999}', "malformed"),
        ('{"n": 1, "n": 2}', 'malformed: the reply gives "n" two values: \'{"n": 1, "n": 2}\''),
        ("yes", "malformed"),
        ("[" * 100_000, "malformed"),
    ],
)
def test_a_reply_of_another_form_is_asked_for_once_more(server: ChatServer, text: str, code: str) -> None:
    server.reply = lambda body, turn: chat_answer(text)
    reply = server.asked()
    assert code in (reply.code, reply.reason)
    assert (reply.requests, reply.usage) == (2, (22, 10))
    assert server.bodies[1]["messages"][1]["content"] == text
    server.reply = lambda body, turn: chat_answer({"n": 3})
    assert server.asked().value == {"n": 3}


@pytest.mark.parametrize(
    "text",
    [
        'Sure! ```json\n{"n": 1}\n```',
        '<think>{"n": 7} or {"n": 8}?</think>{"n": 1}',
        'The count is:\n{"n": 1}\nI hope this helps {you}.',
        '{"note": "猫 ١ раз 하나 एक หนึ่ง", "n": 1}',
        '\ufeff{"n": 1}',
        '{"n": 1, "n": 1}',
    ],
)
def test_words_around_json(server: ChatServer, text: str) -> None:
    server.reply = lambda body, turn: chat_answer(text)
    reply = server.asked()
    assert (reply.value["n"], reply.requests) == (1, 1)


def test_a_reply_that_is_cut_gets_more_room(server: ChatServer) -> None:
    server.reply = lambda body, turn: chat_answer('{"n": 12', finish="length") if turn == 1 else chat_answer({"n": 123})
    assert server.asked().value == {"n": 123}
    assert [body["max_tokens"] for body in server.bodies] == [1024, 2048]
    for text in ('{"n": 12', '{"n": {"m": 1}', '[{"m": 1}, {"m"'):
        cut = chat_answer(text, finish="length")
        server.reply = lambda body, turn: cut  # noqa: B023 - it is asked before the next text comes
        assert server.asked().code == "truncated"


@pytest.mark.parametrize("thoughts", ["", "<think>First {", "Let me see: the"])
def test_a_model_that_was_still_thinking_gets_room_to_think(server: ChatServer, thoughts: str) -> None:
    server.reply = lambda body, turn: chat_answer(thoughts, finish="length") if turn == 1 else chat_answer({"n": 1})
    assert server.asked().value == {"n": 1}
    assert [body["max_tokens"] for body in server.bodies] == [1024, 4096]


def test_refusals_and_filters(server: ChatServer) -> None:
    server.reply = lambda body, turn: chat_answer(None, refusal="I cannot help with that.")
    assert server.asked().reason == "refused: I cannot help with that."
    server.reply = lambda body, turn: chat_answer("", finish="content_filter")
    assert server.asked().code == "content-filter"
    filtered = {"error": {"code": "content_filter", "message": "The response was filtered"}}
    server.reply = lambda body, turn: (400, filtered, {})
    assert server.asked().code == "content-filter"
    server.reply = lambda body, turn: (403, {"error": {"message": "Input was flagged by moderation"}}, {})
    assert server.asked().code == "content-filter"
    # A proxy may leave the code out.
    proxied = {"error": {"code": "400", "message": "The prompt triggered our content management policy."}}
    server.reply = lambda body, turn: (400, proxied, {})
    assert server.asked().code == "content-filter"
    assert len(server.bodies) == 5


def test_a_question_that_is_too_long_fails_alone(server: ChatServer) -> None:
    too_long = {"error": {"code": "context_length_exceeded", "message": "maximum context length is 4096 tokens"}}
    server.reply = lambda body, turn: (
        (400, too_long, {}) if "long" in body["messages"][0]["content"] else chat_answer({"n": 1})
    )
    replies = server.judge().ask([question(f"long {number}") for number in range(30)] + [question("b")], no_complaint)
    assert {reply.code for reply in replies[:30]} == {"too-long"}
    assert replies[30].ok
    assert len(server.bodies) == 31


def test_a_server_without_schemas_gets_json_or_text(server: ChatServer) -> None:
    def reply(body: Any, turn: int) -> Any:
        form = body.get("response_format", {}).get("type")
        return (400, {"error": f"response_format {form} is not supported"}, {}) if form else chat_answer({"n": 1})

    server.reply = reply
    judge = server.judge()
    assert "output=auto" in judge.signature
    replies = judge.ask([question(str(number)) for number in range(40)], no_complaint)
    assert {reply.structured for reply in replies} == {"parsed"}
    assert "output=parsed" in judge.signature
    assert len(server.bodies) == 42


def test_parameters_that_a_model_refuses_are_left_out(server: ChatServer) -> None:
    def reply(body: Any, turn: int) -> Any:
        if "max_tokens" in body:
            return 400, {"error": "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."}, {}
        if "temperature" in body:
            return 400, {"error": "Unsupported value: 'temperature' does not support 0."}, {}
        return chat_answer({"n": 1})

    server.reply = reply
    judge = server.judge()
    assert judge.ask([question("a"), question("b")], no_complaint)[1].ok
    assert server.bodies[-1]["max_completion_tokens"] == 1024
    assert "refused=temperature" in judge.signature
    assert len(server.bodies) == 4


def test_what_no_dialect_helps_is_the_reason(server: ChatServer) -> None:
    server.reply = lambda body, turn: (400, {"error": "bad request"}, {})
    reply = server.asked()
    assert reply.code == "http-400"
    assert "bad request" in reply.reason
    server.bodies.clear()
    assert server.asked(output="parsed").code == "http-400"
    # Once as it is, and without seed, temperature, and the older name of max_tokens.
    assert len(server.bodies) == 4


def test_probabilities_of_labels(server: ChatServer) -> None:
    tops = [{"token": "1", "logprob": -0.2}, {"token": "0", "logprob": -1.7}]
    answer = chat_answer({"n": 1})
    tokens = [{"token": '{"n'}, {"token": '": '}, {"token": "1", "top_logprobs": tops}, {"token": "}"}]
    answer["choices"][0]["logprobs"] = {"content": tokens}
    server.reply = lambda body, turn: answer
    [reply] = server.judge().ask([question("a", label="n", labels=("0", "1"))], no_complaint)
    assert (reply.label_probabilities or {})["1"] == pytest.approx(0.8176, abs=1e-3)
    assert server.bodies[0]["top_logprobs"] == 20
    del answer["choices"][0]["logprobs"]
    [reply] = server.judge().ask([question("a", label="n", labels=("0", "1"))], no_complaint)
    assert (reply.ok, reply.label_probabilities) == (True, None)


def test_an_answer_that_is_late_is_asked_for_once_more(server: ChatServer) -> None:
    answered = threading.Event()

    def reply(body: Any, turn: int) -> Any:
        if turn != 3:
            answered.wait(10)
        return chat_answer({"n": 1})

    server.reply = reply
    reply_1 = server.asked(timeout=0.4)
    assert (reply_1.code, len(server.bodies)) == ("timeout", 2)
    assert server.asked(timeout=5).ok
    answered.set()


def raw_server(*answers: bytes) -> Any:
    """Return a server that writes each of ``answers`` to one connection, and closes it."""
    listening = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        for answer in answers:
            connection, _ = listening.accept()
            with connection:
                connection.recv(1 << 16)
                connection.sendall(answer)

    threading.Thread(target=serve, daemon=True).start()
    return listening


BODY = json.dumps(chat_answer({"n": 1})).encode()
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(BODY)


@pytest.mark.parametrize(
    "dropped", [b"", b"HTTP/1.1 200 OK\r\n", HEAD, HEAD + BODY[:30]], ids=["at once", "head", "body", "in the body"]
)
def test_a_dropped_connection_is_tried_again(waits: list[float], dropped: bytes) -> None:
    with closing(raw_server(dropped, HEAD + BODY)) as listening:
        judge = Chat(url=f"http://127.0.0.1:{listening.getsockname()[1]}/v1", model="m", timeout=10)
        assert judge.ask([question("a")], no_complaint)[0].value == {"n": 1}
    assert len(waits) == 1


@pytest.mark.costly
def test_nobody_there_gives_up_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[int] = []
    once = Endpoint.post_once
    monkeypatch.setattr(Endpoint, "post_once", lambda self, *request: sent.append(1) or once(self, *request))  # type: ignore[func-returns-value]
    with closing(socket.create_server(("127.0.0.1", 0))) as free:
        port = free.getsockname()[1]
    judge = Chat(url=f"http://127.0.0.1:{port}/v1", model="m", retries=1)
    replies = judge.ask([question(str(number)) for number in range(200)], no_complaint)
    assert {reply.code for reply in replies} == {"no-answer"}
    # Three questions, each sent twice; the others wait for the first ones, of which one may have begun meanwhile.
    assert 6 <= len(sent) <= 8
    assert "in a row got no answer" in replies[-1].reason


def test_where_nobody_has_answered_a_request_is_sent_three_times_at_most(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ragauge.judges.client.backoff", lambda *_: 0.0)
    sent: list[int] = []
    once = Endpoint.post_once
    monkeypatch.setattr(Endpoint, "post_once", lambda self, *request: sent.append(1) or once(self, *request))  # type: ignore[func-returns-value]
    with closing(socket.create_server(("127.0.0.1", 0))) as free:
        port = free.getsockname()[1]
    [reply] = Chat(url=f"http://127.0.0.1:{port}/v1", model="m").ask([question("a")], no_complaint)
    assert (reply.code, len(sent)) == ("no-answer", 3)


def test_a_server_that_goes_away_is_given_up(server: ChatServer) -> None:
    server.reply = lambda body, turn: chat_answer({"n": 1}) if turn <= 50 else (500, {}, {})
    replies = server.judge(retries=0, parallel=4).ask([question(str(number)) for number in range(300)], no_complaint)
    assert [reply.code for reply in replies[:50]].count("") >= 46
    assert len(server.bodies) <= 50 + 20 + 2 * 4
    assert "in a row got no answer; the last reason: http-500" in replies[-1].reason


def test_redirects_stay_within_the_server(server: ChatServer) -> None:
    server.reply = lambda body, turn: (307, b"", {"Location": "http://example.org/v1?key=1"})
    with pytest.raises(UsageError, match=r"redirects to http://example\.org\. Nothing was sent there\."):
        server.asked()
    server.reply = lambda body, turn: (
        (308, b"", {"Location": "/v1/chat/completions"}) if turn == 2 else chat_answer({"n": 1})
    )
    assert server.asked().ok


def test_repeats_are_requests_of_their_own(server: ChatServer) -> None:
    questions = [question("a", repeat=repeat) for repeat in range(3)]
    with Session() as session:
        server.judge().ask(questions, no_complaint, session)
        server.judge().ask(questions, no_complaint, session)
    assert sorted(body["seed"] for body in server.bodies) == [0, 1, 2]


def test_another_parameter_is_another_key(server: ChatServer) -> None:
    with Session() as session:
        for options in ({}, {"temperature": 1.0}, {"seed": 1}, {"output": "parsed"}, {"timeout": 9.0, "parallel": 2}):
            server.judge(**options).ask([question("a")], no_complaint, session)
    assert len(server.bodies) == 4


@pytest.mark.parametrize("url", ["localhost", "http://me:pw@host/v1", "http://host/v1?key=1"])
def test_odd_addresses_are_refused(url: str) -> None:
    with pytest.raises(OptionError, match="option 'url' of judge 'chat' must be an address"):
        Chat(url=url, model="m")


def test_azure_with_a_deployment(listening: HTTPServer, monkeypatch: pytest.MonkeyPatch) -> None:
    path = "/openai/deployments/four/chat/completions"
    listening.clear()
    listening.expect_request(
        path, query_string={"api-version": "2024-10-21"}, headers={"api-key": "secret-1"}
    ).respond_with_json(chat_answer({"n": 1}))
    monkeypatch.setenv("RAGAUGE_JUDGE_API_KEY", "secret-1")
    url = listening.url_for(path)
    options = {"judge": f"{url}?api-version=2024-10-21", "judge_model": "four"}
    judge = get(str(judge_text(options)))
    assert str(judge) == f"chat[api_version=2024-10-21,model=four,url={url}]"
    [reply] = judge.ask([question("how many?")], no_complaint)
    assert reply.ok
    [(request, _)] = listening.log
    assert "Authorization" not in request.headers
    assert "chat[api_version=2024-10-21,model=four," in judge.signature
    assert "api_version" not in get(f"chat[url={url},model=four]").signature
    with pytest.raises(OptionError, match="must be a version of Azure's API, as in 2024-10-21; got 'a&b'"):
        get(f"chat[url={url},model=four,api_version=a&b]")


def test_limits_per_minute_spread_requests(server: ChatServer, waits: list[float]) -> None:
    questions = [question(str(number)) for number in range(20)]
    server.judge(requests_per_minute=60, parallel=1).ask(questions, no_complaint)
    # No request waits here, so the last one has to wait for those before it.
    assert 15 < max(waits) < 20
    waits.clear()
    server.judge(tokens_per_minute=600, parallel=1).ask(questions, no_complaint)
    assert max(waits) > 5


def test_a_replay_has_the_signature_of_the_run(server: ChatServer, tmp_path: Any) -> None:
    def reply(body: Any, turn: int) -> Any:
        if "temperature" in body:
            return 400, {"error": "Unsupported value: 'temperature' does not support 0."}, {}
        if body.get("response_format", {}).get("type") == "json_schema":
            return 400, {"error": "unknown response_format"}, {}
        return chat_answer({"n": 1})

    server.reply = reply
    live, replayed = server.judge(), server.judge()
    with Session(tmp_path / "judge.sqlite") as session:
        live.ask([question("a"), question("b")], no_complaint, session)
    with Session(tmp_path / "judge.sqlite", offline=True) as session:
        replayed.ask([question("a"), question("b")], no_complaint, session)
    assert "output=json_object,refused=temperature" in live.signature
    assert replayed.signature == live.signature


def test_a_key_that_the_server_repeats_as_its_reason_of_finishing_is_not_kept(
    server: ChatServer, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAGAUGE_JUDGE_API_KEY", "sk-very-secret-1")
    server.reply = lambda body, turn: chat_answer({"n": 1}, finish="stop for sk-very-secret-1")
    with Session(tmp_path / "judge.sqlite") as session:
        assert server.judge().ask([question("a")], no_complaint, session)[0].ok
    files = [path.read_bytes() for path in tmp_path.iterdir()]
    assert files
    assert not [data for data in files if b"very-secret" in data]


@pytest.mark.parametrize("counted", [-1, 10**400, math.nan, math.inf, True, "5", None, [1]])
def test_tokens_that_are_no_number_are_estimated(server: ChatServer, counted: Any) -> None:
    used = {"prompt_tokens": counted, "completion_tokens": counted}
    server.reply = lambda body, turn: {**chat_answer('{"n": 42}'), "usage": used}
    [reply] = server.judge().ask([question("a")], no_complaint)
    assert reply.value == {"n": 42}
    assert 0 < reply.usage[0] < 1000


def test_the_version_is_part_of_what_a_judge_is() -> None:
    url = "http://localhost:1/openai/deployments/four/chat/completions"
    judges: list[Any] = [get(f"chat[url={url},model=four{version}]") for version in ("", ",api_version=2024-10-21")]
    addresses = [judge.identity[0] for judge in judges]
    assert addresses == [url, f"{url}?api-version=2024-10-21"]
