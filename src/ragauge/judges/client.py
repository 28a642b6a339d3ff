"""The client of a judge's server: connections, retries and limits a minute, which all threads share."""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from threading import Lock
from typing import Any

from ragauge.core.ingredients import Structured
from ragauge.core.messages import Message
from ragauge.endpoints.endpoint import Endpoint, Refused, WrongEndpointError, backoff
from ragauge.endpoints.waits import LONG_WAIT_S
from ragauge.judges.base import NoAnswer, Request

_ORDER: tuple[Structured, ...] = ("json_schema", "json_object", "parsed")
_NEWER = "max_completion_tokens"
# Parameters that some models refuse, by what their servers write.
_OPTIONAL = ("temperature", "seed", "logprobs")
_TICK_S = 0.2


@dataclass(frozen=True)
class Dialect:
    """How requests are written.

    Args:
        structured: how the form of replies is held.
        limit: the parameter for the most tokens of a reply.
        without: parameters that the server refuses.

    >>> Dialect().after("Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.").limit
    'max_completion_tokens'
    >>> Dialect().after("response_format json_schema is not supported").structured
    'json_object'
    """

    structured: Structured = "json_schema"
    limit: str = "max_tokens"
    without: frozenset[str] = frozenset()

    @property
    def refused(self) -> str:
        """The parameters that decide a reply and that the server refuses, joined by ``/``."""
        return "/".join(sorted(self.without - {"logprobs"}))

    def after(self, complaint: str, *, fixed: bool = False) -> Dialect | None:
        """Return what to try after the server has complained; None where nothing is left. ``fixed``: the form is."""
        if _NEWER in complaint and self.limit != _NEWER:
            return replace(self, limit=_NEWER)
        for name in _OPTIONAL:
            if re.search(rf"\b(top_)?{name}\b", complaint) and name not in self.without:
                return replace(self, without=self.without | {name})
        if fixed or self.structured == _ORDER[-1]:
            return None
        return replace(self, structured=_ORDER[_ORDER.index(self.structured) + 1])

    def payload(self, values: Mapping[str, Any], schema: Mapping[str, Any]) -> dict[str, Any]:
        """Return the request with ``values``, of which ``max_tokens`` is one, for replies that follow ``schema``."""
        payload = {self.limit if name == "max_tokens" else name: value for name, value in values.items()}
        for name in self.without:
            payload.pop(name, None)
            payload.pop(f"top_{name}", None)
        if self.structured == "json_schema":
            form = {"name": "reply", "strict": True, "schema": strict(schema)}
            payload["response_format"] = {"type": "json_schema", "json_schema": form}
        elif self.structured == "json_object":
            payload["response_format"] = {"type": "json_object"}
        return payload


class Negotiation:
    """The dialect of a server, found out by one request alone while all others wait.

    ``output``: how the form of replies is held, or ``auto``.
    """

    def __init__(self, output: str) -> None:
        self.fixed = output != "auto"
        self.dialect = Dialect(_ORDER[_ORDER.index(output)] if output in _ORDER else _ORDER[0])
        self.known = False
        self._lock = Lock()
        # The weakest form of all answers that were used, and all parameters that any of them was without.
        self._used: Dialect | None = None
        self._noting = Lock()

    @property
    def shown(self) -> Mapping[str, str]:
        """The dialect for a signature: the weakest of all answers that were used, so that it holds of each of them."""
        used = self._used or self.dialect
        output = used.structured if self.fixed or self.known or self._used else "auto"
        return {"output": output, **({"refused": used.refused} if used.refused else {})}

    @contextmanager
    def turn(self, pause: Callable[[float], None]) -> Iterator[None]:
        """Wait until the dialect is known, or until it is this request's turn to find it out."""
        if not self.known:
            while not self._lock.acquire(timeout=_TICK_S):
                pause(0)
            try:
                if not self.known:
                    pause(0)
                    yield
                    return
            finally:
                self._lock.release()
        yield

    def settle(self, dialect: Dialect) -> None:
        """Note that a request in this dialect was answered."""
        with self._noting:
            self.dialect, self.known = dialect, True

    def note(self, structured: Structured, refused: str) -> None:
        """Note the dialect of an answer that is used; cached ones decide also how the next requests are sent."""
        with self._noting:
            before = self._used or Dialect(structured)
            weaker = max(structured, before.structured, key=_ORDER.index)
            without = before.without | set(filter(None, refused.split("/")))
            self._used = replace(before, structured=weaker, without=without)
            if not self.known:
                form = self.dialect.structured if self.fixed else weaker
                self.dialect = replace(self.dialect, structured=form, without=self.dialect.without | without)


