"""``gm-map``: the geometric mean of average precision."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from ragauge.core.batch import Batch
from ragauge.core.options import Cutoff
from ragauge.core.ragged import FloatArray
from ragauge.core.registry import register
from ragauge.core.statistics import Rows, Statistics, ratio
from ragauge.metrics.retrieval._rank_sums import precisions
from ragauge.metrics.retrieval._ranked import Ranked

LEAST = 1e-5
"""Average precisions below it count as it: MIN_GEO_MEAN of trec_eval."""


@register("gm-map", at="k")
@dataclass(frozen=True, kw_only=True)
class GmMap(Ranked):
    """Geometric mean average precision: the mean of the logarithms of average precision, as a precision again.

    Formula:
        GMAP = exp(mean over the queries of ln max(AP, .00001))
        AP@k = sum over the ranks i = 1..k of relevant documents of P@i / R, R = relevant documents

    A query that goes from .02 to .04 counts as much as one that goes from .4 to .8, so that hard queries decide.

    Unit and range: a mean of shares, .00001 to 1. Passages: a passage counts as relevant if it matches a reference
    passage that no earlier passage matched. ``undefined``: the query has no relevant document.

    Args:
        k: relevant documents below rank k count as not retrieved; None: there is no cutoff.

    >>> import pyarrow as pa
    >>> judged = [[{"id": "a", "grade": 1.0}], [{"id": "b", "grade": 1.0}]]
    >>> batch = Batch(pa.table({"id": ["p", "q"], "retrieved": [["a"], ["x", "y", "z", "b"]], "relevance": judged}))
    >>> GmMap().score(GmMap().measure(batch).totals()).round(4)
    np.float64(0.5)

    Not for: few queries: one without a relevant document found pulls it down to a third of what it was, of ten.

    Source: Robertson 2006, "On GMAP: and other transformations"; ``gm_map`` of trec_eval 9 and 10.
    """

    k: Cutoff = None
    average: Literal["pooled"] = "pooled"

    range: ClassVar[tuple[float, float]] = (LEAST, 1.0)

    def measure(self, batch: Batch) -> Rows:
        """Take the logarithm of the average precision of each ranking."""
        view = self.views(batch).novel
        relevant = view.relevant(self.level)
        value = view.sums(precisions(view, self.level, self.k)) / np.maximum(relevant, 1)
        return self.rows(batch, relevant > 0, {"log": np.log(np.clip(value, LEAST, 1.0))})

    def score(self, totals: Statistics) -> FloatArray:
        """Return the geometric mean."""
        return np.asarray(np.exp(ratio(totals["log"], totals["count"])))
