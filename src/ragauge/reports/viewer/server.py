"""The server of the viewer: this machine alone, four addresses, and no path of a file in any of them."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence
from dataclasses import replace
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from socketserver import ThreadingTCPServer
from threading import Lock
from time import monotonic
from typing import Any, ClassVar
from urllib.parse import parse_qsl

from ragauge.core.lazy import lazy_pattern
from ragauge.display.text import interface_of
from ragauge.errors import RagaugeError, UsageError, excerpt, reason_of
from ragauge.reports.texts import LANGUAGES, PageText, Texts, message
from ragauge.reports.viewer.estimates import Estimates, lines_of
from ragauge.reports.viewer.folders import RunFolders, ViewedRun
from ragauge.reports.viewer.outcomes import RunOutcome, RunOutcomes
from ragauge.reports.viewer.pages import Reports, list_page, problem_page, state
from ragauge.reports.viewer.thumbs import RunThumbs
from ragauge.reports.viewer.under_way import UnderWay, Watch

LOOPBACK = "127.0.0.1"
_HOST = lazy_pattern(r"(?:127\.0\.0\.1|localhost|\[::1\])(?::(\d{1,5}))?", re.IGNORECASE)
_MOST_RUNS = 20
"""Runs that one report compares."""
_MOST_FIELDS = 64
_MOST_CONTENT = 100_000
"""Bytes of a thumb: mostly those of the id of its sample."""
_FRESH = 1.0
"""Seconds after which the folders are looked through again."""
_HTML, _TEXT, _JSON = "text/html; charset=utf-8", "text/plain; charset=utf-8", "application/json"
_HEADERS = {
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Content-Security-Policy": "frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
"""Each page has its own policy inside; these keep it out of other pages and of every cache."""


class RunServer(ThreadingTCPServer):
    """Serves the runs of ``folders`` on a port of this machine; each request has a thread, so none waits for another.

    UsageError where a folder is none, or the port cannot be had.
    """

    allow_reuse_address = os.name != "nt"  # on Windows another process could take the port over
    daemon_threads = True
    block_on_close = False
    request_queue_size = 64

    def __init__(self, folders: Sequence[str | Path], port: int = 0, language: str | None = None) -> None:
        if language is not None:
            Texts(language)
        self.folders = RunFolders(folders)
        self.language = language
        self.reports, self.thumbs = Reports(), RunThumbs(self.folders)
        self._watch, self._outcomes, self._estimates = Watch(self.folders.roots), RunOutcomes(), Estimates()
        self._lock = Lock()
        self._seen: tuple[float, list[ViewedRun], list[UnderWay]] | None = None
        try:
            super().__init__((LOOPBACK, port), Handler)
        except OSError as error:
            raise UsageError(
                "RG-REPORT-010 port {port} of {loopback} cannot be had: {reason}. Name another port; 0 takes a free "
                "one.",
                port,
                LOOPBACK,
                reason_of(error),
            ) from error

    @property
    def port(self) -> int:
        """The port that it got."""
        return int(self.server_address[1])

    @property
    def address(self) -> str:
        """The address of the list of runs."""
        return f"http://{LOOPBACK}:{self.port}/"

    def seen(self, pinned: str = "") -> tuple[list[ViewedRun], dict[str, RunOutcome], list[UnderWay]]:
        """Return the runs, their outcomes, and what is under way; the folders are read once a second at most.

        ``pinned``: the key of the run that outcomes are against; by default that before each run.
        """
        with self._lock:
            if self._seen is None or monotonic() - self._seen[0] > _FRESH:
                folders = list(self.folders.folders())
                runs = self.folders.runs(folders)
                self._seen = monotonic(), runs, self._watch.under_way(runs, folders)
            _, runs, under_way = self._seen
            estimates = self._estimates.of(under_way, runs)
            under_way = [replace(one, estimates=lines_of(estimates.get(one.key, ()))) for one in under_way]
        base = next((run for run in runs if run.key == pinned and not run.problem), None)
        return runs, self._outcomes.of(runs, base), under_way

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of connections that a browser ends."""


