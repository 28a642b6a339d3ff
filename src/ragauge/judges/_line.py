"""What the threads that use one judge share: its connections, its rate, and what is known of its server."""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Lock

from ragauge.endpoints.endpoint import LONG_WAIT_S, Endpoint
from ragauge.judges._dialect import Negotiation

_MINUTE_S = 60.0
# Seconds of the rate that may be used at once: servers count by shorter spans than a minute, too.
_BURST_S = 1.0


class Line:
    """The line to one server.

    Connections stay open as long as a call of `begin` has had no call of `end`; several threads may be between the two.

    Args:
        connect: returns the endpoint, with the API key as it is now.
        negotiation: the dialect of the server.
        rate: limits on requests and tokens a minute.
    """

    def __init__(self, connect: Callable[[], Endpoint], negotiation: Negotiation, rate: Rate) -> None:
        self.negotiation, self.rate = negotiation, rate
        self._connect = connect
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
        """Take note of one more user; UsageError where there is no API key."""
        _ = self.endpoint
        with self._lock:
            self._users += 1

    def end(self) -> None:
        """Take note that a user has finished; the last one closes the connections. Without a `begin`, do nothing."""
        with self._lock:
            self._users = max(self._users - 1, 0)
            if self._users or self._endpoint is None:
                return
            # A later call may have another key.
            closed, self._endpoint = self._endpoint, None
        closed.close()


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
        """Take note of an answer, and of the tokens that it used beyond those expected; fewer are negative."""
        with self._lock:
            self._ahead[1] += tokens * self._seconds[1]
            self._refused_since = None

    def refused(self) -> float:
        """Take note that a request came too early; return the seconds since the first that did and no answer after."""
        with self._lock:
            now = time.monotonic()
            self._refused_since = now if self._refused_since is None else self._refused_since
            return now - self._refused_since

    def hold(self, seconds: float) -> bool:
        """Let no request through for some time, as a server asked.

        Return whether the user should hear of it: it is long, and no long one that was told lasts.
        """
        now = time.monotonic()
        with self._lock:
            self._not_before = max(self._not_before, now + seconds)
            is_news = seconds >= LONG_WAIT_S and self._told_until <= now
            if is_news:
                self._told_until = now + seconds
        return is_news
