"""A real server on this machine that keeps the comments of pull requests as GitHub and GitLab do."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

ME = 41
"""The id of the token's user."""


@dataclass
class Service:
    """The comments of one pull request, and what the server does otherwise than well.

    ``kind``: github or gitlab. ``failures``: statuses that the next requests that change something get; with ``lost``
    they do what was asked, and the answer is lost.
    """

    kind: str
    token: str = "secret-токен".encode().hex()
    comments: list[dict[str, Any]] = field(default_factory=list)
    requests: list[tuple[str, str]] = field(default_factory=list)
    failures: list[int] = field(default_factory=list)
    lost: bool = False
    knows_user: bool = True
    url: str = ""

    @property
    def author(self) -> str:
        """The field that holds who wrote a comment."""
        return "user" if self.kind == "github" else "author"

    def add(self, body: str, user: int = ME, **of_user: Any) -> dict[str, Any]:
        """Add a comment of ``user``."""
        number = 1000 + len(self.comments)
        one = {"id": number, "body": body, self.author: {"id": user, **of_user}}
        if self.kind == "github":
            one["html_url"] = f"https://git.example/o/n/pull/7#issuecomment-{number}"
        self.comments.append(one)
        return one

    @property
    def changes(self) -> list[str]:
        """The methods of the requests that changed something."""
        return [method for method, _ in self.requests if method != "GET"]


class _Handler(BaseHTTPRequestHandler):
    service: Service
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self._answer()

    do_POST = do_PATCH = do_PUT = do_GET  # noqa: N815 - names of http.server

    def _answer(self) -> None:
        service, parts = self.service, urlsplit(self.path)
        content = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        service.requests.append((self.command, parts.path))
        status, answer = self._content(parts.path, parse_qs(parts.query), json.loads(content) if content else None)
        data = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _content(self, path: str, query: dict[str, list[str]], body: Any) -> tuple[int, Any]:
        service = self.service
        if self.headers.get("Authorization") != f"Bearer {service.token}" or not self.headers.get("User-Agent"):
            return 401, {"message": "Bad credentials"}
        if path == "/api/user":
            return (200, {"id": ME}) if service.knows_user else (403, {"message": "not for the token of a job"})
        if service.kind == "github":
            of_all, of_one, change = (
                "/api/repos/o/n/issues/7/comments",
                r"/api/repos/o/n/issues/comments/(\d+)",
                "PATCH",
            )
        else:
            of_all = "/api/projects/g%2Fn/merge_requests/7/notes"
            of_one, change = rf"{of_all}/(\d+)", "PUT"
        failure = service.failures.pop(0) if service.failures and self.command != "GET" else 0
        if failure and not service.lost:
            return failure, {"message": "temporarily out of order"}
        done = self._done(path, query, body, of_all, re.fullmatch(of_one, path), change)
        return (failure, {"message": "lost"}) if failure else done

    def _done(
        self, path: str, query: dict[str, list[str]], body: Any, of_all: str, one: re.Match[str] | None, change: str
    ) -> tuple[int, Any]:
        service = self.service
        if path == of_all and self.command == "GET":
            size, page = int(query["per_page"][0]), int(query["page"][0])
            return 200, service.comments[size * (page - 1) : size * page]
        if path == of_all and self.command == "POST":
            if len(body["body"]) > (65_536 if service.kind == "github" else 1_000_000):
                return 422, {"message": "Body is too long (maximum is 65536 characters)"}
            return 201, service.add(body["body"])
        if one is not None and self.command == change:
            [comment] = [comment for comment in service.comments if comment["id"] == int(one[1])]
            comment["body"] = body["body"]
            return 200, comment
        return 404, {"message": "Not Found"}

    def log_message(self, *_: Any) -> None:
        pass


@contextmanager
def serving(kind: str) -> Iterator[Service]:
    """Run a service until the end of the block."""
    service = Service(kind)
    handler = type("Handler", (_Handler,), {"service": service})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        server.daemon_threads = True
        service.url = f"http://127.0.0.1:{server.server_address[1]}/api"
        running = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        running.start()
        yield service
        server.shutdown()
        running.join()
