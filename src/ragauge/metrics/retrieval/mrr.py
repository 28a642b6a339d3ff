"""``mrr[@k]``: the reciprocal of the rank of the first relevant document."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ragauge.core.batch import Batch
from ragauge.core.options import Cutoff
from ragauge.core.registry import register
from ragauge.core.statistics import Rows
from ragauge.metrics.retrieval._rank_sums import first_relevant
from ragauge.metrics.retrieval._ranked import Averaged


@register("mrr", at="k")
@dataclass(frozen=True, kw_only=True)
class Mrr(Averaged):
    """Mean reciprocal rank: 1 divided by the rank of the first relevant document; 0 without one up to rank k.

    Formula:
        RR@k = 1 / rank of the first relevant document, 0 if there is none at rank 1..k
        MRR  = mean of RR over the queries

    Unit and range: one per rank, 0 to 1. Passages: relevant is what matches any reference passage. ``undefined``: the
    query has no relevant document.

    Args:
        k: the cutoff; None: no cutoff.

    >>> import pyarrow as pa
    >>> judged = [[{"id": "b", "grade": 1.0}]]
    >>> batch = Batch(pa.table({"id": ["q"], "retrieved": [["a", "b", "c"]], "relevance": judged}))
    >>> [float(Mrr(k=k).score(Mrr(k=k).measure(batch).totals())) for k in (1, None)]
    [0.0, 0.5]

    Not for: questions that need several passages: after the first one nothing counts. From rank 1 to 2 it falls by
    .5, from 10 to 11 by .009, so that a few queries at the very top decide.

    Source: ``recip_rank`` of trec_eval 9, to the last bit, and 10, to 4 decimals; it has no cutoff of its own, and with
    ``-M k`` it is this. RR@k of ir_measures 0.4.3 breaks ties the other way: ``ties=docid-asc``.
    """

    k: Cutoff = None

    first_alone = True

    def measure(self, batch: Batch) -> Rows:
        """Return the worth of the first relevant document of each ranking."""
        view = self.views(batch).relevant
        ranks = np.arange(view.depth + 1)
        worth = np.where(ranks <= (self.k or view.depth), 1.0 / np.maximum(ranks, 1), 0.0)
        value = np.minimum(first_relevant(view, self.level, worth), 1.0)
        return self.rows(batch, view.relevant(self.level) > 0, {"value": value})
