"""How a system is asked: how many questions at once, how often, how long, and again after which failures."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import dataclass
from threading import Event, Lock
from time import monotonic
from typing import Annotated, Any, TypeAlias

from ragauge.core.hashing import hash_strings
from ragauge.core.lazy import lazy_pattern
from ragauge.core.options import Range, checked
from ragauge.endpoints.waits import LONG_WAIT_S, seconds_of

_UNITS = {"s": 1.0, "sec": 1.0, "second": 1.0, "m": 60.0, "min": 60.0, "minute": 60.0, "h": 3600.0, "hour": 3600.0}
_RATE = lazy_pattern(r"\s*(\d+(?:\.\d+)?)\s*/\s*([a-z]+)\s*")


def seconds_between_calls(rate: str) -> float:
    """Return the seconds between the starts of two calls at a rate; ValueError where the text is not a rate.

    >>> seconds_between_calls("600/min")
    0.1
    """
    match = _RATE.fullmatch(rate) if isinstance(rate, str) else None
    if match is None or match[2] not in _UNITS or not float(match[1]):
        raise ValueError(rate)
    return _UNITS[match[2]] / float(match[1])


def _rate(value: Any) -> Any:
    seconds_between_calls(value)
    return value


Concurrency: TypeAlias = Annotated[int, Range(1, 1024)]
"""Questions at once: each takes a thread."""
Timeout: TypeAlias = Annotated[Annotated[float, Range(0, above=True)] | None, "a number of seconds above 0"]
Retries: TypeAlias = Annotated[int, Range(0, 20)]
Rate: TypeAlias = Annotated[
    Annotated[str, _rate] | None,
    "a number of calls per second, minute or hour, as in '10/s', '600/min' or '1000/hour'",
]


@checked("evaluate")
@dataclass(frozen=True)
class Asking:
    """How a system is asked.

    Args:
        concurrency: questions at once, 1 to 1024.
        timeout: seconds for each call; None: no limit.
        retries: further tries after a failure that looks temporary, see `ragauge.systems.pace.is_temporary`; 0 to 20.
        rate: calls at most, as in ``10/s`` or ``600/min``; None: no limit.

    Raises:
        OptionError: an argument is wrong.
    """

    concurrency: Concurrency = 1
    timeout: Timeout = None
    retries: Retries = 2
    rate: Rate = None


LONGEST_WAIT = 300.0
"""Seconds before one more try at most, also where a server asks for more."""
_TEMPORARY = frozenset({408, 409, 425, 429})
"""Codes of HTTP below 500 after which clients of model servers try again; so they do after any from 500 on."""
_NAMES = lazy_pattern("Timeout|Connect|RateLimit|Throttl|Unavailable|Overloaded|Disconnected|TooManyRequests")
_CAUSES = 5


class Pace:
    """Lets calls start at equal distances, so that no second, minute or hour has more of them than allowed."""

    def __init__(self, interval: float) -> None:
        self._interval = interval
        self._lock = Lock()
        self._next = 0.0
        self._told_until = 0.0

    def wait(self, stopped: Event) -> None:
        """Wait until the next call may start, or until all is ``stopped``."""
        with self._lock:
            start = max(monotonic(), self._next)
            self._next = start + self._interval
        seconds = start - monotonic()
        if seconds > 0:
            stopped.wait(seconds)

    def pause(self, seconds: float) -> None:
        """Let no call start for so many seconds, since a server asked for that; a long pause is logged once."""
        now = monotonic()
        with self._lock:
            self._next = max(self._next, now + seconds)
            is_news = seconds >= LONG_WAIT_S and self._told_until <= now
            if is_news:
                self._told_until = now + seconds
        if is_news:
            logging.getLogger("ragauge").warning("the system asks to wait %.0f s; questions go on after that", seconds)


def is_temporary(error: BaseException) -> bool:
    """Return whether the same call may succeed a moment later.

    That is so for time-outs and broken connections, for the codes 408, 409, 425, 429 and those from 500 on of HTTP, and
    for errors whose class is named after one of these (``RateLimitError``, ``APIConnectionError``). Where an error has
    a cause, the cause is looked at too.

    >>> is_temporary(ConnectionError("reset")), is_temporary(KeyError("answer"))
    (True, False)
    """
    for one in _causes(error):
        status = _status(one)
        if status is not None:
            return status in _TEMPORARY or status >= 500
        names = [cls.__name__ for cls in type(one).__mro__]
        if isinstance(one, ConnectionError | TimeoutError) or any(map(_NAMES.search, names)):
            return True
    return False


def cause_of(error: BaseException) -> str:
    """Return what a failure is counted under: its code of HTTP, or the name of its class.

    >>> cause_of(ConnectionError("reset"))
    'ConnectionError'
    """
    code = next((code for one in _causes(error) if (code := _status(one)) is not None), None)
    return type(error).__name__ if code is None else str(code)


def asked_wait(error: BaseException) -> float | None:
    """Return the seconds that a server asked to wait before one more try, at most 300; None where it did not.

    >>> asked_wait(ConnectionError("reset")) is None
    True
    """
    seconds = next((seconds for one in _causes(error) if (seconds := _retry_after(one)) is not None), None)
    return None if seconds is None else min(seconds, LONGEST_WAIT)


def own_wait(attempt: int, key: str) -> float:
    """Return the seconds before one more try after ``attempt`` tries, where no server asked for another time.

    These are 1, 2, 4 ... seconds, shortened by up to half, by a hash of ``key``: calls that failed together do not all
    come back together.

    >>> 0.5 <= own_wait(1, "q1") <= 1.0
    True
    """
    share = int(hash_strings([f"{key} {attempt}"])[0] % 1024) / 1023
    return float(min(2 ** (attempt - 1), LONGEST_WAIT) * (0.5 + 0.5 * share))


def _causes(error: BaseException) -> Iterator[BaseException]:
    one: BaseException | None = error
    for _ in range(_CAUSES):
        if one is None:
            return
        yield one
        one = one.__cause__ or one.__context__


def _status(error: Any) -> int | None:
    """Return the code of HTTP that an error carries; None where it has none."""
    places = [(error, "status_code"), (error, "status"), (error, "code")]
    response = getattr(error, "response", None)
    for place, name in [*places, (response, "status_code"), (response, "status")]:
        code = getattr(place, name, None)
        if isinstance(code, int) and not isinstance(code, bool) and 100 <= code <= 599:
            return int(code)
    return None


def _retry_after(error: Any) -> float | None:
    """Return the seconds that a server asked to wait: a number, milliseconds, or a date."""
    headers: Any = getattr(getattr(error, "response", error), "headers", None)
    if not hasattr(headers, "get"):
        return None
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0), ("Retry-After", 1.0)):
        seconds = seconds_of(str(headers.get(name) or ""))
        if seconds is not None:
            return max(0.0, seconds * unit)
    return None
