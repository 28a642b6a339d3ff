"""The kinds of typed units that a text consists of."""

from __future__ import annotations

from enum import IntEnum


class Kind(IntEnum):
    """The kinds of units."""

    WORD = 0
    GRAM = 1
    """Neighbouring characters of a script without spaces."""
    NUMBER = 2
    YEAR = 3
    MONTH = 4
    DAY = 5
    """Of the month."""
    TIME = 6
    """Of the day."""
    WEEKDAY = 7
    ORDINAL = 8
    """Which of several: the second quarter."""
    NEGATION = 9
