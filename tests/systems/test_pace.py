"""Which failures are tried again, after how long, and how many calls there may be."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from threading import Event
from time import monotonic
from types import SimpleNamespace

import pytest

from ragauge.systems.pace import Pace, asked_wait, is_temporary, own_wait


class RateLimitError(Exception):
    """As those of model servers' clients."""

    def __init__(self, status: int | None = None, headers: dict[str, str] | None = None) -> None:
        super().__init__("too many")
        self.response = SimpleNamespace(status_code=status, headers=headers or {})


def caused(error: BaseException) -> BaseException:
    outer = ValueError("wrapped")
    outer.__cause__ = error
    return outer


@pytest.mark.parametrize(
    ("error", "temporary"),
    [
        (ConnectionResetError(), True),
        (TimeoutError(), True),
        (RateLimitError(), True),
        (RateLimitError(429), True),
        (RateLimitError(503), True),
        (RateLimitError(401), False),
        (type("APIConnectionError", (Exception,), {})(), True),
        (caused(ConnectionError()), True),
        (caused(KeyError("a")), False),
        (ValueError("no"), False),
        (FileNotFoundError(), False),
        (type("Coded", (Exception,), {"code": 500})(), True),
        (type("Coded", (Exception,), {"code": "500"})(), False),
    ],
)
def test_only_failures_that_look_temporary_are_tried_again(error: BaseException, temporary: bool) -> None:
    assert is_temporary(error) is temporary


def test_a_server_says_how_long_to_wait() -> None:
    assert asked_wait(RateLimitError(429, {"retry-after": "7"})) == 7.0
    assert asked_wait(RateLimitError(429, {"retry-after-ms": "250"})) == 0.25
    assert asked_wait(RateLimitError(429, {"retry-after": "100000"})) == 300.0
    later = format_datetime(datetime.now(UTC) + timedelta(seconds=30), usegmt=True)
    seconds = asked_wait(RateLimitError(429, {"Retry-After": later}))
    assert seconds is not None
    assert 25 < seconds <= 30
    assert asked_wait(RateLimitError(429, {"retry-after": "soon"})) is None


def test_without_a_word_waits_double_and_differ_by_question() -> None:
    waits = [own_wait(attempt, "q") for attempt in (1, 2, 3, 20)]
    for wait, most in zip(waits, (1, 2, 4, 300), strict=True):
        assert most / 2 <= wait <= most
    assert own_wait(1, "q") == own_wait(1, "q")
    assert len({own_wait(1, str(number)) for number in range(20)}) > 10


def test_calls_start_at_equal_distances() -> None:
    pace, stopped, start = Pace(0.02), Event(), monotonic()
    for _ in range(6):
        pace.wait(stopped)
    assert monotonic() - start >= 0.1
    pace.pause(0.1)
    pace.wait(stopped)
    assert monotonic() - start >= 0.2


def test_a_long_pause_is_told_once(caplog: pytest.LogCaptureFixture) -> None:
    pace = Pace(0.0)
    for seconds in (4.9, 40.0, 60.0):
        pace.pause(seconds)
    assert caplog.messages == ["the system asks to wait 40 s; questions go on after that"]
