"""Weekdays, shares and negations: what is listed as it is written."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ragauge.core.ragged import Array, IntArray
from ragauge.grounding.support import _lexicon as lexicon
from ragauge.grounding.support._characters import LETTER, MARK, SPACED
from ragauge.grounding.support._found import Found, leftmost, overwrite
from ragauge.grounding.support._letters import Letters
from ragauge.grounding.support._numbers import percentages
from ragauge.grounding.support.kinds import Kind

_BARRED = -1
"""The kind of a phrase in which a form is none: "not only". No form within it counts."""


def cues(letters: Letters, points: Array, places: Mapping[str, IntArray]) -> Found:
    """Return weekdays, shares and negations of texts, and overwrite them in ``points``.

    ``places``: by language of the texts, where words begin, or all characters in languages without spaces.
    """
    none = np.zeros(0, dtype=np.int64)
    units = [Found.of(Kind.NEGATION, none, none, np.empty(0))]
    for language, own in places.items():
        units += _listed_cues(letters, points, language, own)
    found = Found.joined(units)
    # Of those that begin at one place the kind that is less often wrong comes first.
    found = found.where(np.lexsort((found.kind, found.start)))
    found = found.where(leftmost(found.start, found.end))
    found = found.where(found.kind != _BARRED)
    overwrite(points, found.start, found.end, lexicon.OTHER_FILL)
    share = found.kind == Kind.NUMBER
    return Found.joined([found.where(~share), percentages(found.where(share))])


def _listed_cues(letters: Letters, points: Array, language: str, places: IntArray) -> list[Found]:
    """Return the cues that the lexicon lists, and what is barred, in the texts of one language; they may overlap."""
    listed = lexicon.words(language)
    of, end, entry = listed.trie.matches(points, places)
    start = places[of]
    opened = listed.opened[entry]
    inside = letters.at(end, LETTER | MARK)
    if language in lexicon.UNSPACED:
        whole = ~(letters.at(end, SPACED) & letters.at(end - 1, SPACED))
    else:
        whole = ~inside | opened | (listed.follows[entry] > 0)
    longer = np.flatnonzero(opened & inside)
    end[longer] = letters.word_ends[np.searchsorted(letters.word_ends, end[longer])]
    start, end, entry = start[whole], end[whole], entry[whole]
    kept = _longest(listed, start, end, entry)
    start, end, entry = start[kept], end[kept], entry[kept]
    kind = np.where(listed.barred[entry], _BARRED, listed.kinds[entry])
    return [Found.of(kind, start, end - listed.follows[entry], listed.values[entry])]


def _longest(listed: lexicon.Lexicon, start: IntArray, end: IntArray, entry: IntArray) -> IntArray:
    """Return which matches to keep: of each kind, value and start the longest, and a barred one before others."""
    group = listed.kinds[entry] * 128 + listed.values[entry].astype(np.int64)
    order = np.lexsort((~listed.barred[entry], end, group, start))
    start, group = start[order], group[order]
    last = np.ones(len(order), dtype=bool)
    last[:-1] = (start[1:] != start[:-1]) | (group[1:] != group[:-1])
    return np.asarray(order[last])
