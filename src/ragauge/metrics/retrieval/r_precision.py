"""``r-precision``: precision at the rank where precision and recall are equal."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ragauge.core.batch import Batch
from ragauge.core.ragged import IntArray
from ragauge.core.registry import register
from ragauge.core.statistics import Rows
from ragauge.metrics.retrieval._rank_sums import View
from ragauge.metrics.retrieval._ranked import Averaged


@register("r-precision")
@dataclass(frozen=True, kw_only=True)
class RPrecision(Averaged):
    """R-precision: the precision at rank R of a query that has R relevant documents.

    Formula:
        R-precision = relevant documents at ranks 1..R / R, R = relevant documents of the query

    Unit and range: a share, 0 to 1; divided by R even where fewer were retrieved. Passages: R is the number of
    reference passages, and a passage counts if it matches one that no earlier passage matched. ``undefined``: the
    query has no relevant document.

    >>> import pyarrow as pa
    >>> judged = [[{"id": "a", "grade": 1.0}, {"id": "c", "grade": 1.0}]]
    >>> batch = Batch(pa.table({"id": ["q"], "retrieved": [["a", "b", "c"]], "relevance": judged}))
    >>> RPrecision().score(RPrecision().measure(batch).totals())
    array(0.5)

    Not for: a system that always hands on the same number of passages: take ``precision@k`` or ``recall@k`` with
    that number. With one relevant document a query it is ``hit-rate@1``.

    Source: ``Rprec`` of trec_eval 9, to the last bit, and 10, to 4 decimals.
    """

    counts_alone = True

    def measure(self, batch: Batch) -> Rows:
        """Count the relevant documents among the first R of each ranking."""
        view = self.views(batch).novel
        relevant = view.relevant(self.level)
        value = view.found(self.level, relevant) / np.maximum(relevant, 1)
        return self.rows(batch, relevant > 0, {"value": value})

    def cutoffs(self, view: View) -> IntArray:
        """Return the number of relevant documents of each query, (n,)."""
        return view.relevant(self.level)
