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
import pyarrow as pa

from ragauge.core import native
from ragauge.core.ingredients import Vocabulary
from ragauge.core.ragged import BoolArray, IntArray, Ragged
from ragauge.core.registry import ingredient
from ragauge.tokenizers._points import Cut
from ragauge.tokenizers.base import PointTokenizer

ClassArray = npt.NDArray[np.uint8]

UNICODE = "17.0"
"""The version of Unicode that ``unicode_classes.txt`` was made from; the table is part of the package."""


@ingredient("tokenizer", "auto")
@dataclass(frozen=True)
class Auto(PointTokenizer):
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

    def kernel_rules(self) -> native.CutRules:
        """Return the same rules for the kernel."""
        return native.CutRules(character_classes(), words=True)

    def encode(self, texts: pa.Array, vocabulary: Vocabulary) -> Ragged:
        """Return the codes of n strings: n lists of int32."""
        # Another tokenizer may cut otherwise, and be derived from this one.
        found = native.words(texts, character_classes()) if type(self) is Auto else None
        if found is None:
            return super().encode(texts, vocabulary)
        numbers, words = found
        return Ragged(vocabulary.codes(words)[numbers.values], numbers.offsets)

    def cut(self, points: Ragged) -> Cut:
        """Return the tokens of n texts: one begins at each code point that does not go with the one before."""
        kind = character_classes()[points.values]
        within = np.ones(len(kind), dtype=bool)  # another code point of the same text stands before this one
        within[points.offsets[:-1][points.lengths > 0]] = False
        word = (kind == CharacterClass.WORD) | (kind == CharacterClass.DIGIT)
        word[_points_in_numbers(kind, within)] = True
        goes = word.copy()
        goes[1:] &= word[:-1]
        if ((kind >= CharacterClass.EXTEND) & (kind <= CharacterClass.REGIONAL)).any():
            goes = _with_clusters(kind, word, within)
        return Cut(points, ~(goes & within), np.asarray(kind == CharacterClass.GAP))


class CharacterClass(IntEnum):
    """The role of a character for a tokenizer that knows no language."""

    SYMBOL = 0  # punctuation, symbols, private use: stands alone
    GAP = 1  # white space, control characters, U+200B: belongs to no token
    WORD = 2  # letters and numbers of scripts that are written in words
    DIGIT = 3  # decimal digits: as WORD
    CHARACTER = 4  # letters of scripts that are written without spaces
    EXTEND = 5  # marks, selectors, format characters: goes with the character before
    JOINER = 6  # U+200D: as EXTEND, and binds pictographs
    LINKER = 7  # U+17D2 and U+1039: as EXTEND, and puts the next consonant below
    PICTOGRAPH = 8  # emoji
    REGIONAL = 9  # half a flag
    POINT = 10  # . , and their Arabic and full-width forms: part of the number between two digits


@cache
def character_classes() -> ClassArray:
    """Return the `CharacterClass` of each code point, (0x110000,)."""
    table = Path(__file__).with_name("unicode_classes.txt").read_text("utf-8")
    runs = [line.split() for line in table.splitlines() if not line.startswith("#")]
    starts = np.array([int(first, 16) for first, _ in runs])
    values = np.array([CharacterClass[name.upper()] for _, name in runs], dtype=np.uint8)
    classes = np.repeat(values, np.diff(starts, append=maxunicode + 1))
    classes.flags.writeable = False
    return classes


def _points_in_numbers(kind: ClassArray, within: BoolArray) -> IntArray:
    """Return the places of points between two digits of one text, from the class of each code point."""
    digit = kind == CharacterClass.DIGIT
    at = np.flatnonzero(kind == CharacterClass.POINT)
    at = at[(at > 0) & (at + 1 < len(kind))]
    return np.asarray(at[digit[at - 1] & digit[at + 1] & within[at] & within[at + 1]])


def _with_clusters(kind: ClassArray, word: BoolArray, within: BoolArray) -> BoolArray:
    """Return a mask of the code points of each ``kind`` that belong to the one before: marks, parts of emoji and flags.

    Masks, (m,): ``word`` of letters, digits and the points in numbers; ``within`` of those that have one before them.
    """
    index = np.arange(len(kind))
    extends = (kind >= CharacterClass.EXTEND) & (kind <= CharacterClass.LINKER)
    base = np.maximum.accumulate(np.where(extends & within, 0, index))
    of, before = kind[base], np.roll(kind, 1)
    orphan = extends & ((of == CharacterClass.GAP) | extends[base])
    word = word[base] | orphan
    goes = word & np.roll(word, 1)
    goes |= extends & (before != CharacterClass.GAP)
    # A joiner binds two pictographs, a linker two characters.
    same = kind == np.roll(of, 1)
    goes |= (kind == CharacterClass.PICTOGRAPH) & (before == CharacterClass.JOINER) & same
    goes |= (kind == CharacterClass.CHARACTER) & (before == CharacterClass.LINKER) & same
    # Every other regional indicator of a run ends a flag; each text begins a run.
    regional = kind == CharacterClass.REGIONAL
    run = np.maximum.accumulate(np.where(regional & within, -1, index - regional))
    return np.asarray(goes | (regional & ((index - run) % 2 == 0)))