class Handler(BaseHTTPRequestHandler):
    """Answers GET and HEAD of the addresses, and POST of thumbs, to this machine's own names; refuses all else."""

    server: RunServer
    protocol_version = "HTTP/1.1"
    server_version, sys_version = "ragauge", ""
    timeout = 30  # a client that sends nothing holds its thread no longer
    addresses: ClassVar = {
        "/": "_list", "/report": "_report", "/state": "_state", "/thumbs": "_thumbs", "/favicon.ico": "_no_icon",
    }  # fmt: skip

    def __getattr__(self, name: str) -> Any:
        """Return the refusal for ``do_`` with any method that there is not."""
        if name.startswith("do_"):
            return self._refuse_method
        raise AttributeError(name)

    def do_GET(self) -> None:
        """Answer, or say why not."""
        problem = self._refused()
        if problem is not None:
            self._refuse(*problem)
            return
        path, _, query = self.path.partition("?")
        name = self.addresses.get(path)
        try:
            fields = parse_qsl(query, keep_blank_values=True, max_num_fields=_MOST_FIELDS, errors="strict")
        except ValueError:
            self._refuse(HTTPStatus.BAD_REQUEST, "The address has a part that cannot be read.")
            return
        if name is None:
            self._refuse(HTTPStatus.NOT_FOUND, "There is no such page; the list of runs is at /.")
            return
        getattr(self, name)(fields)

    def do_HEAD(self) -> None:
        """Answer as to GET, without the content."""
        self.do_GET()

    def do_POST(self) -> None:
        """Keep a thumb that a page of this server gives."""
        if self.path != "/thumbs":
            self._refuse_method()
            return
        problem = self._refused(content=True) or self._refused_thumb()
        if problem is not None:
            self._refuse(*problem)
            return
        try:
            said = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            key, name, good = said["run"], said["id"], said["good"]
            kept = isinstance(name, str) and isinstance(good, bool | None) and self.server.thumbs.add(key, name, good)
        except (ValueError, LookupError, TypeError, RecursionError):
            self._refuse(HTTPStatus.BAD_REQUEST, "This is not a thumb.")
        except RagaugeError as error:
            self._refuse(HTTPStatus.UNPROCESSABLE_ENTITY, str(error))
        else:
            self._send(HTTPStatus.OK if kept else HTTPStatus.NOT_FOUND, _JSON, json.dumps(kept))

    def _refused(self, *, content: bool = False) -> tuple[HTTPStatus, str] | None:
        """Return why a request is refused before anything of it is used; None where it is not."""
        hosts = self.headers.get_all("Host") or []
        host = _HOST.fullmatch(hosts[0].strip()) if len(hosts) == 1 else None
        if len(hosts) != 1:
            return HTTPStatus.BAD_REQUEST, "A request must name one host."
        # A page of another site whose name was made to point here (DNS rebinding) still sends that name.
        if host is None or (host[1] is not None and int(host[1]) != self.server.port):
            return HTTPStatus.FORBIDDEN, f"Open {self.server.address}; other names of this machine are refused."
        if self.headers.get("Transfer-Encoding") or not (content or self._size == "0"):
            return HTTPStatus.BAD_REQUEST, "A request must have no content."
        site, mode = self.headers.get("Sec-Fetch-Site", "none"), self.headers.get("Sec-Fetch-Mode", "")
        if site not in ("none", "same-origin") and mode != "navigate":
            return HTTPStatus.FORBIDDEN, "Other pages get nothing from here."
        return None

    def _refused_thumb(self) -> tuple[HTTPStatus, str] | None:
        """Return why a thumb is refused before it is read; None where it is not."""
        if not (self._size.isascii() and self._size.isdigit() and int(self._size) <= _MOST_CONTENT):
            return HTTPStatus.BAD_REQUEST, f"A thumb has at most {_MOST_CONTENT} bytes."
        # A browser asks before it sends JSON of another page, which is refused; and it names who sends a POST.
        if (self.headers.get("Origin"), self.headers.get("Content-Type")) != (f"http://{self.headers['Host']}", _JSON):
            return HTTPStatus.FORBIDDEN, "Only pages of this server give thumbs."
        return None

    @property
    def _size(self) -> str:
        return str(self.headers.get("Content-Length", "0")).strip()

    def _list(self, fields: list[tuple[str, str]]) -> None:
        pinned = dict(fields).get("base", "")
        runs, outcomes, _ = self.server.seen(pinned)
        self._send(HTTPStatus.OK, _HTML, list_page(self._language(fields), runs, outcomes, pinned))

    def _state(self, fields: list[tuple[str, str]]) -> None:
        seen = self.server.seen(dict(fields).get("base", ""))
        self._send(HTTPStatus.OK, _JSON, json.dumps(state(*seen), allow_nan=False))

    def _thumbs(self, fields: list[tuple[str, str]]) -> None:
        thumbs = self.server.thumbs.given(dict(fields).get("run", ""))
        self._send(HTTPStatus.OK if thumbs is not None else HTTPStatus.NOT_FOUND, _JSON, json.dumps(thumbs))

    def _no_icon(self, _: list[tuple[str, str]]) -> None:
        self._send(HTTPStatus.NO_CONTENT, _TEXT, "")

    def _report(self, fields: list[tuple[str, str]]) -> None:
        language = self._language(fields)
        keys = list(dict.fromkeys(value for name, value in fields if name == "run"))
        by_key = {run.key: run for run in self.server.folders.runs()}
        runs = [by_key[key] for key in keys if key in by_key]
        if not keys or len(keys) > _MOST_RUNS:
            self._problem(HTTPStatus.BAD_REQUEST, language, message("view.choose-some", most=_MOST_RUNS))
        elif len(runs) < len(keys):
            self._problem(HTTPStatus.NOT_FOUND, language, message("view.no-run"))
        elif damaged := next((run.problem for run in runs if run.problem), ""):
            self._problem(HTTPStatus.UNPROCESSABLE_ENTITY, language, damaged)
        else:
            self._send_report(runs, language, dict(fields).get("base", ""))

    def _send_report(self, runs: list[ViewedRun], language: str, base: str) -> None:
        try:
            page = self.server.reports.page(runs, language, base)
        except RagaugeError as error:
            self._problem(HTTPStatus.UNPROCESSABLE_ENTITY, language, str(error))
        except OSError as error:
            self._problem(HTTPStatus.UNPROCESSABLE_ENTITY, language, excerpt(str(error)))
        except Exception as error:  # noqa: BLE001 - whatever a damaged run does, the viewer goes on
            self._problem(HTTPStatus.INTERNAL_SERVER_ERROR, language, excerpt(error))
        else:
            self._send(HTTPStatus.OK, _HTML, page)

    def _problem(self, status: HTTPStatus, language: str, problem: PageText | str) -> None:
        self._send(status, _HTML, problem_page(language, problem))

    def _language(self, fields: list[tuple[str, str]]) -> str:
        """Return the language of the address, else that of the command, else the first that the browser asks for."""
        chosen = dict(fields).get("language", self.server.language or "")
        if chosen in LANGUAGES:
            return chosen
        return _first_language(self.headers.get("Accept-Language", "")) or LANGUAGES[0]

    def _refuse_method(self) -> None:
        self._refuse(HTTPStatus.METHOD_NOT_ALLOWED, "Only GET and HEAD are answered.")

    def _send(self, status: HTTPStatus, kind: str, content: str | bytes, **headers: str) -> None:
        body = content if isinstance(content, bytes) else content.encode("utf-8", "backslashreplace")
        self.send_response(status)
        for name, value in {**_HEADERS, "Content-Type": kind, "Content-Length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def _refuse(self, status: HTTPStatus, why: str) -> None:
        """Answer with a line of text, and close the connection."""
        self.close_connection = True
        allowed = {"Allow": "GET, HEAD"} if status == HTTPStatus.METHOD_NOT_ALLOWED else {}
        self._send(status, _TEXT, f"{why}\n", Connection="close", **allowed)

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:  # noqa: ARG002
        """Refuse a request that the standard library cannot read; nothing of it is repeated."""
        self._refuse(HTTPStatus(code), HTTPStatus(code).phrase)

    def log_message(self, *_: Any) -> None:
        """Write nothing: the terminal shows the address alone."""


def _first_language(header: str) -> str | None:
    """Return the first language of the interface in an Accept-Language header; None where there is none.

    Browsers send ``zh`` of their own after ``zh-TW``: it is then no wish for simplified characters.

    >>> _first_language("zh-CN,zh;q=0.9,en;q=0.8"), _first_language("zh-TW,zh;q=0.9,en-US;q=0.8"), _first_language("de")
    ('zh', 'en', None)
    """
    tags = [tag.partition(";")[0].strip() for tag in header.split(",")]
    traditional = any(tag.lower().startswith("zh") and interface_of(tag) is None for tag in tags)
    wanted = [tag for tag in tags if not (traditional and tag.lower() == "zh")]
    return next(filter(None, map(interface_of, wanted)), None)
