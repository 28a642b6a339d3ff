"""Where the units of a claim stand in a passage."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ragauge.core.ragged import IntArray, Ragged, offsets_of
from ragauge.grounding.support._reading import FIRST_TYPED, Index
from ragauge.grounding.support.units import CENT, STEPS, Kind

# Units of a claim that are read: a longer sentence is a list.
_MOST_UNITS = 512
# Occurrences of a unit in a passage that are compared: if there are more, they are taken evenly from all.
_MOST_OCCURRENCES = 64
# Units of lower weight (stop words, kana) say nothing by their place: it is enough that they are there.
PLACED = 19
# Position in the lower bits, row in the upper.
_SPAN = 40
SCALE = 1 << 12
"""Kernels are whole numbers up to this, so that sums are exact."""


def kernel(reach: float, flat: float = 0.0) -> IntArray:
    """Return exp(-distance / reach) by distance in steps, times `SCALE`; 1 up to the distance ``flat``, both in words.

    >>> kernel(10.0)[[0, 200, 400]]
    array([4096, 1507,  554])
    """
    steps = np.arange(int(reach * STEPS * np.log(2 * SCALE) + flat * STEPS) + 2)
    near = np.exp(-np.maximum(steps / STEPS - flat, 0) / reach)
    return np.append(np.round(SCALE * near), 0).astype(np.int64)


def near(table: IntArray, distance: IntArray) -> IntArray:
    """Return a kernel's value at each distance, in steps."""
    return np.asarray(table[np.minimum(distance, len(table) - 1)])


@dataclass(frozen=True, eq=False)
class ClaimUnits:
    """The units of the claims of k pairs of claim and passage, r in all: those of one pair stand together.

    Shapes: all (r,) but ``offsets`` (k + 1,).
    """

    index: Index
    offsets: IntArray
    pair: IntArray
    unit: IntArray
    """The place among all units."""
    passage: IntArray
    """The number of the passage."""

    @classmethod
    def of(cls, index: Index, claims: IntArray, passages: IntArray) -> ClaimUnits:
        """Return the units of the claims, (k,) numbers of texts, to be sought in the passages, (k,)."""
        begins = index.units.offsets[:-1][claims]
        offsets = offsets_of(sizes(index, claims))
        rows = np.repeat(np.arange(len(claims)), np.diff(offsets))
        unit = np.arange(offsets[-1]) - offsets[rows] + begins[rows]
        return cls(index, offsets, rows, unit, passages[rows])

    @cached_property
    def kind(self) -> npt.NDArray[np.uint8]:
        """The kind of each unit."""
        return self.index.units.kind[self.unit]

    @cached_property
    def position(self) -> IntArray:
        """The position of each unit in its claim."""
        return self.index.units.position[self.unit].astype(np.int64)

    @cached_property
    def weight(self) -> IntArray:
        """The weight of each unit."""
        return self.index.units.weight[self.unit].astype(np.int64)

    @cached_property
    def content(self) -> IntArray:
        """The weight of each word and value; 0 of cues."""
        return np.where(self.kind < Kind.NEGATION, self.weight, 0)

    def sums(self, values: IntArray) -> IntArray:
        """Return the sum of whole ``values`` (r,) of each pair, (k,)."""
        ends = np.concatenate([[0], np.cumsum(values)])[self.offsets]
        return np.diff(ends)


def sizes(index: Index, claims: IntArray) -> IntArray:
    """Return how many units of each claim are read, (k,)."""
    return np.minimum(np.diff(index.units.offsets)[claims], _MOST_UNITS)


@dataclass(frozen=True, eq=False)
class Occurrences:
    """Where the units of `ClaimUnits` stand in their passages, o occurrences sorted by row and position.

    Shapes: ``row``, ``position``, ``strength`` (hundredths) (o,); ``offsets`` (r + 1,).
    """

    row: IntArray
    position: IntArray
    strength: IntArray
    offsets: IntArray

    @classmethod
    def of(cls, row: IntArray, position: IntArray, strength: IntArray, rows: int) -> Occurrences:
        """Return the occurrences sorted."""
        order = np.argsort(row << _SPAN | position, kind="stable")
        return cls(row[order], position[order], strength[order], offsets_of(np.bincount(row, minlength=rows)))

    @cached_property
    def lengths(self) -> IntArray:
        """How many occurrences each row has, (r,)."""
        return np.diff(self.offsets)

    @cached_property
    def _keys(self) -> IntArray:
        return self.row << _SPAN | self.position

    def sides(self, rows: IntArray, positions: IntArray) -> tuple[IntArray, IntArray]:
        """Return the nearest occurrence of each of m rows up to a position, and behind it, (m,) each; -1: none."""
        right = np.searchsorted(self._keys, rows << _SPAN | positions, side="right")
        left = np.where(right > self.offsets[rows], right - 1, -1)
        return left, np.where(right < self.offsets[rows + 1], right, -1)

    def highest(self, rows: IntArray, positions: IntArray, table: IntArray, less: IntArray | int = 0) -> IntArray:
        """Return the strength of the nearest occurrence times its kernel, the higher of both sides, (m,).

        ``less``: steps of each distance that do not count.
        """
        best = np.zeros(len(rows), dtype=np.int64)
        if not len(self.row):
            return best
        for side in self.sides(rows, positions):
            distance = np.maximum(np.abs(self.position[side] - positions) - less, 0)
            best = np.maximum(best, np.where(side >= 0, self.strength[side] * near(table, distance), 0))
        return best


