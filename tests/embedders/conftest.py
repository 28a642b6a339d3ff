"""A real server on this machine that answers as each test says."""

from __future__ import annotations

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest


class Server(ThreadingHTTPServer):
    """Keeps the requests, and calls ``answer(handler, texts, turn)`` for each; to rerank, with the body as texts."""

    lock: Any
    requests: list[Any]
    answer: Any

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with self.server.lock:
            self.server.requests.append((self.path, dict(self.headers), body))
            turn = len(self.server.requests)
        self.server.answer(self, body.get("input", body), turn)

    def do_GET(self) -> None:
        self.server.requests.append((self.path, dict(self.headers), None))
        self.reply(200, {})

    def reply(self, code: Any, content: Any, headers: Any = ()) -> None:
        data = content if isinstance(content, bytes) else json.dumps(content).encode()
        self.send_response(code)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def vectors(self, texts: Any, vector: Any = lambda text: [len(text), 1.0]) -> None:
        items = [{"index": place, "embedding": vector(text)} for place, text in enumerate(texts)]
        self.reply(200, {"object": "list", "data": items[::-1]})

    def log_message(self, *_: Any) -> None:
        pass


def _running() -> Any:
    with Server(("127.0.0.1", 0), Handler) as running:
        running.lock, running.requests = threading.Lock(), []
        running.answer = lambda handler, texts, _: handler.vectors(texts)
        thread = threading.Thread(target=running.serve_forever, args=(0.01,))
        thread.start()
        yield running
        running.shutdown()
        thread.join()


server = pytest.fixture(_running, name="server")
other_server = pytest.fixture(_running, name="other_server")


@pytest.fixture
def waits(monkeypatch: Any) -> Any:
    seen: list[float] = []
    monkeypatch.setattr(time, "sleep", seen.append)
    return seen
