"""Requests to a server with JSON: which are sent again, and which errors the user can fix."""

from __future__ import annotations

import json
import re
import time
import zlib
from base64 import b64decode
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from http.client import HTTPException, LineTooLong
from operator import itemgetter
from typing import Any, Self, TypeAlias, TypeVar
from urllib.parse import urljoin, urlsplit

from urllib3 import PoolManager
from urllib3.exceptions import HTTPError

from ragauge.core.messages import Counted, Message
from ragauge.endpoints.address import nobody_there
from ragauge.endpoints.connections import HttpAnswer, pools_for, sent
from ragauge.endpoints.waits import seconds_of
from ragauge.errors import UsageError, excerpt, worded

_FIRST_WAIT_S = 0.5
_LONGEST_WAIT_S = 60.0
# Statuses of RFC 9110 and 6585: address or key are wrong; a later request may be answered (529: overloaded).
_REDIRECTS = (301, 302, 303, 307, 308)
_WRONG = (401, 403, 404)
_AT_THE_ROOT = ("/chat/completions", "/embeddings", "/decisions", "/systemone")  # of a url without a path
_LATER = (408, 409, 425, 429, 500, 502, 503, 504, 529)
_PORTS = {"http": 80, "https": 443}
# Shorter values of headers, such as 1 or en, are no secrets, and would mask half of a message.
_SHORTEST_SECRET = 6
# A model may write what is no longer, or is letters or digits alone: `none` and `test` are keys where none is needed.
_WORD, _LONG_WORD = 7, 20
_WORDS = re.compile(r"(?!sk[-_])[^\W\d_]+([-_. ][^\W\d_]+)*|[\d.:/-]+|https?://[\w.:/-]+")
_MOST_REDIRECTS = 5  # More are a circle.
_OTHER_FORM = (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError)
# http.client raises the bare HTTPException for more than 100 headers alone.
_HEAD_TOO_LARGE = (LineTooLong, HTTPException)
_GZIP = b"\x1f\x8b"
_NO_ANSWER = "RG-NET-004 no answer from {address}: {why}"
Read = TypeVar("Read")
Shown: TypeAlias = Callable[[str | BaseException], str]
"""Returns an excerpt of what a server wrote, without secrets."""


class Refused(Exception):  # noqa: N818 - an error of ours only when all retries are spent
    """The server gave no answer.

    Args:
        why: in words, without the API key.
        final: it would refuse the same request again.
        wait: seconds that the server asks to wait.
        status: of its answer; None where none came, or none in time.
        late: no answer came in time.
        body: the beginning of its answer, without the API key.
    """

    def __init__(
        self,
        why: str,
        *,
        final: bool,
        wait: float | None = None,
        status: int | None = None,
        late: bool = False,
        body: str = "",
    ) -> None:
        super().__init__(why)
        self.why = why
        self.final = final
        self.wait = wait
        self.status = status
        self.late = late
        self.body = body


class Empty(Refused):
    """The answer of the server has no body."""


class OtherFormError(ValueError):
    """A value of an answer is not of the form that it should have; ``problem`` says which, in our own words."""

    def __init__(self, problem: str) -> None:
        super().__init__(problem)
        self.problem = problem


class WrongEndpointError(UsageError):
    """The server says that the address, the key or the model is wrong: no request will be answered."""

    status: int = 0
    body: str = ""


