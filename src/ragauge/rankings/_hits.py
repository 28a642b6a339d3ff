"""From the places of judged documents to their ranks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ragauge.ragged import Ragged
from ragauge.rankings._strings import Strings
from ragauge.rankings.judged import JudgedRanks

if TYPE_CHECKING:
    import pyarrow as pa

    from ragauge.ragged import FloatArray, IntArray
    from ragauge.rankings._order import Order


@dataclass(frozen=True, slots=True, eq=False)
class Hits:
    """The ``m`` documents that are both retrieved and judged.

    ``rows``: (m,) the query of each. ``places``: (m,) its flat place in the order of scores, equal scores as
    given. ``grades``: (m,) its grade.
    """

    rows: IntArray
    places: IntArray
    grades: FloatArray

    def ranked(self, order: Order, judged: Ragged, ties: str, names: Callable[[IntArray], pa.Array]) -> JudgedRanks:
        """Rank the documents under a policy for ties, and put them beside all judgements.

        Args:
            order: the scores of all retrieved documents.
            judged: the grades of all judgements, highest first.
            ties: as in `Rankings.judged`.
            names: gives the ids of the documents at flat indices, as given.
        """
        starts = order.scores.offsets[self.rows]
        ranks = self.places - starts + 1
        tie_first, tie_size = ranks, np.ones_like(ranks)
        if ties != "input":
            first, last = order.ties(self.rows, self.places)
            tie_first, tie_size = first - starts + 1, last - first
        if ties.startswith("docid"):
            before = _before(order, self.places, first, last, names, descending=ties == "docid-desc")
            ranks = tie_first + before
            tie_first, tie_size = ranks, np.ones_like(ranks)
        rising = np.argsort(starts + ranks)
        lengths = np.bincount(self.rows, minlength=len(order.scores))
        return JudgedRanks(
            ranks=Ragged.from_lengths(ranks[rising], lengths),
            grades=self.grades[rising],
            tie_first=tie_first[rising],
            tie_size=tie_size[rising],
            retrieved=order.scores.lengths,
            judged=judged,
        )


def _before(
    order: Order,
    places: IntArray,
    first: IntArray,
    last: IntArray,
    names: Callable[[IntArray], pa.Array],
    *,
    descending: bool,
) -> IntArray:
    """Count the documents of equal score whose ids come before that of each document."""
    counts = np.zeros(len(places), dtype=np.int64)
    tied = np.flatnonzero(last - first > 1)
    starts, index, group = np.unique(first[tied], return_index=True, return_inverse=True)
    sizes = (last - first)[tied][index]
    members = Ragged.from_lengths(np.empty(0), sizes)
    flat = np.arange(members.offsets[-1]) + np.repeat(starts - members.offsets[:-1], sizes)
    within = Strings.of(names(order.given(flat))).places(members.rows)
    counts[tied] = within[members.offsets[group] + places[tied] - first[tied]]
    if descending:
        counts[tied] = sizes[group] - 1 - counts[tied]
    return counts


def highest_first(grades: Ragged) -> Ragged:
    """Sort the grades of each query from high to low."""
    order = np.lexsort([-grades.values, grades.rows])
    return Ragged(grades.values[order], grades.offsets)
