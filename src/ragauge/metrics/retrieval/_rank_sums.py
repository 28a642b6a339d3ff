"""Sums over the judged documents of each ranking."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from ragauge.core.ragged import BoolArray, FloatArray, IntArray
from ragauge.core.statistics import Statistics, ratio

if TYPE_CHECKING:
    from ragauge.ranking import JudgedRanks

Column: TypeAlias = FloatArray | IntArray
Cutoffs: TypeAlias = int | IntArray | None
"""The last rank that counts: for all queries, for each, or None for as many as were retrieved."""


@dataclass(frozen=True, eq=False)
class View:
    """The ranks of judged documents (m of them retrieved, for n queries), and sums by query in rank order."""

    of: JudgedRanks

    def __len__(self) -> int:
        return len(self.of)

    @cached_property
    def rows(self) -> IntArray:
        """The query of each retrieved judged document, (m,)."""
        return self.of.ranks.rows

    @cached_property
    def judged_rows(self) -> IntArray:
        """The query of each judgement, beside ``of.judged.values``."""
        return self.of.judged.rows

    @cached_property
    def judged_positions(self) -> IntArray:
        """The 0-based place of each judgement among those of its query, highest grade first."""
        return self.of.judged.positions

    @cached_property
    def depth(self) -> int:
        """The last rank that a sum may ask for."""
        last = self.of.tie_first + self.of.tie_size - 1
        return int(max(last.max(initial=0), self.of.judged.lengths.max(initial=0)))

    @cached_property
    def logs(self) -> FloatArray:
        """log2(rank + 1) by rank, from 0 to ``depth``; of the C library, which trec_eval uses too."""
        return np.fromiter(map(math.log2, range(1, self.depth + 2)), dtype=np.float64, count=self.depth + 1)

    def sums(self, values: Column | BoolArray) -> FloatArray:
        """Add ``values`` (m,) by query, in rank order, so that the rounding is that of a loop in C: (n,)."""
        return np.asarray(np.bincount(self.rows, weights=values, minlength=len(self)), dtype=np.float64)

    def found(self, level: float, cutoff: Cutoffs) -> FloatArray:
        """Return how many documents of grade ``level`` or more are ranked up to ``cutoff``; expected, over ties: (n,).

        A group of tied documents that straddles the cutoff counts by the share of its ranks within.
        """
        last = self.cutoffs(cutoff)[self.rows]
        within = np.clip((last - self.of.tie_first + 1) / self.of.tie_size, 0.0, 1.0)
        return self.sums(np.where(self.of.grades >= level, within, 0.0))

    def relevant(self, level: float) -> IntArray:
        """Return how many judgements are of grade ``level`` or more: (n,)."""
        return np.bincount(self.judged_rows[self.of.judged.values >= level], minlength=len(self))

    def cutoffs(self, cutoff: Cutoffs) -> IntArray:
        """Return the cutoff of each query: (n,)."""
        return np.broadcast_to(self.of.retrieved if cutoff is None else cutoff, len(self))

    def expected(self, weights: FloatArray) -> FloatArray:
        """Return the mean of ``weights`` over the ranks that each document may have, its group's: (m,).

        Args:
            weights: by rank, from 0 to ``depth``.

        Source: McSherry and Najork 2008, "Computing information retrieval performance measures efficiently in the
        presence of tied scores".
        """
        sums = np.cumsum(weights)
        first, size = self.of.tie_first, self.of.tie_size
        return np.where(size == 1, weights[first], (sums[first + size - 1] - sums[first - 1]) / size)


def precisions(view: View, level: float, cutoff: Cutoffs) -> FloatArray:
    """Return the precision at each relevant document, 0 at others and past the cutoff: (m,), beside the ranks.

    A relevant document in a group of n tied documents, r of them relevant, may have any rank of the group; at the
    i-th, (i - 1)(r - 1)/(n - 1) other relevant documents of the group are expected before it.

    Source: McSherry and Najork 2008, section 2.4; without ties, trec_eval's loop.
    """
    relevant = view.of.grades >= level
    last = np.minimum(view.of.tie_first + view.of.tie_size - 1, view.cutoffs(cutoff)[view.rows])
    if (view.of.tie_size == 1).all():
        inside = relevant & (last >= view.of.tie_first)
        return np.where(inside, ordinals(view, relevant) / view.of.ranks.values, 0.0)
    return np.where(relevant, _expected(view, relevant, last), 0.0)


def ordinals(view: View, relevant: BoolArray) -> IntArray:
    """Return how many relevant documents of its query stand at or above each document: (m,)."""
    counts = np.concatenate([[0], np.cumsum(relevant)])
    return np.asarray(counts[1:] - counts[view.of.ranks.offsets[:-1]][view.rows])


def _expected(view: View, relevant: BoolArray, last: IntArray) -> FloatArray:
    first, size = view.of.tie_first, view.of.tie_size
    above, within = group_counts(view, relevant)
    harmonic = np.concatenate([[0.0], np.cumsum(1.0 / np.arange(1, view.depth + 1))])
    places = np.maximum(last - first + 1, 0)
    inverse = np.where(places > 0, harmonic[np.maximum(last, 0)] - harmonic[first - 1], 0.0)
    # Over the ranks of the group up to the cutoff: the sum of 1/rank, and of (i - 1)/rank = 1 - first/rank.
    others = (within - 1) / np.maximum(size - 1, 1) * (places - first * inverse)
    return np.asarray(((above + 1) * inverse + others) / size)


def group_counts(view: View, relevant: BoolArray) -> tuple[IntArray, IntArray]:
    """Return how many relevant documents stand above the group of each document, and how many within: (m,) each."""
    first, rows = view.of.tie_first, view.rows
    starts = np.flatnonzero(np.concatenate([[True], (np.diff(first) != 0) | (np.diff(rows) != 0)]))
    group = np.repeat(np.arange(len(starts)), np.diff([*starts, len(first)]))
    within = np.add.reduceat(relevant.astype(np.int64), starts)
    before = ordinals(view, relevant) - relevant
    return before[starts][group], within[group]


def first_relevant(view: View, level: float, worth: FloatArray) -> FloatArray:
    """Return what the first relevant document of each ranking is worth, 0 where there is none: (n,).

    Args:
        view: the rankings.
        level: the grade from which a document is relevant.
        worth: by rank, from 0 to ``view.depth``.
    """
    relevant = view.of.grades >= level
    first = np.flatnonzero(relevant)
    rows, place = np.unique(view.rows[first], return_index=True)
    first = first[place]
    value = np.zeros(len(view))
    if (view.of.tie_size == 1).all():
        value[rows] = worth[view.of.ranks.values[first]]
    else:
        within = group_counts(view, relevant)[1][first]
        value[rows] = _expected_first(view.of.tie_first[first], view.of.tie_size[first], within, worth)
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


def depth(view: View, k: int | None) -> IntArray:
    """Return how many documents there are up to rank k, at most those retrieved: (n,)."""
    return view.of.retrieved if k is None else np.minimum(view.of.retrieved, k)


def unjudged_columns(view: View, k: int | None) -> dict[str, Column]:
    """Count the documents up to rank k, and those of them without a grade of 0 or more.

    As in trec_eval's ``unj``, a document with a negative grade was pooled but not judged. Passages are all judged,
    since each was compared with the references.
    """
    there = depth(view, k)
    return {"unjudged": there - view.found(0.0, k), "depth": there}


def unjudged_share(totals: Statistics) -> Mapping[str, FloatArray]:
    """Return the part ``unjudged``; NaN where nothing was retrieved."""
    return {"unjudged": ratio(totals["unjudged"], totals["depth"])}
