"""Bodies of answers that are not one JSON document with a text: each is read, or says what it is."""

from __future__ import annotations

import gzip
import json
import re
import time
from typing import Any

import pytest

from ragauge.errors import UsageError
from ragauge.judges import Request
from ragauge.judges.bodies import CutOffError, error_in, joined
from ragauge.judges.chat import read_answer
from ragauge.judges.wires import wire_of

from .conftest import ChatServer, chat_answer, question

REPLY = '{"n": 1}'


def stream(*chunks: Any) -> bytes:
    return b"".join(b"data: " + json.dumps(chunk).encode() + b"\n\n" for chunk in chunks) + b"data: [DONE]\n\n"


def delta(**parts: Any) -> dict[str, Any]:
    return {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": parts, "finish_reason": None}]}


def call(arguments: Any) -> list[Any]:
    return [{"id": "call_1", "type": "function", "function": {"name": "reply", "arguments": arguments}}]


@pytest.mark.parametrize(
    "message",
    [
        {"tool_calls": call(REPLY)},
        {"tool_calls": call({"n": 1})},
        {"function_call": {"name": "reply", "arguments": REPLY}},
        {"reasoning_content": f"数えると一つ。{REPLY}"},
        {"reasoning": f"Считаю: {REPLY}"},
    ],
)
@pytest.mark.parametrize("content", [None, ""])
def test_a_reply_beside_the_content_is_read(server: ChatServer, message: Any, content: Any) -> None:
    finish = "tool_calls" if "tool_calls" in message else "stop"
    server.reply = lambda body, turn: chat_answer(content, finish=finish, **message)
    reply = server.asked()
    assert (reply.value, reply.requests) == ({"n": 1}, 1)


def test_the_content_comes_before_thoughts_and_calls(server: ChatServer) -> None:
    server.reply = lambda body, turn: chat_answer({"n": 2}, reasoning_content=REPLY, tool_calls=call(REPLY))
    assert server.asked().value == {"n": 2}


@pytest.mark.parametrize("thoughts", ["Maybe {reply}? No, 1 is wrong. I cannot decide.", "{reply}。不对。", "no"])
def test_a_draft_within_thoughts_is_no_reply(server: ChatServer, thoughts: str) -> None:
    server.reply = lambda body, turn: chat_answer("", reasoning_content=thoughts.replace("{reply}", REPLY))
    assert server.asked().code == "empty"


def test_thoughts_that_were_cut_off_are_no_reply(server: ChatServer) -> None:
    server.reply = lambda body, turn: chat_answer("", finish="length", reasoning_content=REPLY)
    assert server.asked().code == "truncated"
    assert server.bodies[1]["max_tokens"] == 4096


@pytest.mark.parametrize("newline", [b"\n", b"\r\n"])
def test_a_stream_is_joined(server: ChatServer, newline: bytes) -> None:
    end = {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
    usage = {"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 3}}
    chunks = (delta(role="assistant", content=""), delta(content='{"n"'), delta(content=": 1}"), end, usage)
    body = stream(*chunks).replace(b"\n", newline)
    server.reply = lambda _body, turn: b": comment" + newline + body
    reply = server.asked()
    assert (reply.value, reply.usage) == ({"n": 1}, (7, 3))
    server.reply = lambda _body, turn: stream(delta(tool_calls=call('{"n"')), delta(tool_calls=call(": 1}")))
    assert server.asked().value == {"n": 1}


def test_a_stream_that_is_cut_off_is_asked_for_again(server: ChatServer, waits: list[float]) -> None:
    cut = stream(delta(content='{"n": 1}'), delta(content=" hmm, ")).replace(b"data: [DONE]\n\n", b"")
    server.reply = lambda _body, turn: cut if turn < 3 else stream(delta(content='{"n": 2}'))
    reply = server.asked()
    assert (reply.value, len(server.bodies), len(waits)) == ({"n": 2}, 3, 2)
    server.reply = lambda _body, turn: cut
    assert server.asked(retries=0).reason.endswith("is a stream that ends before its reply")


def test_an_error_within_a_stream_is_told_alone(server: ChatServer) -> None:
    error = {"error": {"message": "上游断开", "code": 502}}
    server.reply = lambda _body, turn: stream(delta(content='{"n": 1}'), error)
    reason = server.asked(retries=0).reason
    assert reason.endswith(' answered 502: {"message": "上游断开", "code": 502}')


def events_of_anthropic(*blocks: Any) -> bytes:
    usage = {"input_tokens": 9, "cache_read_input_tokens": 2, "output_tokens": 1}
    chunks: list[Any] = [{"type": "message_start", "message": {"type": "message", "content": [], "usage": usage}}]
    for place, (block, deltas) in enumerate(blocks):
        chunks.append({"type": "content_block_start", "index": place, "content_block": block})
        chunks += [{"type": "content_block_delta", "index": place, "delta": one} for one in deltas]
        chunks.append({"type": "content_block_stop", "index": place})
    end = {"stop_reason": "end_turn", "stop_sequence": None}
    chunks += [{"type": "message_delta", "delta": end, "usage": {"output_tokens": 5}}, {"type": "message_stop"}]
    return b"".join(f"event: {one['type']}\ndata: {json.dumps(one)}\n\n".encode() for one in chunks)


THOUGHT: Any = ({"type": "thinking", "thinking": ""}, [{"type": "thinking_delta", "thinking": REPLY}])
TEXT: Any = (
    {"type": "text", "text": ""},
    [{"type": "text_delta", "text": part} for part in ('{"n"', ": 1}")],
)
CALL: Any = (
    {"type": "tool_use", "id": "t", "name": "reply", "input": {}},
    [{"type": "input_json_delta", "partial_json": part} for part in ('{"n"', ": 1}")],
)
LINES = [
    {"model": "m", "message": {"role": "assistant", "content": "", "thinking": "一"}, "done": False},
    {"model": "m", "message": {"role": "assistant", "content": '{"n": 1}'}, "done": False},
    {"model": "m", "message": {"role": "assistant", "content": ""}, "done": True, "done_reason": "stop",
     "prompt_eval_count": 11, "eval_count": 5},
]  # fmt: skip


def lines(*chunks: Any) -> bytes:
    return b"".join(json.dumps(one, ensure_ascii=False).encode() + b"\n" for one in chunks)


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/api/chat", lines(*LINES)),
        ("/v1/messages", events_of_anthropic(THOUGHT, TEXT)),
        ("/v1/messages", events_of_anthropic(CALL)),
    ],
)
def test_streams_of_other_protocols_are_joined(path: str, body: bytes) -> None:
    asked = Request(question=question("a"), messages=(), max_tokens=9)
    answer = read_answer(joined(body), asked, wire=wire_of(path))
    assert (json.loads(answer.text), answer.prompt_tokens, answer.completion_tokens) == ({"n": 1}, 11, 5)


@pytest.mark.parametrize("body", [lines(*LINES[:2]), events_of_anthropic(TEXT).partition(b"event: message_delta")[0]])
def test_streams_of_other_protocols_that_are_cut_off_are_none(body: bytes) -> None:
    with pytest.raises(CutOffError):
        joined(body)


def test_an_error_within_lines_is_found() -> None:
    assert error_in(joined(lines(LINES[0], {"error": "model overloaded"}))) == (503, b'"model overloaded"')


def test_lines_of_many_marks_take_linear_time() -> None:
    body = b'{"done": true' * 300_000
    begun = time.process_time()
    assert joined(body) is body
    assert time.process_time() - begun < 1


@pytest.mark.parametrize("body", [b"data: {", b"data: []\n\n", b"data: 1\n\n", b'data: {"choices": [1]}\n\n'])
def test_a_stream_of_another_form_is_as_it_was(body: bytes) -> None:
    assert joined(body) == body


def test_gzip_that_nobody_asked_for_is_read(server: ChatServer) -> None:
    server.reply = lambda body, turn: gzip.compress(json.dumps(chat_answer({"n": 1})).encode())
    assert server.asked().ok
    server.reply = lambda body, turn: gzip.compress(bytes(1 << 24))
    assert "answered with more than 4194304 bytes" in server.asked().reason


@pytest.mark.parametrize("page", [b"<!doctype html><html>", b"\n<html><body>\xe7\x99\xbb</body></html>"])
def test_a_web_page_says_what_address_to_try(server: ChatServer, page: bytes) -> None:
    server.reply = lambda body, turn: page
    reply = server.asked()
    assert reply.code == "no-answer"
    assert "/v1/chat/completions answered with a web page, so" in reply.reason
    assert re.search(r"often ends in /v1, as in http://localhost:\d+/api/v1$", reply.reason)
    assert len(server.bodies) == 1


@pytest.mark.parametrize(
    ("error", "waited"),
    [
        ({"error": {"code": 429, "message": "slow down"}}, True),
        ({"error": {"message": "Rate limit exceeded", "type": "rate_limit_error"}}, True),
        ({"error": "The model is overloaded"}, True),
        ({"choices": [{"error": {"code": 502, "message": "Provider returned error"}, "finish_reason": "error"}]}, True),
        (stream({"error": {"message": "Model temporarily unavailable"}}), True),
        ({"error": {"message": "response_format is not supported"}}, False),
    ],
)
def test_an_error_in_a_200_is_that_error(server: ChatServer, waits: list[float], error: Any, waited: bool) -> None:
    server.reply = lambda body, turn: error if turn == 1 else chat_answer({"n": 1})
    assert server.asked().ok
    assert (len(server.bodies), bool(waits)) == (2, waited)


def test_an_error_in_a_200_that_stays_is_the_reason_without_the_key(
    server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAGAUGE_JUDGE_API_KEY", "sk-very-secret-1")
    server.reply = lambda body, turn: {"error": {"code": 418, "message": "no tea for sk-very-secret-1"}}
    [reply] = server.judge().ask([question("a")], lambda *_: None)
    assert reply.code == "http-418"
    assert "no tea for ***" in reply.reason
    server.reply = lambda body, turn: {"error": {"code": 401, "message": "no tea for sk-very-secret-1"}}
    with pytest.raises(UsageError, match=r"answered 401: .*no tea for \*\*\*"):
        server.asked()


def test_a_reply_about_an_error_is_a_reply() -> None:
    body = json.dumps({**chat_answer({"error": "none"}), "error": None}).encode()
    assert error_in(body) is None
    assert error_in(json.dumps(chat_answer('{"error": 1}')).encode()) is None
