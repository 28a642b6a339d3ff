"""Requests in threads: an error, or Ctrl-C, ends them at once, whatever is under way."""

from __future__ import annotations

import time
from threading import Event

import pytest

from ragauge.endpoints.threads import in_threads


def test_an_error_is_raised_while_other_requests_are_under_way() -> None:
    begun: list[int] = []
    hanging, ends = Event(), Event()

    def work(number: int) -> int:
        begun.append(number)
        if number == 0:
            hanging.set()
            ends.wait(30)
        elif number == 2:
            hanging.wait(10)
            raise KeyboardInterrupt
        return number

    started = time.monotonic()
    stop = Event()
    with pytest.raises(KeyboardInterrupt):
        list(in_threads(work, range(100), 2, stop))
    assert time.monotonic() - started < 10
    ends.set()
    assert stop.is_set()
    assert sorted(begun) == [0, 1, 2]


def test_no_items_start_no_thread() -> None:
    assert list(in_threads(str, [], 4, Event())) == []
