"""A server that stands for a system behind an address."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from time import sleep
from typing import Any

import pytest


class Server:
    """A server of this machine that replies as it is told, and notes what it gets."""

    def __init__(self) -> None:
        self.reply: Callable[[BaseHTTPRequestHandler], None] = self.json({"answer": "茶"})
        self.bodies: list[Any] = []
        self.headers: list[dict[str, str]] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_: Any) -> None:
                pass

            def do_POST(self) -> None:
                outer.bodies.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
                outer.headers.append(dict(self.headers.items()))
                outer.reply(self)

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/chat"
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()

    def json(self, value: Any, status: int = 200, kind: str = "application/json", **headers: str) -> Any:
        body = value if isinstance(value, bytes) else json.dumps(value).encode()

        def reply(handler: BaseHTTPRequestHandler) -> None:
            handler.send_response(status)
            beside = {name.replace("_", "-"): one for name, one in headers.items()}
            for name, one in {"Content-Type": kind, "Content-Length": str(len(body)), **beside}.items():
                handler.send_header(name, one)
            handler.end_headers()
            handler.wfile.write(body)

        return reply

    def stream(self, parts: list[str], pause: float = 0.0) -> Any:
        def reply(handler: BaseHTTPRequestHandler) -> None:
            handler.send_response(200)
            handler.send_header("Content-Type", "text/event-stream; charset=utf-8")
            handler.send_header("Connection", "close")
            handler.end_headers()
            for part in parts:
                handler.wfile.write(part.encode())
                handler.wfile.flush()
                sleep(pause)
            handler.close_connection = True

        return reply


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server()
    yield made
    made.close()
