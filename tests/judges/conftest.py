"""A real HTTP server on this machine that speaks the chat protocol as each test says."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request as Received
from werkzeug import Response

from ragauge.judges import Question
from ragauge.judges.chat import Chat

SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}


def question(text: str, **options: Any) -> Question:
    return Question(prompt="count", version="1", messages=(("user", text),), schema=SCHEMA, **options)


def no_complaint(_question: Question, _value: Any) -> str | None:
    return None


def chat_answer(text: Any, *, finish: str = "stop", **message: Any) -> dict[str, Any]:
    content = text if text is None or isinstance(text, str) else json.dumps(text, ensure_ascii=False)
    choice = {"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": content, **message}}
    return {"choices": [choice], "usage": {"prompt_tokens": 11, "completion_tokens": 5}}


class ChatServer:
    """Keeps the requests, and calls ``reply(body, turn)``, which returns a status, JSON or bytes, and headers."""

    def __init__(self, server: HTTPServer) -> None:
        self.url = server.url_for("/v1")
        self.bodies: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.reply: Callable[[dict[str, Any], int], Any] = lambda body, turn: chat_answer({"n": 1})
        self._lock = threading.Lock()
        server.expect_request("/v1/chat/completions", method="POST").respond_with_handler(self._handle)

    def _handle(self, received: Received) -> Response:
        body = received.get_json()
        with self._lock:
            self.bodies.append(body)
            self.headers.append(dict(received.headers))
            turn = len(self.bodies)
        replied = self.reply(body, turn)
        status, content, headers = replied if isinstance(replied, tuple) else (200, replied, {})
        data = content if isinstance(content, bytes) else json.dumps(content).encode()
        return Response(data, status, headers, content_type="application/json")

    def judge(self, **options: Any) -> Chat:
        return Chat(url=self.url, model="m", **{"timeout": 20.0, **options})

    def asked(self, **options: Any) -> Any:
        """Return the reply to one question."""
        [reply] = self.judge(**options).ask([question("how many?")], no_complaint)
        return reply


@pytest.fixture(scope="module")
def listening() -> Iterator[HTTPServer]:
    with HTTPServer(threaded=True) as http:
        yield http


@pytest.fixture
def server(listening: HTTPServer) -> ChatServer:
    listening.clear()
    return ChatServer(listening)


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds that requests would have waited; none does."""
    from ragauge.judges import Request

    seen: list[float] = []
    monkeypatch.setattr(Request, "pause", lambda self, seconds: seen.append(seconds) if seconds else None)
    return seen
