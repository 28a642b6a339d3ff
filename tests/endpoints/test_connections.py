"""What urllib3 leaves to us: whole answers by a deadline, stale connections, proxies, and what no log may show."""

from __future__ import annotations

import gzip
import logging
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from urllib3.connection import HTTPConnection

from ragauge.endpoints.endpoint import Endpoint, Refused
from ragauge.errors import UsageError

CERTIFICATE = Path(__file__).parent / "localhost.pem"
OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"
Serve = Callable[[socket.socket, int], None]


def request_of(connection: socket.socket) -> bytes:
    """Read one request; empty at the end of the connection."""
    data = b""
    while b"\r\n\r\n" not in data:
        read = connection.recv(1 << 16)
        if not read:
            return b""
        data += read
    head, _, body = data.partition(b"\r\n\r\n")
    lengths = [line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
    missing = (int(lengths[0].split(b":")[1]) if lengths else 0) - len(body)
    while missing > 0:
        missing -= len(connection.recv(missing))
    return head


@contextmanager
def serving(serve: Serve) -> Iterator[int]:
    """Call ``serve`` with each connection and its number, in a thread each; yield the port."""
    with socket.create_server(("127.0.0.1", 0)) as listening, ExitStack() as stack:

        def run(connection: socket.socket, number: int) -> None:
            with connection, suppress(OSError):
                serve(connection, number)

        def accept() -> None:
            number = 0
            with suppress(OSError):
                while True:
                    connection, _ = listening.accept()
                    stack.callback(connection.close)
                    threading.Thread(target=run, args=(connection, number), daemon=True).start()
                    number += 1

        threading.Thread(target=accept, daemon=True).start()
        yield listening.getsockname()[1]


def endpoint(port: int, timeout: float = 10.0, scheme: str = "http") -> Endpoint:
    return Endpoint(f"{scheme}://localhost:{port}/v1", "sk-secret", timeout, 0, "judge 'x'")


def posted(port: int, longest: int = 100, timeout: float = 10.0) -> bytes:
    with endpoint(port, timeout) as asked:
        return asked.post([1], longest)


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


def test_a_connection_that_is_closed_instead_of_an_answer_is_replaced_once_it_has_answered_before() -> None:
    numbers: list[int] = []

    def serve(connection: socket.socket, number: int) -> None:
        while request_of(connection):
            numbers.append(number)
            if number == 0 and len(numbers) == 2:
                return
            connection.sendall(OK)

    with serving(serve) as port, endpoint(port) as asked:
        assert [asked.post([1], 100) for _ in range(3)] == [b"{}"] * 3
    assert numbers == [0, 0, 1, 1]


def test_a_connection_that_is_aborted_while_a_request_is_sent_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    """As Windows reports one that the server has closed."""
    sends: list[int] = []
    whole = HTTPConnection.request

    def request(connection: HTTPConnection, *arguments: Any, **options: Any) -> None:
        sends.append(1)
        if len(sends) == 2:
            raise ConnectionAbortedError("aborted")
        whole(connection, *arguments, **options)

    monkeypatch.setattr(HTTPConnection, "request", request)
    numbers: list[int] = []
    with serving(lambda connection, number: answering(connection, numbers, number)) as port, endpoint(port) as asked:
        assert [asked.post([1], 100) for _ in range(2)] == [b"{}"] * 2
    assert numbers == [0, 1]


def test_a_new_connection_that_is_closed_instead_of_an_answer_fails() -> None:
    numbers: list[int] = []

    def serve(connection: socket.socket, number: int) -> None:
        numbers.append(number)
        request_of(connection)

    with serving(serve) as port, pytest.raises(Refused, match="RemoteDisconnected"):
        posted(port)
    assert numbers == [0]


@pytest.mark.parametrize(
    "begin",
    [b"HTTP/1.1 ", b"HTTP/1.1 100 Continue\r\n\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 10000\r\n\r\n",
     b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"],
)  # fmt: skip
def test_an_answer_has_until_the_deadline_however_slowly_it_comes(begin: bytes) -> None:
    def serve(connection: socket.socket, _number: int) -> None:
        request_of(connection)
        connection.sendall(begin)
        for _ in range(200):
            connection.sendall(b"1\r\n1\r\n" if b"chunked" in begin else b"1")
            time.sleep(0.02)

    started = time.monotonic()
    with serving(serve) as port, pytest.raises(Refused, match="timed out") as refused:
        posted(port, 10_000, timeout=0.3)
    assert refused.value.late
    assert time.monotonic() - started < 2


def test_an_answer_that_is_too_long_is_not_read_to_its_end() -> None:
    sent: list[int] = []

    def serve(connection: socket.socket, number: int) -> None:
        request_of(connection)
        connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
        while True:
            sent.append(connection.send(b" " * (1 << 16)))

    with serving(serve) as port, pytest.raises(Refused, match="more than 1000 bytes") as refused:
        posted(port, 1000)
    assert refused.value.final
    assert sum(sent) < 1 << 26


def test_an_answer_is_decompressed_up_to_its_limit() -> None:
    """A small body could become one of any length."""
    body = gzip.compress(b"{}" + b" " * 1_000_000)

    def serve(connection: socket.socket, number: int) -> None:
        assert b"accept-encoding: identity" in request_of(connection).lower()
        head = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(body)
        connection.sendall(head + body)

    with serving(serve) as port:
        assert posted(port, 1_000_002) == gzip.decompress(body)
        with pytest.raises(Refused, match="more than 1000000 bytes"):
            posted(port, 1_000_000)


@pytest.mark.parametrize(
    "answer",
    [b"no HTTP\r\n\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{}", b"HTTP/1.1 200 OK\r\n" + b"X: x\r\n" * 500,
     b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", b"HTTP/1.1 200 OK\r\nX: " + b"x" * 100_000],
)  # fmt: skip
def test_an_answer_that_is_not_http_is_refused(answer: bytes) -> None:
    def serve(connection: socket.socket, _number: int) -> None:
        request_of(connection)
        connection.sendall(answer)

    with serving(serve) as port, pytest.raises(Refused, match="no answer from") as refused:
        posted(port)
    assert "urllib3" not in str(refused.value)
    assert "Pool" not in str(refused.value)


@pytest.mark.parametrize("head", [b"X: x\r\n" * 500, b"X: " + b"x" * 100_000])
def test_a_head_that_is_too_large_is_the_reason(head: bytes) -> None:
    def serve(connection: socket.socket, _number: int) -> None:
        request_of(connection)
        connection.sendall(b"HTTP/1.1 200 OK\r\n" + head)

    with serving(serve) as port, pytest.raises(Refused, match=r": the head of the answer is too large\Z"):
        posted(port)


def test_no_log_shows_what_a_server_writes(caplog: pytest.LogCaptureFixture) -> None:
    def serve(connection: socket.socket, number: int) -> None:
        request_of(connection)
        connection.sendall(b"HTTP/1.1 200 OK\r\nsk-secret\r\nContent-Length: 2\r\n\r\n{}")

    with caplog.at_level(logging.DEBUG), serving(serve) as port, suppress(Refused):
        posted(port)
    assert "sk-" not in caplog.text


def secured(connection: socket.socket) -> ssl.SSLSocket:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(CERTIFICATE)
    return context.wrap_socket(connection, server_side=True)


def answering(connection: socket.socket, numbers: list[int], number: int) -> None:
    while request_of(connection):
        numbers.append(number)
        connection.sendall(OK)


def test_certificates_are_checked_and_secure_connections_stay_open(monkeypatch: pytest.MonkeyPatch) -> None:
    numbers: list[int] = []

    def serve(connection: socket.socket, number: int) -> None:
        with secured(connection) as secure:
            answering(secure, numbers, number)

    with serving(serve) as port:
        with endpoint(port, scheme="https") as asked, pytest.raises(Refused, match="CERTIFICATE_VERIFY_FAILED"):
            asked.post([1], 100)
        monkeypatch.setenv("SSL_CERT_FILE", str(CERTIFICATE))
        with endpoint(port, scheme="https") as asked:
            assert [asked.post([1], 100) for _ in range(3)] == [b"{}"] * 3
    assert numbers == [1, 1, 1]


def test_a_proxy_gets_its_login_and_of_a_secure_server_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    heads: list[bytes] = []
    numbers: list[int] = []

    def serve(connection: socket.socket, number: int) -> None:
        heads.append(request_of(connection))
        if heads[-1].startswith(b"CONNECT"):
            connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
            with secured(connection) as secure:
                answering(secure, numbers, number)
        else:
            connection.sendall(OK)

    with serving(serve) as port:
        for scheme in ("http", "https"):
            monkeypatch.setenv(f"{scheme}_proxy", f"me:p%40ss@127.0.0.1:{port}")
        monkeypatch.setenv("SSL_CERT_FILE", str(CERTIFICATE))
        with endpoint(4711, scheme="https") as asked:
            assert [asked.post([1], 100) for _ in range(2)] == [b"{}"] * 2
        posted(4711)
    assert numbers == [0, 0]
    assert [head.partition(b" HTTP/")[0] for head in heads] == [
        b"CONNECT localhost:4711", b"POST http://localhost:4711/v1",
    ]  # fmt: skip
    assert [b"proxy-authorization: basic bwu6cebzcw==" in head.lower() for head in heads] == [True, True]
    assert [b"sk-secret" in head for head in heads] == [False, True]


def test_a_proxy_that_refuses_is_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    def serve(connection: socket.socket, _number: int) -> None:
        request_of(connection)
        connection.sendall(b"HTTP/1.1 407 Who are you?\r\n\r\n")

    with serving(serve) as port:
        monkeypatch.setenv("https_proxy", f"http://127.0.0.1:{port}")
        with endpoint(4711, scheme="https") as asked, pytest.raises(Refused, match="Tunnel connection failed: 407"):
            asked.post([1], 100)
        monkeypatch.setenv("no_proxy", "localhost")
        with endpoint(1, scheme="https") as asked, pytest.raises(Refused, match="nothing listens at port 1"):
            asked.post([1], 100)


def test_a_circle_of_redirects_ends() -> None:
    numbers: list[int] = []

    def serve(connection: socket.socket, _number: int) -> None:
        while request_of(connection):
            numbers.append(1)
            connection.sendall(b"HTTP/1.1 307 T\r\nLocation: /v1\r\nContent-Length: 0\r\n\r\n")

    with serving(serve) as port, pytest.raises(Refused, match="answered 307"):
        posted(port)
    assert len(numbers) == 5


def test_a_redirect_to_a_secure_server_is_refused() -> None:
    def serve(connection: socket.socket, _number: int) -> None:
        request_of(connection)
        connection.sendall(b"HTTP/1.1 308 P\r\nLocation: https://localhost/v1\r\nContent-Length: 0\r\n\r\n")

    with serving(serve) as port, pytest.raises(UsageError, match=r"redirects to https://localhost\. Nothing"):
        posted(port)
