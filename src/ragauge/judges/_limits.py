"""Requests and tokens a minute: how long a request has to wait for its turn."""

from __future__ import annotations

import time
from threading import Lock

from ragauge.endpoints.endpoint import LONG_WAIT_S

_MINUTE_S = 60.0
# Seconds of the rate that may be used at once: servers count by shorter spans than a minute, too.
_BURST_S = 1.0


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
