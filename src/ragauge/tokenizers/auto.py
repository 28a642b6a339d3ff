"""``auto``: characters or words, by script, with no dictionary."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ragauge.core.ragged import BoolArray, IntArray, Ragged
from ragauge.core.registry import ingredient
from ragauge.tokenizers._base import SpanTokenizer
from ragauge.tokenizers._classes import UNICODE, ClassArray, Kind, kinds
from ragauge.tokenizers._points import Cut


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
        kind = kinds()[points.values]
        within = _inside(points)
        word = (kind == Kind.WORD) | (kind == Kind.DIGIT)
        word[_points_in_numbers(kind, within)] = True
        goes = word.copy()
        goes[1:] &= word[:-1]
        if ((kind >= Kind.EXTEND) & (kind <= Kind.REGIONAL)).any():
            goes = _with_clusters(kind, word, within)
        return Cut(points, ~(goes & within), np.asarray(kind == Kind.GAP))


def _inside(points: Ragged) -> BoolArray:
    """Say which code points have one before them in their text."""
    within = np.ones(len(points.values), dtype=bool)
    within[points.offsets[:-1][points.lengths > 0]] = False
    return within


def _points_in_numbers(kind: ClassArray, within: BoolArray) -> IntArray:
    at = np.flatnonzero(kind == Kind.POINT)
    at = at[(at > 0) & (at + 1 < len(kind))]
    return np.asarray(at[(kind[at - 1] == Kind.DIGIT) & (kind[at + 1] == Kind.DIGIT) & within[at] & within[at + 1]])


def _with_clusters(kind: ClassArray, word: BoolArray, within: BoolArray) -> BoolArray:
    """Say which code points go with the one before, where there are marks, emoji or flags.

    Args:
        kind: (m,) the `Kind` of each.
        word: (m,) letters and digits of words, and the points in numbers.
        within: (m,) those that have one before them in their text.
    """
    extends = (kind >= Kind.EXTEND) & (kind <= Kind.LINKER)
    base = np.maximum.accumulate(np.where(extends & within, 0, np.arange(len(kind))))
    of, before = kind[base], np.roll(kind, 1)
    orphan = extends & ((of == Kind.GAP) | extends[base])
    word = word[base] | orphan
    goes = word & np.roll(word, 1)
    goes |= extends & (before != Kind.GAP)
    goes |= (kind == Kind.PICTOGRAPH) & (before == Kind.JOINER) & (np.roll(of, 1) == Kind.PICTOGRAPH)
    goes |= (kind == Kind.CHARACTER) & (before == Kind.LINKER) & (np.roll(of, 1) == Kind.CHARACTER)
    return np.asarray(goes | _second_halves(kind))


def _second_halves(kind: ClassArray) -> BoolArray:
    """Say which regional indicators end a flag: every other one of a run."""
    regional = kind == Kind.REGIONAL
    index = np.arange(len(kind))
    before = np.maximum.accumulate(np.where(regional, -1, index))
    return np.asarray(regional & ((index - before) % 2 == 0))
