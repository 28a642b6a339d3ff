"""Where a score stands among the scores of a ranking, ties included, without ordering the documents."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ragauge.ragged import Ragged

if TYPE_CHECKING:
    from ragauge.ragged import Array, IntArray


@dataclass(frozen=True, slots=True, eq=False)
class Order:
    """The scores of ``n`` rankings from high to low, equal ones as they were given.

    ``scores``: (n) lists of float64 or float32, falling. ``given``: (n) the same as they were given. ``unordered``:
    the rows, rising, in which the two differ; in most runs there are none.
    """

    scores: Ragged
    given: Ragged
    unordered: IntArray

    @classmethod
    def of(cls, given: Ragged) -> Order:
        """Sort the scores, without their documents, of rankings that are not yet in order."""
        rows = _unordered(given)
        if not len(rows):
            return cls(given, given, rows)
        values = given.values.copy()
        for flat, matrix in _matrices(given, rows):
            values[flat[flat >= 0]] = -np.sort(matrix, axis=1)[flat >= 0]
        return cls(Ragged(values, given.offsets), given, rows)

    def source(self, rows: IntArray) -> IntArray:
        """Return the flat index at which each score was given; right in ``rows``, which alone are worked out."""
        source = np.arange(len(self.given.values))
        for flat, matrix in _matrices(self.given, np.intersect1d(rows, self.unordered)):
            order = np.argsort(matrix, axis=1, kind="stable")
            source[flat[flat >= 0]] = np.take_along_axis(flat, order, axis=1)[flat >= 0]
        return source

    def given_at(self, places: IntArray) -> IntArray:
        """Return the flat indices at which the scores at flat ``places`` of the order were given."""
        if not len(self.unordered):
            return places
        return self.source(np.searchsorted(self.scores.offsets, places, side="right") - 1)[places]

    def placed(self, rows: IntArray, given: IntArray) -> IntArray:
        """Return the flat places, in the order, of what was given at the flat indices ``given`` of ``rows``."""
        if not len(self.unordered):
            return given
        places = self.find(rows, self.given.values[given])
        first, last = self.ties(rows, places)
        tied = np.flatnonzero(last - first > 1)
        inverse = np.empty(len(self.given.values), dtype=np.int64)
        inverse[self.source(rows[tied])] = np.arange(len(inverse))
        places[tied] = inverse[given[tied]]
        return places

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


def _matrices(scores: Ragged, rows: IntArray) -> Iterator[tuple[IntArray, Array]]:
    """Give ``rows`` as matrices of negated scores, rows of like length together, padded at the end.

    With each matrix comes one of the same shape: the flat index of each score, -1 where there is none.
    """
    sizes = np.frexp(scores.lengths[rows])[1]  # padding to the same power of two at most doubles a row
    for size in np.unique(sizes):
        chosen = rows[sizes == size]
        columns = np.arange(scores.lengths[chosen].max())
        flat = np.where(columns < scores.lengths[chosen, None], scores.offsets[chosen, None] + columns, -1)
        yield flat, np.where(flat < 0, np.inf, -scores.values[flat])
