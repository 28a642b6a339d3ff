"""Intervals as bars of text."""

from __future__ import annotations

from math import inf, nan

import pytest
from rich.cells import cell_len

from ragauge.display.numbers import ASCII, DRAWN, Strokes, bar, ends


@pytest.mark.parametrize("strokes", [DRAWN, ASCII])
@pytest.mark.parametrize("value", [-3.0, 0.0, 0.1234, 0.5, 1.0, 7.0])
def test_a_bar_has_its_width_and_one_mark(value: float, strokes: Strokes) -> None:
    drawn = bar(value, (value - 0.1, value + 0.3), (0, 1), 21, strokes)
    assert cell_len(drawn) == len(drawn) == 21
    assert drawn.count(strokes.mark) == 1


def test_the_mark_stands_where_the_value_does() -> None:
    assert [bar(value, (nan, nan), (0, 1), 11).index("●") for value in (0.0, 0.5, 0.7, 1.0)] == [0, 5, 7, 10]
    assert bar(0.0, (nan, nan), (-1, 1), 11) == "·····●·····"


def test_an_interval_has_its_two_ends() -> None:
    assert bar(0.4, (0.2, 0.8), (0, 1), 11) == "··├─●───┤··"
    assert bar(0.4, (0.2, 0.8), (0, 1), 11, ASCII) == "..[-o---].."


def test_what_has_no_scale_or_no_value_has_no_bar() -> None:
    assert bar(nan, (nan, nan), (0, 1), 11) == bar(1.0, (0.0, 2.0), (0, inf), 11) == bar(1, (1, 1), (1, 1), 11) == ""


def test_ends_stand_over_the_bar() -> None:
    assert ends((0, 100), 11) == "0       100"


def test_nothing_hides_where_zero_is_but_what_stands_there() -> None:
    assert bar(0.5, (0.2, 0.8), (-1, 1), 21, zero=True) == "··········│·├──●──┤··"
    assert bar(0.4, (-0.6, 0.8), (-1, 1), 11, zero=True) == "··├──│─●─┤·"
    assert bar(0.0, (-0.6, 0.6), (-1, 1), 11, zero=True) == "··├──●──┤··"
    assert bar(0.5, (0.4, 0.6), (0, 0), 11, zero=True) == bar(0.5, (0.4, 0.6), (-inf, inf), 11, zero=True) == ""
