"""Pools of connections by urllib3, with what it leaves to us: a deadline for whole answers, and when to send again."""

from __future__ import annotations

import io
import socket
import ssl
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from http.client import HTTPResponse
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

from urllib3 import BaseHTTPResponse, HTTPConnectionPool, HTTPSConnectionPool, PoolManager, ProxyManager, Timeout
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.exceptions import HTTPError, IncompleteRead
from urllib3.util import make_headers

# Servers put their reason first; a page of HTML is not read to its end.
_READ_OF_ERROR = 1 << 16
_AT_A_TIME = 1 << 16
# The most connections that stay open; no option `parallel` may be larger.
_MOST_OPEN = 1024
# Headers and body are two packets, the second of which must not wait until the first is acknowledged.
_AT_ONCE = [(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)]


class HttpAnswer(NamedTuple):
    """The status of an answer, its headers, and its body, or the beginning of that of an error.

    ``arrivals``: when parts of it came, in seconds since the request, and how many bytes had come by then.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes
    arrivals: Sequence[tuple[float, int]] = ()


def pools_for(address: str) -> PoolManager:
    """Return pools of connections to the server of ``address``, by the proxy that the environment names for it."""
    server = urlsplit(address)
    options: dict[str, Any] = {"maxsize": _MOST_OPEN, "socket_options": _AT_ONCE}
    if server.scheme == "https":
        # One context, with the certificates that it has read, for all connections.
        options["ssl_context"] = ssl.create_default_context()
    named = getproxies().get(server.scheme)
    if not named or proxy_bypass(server.netloc.rpartition("@")[2]):
        pools = PoolManager(**options)
    else:
        proxy = urlsplit(named if "://" in named else f"http://{named}")
        login = f"{unquote(proxy.username)}:{unquote(proxy.password or '')}" if proxy.username is not None else None
        pools = ProxyManager(proxy.geturl(), proxy_headers=make_headers(proxy_basic_auth=login), **options)
    pools.pool_classes_by_scheme = {"http": _Pool, "https": _SecurePool}
    return pools


def sent(
    pools: PoolManager, method: str, address: str, body: bytes, headers: Mapping[str, str], *, timeout: float,
    longest: int,
) -> HttpAnswer:  # fmt: skip
    """Send a request, and return its answer, which must be whole within ``timeout`` seconds.

    Of the body, ``longest`` bytes and one more are read, so that a longer one can be recognised. Where the server has
    closed a connection that was open from before, without a byte of an answer, the request is sent on another one.

    Raises:
        OSError, ValueError, HTTPException, urllib3.exceptions.HTTPError: no answer came.
    """
    begun = time.monotonic()
    options: dict[str, Any] = {"redirect": False, "retries": False, "preload_content": False, "decode_content": False}
    while True:
        try:
            answer = pools.urlopen(
                method, address, body=body, headers=headers, timeout=Timeout(total=timeout), **options
            )
            break
        except HTTPError as error:
            cause = _cause(error)
            if not isinstance(cause, _StaleError):
                raise cause from None
    with closing(answer):
        arrivals: list[tuple[float, int]] = []
        body = _body(answer, longest, lambda count: arrivals.append((time.monotonic() - begun, count)))
        return HttpAnswer(answer.status, answer.headers, body, arrivals)


def _body(answer: BaseHTTPResponse, longest: int, came: Callable[[int], None]) -> bytes:
    """Return the body of an answer, of an error its beginning; ``came`` takes how much of it is there, part by part."""
    failed = answer.status >= 300
    most = _READ_OF_ERROR if failed else longest + 1
    content = bytearray()
    try:
        while len(content) < most and (part := answer.read1(min(most - len(content), _AT_A_TIME))):
            content += part
            came(len(content))
        if answer.length_remaining and len(content) < most:
            raise IncompleteRead(len(content), answer.length_remaining)
    except HTTPError as error:
        # Of an error its status says enough.
        if failed:
            return b""
        raise _cause(error) from None
    return bytes(content)


def _cause(error: BaseException) -> BaseException:
    """Return the error that urllib3 has wrapped in others."""
    inner = error.__cause__ or next(reversed(error.args), None)
    return _cause(inner) if isinstance(error, HTTPError) and isinstance(inner, Exception) else error


class _StaleError(ConnectionError):
    """A connection that was open from before had been closed by the server."""


class _UntilDeadline(io.RawIOBase):
    """Reads a socket until a deadline: its own timeout begins anew with each byte that a server sends."""

    def __init__(self, sock: socket.socket, file: io.RawIOBase, deadline: float) -> None:
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
    def __init__(self, sock: socket.socket, method: str | None, deadline: float) -> None:
        super().__init__(sock, method=method)
        self.fp = io.BufferedReader(_UntilDeadline(sock, self.fp.detach(), deadline))

    def begin(self) -> None:
        super().begin()
        # urllib3 would log lines of the head that cannot be read, and some servers repeat the API key.
        self.msg.defects.clear()
        self.msg.set_payload("")


class _Connection(HTTPConnection):
    _answered = False

    def connect(self) -> None:
        self._answered = False
        super().connect()

    def request(self, *args: Any, **options: Any) -> None:
        try:
            super().request(*args, **options)
        except ConnectionError:
            self._raise_if_stale()
            raise

    def getresponse(self) -> Any:
        try:
            response = super().getresponse()
        except ConnectionError:
            self._raise_if_stale()
            raise
        self._answered = True
        return response

    def _raise_if_stale(self) -> None:
        if self._answered:
            raise _StaleError from None

    def response_class(self, sock: socket.socket, method: str | None) -> HTTPResponse:  # type: ignore[override]
        """Make the response of http.client. At this time ``self.timeout`` is what is left for the whole answer."""
        return _Response(sock, method, time.monotonic() + float(self.timeout or 0))


class _SecureConnection(_Connection, HTTPSConnection):
    pass


class _Pool(HTTPConnectionPool):
    ConnectionCls = _Connection


class _SecurePool(HTTPSConnectionPool):
    ConnectionCls = _SecureConnection