def strict(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return a schema as strict servers want it: objects have all their properties, and no others.

    >>> strict({"type": "object", "properties": {"n": {"type": "integer"}}})["required"]
    ['n']
    """
    parts: dict[str, Any] = dict(schema)
    if "properties" in parts:
        parts["properties"] = {name: strict(part) for name, part in parts["properties"].items()}
        parts |= {"required": list(parts["properties"]), "additionalProperties": False}
    if isinstance(parts.get("items"), Mapping):
        parts["items"] = strict(parts["items"])
    return parts


_MINUTE_S = 60.0
# Seconds of the rate that may be used at once: servers count by shorter spans than a minute, too.
_BURST_S = 1.0
# Bytes of an answer: no reply to one question is longer.
_LONGEST = 1 << 22
# A server that asks to wait longer has no more for this run: it is a limit of the day or of the account.
_LONGEST_WAIT_S = 300.0
# Retries of a request that came too early (429), for each that a failed one has.
_PATIENCE = 10
# A server that has answered 429 to all requests for so long is given up.
_REFUSED_S = 600.0
# Statuses of a request that the server cannot read: another dialect may help.
_NOT_UNDERSTOOD = (400, 415, 422, 501)
_NO_MONEY = ("insufficient_quota", "billing", "exceeded your current quota", "insufficient balance", "credit balance")
_TOO_LONG = ("context_length", "context length", "maximum context", "context window", "too many tokens", "too long")
_FILTERED = ("content_filter", "content_policy", "moderation", "responsibleai", "data_inspection_failed", "flagged")
# Words of servers about a reply that may be longer than their model writes.
_TOO_MUCH = re.compile(
    r"max_(completion_)?tokens\b.{0,80}(too large|too high|exceed|less than|at most|maximum|valid range)", re.IGNORECASE
)
# An answer as servers give it whose filter comes behind the model.
_FILTERED_ANSWER = b'{"choices": [{"finish_reason": "content_filter", "message": {}}]}'


class NotUnderstoodError(Exception):
    """The server cannot read a request; ``too_much``: because a reply may be longer than its model writes."""

    def __init__(self, refused: Refused) -> None:
        super().__init__(refused.why)
        self.why = refused.why
        self.status, self.complaint = refused.status, refused.body
        self.too_much = bool(_TOO_MUCH.search(refused.body))


class Client:
    """The client of one server.

    Connections stay open as long as a call of `begin` has had no call of `end`; several threads may be between the two.

    Args:
        connect: returns the endpoint, with the API key as it is now.
        negotiation: the dialect of the server.
        rate: limits on requests and tokens a minute.
        retries: how often a request is sent again after a temporary failure.
    """

    def __init__(self, connect: Callable[[], Endpoint], negotiation: Negotiation, rate: Rate, retries: int) -> None:
        self.negotiation, self.rate = negotiation, rate
        self._connect, self._retries = connect, retries
        self._endpoint: Endpoint | None = None
        self._users = 0
        self._lock = Lock()

    @property
    def endpoint(self) -> Endpoint:
        """The endpoint, made where there is none."""
        with self._lock:
            if self._endpoint is None:
                self._endpoint = self._connect()
            return self._endpoint

    def begin(self) -> None:
        """Count one more user; UsageError where there is no API key."""
        _ = self.endpoint
        with self._lock:
            self._users += 1

    def end(self) -> None:
        """Count one user less; the last one closes the connections. Without a `begin`, do nothing."""
        with self._lock:
            self._users = max(self._users - 1, 0)
            if self._users or self._endpoint is None:
                return
            # A later call may have another key.
            closed, self._endpoint = self._endpoint, None
        closed.close()

    def post(self, payload: Mapping[str, Any], request: Request, tokens: int) -> bytes:
        """Send ``payload``, of about so many ``tokens`` with its reply, until it is answered, and return the answer.

        Raises:
            NotUnderstoodError: the server cannot read it.
            NoAnswer: sending it again would not help.
            UsageError: address, key or model are wrong.
        """
        failed = early = 0
        late = False
        while True:
            request.pause(self.rate.turn(tokens))
            request.sending(late=late)
            try:
                return self.endpoint.post_once(payload, _LONGEST)
            except WrongEndpointError as wrong:
                if wrong.status == 403 and _mentions(wrong.body, _FILTERED):
                    return _FILTERED_ANSWER
                if wrong.status != 401 and self.negotiation.known:
                    # Others were answered, so address, key and model are right.
                    raise NoAnswer(f"http-{wrong.status}", wrong.message) from None
                raise
            except Refused as refused:
                if refused.status in _NOT_UNDERSTOOD and _mentions(refused.body, _FILTERED):
                    return _FILTERED_ANSWER
                _raise_if_final(refused)
                late, is_early = refused.late, refused.status == 429
                early, failed = early + is_early, failed + (not is_early)
                most = min(self._retries, 1) if late else self._retries
                refused_s = self.rate.refused() if is_early else 0.0
                given_up = failed > most or early > _PATIENCE * self._retries or refused_s > _REFUSED_S
                wait = backoff(failed + early - 1, refused)
                pause = wait * (1 + request.jitter(failed + early))
                if is_early:
                    request.early(0.0 if given_up else pause)
                if given_up:
                    raise NoAnswer(_code(refused), refused.why) from None
                if is_early and refused.wait is not None:
                    self.rate.hold(min(wait, refused.wait))
                request.pause(pause)


def _raise_if_final(refused: Refused) -> None:
    """Raise what a refusal means that no retry can help."""
    if refused.status == 402 or (refused.status == 429 and _mentions(refused.body, _NO_MONEY)):
        raise NoAnswer("quota", refused.why) from None
    if refused.wait is not None and refused.wait > _LONGEST_WAIT_S:
        raise NoAnswer(
            "quota", Message("{why}; the server asks to wait {wait:.0f} s", refused.why, refused.wait)
        ) from None
    not_read = refused.status in _NOT_UNDERSTOOD
    too_much = not_read and _TOO_MUCH.search(refused.body)
    if refused.status in (400, 413, 422) and _mentions(refused.body, _TOO_LONG) and not too_much:
        raise NoAnswer("too-long", refused.why) from None
    if not_read:
        raise NotUnderstoodError(refused) from None
    if refused.final:
        # Without a status it was answered, but with more than is read.
        raise NoAnswer(_code(refused), refused.why, alone=True) from None


def _code(refused: Refused) -> str:
    if refused.status is not None:
        return f"http-{refused.status}"
    return "timeout" if refused.late else "no-answer"


def _mentions(body: str, words: tuple[str, ...]) -> bool:
    folded = body.lower()
    return any(word in folded for word in words)


class Rate:
    """Spreads requests and tokens over time; 0 for no limit. Several threads share it.

    Each rate is the generic cell rate algorithm: what is used moves a clock ahead, and who finds it more than a second
    ahead of the time waits for the difference.

    >>> rate = Rate(60, 0)
    >>> [round(rate.turn(100)) for _ in range(3)]
    [0, 0, 1]
    """

    def __init__(self, requests: int, tokens: int) -> None:
        self._seconds = tuple(_MINUTE_S / limit if limit else 0.0 for limit in (requests, tokens))
        self._ahead = [0.0, 0.0]
        self._not_before = 0.0
        self._told_until = 0.0
        self._refused_since: float | None = None
        self._lock = Lock()

    def turn(self, tokens: int) -> float:
        """Take the turn of a request of about so many tokens, and return how many seconds it has to wait."""
        now = time.monotonic()
        with self._lock:
            wait = self._not_before - now
            for place, used in enumerate((1, tokens)):
                ahead = max(self._ahead[place], now)
                wait = max(wait, ahead - now - _BURST_S) if self._seconds[place] else wait
                self._ahead[place] = ahead + used * self._seconds[place]
        return max(wait, 0.0)

    def answered(self, tokens: int) -> None:
        """Count an answer, and the tokens that it used beyond those expected; fewer are negative."""
        with self._lock:
            self._ahead[1] += tokens * self._seconds[1]
            self._refused_since = None

    def refused(self) -> float:
        """Count a request that came too early; return the seconds since the first that did and no answer after."""
        with self._lock:
            now = time.monotonic()
            self._refused_since = now if self._refused_since is None else self._refused_since
            return now - self._refused_since

    def hold(self, seconds: float) -> None:
        """Let no request through for some time, as a server asked; a long wait is logged, once for all requests."""
        now = time.monotonic()
        with self._lock:
            self._not_before = max(self._not_before, now + seconds)
            is_news = seconds >= LONG_WAIT_S and self._told_until <= now
            if is_news:
                self._told_until = now + seconds
        if is_news:
            logger = logging.getLogger("ragauge")
            logger.warning("the judge's server asks to wait %.0f s (429); requests go on after that", seconds)
