"""The rules of NIST's mteval scripts for punctuation beside numbers, for all texts at once.

In the scripts, and in sacrebleu, they are regular expressions that put spaces around what they match, each a pair of
neighbours that is then used up: a separator after something that is no digit, then a separator before something that
is no digit. What is left of that is decided by the length of the run of separators and by what stands at its ends.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from ragauge.ragged import BoolArray, IntArray, Ragged
from ragauge.tokenizers._cuts import Cut
from ragauge.tokenizers._tables import Table, looked_up


class Part(IntEnum):
    """What a character is to mteval."""

    OTHER = 0
    GAP = 1
    ALONE = 2
    """A token of its own wherever it stands."""
    SEPARATOR = 3
    """A token of its own unless it is between digits."""
    DIGIT = 4
    DASH = 5
    """A token of its own after a digit."""


@dataclass(frozen=True, slots=True)
class Rules:
    """One of the scripts: the `Part` of each code point, and whether texts are put between spaces first.

    Without the spaces a separator at the very start or end of a text is left as if a digit stood there.
    """

    table: Table
    padded: bool

    def cut(self, points: Ragged) -> Cut:
        """Apply the rules to the code points of n texts."""
        part = looked_up(self.table, points.values)
        alone = (part == Part.ALONE) | _dashes_after_digits(part, points.offsets)
        begins = np.zeros(len(part) + 1, dtype=bool)
        np.logical_or(alone[1:], alone[:-1], out=begins[1:-1])
        begins[:1] = True
        self._separate(part, points.offsets, begins)
        return Cut(points, begins[:-1], np.asarray(part == Part.GAP))

    def _separate(self, part: Table, offsets: IntArray, begins: BoolArray) -> None:
        at = np.flatnonzero(part == Part.SEPARATOR)
        if len(at) == 0:
            return
        begins[at] = True
        text = np.searchsorted(offsets, at, side="right")
        opens = np.ones(len(at), dtype=bool)
        opens[1:] = (np.diff(at) > 1) | (np.diff(text) > 0)
        first, text = at[opens], text[opens]
        length = np.diff(np.flatnonzero(opens), append=len(at))
        last = first + length - 1
        before = self._digit(part, first - 1, first > offsets[text - 1])
        after = self._digit(part, last + 1, last + 1 < offsets[text])
        stays = after & ((length + before) % 2 == 0)
        begins[(last + 1)[~stays]] = True
        begins[first[stays & before & (length == 1)]] = False

    def _digit(self, part: Table, at: IntArray, inside: BoolArray) -> BoolArray:
        """Say whether digits stand ``at`` these places; ``inside``: those that are in the text."""
        digit = part[np.clip(at, 0, len(part) - 1)] == Part.DIGIT
        return np.where(inside, digit, not self.padded)


def _dashes_after_digits(part: Table, offsets: IntArray) -> BoolArray:
    dashes = part == Part.DASH
    dashes[1:] &= part[:-1] == Part.DIGIT
    dashes[offsets[:-1][np.diff(offsets) > 0]] = False
    return np.asarray(dashes)
