"""The documents that are both retrieved and judged, and their ranks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ragauge.ragged import Ragged
from ragauge.rankings.judged import JudgedRanks

if TYPE_CHECKING:
    from ragauge.ragged import FloatArray, IntArray
    from ragauge.rankings._order import Order


@dataclass(frozen=True, slots=True, eq=False)
class Hits:
    """The ``m`` documents that are both retrieved and judged.

    ``rows``: (m,) the query of each. ``grades``: (m,) its grade. ``first``, ``last``: (m,) the flat places, in the
    order of scores, of the first and of one past the last score that equals its own.
    """

    rows: IntArray
    grades: FloatArray
    first: IntArray
    last: IntArray

    def ranked(self, order: Order, before: IntArray, judged: Ragged, *, ties: str) -> JudgedRanks:
        """Put the ranks together with all judgements.

        Args:
            order: the scores of all retrieved documents.
            before: (m,) how many documents of equal score come before each.
            judged: the grades of all judgements, highest first.
            ties: as in `Rankings.judged`.
        """
        starts = order.scores.offsets[self.rows]
        ranks = self.first - starts + 1 + before
        rising = np.argsort(starts + ranks)
        ranks = ranks[rising]
        mean = ties == "mean"
        return JudgedRanks(
            ranks=Ragged.from_lengths(ranks, np.bincount(self.rows, minlength=len(order.scores))),
            grades=self.grades[rising],
            tie_first=(self.first - starts + 1)[rising] if mean else ranks,
            tie_size=(self.last - self.first)[rising] if mean else np.ones_like(ranks),
            retrieved=order.scores.lengths,
            judged=judged,
        )


def highest_first(grades: Ragged) -> Ragged:
    """Sort the grades of each query from high to low."""
    order = np.lexsort([-grades.values, grades.rows])
    return Ragged(grades.values[order], grades.offsets)
