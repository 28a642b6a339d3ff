"""The typed units that a text consists of: words, numbers and dates by value, and cues such as negations."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
import numpy.typing as npt

from ragauge.core.hashing import HashArray
from ragauge.core.ragged import BoolArray, IntArray, Ragged


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


CLASSES = {
    Kind.NEGATION: ("not",),
    Kind.ONLY: ("only",),
    Kind.QUANTIFIER: ("all", "almost all", "most", "some", "few", "half", "third", "quarter", "both", "one"),
    Kind.BOUND: ("at least", "at most"),
    Kind.MORE: ("more", "less"),
    Kind.ORDER: ("before", "after"),
    Kind.ENDS: ("until", "since"),
    Kind.TREND: ("up", "down"),
    Kind.RANK: ("first", "last"),
    Kind.DOOR: ("open", "closed"),
}
"""The classes of each kind of cue; the key of a cue is the place of its class here."""

STEPS = 20
"""Positions count in steps of 1/20 of a word."""
CENT = 100
"""Weights count in hundredths."""


@dataclass(frozen=True, eq=False)
class Units:
    """The units of n texts, u in all: text by text, in the order of their places.

    Shapes: ``offsets`` (n + 1,); all others (u,) but ``words``.
    """

    offsets: IntArray
    kind: npt.NDArray[np.uint8]
    """A `Kind` each."""
    position: npt.NDArray[np.int32]
    """Position in the stretched text, in steps of 1/20: a word 20, a comma 30, the end of a sentence 100."""
    weight: npt.NDArray[np.int32]
    """In hundredths."""
    start: npt.NDArray[np.int32]
    """The code point of the text at which the unit begins."""
    end: npt.NDArray[np.int32]
    """The code point after its last."""
    name: BoolArray
    """Whether it looks like a name: a capital inside a sentence, or katakana."""
    text: HashArray
    """A hash of the word or the characters, in lower case; 0 of other kinds."""
    word: npt.NDArray[np.int32]
    """The place of a word in ``words``; -1 of other kinds."""
    keys: Ragged
    """The bits of a float64 each, several where the value is ambiguous (1.240); none of words and characters.

    The value of a number or year, the number of a month, a day, a weekday (Monday is 0) or a class of `CLASSES`; the
    minutes of a time.
    """
    scaled: Ragged
    """Hashes of a measure and a value in its base: 680 cm and 6.8 m have one; none without a measure."""
    words: list[str]
    """The distinct words, in lower case."""

    def __len__(self) -> int:
        return len(self.offsets) - 1
