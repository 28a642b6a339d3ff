"""Replies over HTTP: streams of several forms, and the responses that a user's function returns."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from ragauge.endpoints.connections import HttpAnswer
from ragauge.systems.calling import Caller
from ragauge.systems.objects import BadOutputError
from ragauge.systems.replies import streamed

STREAMS: list[tuple[str, str]] = [
    ("data: 茶\n\ndata:  馆\ndata: b\n\n", "茶 馆\nb"),
    ('data: "茶"\n\ndata: "馆"\n\n', "茶馆"),
    ('{"response": "茶", "done": false}\n{"response": "馆", "done": true}\n', "茶馆"),
    ('event: message\ndata: {"event": "m", "answer": "茶"}\n\ndata: {"event": "end", "answer": "馆"}\n\n', "茶馆"),
    ('data: {"m": {"content": []}}\n\ndata: {"delta": {"text": "茶"}}\n\ndata: {"delta": {"text": "馆"}}', "茶馆"),
    ('data: {"data": {"answer": "茶"}}\n\ndata: {"data": {"answer": "茶馆"}}\n\ndata: {"data": true}\n\n', "茶馆"),
    ("data: 42\n\n", "42"),
    # A step of a workflow in front, as Dify sends it, has a text that is no piece of the answer.
    ('data: {"data": {"outputs": {"text": "找茶"}}}\n\ndata: {"answer": "茶"}\n\ndata: {"answer": "馆"}\n\n', "茶馆"),
    ('data: {"data": {"outputs": {"text": "找茶"}}}\n\ndata: {"answer": "茶馆"}\n\n', "茶馆"),
]  # fmt: skip


@pytest.mark.parametrize(("body", "answer"), STREAMS)
def test_streams_of_other_forms(body: str, answer: str) -> None:
    assert streamed(HttpAnswer(200, {}, body.encode()))["answer"] == answer


def test_the_place_of_the_pieces_can_be_named_and_a_stream_without_a_text_is_a_failure() -> None:
    body = b'data: {"content": "Searching", "out": {"t": "Tea"}}\n\n'
    assert streamed(HttpAnswer(200, {}, body), "out.t")["answer"] == "Tea"
    with pytest.raises(BadOutputError, match=r"the stream has no text of an answer \(its events have error\); map its"):
        streamed(HttpAnswer(200, {}, b'data: {"error": {"code": 3}}\n\n'))


class Response:
    """As one of httpx that was made without a request, or of requests, which decodes texts as Latin-1."""

    def __init__(self, status: int, body: str, kind: str) -> None:
        self.status_code, self.content, self.headers = status, body.encode(), {"Content-Type": kind}
        self.text = self.content.decode("latin-1")

    def raise_for_status(self) -> None:
        raise RuntimeError("Cannot call `raise_for_status`")

    def json(self) -> Any:
        raise AssertionError


def test_the_stream_of_a_response_is_joined_as_that_of_an_address() -> None:
    body = 'data: {"answer": "茶", "n": 1}\n\ndata: {"answer": "馆"}\n\ndata: [DONE]\n\n'
    for kind in ("text/event-stream", "Text/Event-Stream; charset=utf-8", "application/x-ndjson"):
        assert Caller({"?": Response(200, body, kind)}.get)("?").columns == {"answer": "茶馆", "n": 1}
    empty = Response(200, "data: {}\n\n", "text/event-stream")
    assert "the stream has no text of an answer" in (Caller(lambda _: empty)("?").failure or "")


def test_a_response_that_was_made_by_hand_has_its_text_or_its_status() -> None:
    assert Caller(lambda _: Response(200, "tea", "text/plain"))("?").columns == {"answer": "tea"}
    failure = Caller(lambda _: Response(503, "tea", "text/plain"))("?").failure
    assert failure == "the system returned a response of status 503"


class Chunk:
    """As of OpenAI's client: a piece of a reply is far within."""

    def __init__(self, text: str) -> None:
        self.text = text

    def model_dump(self) -> dict[str, Any]:
        return {"choices": [{"delta": {"content": self.text}}], "id": "1"}


async def later() -> AsyncIterator[Chunk]:
    yield Chunk("ยูน")
    yield Chunk("นาน")


async def coroutine(_question: str) -> AsyncIterator[Chunk]:
    return later()


@pytest.mark.parametrize(
    "system",
    [
        lambda _: later(),
        coroutine,
        lambda _: iter(["ยูน", "นาน"]),
        lambda _: map(Chunk, ["ยูน", "นาน"]),
        lambda _: ({"delta": one} for one in ["ยูน", "นาน"]),
        lambda _: iter([{"type": "start"}, "ยูน", {"text": "นาน"}]),
        lambda _: {"answer": iter(["ยูน", "นาน"])},
    ],
)
def test_streams_of_functions_are_joined(system: Any) -> None:
    columns = Caller(system)("ที่ไหน").columns or {}
    assert columns["answer"] == "ยูนนาน"


def test_streams_without_an_answer_are_failures() -> None:
    streams: dict[str, list[int]] = {"three": [3], "none": []}
    for name, why in (("three", "yielded the number 3, which is not a text"), ("none", "returned a stream of nothing")):
        assert why in (Caller(lambda question: iter(streams[question]))(name).failure or "")
    assert Caller(lambda _: (one for one in ""))("?").columns == {"answer": ""}
