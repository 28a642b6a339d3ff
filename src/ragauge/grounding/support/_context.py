"""How much of a claim stands around a value of its passage: near it, or in what is told of one event."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ragauge.core.ragged import FloatArray, IntArray
from ragauge.grounding.support._matching import PLACED, SCALE, Matching, kernel, near
from ragauge.grounding.support.units import CENT, Kind, Units

# Reaches of kernels in words, as in `_features`. What a passage says of an event reaches further.
_IN_CLAIM, _IN_PASSAGE, _IN_EVENT = kernel(4.0), kernel(10.0), kernel(20.0)
# Neighbours in the claim, in units, whose places are compared: a kernel of the claim is small beyond.
_AROUND = 32
_SENTENCE = 100
"""Steps between the last word of a sentence and the first of the next, at least."""
# Worth of a neighbour that stands on the other side than in the claim; and, beside a date, of one before its clause,
# which may be what the clause is about, and of one behind it: in tenths. Chosen on pairs of dates of one passage
# (tests/grounding/support/events.py); within .1 to .2 the figures hardly move.
_OTHER_SIDE, _BEFORE, _BEHIND = 6, 8, 2
_OF_CLAUSE = 0.85
"""How far a clause counts by its share of words that the claim has, and no longer by what stands around it."""


def context(matching: Matching, rivals: IntArray) -> FloatArray:
    """Return how far the words of a claim stand near a value of the passage, on the same side, 0 to 1, (m,).

    ``rivals`` (m,): places in the rivals of the matching; neighbours of the claim's own value count most.
    """
    row, position = matching.rivals.row[rivals], matching.rivals.position[rivals]
    reached, possible = (np.zeros(len(row), dtype=np.int64) for _ in range(2))
    for around in _neighbours(matching, row, matching.rows.weight, position, possible):
        best = np.zeros(len(around.here), dtype=np.int64)
        for side in around.sides:
            best = np.maximum(best, around.worth(matching, side, _IN_PASSAGE))
        reached[around.here] += around.pull * best
    return reached / np.maximum(possible * (SCALE * CENT * 10), 1)


def context_of_events(matching: Matching, rivals: IntArray) -> FloatArray:
    """Return how far a claim and what the passage tells beside a date are one event, 0 to 1, (m,).

    ``rivals`` (m,): places in the rivals of the matching. Words of the claim count fully in the date's clause, less
    before it, since they may be what several clauses are about, and little behind it. The clause in turn has to consist
    of words of the claim: of "opened in 1931 and widened in 1978" the claim that it was widened has the second.
    """
    row, position = matching.rivals.row[rivals], matching.rivals.position[rivals]
    first, last, size = _clauses(matching, matching.rivals.unit[rivals])
    weight = np.where(matching.rows.kind < Kind.NEGATION, matching.rows.weight, 0)
    words = np.where(matching.rows.kind < Kind.NUMBER, matching.rows.weight, 0)
    reached, possible, inside = (np.zeros(len(row), dtype=np.int64) for _ in range(3))
    for around in _neighbours(matching, row, weight, position, possible):
        best, held = (np.zeros(len(around.here), dtype=np.int64) for _ in range(2))
        for side in around.sides:
            at = matching.places.position[side]
            before, behind = at < first[around.here], at > last[around.here]
            part = np.where(before, _BEFORE, np.where(behind, _BEHIND, 10))
            best = np.maximum(best, around.worth(matching, side, _IN_EVENT) * part)
            held = np.maximum(held, np.where((side >= 0) & ~before & ~behind, matching.places.strength[side], 0))
        reached[around.here] += around.pull * best
        inside[around.here] += words[around.other] * held
    known = np.where(size > 0, inside / np.maximum(size * CENT, 1), 0.5)
    whole = reached / np.maximum(possible * (SCALE * CENT * 100), 1)
    return np.asarray(whole * (1 - _OF_CLAUSE + _OF_CLAUSE * np.minimum(known, 1.0)))


@dataclass(frozen=True, eq=False)
class _Neighbours:
    """Rows of claims beside those of values, with their nearest occurrences.

    Shapes: all (h,). ``here``: places among the values; ``other``: the rows; ``pull``: their weights; ``own_side``: -1
    or 1, where they stand in the claim; ``position``: that of the value; ``sides``: occurrences up to it and behind it,
    or -1.
    """

    here: IntArray
    other: IntArray
    pull: IntArray
    own_side: IntArray
    position: IntArray
    sides: tuple[IntArray, IntArray]

    def worth(self, matching: Matching, side: IntArray, table: IntArray) -> IntArray:
        """Return the strength of occurrences times their kernel, less on the other side, times 10, (h,)."""
        distance = matching.places.position[side] - self.position
        sided = np.where(self.own_side * np.sign(distance) < 0, _OTHER_SIDE, 10)
        value = matching.places.strength[side] * near(table, np.abs(distance)) * sided
        return np.where(side >= 0, value, 0)


def _neighbours(
    matching: Matching, row: IntArray, weight: IntArray, position: IntArray, possible: IntArray
) -> Iterator[_Neighbours]:
    """Yield the neighbours that the values of claims have at each step, and add what they weigh to ``possible`` (m,).

    ``row``, ``position`` (m,): the rows of the values, and where in the passages they are sought; ``weight`` (r,).
    """
    rows, places = matching.rows, matching.places
    begin, end = rows.offsets[rows.pair[row]], rows.offsets[rows.pair[row] + 1]
    for step in [*range(-_AROUND, 0), *range(1, _AROUND + 1)]:
        here = np.flatnonzero((row + step >= begin) & (row + step < end))
        other = row[here] + step
        gap = rows.position[other] - rows.position[row[here]]
        pull = weight[other] * near(_IN_CLAIM, np.abs(gap))
        possible[here] += pull
        met = np.flatnonzero((places.lengths[other] > 0) & (pull > 0))
        if len(met):
            at, there = position[here[met]], other[met]
            yield _Neighbours(here[met], there, pull[met], np.sign(gap[met]), at, places.sides(there, at))


def _clauses(matching: Matching, unit: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """Return the positions at which the clause of each unit begins and ends, and the weight of its words, (m,) each.

    A date that a comma parts, as in "In 1990, it opened", is of the clause behind it, or at the end of a sentence of
    the one before it.
    """
    units = matching.rows.index.units
    content = np.where((units.kind < Kind.NUMBER) & (units.weight >= PLACED), units.weight, 0)
    upto = np.concatenate([[0], np.cumsum(content, dtype=np.int64)])
    first, last = _bounds(units, unit)
    alone = np.flatnonzero(upto[last] == upto[first])
    behind = np.minimum(last[alone], len(units.clause) - 1)
    gap = units.position[behind] - units.position[last[alone] - 1]
    beside = np.where((gap > 0) & (gap < _SENTENCE), behind, np.maximum(first[alone] - 1, 0))
    joined = np.abs(units.position[beside] - units.position[unit[alone]]) < _SENTENCE
    begin, end = _bounds(units, beside[joined])
    first[alone[joined]] = np.minimum(first[alone[joined]], begin)
    last[alone[joined]] = np.maximum(last[alone[joined]], end)
    ends = (units.position[place].astype(np.int64) for place in (first, last - 1))
    return *ends, upto[last] - upto[first]


def _bounds(units: Units, unit: IntArray) -> tuple[IntArray, IntArray]:
    """Return the first unit of the clause of each unit, and the one after its last, (m,) each."""
    first, last = (np.searchsorted(units.clause, units.clause[unit], side=side) for side in ("left", "right"))
    return first, last
