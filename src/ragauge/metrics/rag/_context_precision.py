"""Precision at the ranks of relevant passages, averaged: what context precision and context utilization share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, ClassVar

import numpy as np

from ragauge.core.options import Cutoff, Range
from ragauge.core.protocol import Stage
from ragauge.core.ragged import BoolArray, FloatArray, IntArray, Ragged
from ragauge.core.segments import Segments
from ragauge.metrics.rag._supported import Compared, SupportMetric, sums
from ragauge.sentences import split

if TYPE_CHECKING:
    from ragauge.core.batch import Batch
    from ragauge.core.statistics import Rows


@dataclass(frozen=True, kw_only=True)
class ContextPrecisionBase(SupportMetric):
    """The sum of precision@k times v_k over the first ``k`` passages, divided by what ``epsilon`` and v_k say.

    A passage is relevant (v_k = 1) if it supports a sentence of the text that it is held against.

    Args:
        k: how many passages count; None: all.
        epsilon: is added to the denominator; RAGAS adds 1e-10, so that a perfect ranking scores 0.9999999999.
    """

    epsilon: Annotated[float, Range(0, 1000)] = 0.0
    k: Cutoff = None

    stage: ClassVar[Stage] = "retrieval"
    explained: ClassVar[str] = "passage"

    def against(self, batch: Batch) -> str:
        """Return the column that the passages are held against."""
        raise NotImplementedError

    def no_target(self, batch: Batch, targets: Segments) -> BoolArray:
        """Say for which samples there is nothing that a passage could be relevant to, (n,)."""
        raise NotImplementedError

    def denominator_of(self, batch: Batch, hits: FloatArray) -> FloatArray:
        """Return what the sum is divided by, given the number of relevant passages, (n,)."""
        raise NotImplementedError

    def compared(self, batch: Batch) -> Compared:
        """Return the passages, each with the sentence that it supports best."""
        passages, targets = batch.segments("contexts"), batch.segments(self.against(batch), split)
        return Compared.by_segment(self.degrees(batch, targets, passages), targets, passages)

    def measure(self, batch: Batch) -> Rows:
        """Average the precision at each relevant passage."""
        offsets, targets = batch.segments("contexts").offsets, batch.segments(self.against(batch), split)
        counts = self.counts(self.compared(batch).best)
        counts = np.where(Ragged(counts, offsets).positions < (self.k or len(counts) + 1), counts, 0.0)
        above, hits = precision_sums(counts, offsets), sums(counts, offsets)
        below = self.denominator_of(batch, hits) + self.epsilon
        value = np.divide(above, below, out=np.zeros(len(batch)), where=below > 0)
        return self.rows(batch, value, self.no_target(batch, targets), self.against(batch), "contexts")


def precision_sums(counts: FloatArray, offsets: IntArray) -> FloatArray:
    """Return the sum over ranks of precision@k times the count at k, of each list.

    >>> precision_sums(np.array([1.0, 0.0, 1.0, 0.0]), np.array([0, 3, 4]))
    array([1.66666667, 0.        ])
    """
    lists = Ragged(counts, offsets)
    rows, places = lists.rows, lists.positions
    matrix = np.zeros((len(lists), max(lists.lengths, default=0)))
    matrix[rows, places] = counts
    precision = np.cumsum(matrix, axis=1)[rows, places] / (places + 1)
    return sums(precision * counts, offsets)
