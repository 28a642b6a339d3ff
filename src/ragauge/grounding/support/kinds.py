"""The kinds of typed units that a text consists of, and the classes of its cues."""

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
    NEGATION = 8
    ONLY = 9
    QUANTIFIER = 10
    BOUND = 11
    """At least, or at most."""
    MORE = 12
    """More, or less."""
    ORDER = 13
    """Before, or after."""
    ENDS = 14
    """Until, or since."""
    TREND = 15
    """Up, or down."""
    RANK = 16
    """First, or last."""
    DOOR = 17
    """Open, or closed."""
    STATE = 18
    """As it was, or as it is now: old, or new."""
    CHANGE = 19
    """A change from the first of two values to the second, or to the first instead of the second."""
    ORDINAL = 20
    """Which of several: the second quarter."""


CLASSES = {
    Kind.NEGATION: ("not",),
    Kind.ONLY: ("only", "not only"),
    Kind.QUANTIFIER: ("all", "almost all", "most", "some", "few", "half", "third", "quarter", "both", "one"),
    Kind.BOUND: ("at least", "at most"),
    Kind.MORE: ("more", "less"),
    Kind.ORDER: ("before", "after"),
    Kind.ENDS: ("until", "since"),
    Kind.TREND: ("up", "down"),
    Kind.RANK: ("first", "last"),
    Kind.DOOR: ("open", "closed"),
    Kind.STATE: ("old", "new"),
    Kind.CHANGE: ("from first", "from second"),
}
"""The classes of each kind of cue; the key of a cue is the place of its class here."""
