"""Sums over the judged documents of each ranking."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from ragauge.ragged import BoolArray, FloatArray, IntArray

if TYPE_CHECKING:
    from ragauge.rankings import JudgedRanks

Column: TypeAlias = FloatArray | IntArray
Cutoff: TypeAlias = int | IntArray | None
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

    def found(self, level: float, cutoff: Cutoff) -> FloatArray:
        """Return how many documents of grade ``level`` or more are ranked up to ``cutoff``; expected, over ties: (n,).

        A group of tied documents that straddles the cutoff counts by the share of its ranks within.
        """
        last = self.cutoffs(cutoff)[self.rows]
        within = np.clip((last - self.of.tie_first + 1) / self.of.tie_size, 0.0, 1.0)
        return self.sums(np.where(self.of.grades >= level, within, 0.0))

    def relevant(self, level: float) -> IntArray:
        """Return how many judgements are of grade ``level`` or more: (n,)."""
        return np.bincount(self.judged_rows[self.of.judged.values >= level], minlength=len(self))

    def cutoffs(self, cutoff: Cutoff) -> IntArray:
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
