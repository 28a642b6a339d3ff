"""Sums over the judged documents of each ranking: of relevant ones, of precisions, and of gains."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Literal, TypeAlias

import numpy as np

from ragauge.core.options import Range
from ragauge.core.ragged import BoolArray, FloatArray, IntArray
from ragauge.errors import DataError
from ragauge.ranking import JudgedRanks

Column: TypeAlias = FloatArray | IntArray
Cutoffs: TypeAlias = int | IntArray | None
"""The last rank that counts: for all queries, for each, or None for as many as were retrieved."""


@dataclass(frozen=True, eq=False)
class View:
    """The ranks of judged documents (m of them retrieved, for n queries), and sums by query in rank order."""

    judged_ranks: JudgedRanks

    rows: IntArray
    """The query of each retrieved judged document, (m,)."""
    judged_rows: IntArray
    """The query of each judgement, beside ``judged_ranks.judged.values``."""
    judged_positions: IntArray
    """The 0-based place of each judgement among those of its query, highest grade first."""
    logs: FloatArray
    """log2(rank + 1) by rank, from 0 to ``depth``; of the C library, which trec_eval uses too."""

    @classmethod
    def on(cls, ranks: JudgedRanks) -> View:
        """Return the view of ``ranks``."""
        last = ranks.tie_first + ranks.tie_size - 1
        depth = int(max(last.max(initial=0), ranks.judged.lengths.max(initial=0)))
        logs = np.fromiter(map(math.log2, range(1, depth + 2)), dtype=np.float64, count=depth + 1)
        return cls(ranks, ranks.ranks.rows, ranks.judged.rows, ranks.judged.positions, logs)

    def __len__(self) -> int:
        return len(self.judged_ranks.retrieved)

    @property
    def depth(self) -> int:
        """The last rank that a sum may ask for."""
        return len(self.logs) - 1

    def sums(self, values: Column | BoolArray) -> FloatArray:
        """Add ``values`` (m,) by query, in rank order, so that the rounding is that of a loop in C: (n,)."""
        return np.asarray(np.bincount(self.rows, weights=values, minlength=len(self)), dtype=np.float64)

    def found(self, level: float, cutoff: Cutoffs) -> FloatArray:
        """Return how many documents of grade ``level`` or more are ranked up to ``cutoff``; expected, over ties: (n,).

        A group of tied documents that straddles the cutoff counts by the share of its ranks within.
        """
        last = self.cutoffs(cutoff)[self.rows]
        within = np.clip((last - self.judged_ranks.tie_first + 1) / self.judged_ranks.tie_size, 0.0, 1.0)
        return self.sums(np.where(self.judged_ranks.grades >= level, within, 0.0))

    def relevant(self, level: float) -> IntArray:
        """Return how many judgements are of grade ``level`` or more: (n,)."""
        return np.bincount(self.judged_rows[self.judged_ranks.judged.values >= level], minlength=len(self))

    def cutoffs(self, cutoff: Cutoffs) -> IntArray:
        """Return the cutoff of each query: (n,)."""
        return np.broadcast_to(self.judged_ranks.retrieved if cutoff is None else cutoff, len(self))

    def expected(self, weights: FloatArray) -> FloatArray:
        """Return the mean of ``weights``, by rank from 0 to ``depth``, over the ranks of each document's group: (m,).

        Source: McSherry and Najork 2008, "Computing information retrieval performance measures efficiently in the
        presence of tied scores".
        """
        sums = np.cumsum(weights)
        first, size = self.judged_ranks.tie_first, self.judged_ranks.tie_size
        return np.where(size == 1, weights[first], (sums[first + size - 1] - sums[first - 1]) / size)


def precisions(view: View, level: float, cutoff: Cutoffs) -> FloatArray:
    """Return the precision at each relevant document, 0 at others and past the cutoff: (m,), beside the ranks.

    A relevant document in a group of n tied documents, r of them relevant, may have any rank of the group; at the
    i-th, (i - 1)(r - 1)/(n - 1) other relevant documents of the group are expected before it.

    Source: McSherry and Najork 2008, section 2.4; without ties, trec_eval's loop.
    """
    relevant = view.judged_ranks.grades >= level
    last = np.minimum(view.judged_ranks.tie_first + view.judged_ranks.tie_size - 1, view.cutoffs(cutoff)[view.rows])
    if (view.judged_ranks.tie_size == 1).all():
        inside = relevant & (last >= view.judged_ranks.tie_first)
        return np.where(inside, ordinals(view, relevant) / view.judged_ranks.ranks.values, 0.0)
    return np.where(relevant, _expected(view, relevant, last), 0.0)


def ordinals(view: View, relevant: BoolArray) -> IntArray:
    """Return how many relevant documents of its query rank at or above each document: (m,)."""
    counts = np.concatenate([[0], np.cumsum(relevant)])
    return np.asarray(counts[1:] - counts[view.judged_ranks.ranks.offsets[:-1]][view.rows])


def _expected(view: View, relevant: BoolArray, last: IntArray) -> FloatArray:
    first, size = view.judged_ranks.tie_first, view.judged_ranks.tie_size
    above, within = group_counts(view, relevant)
    harmonic = np.concatenate([[0.0], np.cumsum(1.0 / np.arange(1, view.depth + 1))])
    places = np.maximum(last - first + 1, 0)
    inverse = np.where(places > 0, harmonic[np.maximum(last, 0)] - harmonic[first - 1], 0.0)
    # Over the ranks of the group up to the cutoff: the sum of 1/rank, and of (i - 1)/rank = 1 - first/rank.
    others = (within - 1) / np.maximum(size - 1, 1) * (places - first * inverse)
    return np.asarray(((above + 1) * inverse + others) / size)


def group_counts(view: View, relevant: BoolArray) -> tuple[IntArray, IntArray]:
    """Return how many relevant documents rank above the group of each document, and how many within: (m,) each."""
    first, rows = view.judged_ranks.tie_first, view.rows
    starts = np.flatnonzero(np.concatenate([[True], (np.diff(first) != 0) | (np.diff(rows) != 0)]))
    group = np.repeat(np.arange(len(starts)), np.diff([*starts, len(first)]))
    within = np.add.reduceat(relevant.astype(np.int64), starts)
    before = ordinals(view, relevant) - relevant
    return before[starts][group], within[group]


def first_relevant(view: View, level: float, worth: FloatArray) -> FloatArray:
    """Return what the first relevant document of each ranking is worth, 0 where there is none: (n,).

    Grades from ``level`` on are relevant; ``worth`` is by rank, from 0 to ``view.depth``.
    """
    relevant = view.judged_ranks.grades >= level
    first = np.flatnonzero(relevant)
    rows, place = np.unique(view.rows[first], return_index=True)
    first = first[place]
    value = np.zeros(len(view))
    if (view.judged_ranks.tie_size == 1).all():
        value[rows] = worth[view.judged_ranks.ranks.values[first]]
    else:
        within = group_counts(view, relevant)[1][first]
        ranks = view.judged_ranks
        value[rows] = _expected_first(ranks.tie_first[first], ranks.tie_size[first], within, worth)
    return value


def _expected_first(start: IntArray, size: IntArray, relevant: IntArray, worth: FloatArray) -> FloatArray:
    """Average over the ranks that the first of ``relevant`` documents may have in a group of ``size``.

    It is the i-th of the group if none of the first i - 1 is relevant and the i-th is: drawing without replacement.
    """
    value, none_yet = np.zeros(len(start)), np.ones(len(start))
    for before in range(int(size.max(initial=0))):
        left = np.maximum(size - before, 1)
        value += none_yet * np.minimum(relevant / left, 1.0) * worth[np.minimum(start + before, len(worth) - 1)]
        none_yet *= np.maximum(left - relevant, 0) / left
    return value


def unjudged_columns(view: View, k: int | None) -> dict[str, Column]:
    """Count the documents up to rank k, at most those retrieved, and those of them without a grade of 0 or more.

    As in trec_eval's ``unj``, a document with a negative grade was pooled but not judged. Passages are all judged,
    since each was compared with the references.
    """
    there = np.minimum(view.judged_ranks.retrieved, view.cutoffs(k))
    return {"unjudged": np.maximum(there - view.found(0.0, k), 0.0), "depth": there}


_Worth: TypeAlias = Annotated[float, Range(0, 1_000_000)]
_HIGHEST = 1023
"""The highest grade of which 2^grade is a float."""
Gain: TypeAlias = Literal["linear", "exp"] | tuple[tuple[_Worth, _Worth], ...]
"""``linear``: the grade; ``exp``: 2^grade - 1; or pairs (grade, gain), other grades being linear."""


def gains(grades: FloatArray, gain: Gain) -> FloatArray:
    """Return the gain of each grade; a negative grade gains 0.

    Shapes: any, the same as ``grades``.

    >>> gains(np.array([-1.0, 0.0, 1.0, 3.0]), "exp")
    array([0., 0., 1., 7.])
    >>> gains(np.array([1.0, 2.0, 3.0]), ((1, 3), (2, 9)))
    array([3., 9., 3.])
    """
    linear = np.maximum(grades, 0.0)
    if gain == "linear":
        return linear
    if gain == "exp":
        highest = linear.max(initial=0.0)
        if highest > _HIGHEST:
            raise DataError(
                "RG-METRIC-010 gain=exp: 2^{highest:g} is too large for a number; give grades of at most {highest2}, "
                "or take gain=linear",
                highest,
                _HIGHEST,
            )
        return powers_of_two(linear) - 1.0
    for grade, worth in gain:
        linear = np.where(grades == grade, worth, linear)
    return linear


def powers_of_two(grades: FloatArray) -> FloatArray:
    """Return 2^grade, without rounding where the grade is whole.

    >>> powers_of_two(np.array([3.0, 0.5]))
    array([8.        , 1.41421356])
    """
    whole = np.floor(grades)
    return np.ldexp(np.exp2(grades - whole), whole.astype(np.int64))


def discounted(view: View, gain: Gain, k: int | None) -> FloatArray:
    """Add gain / log2(rank + 1) over the documents up to rank k of each ranking; expected, over ties: (n,)."""
    worth, last = gains(view.judged_ranks.grades, gain), view.depth if k is None else k
    if (view.judged_ranks.tie_size == 1).all():
        ranks = view.judged_ranks.ranks.values
        return view.sums(np.where(ranks <= last, worth / view.logs[ranks], 0.0))
    discounts = np.where(np.arange(view.depth + 1) <= last, 1.0 / np.maximum(view.logs, 1.0), 0.0)
    return view.sums(worth * view.expected(discounts))


def ideal(view: View, gain: Gain, k: int | None, *, judged: bool) -> FloatArray:
    """Add the discounted gains of the best order of all judgements, or of the retrieved documents, up to k: (n,)."""
    if judged:
        grades, rows, ranks = view.judged_ranks.judged.values, view.judged_rows, view.judged_positions + 1
    else:
        grades, rows, ranks = view.judged_ranks.grades, view.rows, view.judged_ranks.ranks.positions + 1
    worth = gains(grades, gain)
    if not judged or isinstance(gain, tuple):
        worth = worth[np.lexsort((-worth, rows))]
    values = np.where(ranks <= (view.depth if k is None else k), worth / view.logs[ranks], 0.0)
    return np.asarray(np.bincount(rows, weights=values, minlength=len(view)), dtype=np.float64)


def has_gain(view: View, gain: Gain) -> BoolArray:
    """Return a mask of the queries with a judgement of positive gain: (n,)."""
    rows = view.judged_rows[gains(view.judged_ranks.judged.values, gain) > 0]
    return np.bincount(rows, minlength=len(view)) > 0
