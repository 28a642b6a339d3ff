"""Values that a thread of its own makes."""

from __future__ import annotations

from threading import Event
from time import monotonic, sleep

from ragauge.reports.viewer.aside import Aside


def test_each_value_is_made_once_in_the_order_in_which_they_are_wanted() -> None:
    made: list[int] = []
    begin = Event()

    def square(number: int) -> int:
        begin.wait(60)
        made.append(number)
        return number * number

    aside: Aside[str, int] = Aside(square)
    wanted = {str(number): (number,) for number in (3, 1, 2)}
    assert aside.known(wanted) == {}
    begin.set()
    end = monotonic() + 60
    while len(found := aside.known(wanted)) < 3 and monotonic() < end:
        sleep(0.01)
    assert found == {"3": 9, "1": 1, "2": 4}
    assert made == [3, 1, 2]
