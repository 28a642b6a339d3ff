"""How alike two rankings are: rank-biased overlap, the share of their tops, and Kendall's tau.

Shapes: rankings are `Ragged` lists of whole numbers, one list a question and one number a document, the best first and
each document once; ``rows`` (m,), ``first`` and ``second`` (m,) are of the documents that both rankings of a question
have: the question, and the rank in each from 1. Results are (n,), one number a question.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ragauge.core.ragged import FloatArray, IntArray, Ragged
from ragauge.core.statistics import ratio


@dataclass(frozen=True, slots=True, eq=False)
class SharedRanks:
    """The ranks of what both of two rankings have, and the lengths of both, (n,)."""

    rows: IntArray
    first: IntArray
    second: IntArray
    lengths: tuple[IntArray, IntArray]

    @classmethod
    def of(cls, one: Ragged, other: Ragged) -> SharedRanks:
        """Find the documents that both rankings of each question have.

        >>> ranks = SharedRanks.of(Ragged.of([[7, 8, 9]]), Ragged.of([[9, 7]]))
        >>> ranks.first, ranks.second
        (array([1, 3]), array([2, 1]))
        """
        many = int(max(one.values.max(initial=0), other.values.max(initial=0))) + 1
        mine, theirs = (each.rows * many + each.values for each in (one, other))
        order = np.argsort(theirs)
        place = np.searchsorted(theirs, mine, sorter=order)
        found = order[np.minimum(place, len(order) - 1)] if len(order) else place
        shared = np.flatnonzero(theirs[found] == mine) if len(order) else np.empty(0, dtype=np.int64)
        ranks = one.positions[shared] + 1, other.positions[found[shared]] + 1
        return cls(one.rows[shared], *ranks, (one.lengths, other.lengths))

    def _sums(self, values: FloatArray | None = None, deepest: IntArray | int | None = None) -> FloatArray:
        """Return the sum of ``values`` (m,) of each question, by default their number, down to a depth in both."""
        kept = (
            slice(None)
            if deepest is None
            else self._depths <= np.broadcast_to(deepest, len(self.lengths[0]))[self.rows]
        )
        weights = None if values is None else values[kept]
        return np.bincount(self.rows[kept], weights, minlength=len(self.lengths[0])).astype(np.float64)

    @property
    def _depths(self) -> IntArray:
        """The depth from which on each document is in the overlap."""
        return np.maximum(self.first, self.second)

    def rbo(self, p: float) -> FloatArray:
        """Return the rank-biased overlap that the depths which both rankings reach are sure of, 0 to 1 - p^depth.

        A reader goes on to the next rank with probability ``p``; where the reader stops, the overlap of both tops is
        taken as a share of their depth. Two empty rankings are alike: 1.

        Source: Webber, Moffat and Zobel 2010, "A similarity measure for indefinite rankings", equation 7, cut off at
        the end of the shorter ranking.

        >>> SharedRanks.of(Ragged.of([[1, 2, 3]]), Ragged.of([[1, 3, 2]])).rbo(0.9).round(6)
        array([0.226])
        """
        short = np.minimum(*self.lengths)
        table, _ = self._tables(p)
        sums = self._sums(table[short[self.rows]] - table[self._depths - 1], short)
        return np.where(np.maximum(*self.lengths) == 0, 1.0, sums * (1 - p) / p)

    def rbo_ext(self, p: float) -> FloatArray:
        """Return the rank-biased overlap if the agreement of what was seen goes on below it, 0 to 1.

        Rankings may be of different lengths. Two empty rankings are alike, 1; an empty and another are not, 0.

        Source: Webber, Moffat and Zobel 2010, equation 32.

        >>> SharedRanks.of(Ragged.of([[1, 2, 3]]), Ragged.of([[1, 3, 2]])).rbo_ext(0.9)
        array([0.955])
        """
        short, long = np.minimum(*self.lengths), np.maximum(*self.lengths)
        table, powers = self._tables(p)
        seen, in_short = self._sums(), self._sums(None, short)
        sums = self._sums(table[long[self.rows]] - table[self._depths - 1])
        share = ratio(in_short, short)
        beyond = share * (powers[long] - powers[short] - short * (table[long] - table[short]))
        tail = (ratio(seen - in_short, long) + share) * p ** long.astype(np.float64)
        extrapolated = (sums + beyond) * (1 - p) / p + tail
        return np.where(long == 0, 1.0, np.where(short == 0, 0.0, np.nan_to_num(extrapolated)))

    def _tables(self, p: float) -> tuple[FloatArray, FloatArray]:
        """Return the sums of p^d / d and of p^d over the depths d up to each depth from 0."""
        depths = np.arange(1, max(int(each.max(initial=0)) for each in self.lengths) + 1)
        powers = p ** depths.astype(np.float64)
        return np.append(0.0, np.cumsum(powers / depths)), np.append(0.0, np.cumsum(powers))

    def overlap(self, depth: int) -> FloatArray:
        """Return which share of the first ``depth`` documents, or of the longer ranking, both have, 0 to 1.

        >>> SharedRanks.of(Ragged.of([[1, 2, 3]]), Ragged.of([[4, 1]])).overlap(2)
        array([0.5])
        """
        longest = np.minimum(np.maximum(*self.lengths), depth)
        return np.where(longest == 0, 1.0, np.nan_to_num(ratio(self._sums(None, depth), longest)))

    def tau(self) -> FloatArray:
        """Return Kendall's tau of the order of the documents that both have, -1 to 1; NaN for fewer than two.

        Source: Kendall 1938, "A new measure of rank correlation".

        >>> SharedRanks.of(Ragged.of([[1, 2, 3]]), Ragged.of([[2, 1, 3]])).tau().round(6)
        array([0.333333])
        """
        balance = np.zeros(len(self.lengths[0]))
        bits = int(self.second.max(initial=0)).bit_length()
        # Two different ranks differ first in one bit: a rank with it is compared with its group without.
        for bit in range(bits):
            group = (self.rows << (bits - bit)) + (self.second >> (bit + 1))
            order = np.lexsort((self.first, group))
            group = group[order]
            upper = (self.second[order] >> bit & 1).astype(bool)
            lower = np.append(0, np.cumsum(~upper))
            first, last = (lower[np.searchsorted(group, group[upper], side)] for side in ("left", "right"))
            before = lower[:-1][upper]
            signs = (before - first) - (last - before)
            balance += np.bincount(self.rows[order][upper], signs, minlength=len(balance))
        number = self._sums()
        return np.asarray(ratio(balance, number * (number - 1) / 2))
