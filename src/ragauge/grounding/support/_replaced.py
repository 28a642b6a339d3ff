"""A word of a claim in the place of another one: a sentence of the passage says the rest of it."""

from __future__ import annotations

import numpy as np

from ragauge.core.ragged import BoolArray, FloatArray, IntArray
from ragauge.grounding.support._features import matched
from ragauge.grounding.support._matching import PLACED, Matching, match
from ragauge.grounding.support._reading import FIRST_TYPED, Index
from ragauge.grounding.support.units import CENT, Kind, Units

# Two sentences that are less alike than this are no copies of each other.
_ALIKE = 0.6
LEAST_NEAR = _ALIKE / (2 - _ALIKE)
"""A claim that matches less than this has no sentence that is so alike."""
# Nor are they where one has more than so many times the characters of the other.
_LONGER = 2
# Words less alike than this, in hundredths, are no forms of one word.
_FORMS = 40
# A claim of this weight, in words, counts fully; one of more facts less.
_FULL = 20


def replaced(units: Units, texts: tuple[IntArray, IntArray], part: tuple[IntArray, IntArray]) -> FloatArray:
    """Return how far a sentence repeats a claim but for words of its own, 0 to 1, (k,).

    ``texts``: the numbers of claims and passages among ``units``, (k,) each; ``part``: the code point of each passage
    where its sentence begins, and the one behind it.

    It is 0 where either has no word that the other lacks, and else rises with the harmonic mean of how well each
    matches the other, from `_ALIKE` on.
    """
    degree, sentence = np.zeros(len(texts[0])), part[1] - part[0]
    claim = units.end[np.maximum(units.offsets[texts[0] + 1] - 1, 0)]
    kept = np.flatnonzero((sentence <= _LONGER * claim) & (claim <= _LONGER * sentence))
    k = len(kept)
    if not k:
        return degree
    whole = np.zeros(k, dtype=np.int64), np.full(k, np.iinfo(np.int32).max)
    first, last = (np.concatenate([edge, own[kept]]) for edge, own in zip(whole, part, strict=True))
    index = Index(units.within(np.concatenate([numbers[kept] for numbers in texts]), first, last))
    claims, sentences = np.arange(k), np.arange(k, 2 * k)
    there, here = match(index, claims, sentences), match(index, sentences, claims)
    one, other = matched(there).near, matched(here).near
    alike = 2 * one * other / np.maximum(one + other, 1e-9)
    both = (_has(there) & _has(here)).astype(np.float64)
    size = np.maximum(there.rows.sums(there.rows.content), CENT)
    degree[kept] = both * np.maximum(alike - _ALIKE, 0) / (1 - _ALIKE) * np.minimum(1.0, _FULL * CENT / size)
    return degree


def _has(matching: Matching) -> BoolArray:
    return np.asarray(matching.rows.sums(own_words(matching).astype(np.int64)) > 0)


def own_words(matching: Matching) -> BoolArray:
    """Return a mask of the words of claims that the other text lacks in any form, (r,).

    Values are not words, and neither is the ending of one, as in 1.8킬로미터이다.
    """
    rows, units = matching.rows, matching.rows.index.units
    ending = (rows.kind == Kind.WORD) & (units.start[rows.unit] == units.end[rows.unit - 1])
    return np.asarray((rows.weight >= PLACED) & (rows.kind < FIRST_TYPED) & (matching.best < _FORMS) & ~ending)
