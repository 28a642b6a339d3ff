"""The client of a judge's server: connections, retries and limits a minute, which all threads share."""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from threading import Lock
from typing import Any

from ragauge.core.lazy import lazy_pattern
from ragauge.core.messages import Message
from ragauge.endpoints.connections import HttpAnswer
from ragauge.endpoints.endpoint import Endpoint, Refused, WrongEndpointError, backoff
from ragauge.endpoints.waits import LONG_WAIT_S
from ragauge.judges.bodies import CutOffError, error_in, joined
from ragauge.judges.dialect import LADDER, Negotiation
from ragauge.judges.request import NoAnswer, Request

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
_FILTERED = (
    "content_filter", "content_policy", "moderation", "responsibleai", "data_inspection_failed", "flagged",
    "content management policy", "our safety system",
)  # fmt: skip
# Words of servers about a reply that may be longer than their model writes.
_TOO_MUCH = lazy_pattern(
    r"max_(completion_)?tokens\b.{0,80}(too large|too high|exceed|less than|at most|maximum|valid range)", re.IGNORECASE
)
# Words that name a parameter of a request, or say that there is one that is not supported.
_PARAMETER = lazy_pattern("|".join([*LADDER.values(), r"support\w* .{0,40}parameter"]), re.IGNORECASE)
# How often a request is sent again to a server that has not answered before: where nobody answers, and, before another
# dialect is tried, after an error (500).
_TRIALS = 2
# An answer as servers give it whose filter comes behind the model.
_FILTERED_ANSWER = b'{"choices": [{"finish_reason": "content_filter", "message": {}}]}'


class NotUnderstoodError(Exception):
    """The server cannot read a request; ``too_much``: because a reply may be longer than its model writes.

    ``wrong``: the error where no other dialect helps, because address, key or model may be wrong.
    """

    def __init__(self, error: Refused | WrongEndpointError) -> None:
        self.wrong = error if isinstance(error, WrongEndpointError) else None
        self.why = error.message if isinstance(error, WrongEndpointError) else error.why
        self.status, self.complaint = error.status, error.body
        super().__init__(self.why)
        self.too_much = bool(_TOO_MUCH.search(self.complaint))


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
        known = self.negotiation.knows(labels=bool(request.question.labels))
        while True:
            request.pause(self.rate.turn(tokens))
            request.sending(late=late)
            try:
                return self._answered(payload, refuses_labels=bool(request.question.labels) and not known)
            except Refused as refused:
                _raise_if_final(refused)
                late, is_early = refused.late, refused.status == 429
                early, failed = early + is_early, failed + (not is_early)
                nobody = refused.status is None and not (late or self.negotiation.known)
                most = min(self._retries, 1 if late else _TRIALS if nobody else self._retries)
                trials = most if known else min(most, _TRIALS)
                if refused.status == 500 and (_PARAMETER.search(refused.body) or failed > trials):
                    raise NotUnderstoodError(refused) from None
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

    def filtered(self, status: int, body: bytes) -> bytes:
        """Return the answer that an error stands for, whose filter took a reply away; NoAnswer for any other error."""
        error = self.endpoint.meaning(HttpAnswer(status, {}, body))
        if status in (403, *_NOT_UNDERSTOOD) and _mentions(error.body, _FILTERED):
            return _FILTERED_ANSWER
        if isinstance(error, WrongEndpointError):
            raise NoAnswer(f"http-{status}", error.message, alone=True)
        with suppress(NotUnderstoodError):
            _raise_if_final(error)
        raise NoAnswer(_code(error), error.why, alone=True)

    def _answered(self, payload: Mapping[str, Any], *, refuses_labels: bool) -> bytes:
        """Send ``payload`` once, and return the answer, which has a reply, or is one that a filter took away.

        ``refuses_labels``: a 403 that says nothing may be about label probabilities.
        """
        endpoint = self.endpoint
        try:
            body = joined(endpoint.post_once(payload, _LONGEST))
            if (error_of := error_in(body)) is not None:
                raise endpoint.meaning(HttpAnswer(error_of[0], {}, error_of[1]))
        except CutOffError:
            why = Message(
                "RG-JUDGE-075 the answer of {address} is a stream that ends before its reply", endpoint.address
            )
            raise Refused(why, final=False) from None
        except (Refused, WrongEndpointError) as error:
            if error.status in (403, *_NOT_UNDERSTOOD) and _mentions(error.body, _FILTERED):
                return _FILTERED_ANSWER
            if isinstance(error, Refused):
                raise
            if (error.status == 403 and refuses_labels) or (error.status != 401 and _PARAMETER.search(error.body)):
                raise NotUnderstoodError(error) from None
            if error.status != 401 and self.negotiation.known:
                # Others were answered, so address, key and model are right.
                raise NoAnswer(f"http-{error.status}", error.message) from None
            raise
        if body.lstrip().startswith(b"<"):
            raise NoAnswer("no-answer", endpoint.web_page(), alone=True)
        return body


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
