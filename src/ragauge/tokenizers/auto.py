"""``auto``: characters or words by script, without a dictionary."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from functools import cache
from pathlib import Path
from sys import maxunicode

import numpy as np
import numpy.typing as npt

from ragauge.core.ragged import BoolArray, IntArray, Ragged
from ragauge.core.registry import ingredient
from ragauge.tokenizers._base import SpanTokenizer
from ragauge.tokenizers._points import Cut

ClassArray = npt.NDArray[np.uint8]

UNICODE = "17.0"
"""The version of Unicode that ``unicode_classes.txt`` was made from; the table is part of the package."""


@ingredient("tokenizer", "auto")
@dataclass(frozen=True)
class Auto(SpanTokenizer):
    """Cuts every language, alike on every machine.

    - Han, kana, bopomofo, Yi, Tangut: one token per character.
    - Thai, Lao, Khmer, Burmese and other scripts without spaces: one token per letter with its vowels and tones.
    - Other scripts: longest runs of letters, marks and digits, so that ``GPT4`` and ``नई`` are one token.
    - ``.`` and ``,`` between two digits are part of the number; any other punctuation or symbol is a token of its own.
    - An emoji is one token, flags and families too. White space and control characters are in no token.

    A text that has a letter has a token.

    >>> Auto().tokens("GPT-4在2023年得了85.5%！")
    ['GPT', '-', '4', '在', '2023', '年', '得', '了', '85.5', '%', '！']
    >>> Auto().tokens("नई दिल्ली")
    ['नई', 'दिल्ली']
    """

    @property
    def versions(self) -> Mapping[str, str]:
        """The version of Unicode that decides what a letter is."""
        return {"unicode": UNICODE}

    def cut(self, points: Ragged) -> Cut:
        """Begin a token wherever a code point does not go with the one before."""
        kind = character_classes()[points.values]
        within = _inside(points)
        word = (kind == CharacterClass.WORD) | (kind == CharacterClass.DIGIT)
        word[_points_in_numbers(kind, within)] = True
        goes = word.copy()
        goes[1:] &= word[:-1]
        if ((kind >= CharacterClass.EXTEND) & (kind <= CharacterClass.REGIONAL)).any():
            goes = _with_clusters(kind, word, within)
        return Cut(points, ~(goes & within), np.asarray(kind == CharacterClass.GAP))


class CharacterClass(IntEnum):
    """The role of a character for a tokenizer that knows no language."""

    SYMBOL = 0
    """Stands alone: punctuation, symbols, private use."""
    GAP = 1
    """White space, control characters, U+200B: belongs to no token."""
    WORD = 2
    """Letters and numbers of scripts that are written in words."""
    DIGIT = 3
    """Decimal digits: as WORD."""
    CHARACTER = 4
    """Letters of scripts that are written without spaces."""
    EXTEND = 5
    """Goes with the character before: marks, selectors, format characters."""
    JOINER = 6
    """U+200D: as EXTEND, and binds pictographs."""
    LINKER = 7
    """U+17D2 and U+1039: as EXTEND, and puts the next consonant below."""
    PICTOGRAPH = 8
    """Emoji."""
    REGIONAL = 9
    """Half a flag."""
    POINT = 10
    """Between two digits it is part of the number: . , and their Arabic and full-width like."""


@cache
def character_classes() -> ClassArray:
    """Return the `CharacterClass` of each code point, (0x110000,)."""
    table = Path(__file__).with_name("unicode_classes.txt").read_text("utf-8")
    runs = [line.split() for line in table.splitlines() if not line.startswith("#")]
    starts = np.array([int(first, 16) for first, _ in runs])
    values = np.array([CharacterClass[name.upper()] for _, name in runs], dtype=np.uint8)
    lengths = np.diff(starts, append=maxunicode + 1)
    classes = np.repeat(values, lengths)
    classes.flags.writeable = False
    return classes


def _inside(points: Ragged) -> BoolArray:
    """Return for each code point whether one stands before it in its text, (m,)."""
    within = np.ones(len(points.values), dtype=bool)
    within[points.offsets[:-1][points.lengths > 0]] = False
    return within


def _points_in_numbers(kind: ClassArray, within: BoolArray) -> IntArray:
    at = np.flatnonzero(kind == CharacterClass.POINT)
    at = at[(at > 0) & (at + 1 < len(kind))]
    return np.asarray(
        at[
            (kind[at - 1] == CharacterClass.DIGIT)
            & (kind[at + 1] == CharacterClass.DIGIT)
            & within[at]
            & within[at + 1]
        ]
    )


def _with_clusters(kind: ClassArray, word: BoolArray, within: BoolArray) -> BoolArray:
    """Return a mask of code points that belong to the one before: marks, parts of emoji and flags.

    Args:
        kind: (m,) the `CharacterClass` of each.
        word: (m,) letters and digits of words, and the points in numbers.
        within: (m,) those that have one before them in their text.
    """
    extends = (kind >= CharacterClass.EXTEND) & (kind <= CharacterClass.LINKER)
    base = np.maximum.accumulate(np.where(extends & within, 0, np.arange(len(kind))))
    of, before = kind[base], np.roll(kind, 1)
    orphan = extends & ((of == CharacterClass.GAP) | extends[base])
    word = word[base] | orphan
    goes = word & np.roll(word, 1)
    goes |= extends & (before != CharacterClass.GAP)
    goes |= (
        (kind == CharacterClass.PICTOGRAPH)
        & (before == CharacterClass.JOINER)
        & (np.roll(of, 1) == CharacterClass.PICTOGRAPH)
    )
    goes |= (
        (kind == CharacterClass.CHARACTER)
        & (before == CharacterClass.LINKER)
        & (np.roll(of, 1) == CharacterClass.CHARACTER)
    )
    return np.asarray(goes | _second_halves(kind))


def _second_halves(kind: ClassArray) -> BoolArray:
    """Return a mask of regional indicators that end a flag: every other one of a run."""
    regional = kind == CharacterClass.REGIONAL
    index = np.arange(len(kind))
    before = np.maximum.accumulate(np.where(regional, -1, index))
    return np.asarray(regional & ((index - before) % 2 == 0))
