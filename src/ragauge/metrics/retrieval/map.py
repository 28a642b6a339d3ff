"""``map``: average precision, precision at each relevant document averaged over all relevant documents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ragauge.core.batch import Batch
from ragauge.core.options import Cutoff
from ragauge.core.ragged import FloatArray
from ragauge.core.registry import register
from ragauge.core.statistics import Rows, Statistics, ratio
from ragauge.metrics.retrieval._rank_sums import precisions, unjudged_columns
from ragauge.metrics.retrieval._ranked import Averaged


@register("map", at="k")
@dataclass(frozen=True, kw_only=True)
class Map(Averaged):
    """Mean average precision: the precisions at the ranks of relevant documents, divided by all relevant documents.

    Formula:
        AP@k = sum over the ranks i = 1..k of relevant documents of P@i / R, R = relevant documents
        MAP  = mean of AP over the queries

    Unit and range: a mean of shares, 0 to 1. The divisor is the number of relevant documents, retrieved or not, and
    never less because of k. Passages: a passage counts as relevant if it matches a reference passage that no earlier
    passage matched. ``undefined``: the query has no relevant document. Part ``unjudged``: the share of the documents
    up to k (or of all retrieved) that nobody judged; a negative grade is not a judgement.

    Args:
        k: relevant documents below rank k count as not retrieved; None: there is no cutoff.

    >>> import pyarrow as pa
    >>> judged = [[{"id": "a", "grade": 1.0}, {"id": "c", "grade": 1.0}]]
    >>> batch = Batch(pa.table({"id": ["q"], "retrieved": [["a", "b", "c"]], "relevance": judged}))
    >>> Map().score(Map().measure(batch).totals()).round(4)
    np.float64(0.8333)

    Not for: graded relevance: grade 3 counts as grade 1 does (``ndcg``). Nor for a prompt that takes k passages
    whatever their order (``recall@k``), nor where most relevant documents were never judged (``bpref``, and the
    part ``unjudged``).

    Source: ``map`` and ``map_cut`` of trec_eval 9, to the last bit, and 10, to 4 decimals. torchmetrics 1.9 divides by
    the relevant documents retrieved.
    """

    k: Cutoff = None

    def measure(self, batch: Batch) -> Rows:
        """Sum the precisions at the relevant documents of each ranking."""
        view = self.views(batch).novel
        relevant = view.relevant(self.level)
        value = view.sums(precisions(view, self.level, self.k)) / np.maximum(relevant, 1)
        return self.rows(batch, relevant > 0, {"value": np.minimum(value, 1.0), **unjudged_columns(view, self.k)})

    def parts(self, totals: Statistics) -> Mapping[str, FloatArray]:
        """Return the share of unjudged documents; NaN where nothing was retrieved."""
        return {"unjudged": ratio(totals["unjudged"], totals["depth"])}
