"""Addresses of servers as users write them; without the library of requests, which takes a while to import."""

from __future__ import annotations

import socket
from urllib.parse import urlsplit

from ragauge.core.lazy import lazy_pattern
from ragauge.core.messages import Message
from ragauge.errors import UsageError

_OTHER_SCHEME = lazy_pattern(r"(?!https?://)(?:[A-Za-z][\w+.-]+:/+|https?//)(.+)")
_NO_SCHEME = lazy_pattern(r"[\w.-]+:\d+(?:/|$)|[\w-]+(?:\.[\w-]+)+/[^:]*$")
_NO_PORT = lazy_pattern(r"(localhost|\d+(?:\.\d+){3})(/[^:]*)?")


def is_address(text: object) -> bool:
    """Return whether something is named by the address of a server."""
    return isinstance(text, str) and text.startswith(("http://", "https://"))


def check_scheme(text: str) -> None:
    """Raise UsageError for an address that lacks its scheme, has another, or names this machine without a port.

    >>> check_scheme("http://localhost:11434/v1")
    >>> check_scheme("htp://localhost:11434/v1")
    Traceback (most recent call last):
    ragauge.errors.UsageError: htp://localhost:11434/v1 does not begin with http:// or https://; write \
http://localhost:11434/v1
    """
    if other := _OTHER_SCHEME.fullmatch(text):
        template = "RG-SYSTEM-030 {system} does not begin with http:// or https://; write {address}"
        raise UsageError(template, text, f"http://{other[1]}")
    if host := _NO_PORT.fullmatch(text):
        template = "RG-SYSTEM-031 {system} is an address without http:// and a port; write both, as in {address}"
        raise UsageError(template, text, f"http://{host[1]}:8000{host[2] or ''}")
    if _NO_SCHEME.match(text):
        template = "RG-SYSTEM-026 {system} is an address without http://; write http://{system}, or https://{system}"
        raise UsageError(template, text)


def nobody_there(address: str, error: Exception) -> Message | None:
    """Return why no server is at an address, and what to write in its place; None for any other error.

    >>> str(nobody_there("http://localhost:1143/v1", ConnectionRefusedError()))
    'nothing listens at port 1143. Start the server, or write the port where it listens: http://localhost:PORT/v1'
    """
    server = urlsplit(address)
    if isinstance(error, ConnectionRefusedError):
        port = server.port or {"http": 80, "https": 443}[server.scheme]
        template = "nothing listens at port {port}. Start the server, or write the port where it listens: {address}"
        return Message(template, port, server._replace(netloc=f"{server.hostname}:PORT").geturl())
    if isinstance(error, socket.gaierror):
        template = "no host {host} is known. Write its name as it is, or its address, as in {address}"
        return Message(template, server.hostname, server._replace(netloc="127.0.0.1:PORT").geturl())
    if getattr(error, "reason", "") == "WRONG_VERSION_NUMBER":
        return Message("the server does not speak https; write {address}", server._replace(scheme="http").geturl())
    return None
