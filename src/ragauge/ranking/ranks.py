"""The ranks of judged documents, from which every retrieval metric is computed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

import numpy as np

from ragauge.core.ragged import Array, FloatArray, IntArray, Ragged, distinct
from ragauge.core.sample import Duplicates


@dataclass(frozen=True, slots=True, eq=False)
class TiedGroups:
    """The ``g`` groups of equally scored documents in which one is relevant and the grades differ.

    Another order within them could change scores. ``rows``: (g,) the query of each. ``first``, ``last``: (g,) its
    ranks, 1-based. ``highest``, ``lowest``: (g,) its grades, where an unjudged document and one below 0 have grade 0.
    """

    rows: IntArray
    first: IntArray
    last: IntArray
    highest: FloatArray
    lowest: FloatArray


_NONE = np.empty(0, dtype=np.int64)
NO_TIES = TiedGroups(_NONE, _NONE, _NONE, np.empty(0), np.empty(0))


@dataclass(frozen=True, slots=True, eq=False)
class JudgedRanks:
    """The ranks of the judged documents of ``n`` queries, ``m`` of them retrieved in all.

    Unjudged documents only move others down, so ranks and judgements are enough for every metric.

    ``ranks``: (n) lists of int64, 1-based, ascending: the ranks of the documents that are both retrieved and
    judged.
    ``grades``: (m,) the grade of each, beside ``ranks.values``.
    ``tie_first``: (m,) the first rank of the group of equally scored documents that holds it.
    ``tie_size``: (m,) the size of that group. Groups are given only for ``ties="mean"``, where ranks are
    those of input order; any other policy has broken the ties, and each document is a group of its own.
    ``retrieved``: (n,) how many documents were retrieved.
    ``judged``: (n) lists of float64, highest first: the grades of all judgements, retrieved or not.
    ``tied``: the groups of equal scores on whose order scores depend.
    """

    ranks: Ragged
    grades: FloatArray
    tie_first: IntArray
    tie_size: IntArray
    retrieved: IntArray
    judged: Ragged
    tied: TiedGroups = NO_TIES

    def __len__(self) -> int:
        return len(self.retrieved)


Ties: TypeAlias = Literal["docid-desc", "docid-asc", "input", "mean"]
ScoreDtype: TypeAlias = Literal["float64", "float32"]


class Rankings(Protocol):
    """Rankings of documents for queries, with judgements, in any form."""

    def judged(self, *, ties: Ties, score_dtype: ScoreDtype, duplicates: Duplicates) -> JudgedRanks:
        """Rank the judged documents.

        Args:
            ties: how documents of equal score are ordered: ``docid-desc`` (as trec_eval: the greater id, by
                its UTF-8 bytes, comes first), ``docid-asc``, ``input`` (as given), or ``mean`` (as given, and
                the groups are kept, for metrics that average over all orders).
            score_dtype: ``float64``, or ``float32`` to round scores before they are compared, as trec_eval 9
                and pytrec_eval do.
            duplicates: a document retrieved twice for a query is an ``error``, or only the ``first`` (the
                best ranked) counts and the ranks below it close up.

        Raises:
            DataError: a document was retrieved twice for one query, under ``duplicates="error"``.
        """
        ...


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

    def ranked(self, offsets: IntArray, before: IntArray, judged: Ragged, *, ties: str) -> JudgedRanks:
        """Return the ranks of the hits, with the grades of all judgements, ``judged``, highest first.

        ``offsets`` (n + 1,): of the documents of each query. ``before`` (m,): how many documents of equal score come
        before each hit.
        """
        starts = offsets[self.rows]
        ranks = self.first - starts + 1 + before
        rising = np.argsort(starts + ranks)
        ranks = ranks[rising]
        mean = ties == "mean"
        return JudgedRanks(
            ranks=Ragged.from_lengths(ranks, np.bincount(self.rows, minlength=len(offsets) - 1)),
            grades=self.grades[rising],
            tie_first=(self.first - starts + 1)[rising] if mean else ranks,
            tie_size=(self.last - self.first)[rising] if mean else np.ones_like(ranks),
            retrieved=np.diff(offsets),
            judged=judged,
            tied=self._tied(offsets),
        )

    def _tied(self, offsets: IntArray) -> TiedGroups:
        """Return the groups of equal scores that hold a relevant document and another grade."""
        size = self.last - self.first
        tied = np.flatnonzero((size > 1) & (self.grades > 0))
        if not len(tied):
            return NO_TIES
        _, index, inverse = np.unique(self.first[tied], return_index=True, return_inverse=True)
        members, grades = np.bincount(inverse), self.grades[tied]
        highest, lowest = np.zeros(len(index)), np.full(len(index), np.inf)
        np.maximum.at(highest, inverse, grades)
        np.minimum.at(lowest, inverse, grades)
        lowest[members < size[tied][index]] = 0.0
        mixed = highest > lowest
        one = tied[index[mixed]]
        rows = self.rows[one]
        starts = offsets[rows]
        return TiedGroups(rows, self.first[one] - starts + 1, self.last[one] - starts, highest[mixed], lowest[mixed])


def highest_first(grades: Ragged) -> Ragged:
    """Sort the grades of each query from high to low."""
    return Ragged(grades.values[np.lexsort([-grades.values, grades.rows])], grades.offsets)


@dataclass(frozen=True, slots=True, eq=False)
class Order:
    """The scores of ``n`` rankings from high to low, equal ones as they were given.

    ``scores``: (n) lists of float64 or float32, falling. ``source_scores``: (n) the same in the order of the source.
    ``unordered``: the rows, rising, in which the two differ; most runs have none.
    """

    scores: Ragged
    source_scores: Ragged
    unordered: IntArray

    @classmethod
    def of(cls, scores: Ragged) -> Order:
        """Sort the scores, without their documents, of rankings that are not yet in order."""
        rises = np.flatnonzero(scores.values[1:] > scores.values[:-1]) + 1
        rows = np.searchsorted(scores.offsets, rises, side="right") - 1
        rows = distinct(rows[scores.offsets[rows] != rises])
        if not len(rows):
            return cls(scores, scores, rows)
        values = scores.values.copy()
        for flat, matrix in _matrices(scores, rows):
            values[flat[flat >= 0]] = -np.sort(matrix, axis=1)[flat >= 0]
        return cls(Ragged(values, scores.offsets), scores, rows)

    def source(self, rows: IntArray) -> IntArray:
        """Return the flat index of each score in the source; correct in ``rows`` only."""
        source = np.arange(len(self.source_scores.values))
        for flat, matrix in _matrices(self.source_scores, np.intersect1d(rows, self.unordered)):
            order = np.argsort(matrix, axis=1, kind="stable")
            source[flat[flat >= 0]] = np.take_along_axis(flat, order, axis=1)[flat >= 0]
        return source

    def placed(self, rows: IntArray, sources: IntArray) -> IntArray:
        """Return the flat places in the order of the scores at flat indices ``sources`` of the source, in ``rows``."""
        places = self.find(rows, self.source_scores.values[sources])
        first, last = self.ties(rows, places)
        tied = np.flatnonzero(last - first > 1)
        inverse = np.empty(len(self.source_scores.values), dtype=np.int64)
        inverse[self.source(rows[tied])] = np.arange(len(inverse))
        places[tied] = inverse[sources[tied]]
        return places

    def find(self, rows: IntArray, scores: Array) -> IntArray:
        """Return the flat place of the first score that equals each of ``scores``, all of which their rows contain."""
        low, high = self.scores.offsets[rows], self.scores.offsets[rows + 1]
        return _search(self.scores.values, low, high, scores, np.less_equal)

    def ties(self, rows: IntArray, places: IntArray) -> tuple[IntArray, IntArray]:
        """Return the flat places of the first, and of one past the last, score equal to that at each of ``places``.

        Shapes: ``places`` (m,), flat in the order; ``rows`` (m,), their rankings.
        """
        values, starts, ends = self.scores.values, self.scores.offsets[rows], self.scores.offsets[rows + 1]
        targets, first, last = values[places], places.copy(), places + 1
        back = np.flatnonzero((places > starts) & (values[places - 1] == targets))
        if len(back):
            first[back] = _search(values, starts[back], places[back], targets[back], np.less_equal)
        on = np.flatnonzero((last < ends) & (values[np.minimum(last, len(values) - 1)] == targets))
        if len(on):
            last[on] = _search(values, last[on], ends[on], targets[on], np.less)
        return first, last


def _search(falling: Array, low: IntArray, high: IntArray, targets: Array, reached: np.ufunc) -> IntArray:
    """Return the first place, in each stretch of ``falling``, whose value has ``reached`` the target, by bisection."""
    for _ in range(int((high - low).max(initial=0)).bit_length()):
        middle = (low + high) >> 1
        past = reached(falling[np.minimum(middle, len(falling) - 1)], targets)
        low = np.where(past | (low == high), low, middle + 1)
        high = np.where(past, middle, high)
    return low


def _matrices(scores: Ragged, rows: IntArray) -> Iterator[tuple[IntArray, Array]]:
    """Yield ``rows`` as matrices of negated scores, rows of similar length together, padded at the end.

    Before each matrix comes one of the same shape: the flat index of each score, -1 where there is none.
    """
    sizes = np.frexp(scores.lengths[rows])[1]  # padding to the same power of two at most doubles a row
    for size in distinct(sizes):
        chosen = rows[sizes == size]
        columns = np.arange(scores.lengths[chosen].max())
        flat = np.where(columns < scores.lengths[chosen, None], scores.offsets[chosen, None] + columns, -1)
        yield flat, np.where(flat < 0, np.inf, -scores.values[flat])
