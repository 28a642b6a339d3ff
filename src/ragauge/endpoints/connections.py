"""Connections to one server that stay open between requests, for several threads."""

from __future__ import annotations

import io
import ssl
import time
from base64 import b64encode
from collections import deque
from collections.abc import Mapping
from functools import cached_property, partial
from http.client import HTTPConnection, HTTPException, HTTPMessage, HTTPResponse, HTTPSConnection, IncompleteRead
from socket import socket
from threading import Lock
from typing import Any, NamedTuple
from urllib.parse import SplitResult, unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

# Servers put their reason first; a page of HTML is not read to its end.
_READ_OF_ERROR = 1 << 16


class HttpAnswer(NamedTuple):
    """The status of an answer, its headers, and its body, or the beginning of that of an error."""

    status: int
    headers: HTTPMessage
    body: bytes


class Connections:
    """Open connections to the server of ``address``; a proxy is used where the environment names one (``https_proxy``).

    A request goes out on a connection that an earlier one has left open, if there is any. Where the server has closed
    that one meanwhile, so that no byte of an answer comes, the request is sent once more on a new one.
    """

    def __init__(self, address: str, timeout: float) -> None:
        self._server = urlsplit(address)
        self._timeout = timeout
        self._idle: deque[HTTPConnection] = deque()
        self._lock = Lock()
        self._closed = False

    def close(self) -> None:
        """Close all connections that no request uses."""
        with self._lock:
            idle, self._idle, self._closed = self._idle, deque(), True
        for connection in idle:
            connection.close()

    def send(self, method: str, address: str, body: bytes, headers: Mapping[str, str], longest: int) -> HttpAnswer:
        """Send ``body`` to an ``address`` of this server; OSError, HTTPException or ValueError where no answer comes.

        Of the answer, ``longest`` bytes and one more are read, so that a longer one can be told.
        """
        with self._lock:
            self._closed = False
            connection = self._idle.pop() if self._idle else None
        answer = None
        if connection is not None:
            try:
                answer = self._sent(connection, method, address, body, headers)
            except ConnectionError:
                connection.close()
            except BaseException:
                connection.close()
                raise
        if connection is None or answer is None:
            connection = self._new()
        finished = False
        try:
            answer = answer or self._sent(connection, method, address, body, headers)
            content = _body(answer, longest)
            finished = answer.isclosed() and not answer.will_close
        finally:
            with self._lock:
                if finished and not self._closed:
                    self._idle.append(connection)
                else:
                    connection.close()
        return HttpAnswer(answer.status, answer.headers, content)

    def _sent(
        self, connection: HTTPConnection, method: str, address: str, body: bytes, headers: Mapping[str, str]
    ) -> HTTPResponse:
        deadline = time.monotonic() + self._timeout
        if connection.sock is None:
            connection.connect()
        connection.sock.settimeout(self._timeout)
        # In one packet: http.client sends the body behind the headers, for which the server wakes twice.
        connection.sock.sendall(self._head(method, address, len(body), headers) + body)
        answer = _Response(connection.sock, method, deadline)
        answer.begin()
        return answer

    def _head(self, method: str, address: str, length: int, headers: Mapping[str, str]) -> bytes:
        parts = urlsplit(address)
        target = parts._replace(scheme="", netloc="", fragment="").geturl() or "/"
        if self._proxy is not None and self._server.scheme == "http":
            target, headers = address, {**headers, **self._proxy_headers}
        if not target.isascii() or not target.isprintable() or " " in target:
            raise ValueError(f"the address {target!r} has characters that cannot be sent")
        fields = {"Host": self._server.netloc, **headers, "Content-Length": str(length)}
        lines = [f"{method} {target} HTTP/1.1", *(f"{name}: {value}" for name, value in fields.items()), "", ""]
        return "\r\n".join(lines).encode("ascii")

    def _new(self) -> HTTPConnection:
        host, port = self._server.hostname or "", self._server.port
        make = partial(HTTPSConnection, context=self._context) if self._server.scheme == "https" else HTTPConnection
        if self._proxy is None:
            return make(host, port, timeout=self._timeout)
        connection = make(self._proxy.hostname or "", self._proxy.port or 80, timeout=self._timeout)
        if self._server.scheme == "https":
            connection.set_tunnel(host, port or 443, headers=self._proxy_headers)
        return connection

    @cached_property
    def _context(self) -> ssl.SSLContext:
        """One context, with the certificates that it has read, for all connections."""
        return ssl.create_default_context()

    @cached_property
    def _proxy(self) -> SplitResult | None:
        """The proxy that the environment names for this server."""
        named = getproxies().get(self._server.scheme)
        if not named or proxy_bypass(self._server.netloc.rpartition("@")[2]):
            return None
        return urlsplit(named if "://" in named else f"http://{named}")

    @cached_property
    def _proxy_headers(self) -> dict[str, str]:
        if self._proxy is None or self._proxy.username is None:
            return {}
        login = f"{unquote(self._proxy.username)}:{unquote(self._proxy.password or '')}"
        return {"Proxy-Authorization": f"Basic {b64encode(login.encode()).decode()}"}


def _body(answer: HTTPResponse, longest: int) -> bytes:
    """Return the body of an answer, of an error its beginning; IncompleteRead where the connection ends before it."""
    failed = answer.status >= 300
    most = _READ_OF_ERROR if failed else longest + 1
    try:
        content = answer.read(most)
        if answer.length and len(content) < most:
            raise IncompleteRead(content, answer.length)
    except (HTTPException, OSError):
        # Of an error its status says enough.
        if failed:
            return b""
        raise
    return content


class _UntilDeadline(io.RawIOBase):
    """Reads a socket until a deadline: its own timeout begins anew with each byte that a server sends."""

    def __init__(self, sock: socket, file: io.RawIOBase, deadline: float) -> None:
        self._socket = sock
        self._file = file
        self._deadline = deadline

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError("timed out")
        self._socket.settimeout(left)
        return self._file.readinto(buffer) or 0

    def close(self) -> None:
        self._file.close()
        super().close()


class _Response(HTTPResponse):
    def __init__(self, sock: socket, method: str, deadline: float) -> None:
        super().__init__(sock, method=method)
        self.fp = io.BufferedReader(_UntilDeadline(sock, self.fp.detach(), deadline))
