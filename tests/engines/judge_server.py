"""A real server of this machine that rates as a judge does, the same for the same question."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from time import sleep
from typing import Any

METRIC = "judged-groundedness-rating"
KEY = "the-key-of-the-judge"


class JudgeServer(ThreadingHTTPServer):
    """Keeps what it was asked. One question in five is first answered wrongly, and rightly when it is asked again."""

    daemon_threads = True

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.keys: set[str] = set()
        self.status = 200
        self.pause = 0.0
        self.most = 0
        self.under_way = 0
        self.lock = threading.Lock()
        super().__init__(("127.0.0.1", 0), _Handler)

    @property
    def judge(self) -> str:
        return f"chat[url=http://127.0.0.1:{self.server_address[1]}/v1,model=m,parallel=4,retries=0]"


class _Handler(BaseHTTPRequestHandler):
    server: JudgeServer

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        texts = json.dumps(body["messages"])
        with self.server.lock:
            self.server.asked.append(texts)
            self.server.keys.add(self.headers.get("Authorization", ""))
            self.server.under_way += 1
            self.server.most = max(self.server.most, self.server.under_way)
        sleep(self.server.pause)
        number = sha256(texts.encode()).digest()[0]
        wrong = number % 5 == 0 and len(body["messages"]) < 3
        message = {"role": "assistant", "content": "well" if wrong else json.dumps({"rating": number % 3})}
        choice = {"index": 0, "finish_reason": "stop", "message": message}
        content = json.dumps({"choices": [choice], "usage": {"prompt_tokens": 100, "completion_tokens": 10}}).encode()
        with self.server.lock:
            self.server.under_way -= 1
        self.send_response(self.server.status)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: Any) -> None:
        """Write nothing."""


@contextmanager
def judge_server() -> Iterator[JudgeServer]:
    with JudgeServer() as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()
