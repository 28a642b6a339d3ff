"""Names of a claim that the passage has not."""

from __future__ import annotations

import numpy as np

from ragauge.core.ragged import FloatArray, IntArray
from ragauge.grounding.support._matching import Matching
from ragauge.grounding.support.units import CENT, Kind

# Two forms of one name differ up to this, in hundredths: Greta and Gretas.
_FORMS = 40
# Pairs of characters of Chinese overlap with one neighbour on each side, threes of Thai with two.
_OVERLAPPING = (1, 2)


def lacking(matching: Matching) -> FloatArray:
    """Return how far the passage lacks each unit that looks like a name, 0 to 1, (r,); 0 of all other units.

    Neighbouring characters are lacking only where no overlapping ones stand in the passage. Nothing is lacking in a
    passage of another script: the name may stand there in other letters.
    """
    rows, units = matching.rows, matching.rows.index.units
    values = np.zeros(len(rows.unit))
    some = np.flatnonzero(units.name[rows.unit] & (matching.best < CENT - _FORMS))
    text = np.searchsorted(units.offsets, rows.unit[some], side="right") - 1
    some = some[units.language[text] == units.language[rows.passage[some]]]
    if len(some):
        known = matching.best[some]
        grams = rows.kind[some] == Kind.GRAM
        for step in _OVERLAPPING:
            for side in (-step, step):
                known = np.maximum(known, np.where(grams, _overlapping(matching, some, side), 0))
        values[some] = np.maximum(CENT - _FORMS - known, 0) / (CENT - _FORMS)
    return values


def _overlapping(matching: Matching, some: IntArray, side: int) -> IntArray:
    """Return the strength of the characters so many rows further on, 0 where they do not overlap, (m,)."""
    rows, units = matching.rows, matching.rows.index.units
    other = (some + side).clip(0, len(rows.unit) - 1)
    first, second = rows.unit[np.minimum(some, other)], rows.unit[np.maximum(some, other)]
    beside = (rows.pair[other] == rows.pair[some]) & (rows.kind[other] == Kind.GRAM)
    return np.where(beside & (units.start[second] < units.end[first]), matching.best[other], 0)


def name_absent(matching: Matching) -> FloatArray:
    """Return how far the passage lacks the claim's worst name, 0 to 1, (k,)."""
    worst = np.zeros(len(matching.rows.offsets) - 1)
    np.maximum.at(worst, matching.rows.pair, lacking(matching))
    return worst