@dataclass(frozen=True, eq=False)
class Matching:
    """The units of claims, and all that matches them in the passages."""

    rows: ClaimUnits
    places: Occurrences
    valued: Ragged
    """The units of the passage that agree with each value of a claim, r lists."""
    best: IntArray
    """The strength of the best occurrence of each unit, hundredths, (r,)."""

    def take(self, pairs: IntArray) -> Matching:
        """Return the same of some pairs, whose numbers rise."""
        if len(pairs) == len(self.rows.offsets) - 1:
            return self
        rows = self.rows
        own = Ragged(np.arange(len(rows.unit)), rows.offsets).take(pairs)
        there = Ragged(np.arange(len(self.places.row)), self.places.offsets).take(own.values)
        place, spot = own.values, there.values
        return Matching(
            ClaimUnits(rows.index, own.offsets, own.rows, rows.unit[place], rows.passage[place]),
            Occurrences(there.rows, self.places.position[spot], self.places.strength[spot], there.offsets),
            self.valued.take(place),
            self.best[place],
        )


def match(index: Index, claims: IntArray, passages: IntArray, granted: Ragged | None = None) -> Matching:
    """Return where the units of claims stand in passages: (k,) numbers of texts each.

    ``granted``: k lists of numbers of texts; what stands there counts as matched too, without a place.
    """
    rows = ClaimUnits.of(index, claims, passages)
    valued = _agreeing(rows)
    row, position, strength = _words(rows)
    there = index.units.position[valued.values].astype(np.int64)
    row, position = np.concatenate([row, valued.rows]), np.concatenate([position, there])
    strength = np.concatenate([strength, np.full(len(there), CENT)])
    best = np.zeros(len(rows.unit), dtype=np.int64)
    np.maximum.at(best, row, strength)
    if granted is not None:
        best = np.maximum(best, _granted(rows, claims, granted))
    placed = rows.weight[row] >= PLACED
    places = Occurrences.of(row[placed], position[placed], strength[placed], len(rows.unit))
    return Matching(rows, places, valued, best)


def _granted(rows: ClaimUnits, claims: IntArray, granted: Ragged) -> IntArray:
    """Return how far each unit of the claims stands in a granted text of its pair, hundredths, (r,)."""
    pair = granted.rows
    again = match(rows.index, claims[pair], granted.values)
    place = np.arange(len(again.best)) - again.rows.offsets[again.rows.pair]
    row = rows.offsets[pair[again.rows.pair]] + place
    negated = cues_of(rows.index, granted.values, Kind.NEGATION).lengths > 0
    strength = np.where((again.rows.kind == Kind.NEGATION) & negated[again.rows.pair], CENT, again.best)
    best = np.zeros(len(rows.unit), dtype=np.int64)
    np.maximum.at(best, row, strength)
    return best


def _words(rows: ClaimUnits) -> tuple[IntArray, IntArray, IntArray]:
    """Return row, position and strength of the occurrences of words and characters."""
    units, index = rows.index.units, rows.index
    words = np.flatnonzero(rows.kind < FIRST_TYPED)
    most = np.where(rows.weight[words] >= PLACED, _MOST_OCCURRENCES, 1)
    row, unit = _occurrences(rows, words, index.group[rows.unit[words]], most)
    same = units.text[rows.unit[row]] == units.text[unit]
    strength = np.where(same, CENT, 0)
    other = np.flatnonzero(~same & (rows.kind[row] == Kind.WORD))
    strength[other] = index.alike(units.word[rows.unit[row[other]]], units.word[unit[other]])
    kept = strength > 0
    return row[kept], units.position[unit[kept]].astype(np.int64), strength[kept]


def _occurrences(rows: ClaimUnits, some: IntArray, groups: IntArray, most: IntArray | int) -> tuple[IntArray, IntArray]:
    """Return row and unit of the units of these groups in the passages of ``some`` rows, ``most`` a row."""
    first, counts = rows.index.ranges(rows.passage[some], groups)
    taken = Ragged(np.empty(0), offsets_of(np.minimum(counts, most)))
    place = first[taken.rows] + taken.positions * counts[taken.rows] // np.maximum(taken.lengths, 1)[taken.rows]
    return some[taken.rows], rows.index.order[place]


def _agreeing(rows: ClaimUnits) -> Ragged:
    """Return the units of the passage that agree with each value of a claim, r lists."""
    typed = np.flatnonzero((rows.kind >= FIRST_TYPED) & (rows.kind != Kind.NEGATION))
    most = np.full(len(typed), _MOST_OCCURRENCES)
    found = rows.index.agreeing(rows.unit[typed], rows.passage[typed], most)
    row = typed[found.rows]
    meet = rows.index.meet(rows.unit[row], found.values)
    return Ragged.from_lengths(found.values[meet], np.bincount(row[meet], minlength=len(rows.unit)))


def cues_of(index: Index, texts: IntArray, kind: Kind, most: int = 256) -> Ragged:
    """Return the units of a kind in each of n texts, at most so many, taken evenly."""
    units = index.units
    some = np.flatnonzero(units.kind == kind)
    if not len(some):
        return Ragged(np.zeros(0, dtype=np.int64), np.zeros(len(texts) + 1, dtype=np.int64))
    begins = np.searchsorted(some, units.offsets)
    first, counts = begins[:-1][texts], np.diff(begins)[texts]
    taken = Ragged(np.empty(0), offsets_of(np.minimum(counts, most)))
    place = first[taken.rows] + taken.positions * counts[taken.rows] // np.maximum(taken.lengths, 1)[taken.rows]
    return Ragged(some[place], taken.offsets)
