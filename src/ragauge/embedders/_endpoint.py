"""Requests to a server that speaks OpenAI's protocol: which are sent again, and which errors the user can fix."""

from __future__ import annotations

import io
import json
import math
import re
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from functools import cached_property
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from socket import socket
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import urljoin, urlsplit
from urllib.request import HTTPHandler, HTTPRedirectHandler, HTTPSHandler, OpenerDirector, Request, build_opener

from ragauge.errors import UsageError

_FIRST_WAIT_S = 0.5
_LONGEST_WAIT_S = 60.0
# Statuses of RFC 9110 and 6585: address or key are wrong; a later request may be answered (529: overloaded).
_REDIRECTS = (301, 302, 303, 307, 308)
_WRONG = (401, 403, 404)
_LATER = (408, 409, 425, 429, 500, 502, 503, 504, 529)
_PORTS = {"http": 80, "https": 443}
_SHOWN = 200
# Servers put their reason first; a page of HTML is not read to its end.
_READ_OF_ERROR = 1 << 16


class Refused(Exception):  # noqa: N818 - an error of ours only when all retries are spent
    """The server gave no answer. ``final``: it would refuse the same request again; ``wait``: seconds it asks for."""

    def __init__(self, why: str, *, final: bool, wait: float | None = None) -> None:
        super().__init__(why)
        self.final = final
        self.wait = wait


@dataclass(frozen=True)
class Endpoint:
    """One address of a server. No other server gets the secret, and no message shows it."""

    address: str  # the whole address, as in http://localhost:11434/v1/embeddings
    secret: str | None = field(repr=False)  # the API key; None: none is sent
    timeout: float  # seconds to wait for the whole answer
    retries: int  # how often a request is sent again
    owner: str  # whose options url, model and key are, for messages

    def post(self, payload: Mapping[str, object], longest: int) -> bytes:
        """Send ``payload`` as JSON and return the body of the answer, of at most ``longest`` bytes.

        Refused where all retries are spent or would not help; UsageError where address, key or model are wrong.
        """
        for attempt in range(self.retries):
            try:
                return self._post(payload, longest)
            except Refused as refused:
                if refused.final:
                    raise
                wait = _FIRST_WAIT_S * 2**attempt if refused.wait is None else refused.wait
                time.sleep(min(max(wait, 0.0), _LONGEST_WAIT_S))
        return self._post(payload, longest)

    def shown(self, text: str) -> str:
        """Return the beginning of what a server wrote, with the API key masked: some servers repeat it."""
        return (self._any_form.sub("***", text) if self.secret else text)[:_SHOWN]

    @cached_property
    def _any_form(self) -> re.Pattern[str]:
        """The key with each character as it is, or escaped as in JSON and in addresses."""
        forms = (rf"(?:\\?{re.escape(char)}|%{ord(char):02x}|\\u00{ord(char):02x})" for char in self.secret or "")
        return re.compile("".join(forms), re.IGNORECASE)

    @cached_property
    def _opener(self) -> OpenerDirector:
        return build_opener(_SameServer, _Http, _Https)

    def _post(self, payload: Mapping[str, object], longest: int) -> bytes:
        headers = {"Content-Type": "application/json", "Accept": "application/json", "User-Agent": "ragauge"}
        if self.secret:
            headers["Authorization"] = f"Bearer {self.secret}"
        request = Request(self.address, json.dumps(payload).encode(), headers)  # noqa: S310 - http and https only
        try:
            with self._opener.open(request, timeout=self.timeout) as answer:
                body: bytes = answer.read(longest + 1)
        except HTTPError as error:
            with error:
                raise self._meaning(error) from None
        except (URLError, HTTPException, OSError, ValueError) as error:
            reason = self.shown(str(getattr(error, "reason", error)))
            raise Refused(f"no answer from {self.address}: {reason}", final=isinstance(error, ValueError)) from None
        if len(body) > longest:
            raise Refused(f"{self.address} answered with more than {longest} bytes", final=True)
        return body

    def _meaning(self, error: HTTPError) -> Exception:
        if error.code in _REDIRECTS and "Location" in error.headers:
            other = urlsplit(urljoin(self.address, error.headers["Location"]))
            target = self.shown(f"{other.scheme}://{other.netloc.rpartition('@')[2]}")
            message = f"{self.address} redirects to {target}, which is sent neither texts nor the API key"
            return UsageError(f"{message}; if that is the right server, give its address as url of {self.owner}")
        body = self.shown(_text_of(error))
        message = f"{self.address} answered {error.code}" + (f": {body}" if body else "")
        if error.code in _WRONG:
            return UsageError(f"{message}; look at url, model and key of {self.owner}")
        later = error.code in _LATER
        return Refused(message, final=not later, wait=_seconds(error.headers.get("Retry-After")) if later else None)


class _SameServer(HTTPRedirectHandler):
    """Follows redirects within one server, with method and body kept; urllib's own would send the key anywhere."""

    def redirect_request(self, req: Request, fp: Any, code: int, msg: str, headers: Any, newurl: str) -> Request | None:  # noqa: ARG002 - as urllib calls it
        """Return the next request; None, which makes the redirect an HTTPError, where another server is meant."""
        if _server(newurl) != _server(req.full_url):
            return None
        return Request(newurl, req.data, req.headers)  # noqa: S310 - the scheme is that of the first request


class _UntilDeadline(io.RawIOBase):
    """Reads a socket until a deadline: urllib's own timeout begins anew with each byte that a server sends."""

    def __init__(self, sock: socket, file: io.RawIOBase) -> None:
        self._socket = sock
        self._file = file
        self._deadline = time.monotonic() + (sock.gettimeout() or 0.0)

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
    def __init__(self, sock: socket, *args: Any, **options: Any) -> None:
        super().__init__(sock, *args, **options)
        self.fp = io.BufferedReader(_UntilDeadline(sock, self.fp.detach()))


class _Connection(HTTPConnection):
    response_class = _Response


class _SafeConnection(HTTPSConnection):
    response_class = _Response


class _Http(HTTPHandler):
    def http_open(self, req: Request) -> HTTPResponse:
        return self.do_open(_Connection, req)


class _Https(HTTPSHandler):
    def https_open(self, req: Request) -> HTTPResponse:
        # As urllib does it: one context, with the certificates that it has read, for all requests.
        return self.do_open(_SafeConnection, req, context=self._context)  # type: ignore[attr-defined]


def _server(address: str) -> tuple[str, str | None, int | None]:
    """Return the origin of an address: scheme, host and port."""
    parts = urlsplit(address)
    return parts.scheme, parts.hostname, parts.port or _PORTS.get(parts.scheme)


def _text_of(error: HTTPError) -> str:
    try:
        return error.read(_READ_OF_ERROR).decode("utf-8", "replace").strip()
    except (HTTPException, OSError):
        return ""


def _seconds(retry_after: str | None) -> float | None:
    """Read the header ``Retry-After``: seconds, or a date."""
    with suppress(ValueError):
        seconds = float(retry_after or "")
        return seconds if math.isfinite(seconds) else None
    with suppress(ValueError, OverflowError):
        return parsedate_to_datetime(retry_after or "").timestamp() - time.time()
    return None
