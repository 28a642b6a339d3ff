"""Where a score stands among the scores of a ranking, ties included, without ordering the documents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ragauge.ragged import Ragged

if TYPE_CHECKING:
    from ragauge.ragged import Array, IntArray


@dataclass(frozen=True, slots=True, eq=False)
class Order:
    """The scores of ``n`` rankings from high to low, equal ones as they were given.

    ``scores``: (n) lists of float64 or float32, falling.
    ``source``: the flat index at which each score was given, or None when all rankings were given in order.
    """

    scores: Ragged
    source: IntArray | None

    @classmethod
    def of(cls, scores: Ragged) -> Order:
        """Order the rankings that are not yet in order; runs nearly always are."""
        rows = _unordered(scores)
        if not len(rows):
            return cls(scores, None)
        source = np.arange(len(scores.values))
        for chosen in _alike(rows, scores.lengths[rows]):
            _sort(scores, chosen, source)
        return cls(Ragged(scores.values[source], scores.offsets), source)

    def given(self, places: IntArray) -> IntArray:
        """Return the flat indices at which the scores at flat ``places`` of the order were given."""
        return places if self.source is None else self.source[places]

    def placed(self, given: IntArray) -> IntArray:
        """Return the flat places, in the order, of what was given at the flat indices ``given``."""
        if self.source is None:
            return given
        places = np.empty(len(self.source), dtype=np.int64)
        places[self.source] = np.arange(len(places))
        return places[given]

    def find(self, rows: IntArray, scores: Array) -> IntArray:
        """Return the flat place of the first score that equals each of ``scores``, which its row must have."""
        low, high = self.scores.offsets[rows], self.scores.offsets[rows + 1]
        return _search(self.scores.values, low, high, scores, np.less_equal)

    def ties(self, rows: IntArray, places: IntArray) -> tuple[IntArray, IntArray]:
        """Return the flat places of the first, and of one past the last, score equal to that at each place.

        Args:
            rows: (m,) the ranking in which each place is.
            places: (m,) flat places in the order.
        """
        values, starts, ends = self.scores.values, self.scores.offsets[rows], self.scores.offsets[rows + 1]
        targets, first, last = values[places], places.copy(), places + 1
        back = np.flatnonzero((places > starts) & (values[places - 1] == targets))
        first[back] = _search(values, starts[back], places[back], targets[back], np.less_equal)
        on = np.flatnonzero((last < ends) & (values[np.minimum(last, len(values) - 1)] == targets))
        last[on] = _search(values, last[on], ends[on], targets[on], np.less)
        return first, last


def _search(falling: Array, low: IntArray, high: IntArray, targets: Array, reached: np.ufunc) -> IntArray:
    """Bisect many stretches of ``falling`` at once for the first value that has ``reached`` each target."""
    for _ in range(int((high - low).max(initial=0)).bit_length()):
        middle = (low + high) >> 1
        past = reached(falling[np.minimum(middle, len(falling) - 1)], targets)
        low = np.where(past | (low == high), low, middle + 1)
        high = np.where(past, middle, high)
    return low


def _unordered(scores: Ragged) -> IntArray:
    """Return the rows in which some score is higher than the one before it."""
    rises = np.flatnonzero(scores.values[1:] > scores.values[:-1]) + 1
    rows = np.searchsorted(scores.offsets, rises, side="right") - 1
    return np.unique(rows[scores.offsets[rows] != rises])


def _alike(rows: IntArray, lengths: IntArray) -> list[IntArray]:
    """Split the rows by the bit length of their lengths, so that padding at most doubles them."""
    bits = np.frexp(lengths)[1]
    return [rows[bits == bit] for bit in np.unique(bits)]


def _sort(scores: Ragged, rows: IntArray, source: IntArray) -> None:
    """Write into ``source`` the stable order, from high to low, of ``rows``, padded to one matrix."""
    lengths, starts = scores.lengths[rows], scores.offsets[rows]
    columns = np.arange(lengths.max())
    inside = columns < lengths[:, None]
    padded = np.full(inside.shape, np.inf, dtype=scores.values.dtype)
    padded[inside] = -scores.values[(starts[:, None] + columns)[inside]]
    order = np.argsort(padded, axis=1, kind="stable") + starts[:, None]
    source[(starts[:, None] + columns)[inside]] = order[inside]