@dataclass(frozen=True)
class Endpoint:
    """One address of a server. No other server gets the secret, and no message shows it.

    Connections stay open until `close`; as a context manager it is closed at the end.
    """

    address: str  # the whole address, as in http://localhost:11434/v1/embeddings
    secret: str | None = field(repr=False)  # the API key; None: none is sent
    timeout: float  # seconds to wait for the whole answer
    retries: int  # how often a request is sent again
    owner: str  # whose settings these are, for messages
    scheme: str = "Bearer"  # comes before the secret in its header; empty: nothing does
    method: str = "POST"
    header: str = "Authorization"  # holds the secret
    settings: str = "url, model and key"  # what an owner can look at, for messages
    headers: tuple[tuple[str, str], ...] = field(default=(), repr=False)  # further ones, whose values no message shows
    hidden: tuple[str, ...] = field(default=(), repr=False)  # parts of bodies that no message shows
    known_headers: tuple[tuple[str, str], ...] = ()  # those that the protocol asks for, which are no secrets

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections that are open."""
        self._pools.clear()

    def post(self, payload: object, longest: int) -> bytes:
        """Send ``payload`` as JSON, bytes as they are, None as no body, and return the body of the answer.

        It has at most ``longest`` bytes.

        Refused where all retries are spent or would not help; UsageError where address, key or model are wrong.
        """
        for attempt in range(self.retries):
            try:
                return self.post_once(payload, longest)
            except Refused as refused:
                if refused.final:
                    raise
                time.sleep(backoff(attempt, refused))
        return self.post_once(payload, longest)

    def shown(self, outside: str | BaseException) -> str:
        """Return an excerpt of what a server wrote or of an exception, without the API key: some servers repeat it."""
        return excerpt(outside, hide=self.masked)

    def masked(self, text: str) -> str:
        """Return ``text`` without the API key."""
        return _masked(text, self._secrets)

    def masked_reply(self, text: str) -> str:
        """Return ``text``, which a model wrote, without the API key; a key that is a word stays: it may mean that."""
        return _masked(text, [one for one in self._secrets if not _is_word(one)])

    @cached_property
    def _secrets(self) -> list[str]:
        """The texts to mask, the longest first: the key, passwords of basic authentication, values of headers."""
        secrets = [self.secret or "", *self.hidden]
        for _, value in self.headers:
            secrets += [value, value.rpartition(" ")[2]]
        for one in [*secrets] if self.scheme == "Basic" or self.headers else ():
            with suppress(ValueError):
                login = b64decode(one, validate=True).decode()
                secrets += [login, login.partition(":")[2]]
        return sorted({one for one in secrets if len(one) >= _SHORTEST_SECRET or one == self.secret} - {""}, key=len)[
            ::-1
        ]

    @cached_property
    def _pools(self) -> PoolManager:
        return pools_for(self.address)

    def post_once(self, payload: object, longest: int) -> bytes:
        """Send ``payload`` once; see `post`."""
        return self.answered(payload, longest).body

    def answered(self, payload: object, longest: int) -> HttpAnswer:
        """Send ``payload`` once and return the answer with its headers; errors as of `post`."""
        headers = {"Content-Type": "application/json", "Accept": "application/json", "User-Agent": "ragauge"}
        if self.secret:
            headers[self.header] = f"{self.scheme} {self.secret}".strip()
        headers |= dict(self.known_headers)
        own = {name.lower() for name, _ in self.headers}
        headers = {name: value for name, value in headers.items() if name.lower() not in own} | dict(self.headers)
        address = self.address
        body = payload if isinstance(payload, bytes) else b"" if payload is None else json.dumps(payload).encode()
        for _ in range(_MOST_REDIRECTS):
            try:
                answer = sent(self._pools, self.method, address, body, headers, timeout=self.timeout, longest=longest)
            except (HTTPError, HTTPException, OSError, ValueError) as error:
                raise self._none(error) from None
            if answer.status not in _REDIRECTS or "Location" not in answer.headers:
                break
            address = self._elsewhere(address, answer.headers["Location"])
        answer = answer._replace(body=_unzipped(answer.body, longest))
        if answer.status >= 300:
            raise self.meaning(answer)
        if not answer.body:
            raise Empty(Message(_NO_ANSWER, self.address, Message("it is empty")), final=False)
        if len(answer.body) > longest:
            template = "RG-NET-005 {address} answered with more than {longest} bytes"
            raise Refused(Message(template, self.address, longest), final=True)
        return answer

    def _none(self, error: Exception) -> Refused:
        late = isinstance(error, TimeoutError)
        if late:
            why: str = Message("timed out")
        elif type(error) in _HEAD_TOO_LARGE:
            why = Message("the head of the answer is too large")
        else:
            nobody = None if self._pools.proxy else nobody_there(self.address, error)
            why = nobody or self.shown(error)
        return Refused(Message(_NO_ANSWER, self.address, why), final=isinstance(error, ValueError), late=late)

    def _elsewhere(self, address: str, location: str) -> str:
        """Return where a redirect leads within this server; UsageError where it leads to another one."""
        with suppress(ValueError):
            target = urljoin(address, location)
            if _server(target) == _server(address):
                return target
        # Masked before it is parsed: the part of the key after a "/" would not be in the origin.
        origin = self._origin(self.masked(location))
        raise UsageError(
            "RG-NET-001 {address} redirects to {origin}. Nothing was sent there. If it is the right server, give its "
            "address as url of {owner}.",
            self.address,
            origin,
            self.owner,
        )

    def _origin(self, location: str) -> str:
        try:
            other = urlsplit(urljoin(self.address, location))
        except ValueError:
            return "an address that cannot be read"
        return self.shown(f"{other.scheme}://{other.netloc.rpartition('@')[2]}")

    def web_page(self) -> str:
        """Return in words that the address answered with a web page, and what to try instead."""
        server = urlsplit(self.address)
        other = "/api/v1" if server.path.startswith("/v1") else "/v1"
        template = (
            "RG-NET-011 {address} answered with a web page, so it is not the address of an API. Give that as url of "
            "{owner}; it often ends in /v1, as in {example}"
        )
        return Message(template, self.address, self.owner, f"{server.scheme}://{server.netloc}{other}")

    def meaning(self, answer: HttpAnswer) -> Refused | WrongEndpointError:
        """Return the error that an answer with the status of an error is."""
        body = _text(answer.body)
        masked, shown = self.masked(body.strip()), self.shown(body)
        said = (self.address, answer.status, Message(": {shown}", shown) if shown else "")
        if answer.status in _WRONG:
            template = "RG-NET-007 {address} answered {status}{shown}; look at {settings} of {owner}"
            what = (worded(self.settings), self.owner)
            if answer.status == 404 and (server := urlsplit(self.address)).path in _AT_THE_ROOT:
                template = "RG-NET-012 {address} answered {status}{shown}; url of {owner} often ends in /v1: {example}"
                what = (self.owner, f"{server.scheme}://{server.netloc}/v1")
            error = WrongEndpointError(template, *said, *what)
            error.status, error.body = answer.status, masked
            return error
        later = answer.status in _LATER
        wait = seconds_of(answer.headers.get("Retry-After")) if later else None
        why = Message("RG-NET-006 {address} answered {status}{shown}", *said)
        return Refused(why, final=not later, wait=wait, status=answer.status, body=masked)


def backoff(attempt: int, refused: Refused) -> float:
    """Return the seconds to wait before a request is sent again: as the server asks, else .5 s, 1 s, 2 s ...

    A server that asks for less than half a second, as with ``Retry-After: 0``, gets the growing pauses too.
    """
    if refused.wait is None or refused.wait < _FIRST_WAIT_S:
        return min(_FIRST_WAIT_S * 2.0**attempt, _LONGEST_WAIT_S)
    return min(refused.wait, _LONGEST_WAIT_S)


def read(body: bytes, path: str, parse: Callable[[Any], Read], shown: Shown = excerpt) -> Read:
    """Return what ``parse`` makes of an answer in JSON; Refused where its form is not that of ``path``.

    ``shown``: returns an excerpt of the answer or of an error, as `Endpoint.shown` does.
    """
    try:
        return parse(json.loads(body))
    except OtherFormError as other:
        problem: str = other.problem
    except KeyError as error:
        problem = Message("it has no {key}", shown(error).removeprefix("KeyError: "))
    except _OTHER_FORM:
        problem = Message("it is compressed") if body.startswith(_GZIP) else shown(_text(body))
    raise Refused(
        Message("RG-NET-008 the answer does not have the form of {path}: {problem}", path, problem), final=True
    )


def _unzipped(body: bytes, longest: int) -> bytes:
    """Return a body as it was before gzip, which some proxies send unasked; of any other, or a damaged one, itself."""
    if not body.startswith(_GZIP):
        return body
    unzip = zlib.decompressobj(wbits=31)
    try:
        whole = unzip.decompress(body, longest + 1)
    except zlib.error:
        return body
    return whole if unzip.eof or len(whole) > longest else body


def _text(body: bytes) -> str:
    return body.decode("utf-8", "replace")


def by_number(numbers: Sequence[int], values: Sequence[Read], count: int, kind: str, of: str) -> list[Read]:
    """Return the values of ``count`` texts in the order of their numbers; Refused where those are not 0, 1, 2 ...

    >>> by_number([1, 0], ["b", "a"], 2, "vector", "text")
    ['a', 'b']
    """
    if len(values) != count:
        template = "RG-NET-009 the answer must hold a {kind} for each {of}; got {values} for {texts}"
        what = (worded(kind), worded(of), Counted(len(values), kind), Counted(count, of))
        raise Refused(Message(template, *what), final=True)
    if sorted(numbers) != list(range(count)):
        template = "RG-NET-010 the answer must number each {kind} from 0 on; got {numbers}"
        raise Refused(Message(template, worded(kind), ", ".join(map(str, numbers[:5]))), final=True)
    return [value for _, value in sorted(zip(numbers, values, strict=True), key=itemgetter(0))]


def _is_word(secret: str) -> bool:
    return len(secret) <= _WORD or (len(secret) < _LONG_WORD and bool(_WORDS.fullmatch(secret)))


def _masked(text: str, secrets: Sequence[str]) -> str:
    return re.sub("|".join(map(_escaped, secrets)), "***", text, flags=re.IGNORECASE) if secrets else text


def _escaped(secret: str) -> str:
    """Return a pattern of ``secret`` with each character as it is, or escaped as in JSON and in addresses."""
    return "".join([rf"(?:\\?{re.escape(char)}|%(?:25)*{ord(char):02x}|\\u00{ord(char):02x})" for char in secret])


def _server(address: str) -> tuple[str, str | None, int | None]:
    """Return the origin of an address: scheme, host and port."""
    parts = urlsplit(address)
    return parts.scheme, parts.hostname, parts.port or _PORTS.get(parts.scheme)
