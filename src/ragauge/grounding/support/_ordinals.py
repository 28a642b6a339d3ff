"""Ordinals that count quarters, floors and their like: the second quarter, the third floor, Q2."""

from __future__ import annotations

import numpy as np

from ragauge.core.ragged import Array, BoolArray
from ragauge.grounding.support import _lexicon as lexicon
from ragauge.grounding.support._characters import ALNUM, DIGIT, SPACED
from ragauge.grounding.support._date_words import DateWords
from ragauge.grounding.support._digits import ORDINAL, Runs
from ragauge.grounding.support._found import Found
from ragauge.grounding.support.kinds import Kind

_SPACE, _QUARTERS = ord(" "), 4


def ordered(runs: Runs, points: Array, free: BoolArray, words: DateWords) -> Found:
    """Return the ordinals beside what they count, and the quarter of Q2.

    ``free`` (r,): a mask of the runs; ``words``: those of the table "ordered".
    """
    letters, start, end = runs.letters, runs.start, runs.end
    quarter = free & (runs.length == 1) & (runs.value >= 1) & (runs.value <= _QUARTERS) & (runs.before == ord("q"))
    quarter &= ~letters.at(start - 2, ALNUM) & ~letters.at(end, ALNUM)
    far, entry = lexicon.shared("ordinal_endings").trie.longest(points, end)
    ended = (entry >= 0) & ~letters.at(far, SPACED | DIGIT)
    dotted = points[end] == ord(".")
    far = np.where(ended, far, end + dotted)
    spelled = (runs.spelled == ORDINAL) & (end - start > 1)
    behind = np.append(words.at[words.value == 1], -1)
    before = np.append(words.end[words.value != 1], -1)
    digits = runs.in_digits & (runs.length <= 2) & (ended | dotted)
    beside = np.isin(np.where(digits, far, end) + 1, behind) & (points[np.where(digits, far, end)] == _SPACE)
    beside = (spelled | digits) & beside | spelled & np.isin(start - 1, before) & (points[start - 1] == _SPACE)
    rows = np.flatnonzero(quarter | free & beside)
    ends = np.where(digits[rows] & ~quarter[rows], far[rows], end[rows])
    return Found.of(Kind.ORDINAL, start[rows] - quarter[rows], ends, runs.value[rows])
