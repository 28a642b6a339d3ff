"""``auto``: characters or words, by script, with no dictionary."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ragauge.ragged import BoolArray, IntArray, Ragged
from ragauge.registry import ingredient
from ragauge.tokenizers._classes import UNICODE, ClassArray, Kind, kinds
from ragauge.tokenizers._cuts import Cut
from ragauge.tokenizers._point_tokenizer import SpanTokenizer


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
        raw = kinds()[points.values]
        begins = np.ones(len(raw), dtype=bool)
        if len(raw):
            within = _inside(points)
            kind = _settled(raw, within)
            begins[1:] = ~(_goes_with_last(kind, raw) & within[1:])
        return Cut(points, begins, np.asarray(raw == Kind.GAP))


def _inside(points: Ragged) -> BoolArray:
    """Say which code points have one before them in their text."""
    within = np.ones(len(points.values), dtype=bool)
    within[points.offsets[:-1][points.lengths > 0]] = False
    return within


def _settled(raw: ClassArray, within: BoolArray) -> ClassArray:
    """Make words of digits and the points in numbers, and of each mark what it is a mark of."""
    kind = raw.copy()
    kind[_points_in_numbers(raw, within)] = Kind.WORD
    kind[raw == Kind.DIGIT] = Kind.WORD
    extends = (raw >= Kind.EXTEND) & (raw <= Kind.LINKER)
    if extends.any():
        base = np.where(extends & within, 0, np.arange(len(raw)))
        kind = kind[np.maximum.accumulate(base)]
        kind[extends & ((kind == Kind.GAP) | ((kind >= Kind.EXTEND) & (kind <= Kind.LINKER)))] = Kind.WORD
    return kind


def _points_in_numbers(raw: ClassArray, within: BoolArray) -> IntArray:
    at = np.flatnonzero(raw == Kind.POINT)
    at = at[(at > 0) & (at + 1 < len(raw))]
    return np.asarray(at[(raw[at - 1] == Kind.DIGIT) & (raw[at + 1] == Kind.DIGIT) & within[at] & within[at + 1]])


def _goes_with_last(kind: ClassArray, raw: ClassArray) -> BoolArray:
    """Say of each code point but the first whether it is in the token of the one before, (m - 1,)."""
    goes = (kind[1:] == Kind.WORD) & (kind[:-1] == Kind.WORD)
    if raw.max() < Kind.EXTEND or not (special := (raw >= Kind.EXTEND) & (raw <= Kind.REGIONAL)).any():
        return np.asarray(goes)
    extends = special & (raw <= Kind.LINKER)
    goes |= extends[1:] & (raw[:-1] != Kind.GAP)
    goes |= (raw[1:] == Kind.PICTOGRAPH) & (raw[:-1] == Kind.JOINER) & (kind[:-1] == Kind.PICTOGRAPH)
    goes |= (raw[1:] == Kind.CHARACTER) & (raw[:-1] == Kind.LINKER) & (kind[:-1] == Kind.CHARACTER)
    return np.asarray(goes | _second_halves(raw)[1:])


def _second_halves(raw: ClassArray) -> BoolArray:
    """Say which regional indicators end a flag: every other one of a run."""
    regional = raw == Kind.REGIONAL
    index = np.arange(len(raw))
    before = np.maximum.accumulate(np.where(regional, -1, index))
    return np.asarray(regional & ((index - before) % 2 == 0))
