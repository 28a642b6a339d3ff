"""``abstention-f1``: the F of declining."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ragauge.core.batch import Batch
from ragauge.core.ragged import FloatArray
from ragauge.core.registry import register
from ragauge.core.statistics import Rows, Statistics, ratio
from ragauge.metrics._sample_mean import rows_of
from ragauge.metrics.rag._abstaining import Abstaining, answerable, counts_of_notes, declined


@register("abstention-f1")
@dataclass(frozen=True, kw_only=True)
class AbstentionF1(Abstaining):
    """Abstention F1: the F of declining the questions that cannot be answered, over all samples.

    Formula:
        F1 = 2 t / (d + u)
        t = declined among those that cannot be answered, d = declined, u = questions that cannot be answered

    An answer that declines in part counts half as declined. Which questions can be answered, and what declines, is said
    at ``abstention-accuracy`` and ``abstention``.

    Unit and range: 0 to 1. Parts ``precision`` (t / d) and ``recall`` (t / u). Where no question is to be declined and
    none is, it is 1; so is the score of such a sample.

    ``undefined``: never.

    Args:
        average: ``pooled``: of the counts of all samples; there is no other.

    Raises:
        DataError: a mark says neither yes nor no.

    >>> import pyarrow as pa
    >>> answers = ["At nine.", "I don't know.", "I don't know.", "In 1990."]
    >>> batch = Batch(pa.table({"answer": answers, "answerable": [True, True, False, False]}))
    >>> metric = AbstentionF1()
    >>> metric.score(metric.measure(batch).totals())
    array(0.5)

    Not for: single samples, or whether the other answers are right.

    Source: precision, recall and F of a decision, as scikit-learn 1.7 ``f1_score`` has them where no answer declines in
    part; the decision is that of Rajpurkar, Jia and Liang 2018.
    """

    average: Literal["pooled"] = "pooled"

    def measure(self, batch: Batch) -> Rows:
        """Return what is declined, what should be, and both."""
        declines, should = declined(batch), 1.0 - answerable(self, batch)
        columns = {"declined": declines, "unanswerable": should, "both": declines * should}
        nothing = np.zeros(len(batch))
        return rows_of(nothing, nothing.astype(bool), {}, counts_of_notes(self, batch), **columns)

    def score(self, totals: Statistics) -> FloatArray:
        """Return the F of declining; 1 where nothing is declined or to be declined."""
        either = totals["declined"] + totals["unanswerable"]
        return np.where(either == 0, 1.0, ratio(2.0 * totals["both"], either))

    def parts(self, totals: Statistics) -> Mapping[str, FloatArray]:
        """Return precision and recall."""
        return {
            "precision": ratio(totals["both"], totals["declined"]),
            "recall": ratio(totals["both"], totals["unanswerable"]),
        }
