"""``hit-rate@k``, or ``success@k``: whether anything relevant was retrieved."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ragauge.core.batch import Batch
from ragauge.core.options import Cutoff
from ragauge.core.ragged import FloatArray
from ragauge.core.registry import register
from ragauge.core.statistics import Rows, Statistics, ratio
from ragauge.metrics.retrieval._rank_sums import first_relevant
from ragauge.metrics.retrieval._ranked import Ranked


@register("hit-rate", at="k", aliases=("success",))
@dataclass(frozen=True, kw_only=True)
class HitRate(Ranked):
    """Hit rate, or success at k: whether one of the first k retrieved documents is relevant.

    Formula:
        hit@k = 1 if a document at rank 1..k is relevant, else 0

    Unit and range: a share, 0 to 1. Passages: relevant is what matches any reference passage. ``undefined``: the
    query has no relevant document.

    Args:
        k: the cutoff; None: all that were retrieved.

    >>> import pyarrow as pa
    >>> judged = [[{"id": "c", "grade": 1.0}]]
    >>> batch = Batch(pa.table({"id": ["q"], "retrieved": [["a", "b", "c"]], "relevance": judged}))
    >>> [float(HitRate(k=k).score(HitRate(k=k).measure(batch).totals())) for k in (2, 3)]
    [0.0, 1.0]

    Not for: questions that need several passages: after the first one nothing counts. Where the order within the
    first k matters, take ``mrr`` or ``ndcg``; with a large k almost every system scores 1.

    Source: ``success`` of trec_eval 9, to the last bit, and 10, to 4 decimals; ``hit_rate`` of ranx 0.3.21 without
    ties.
    """

    k: Cutoff = None

    counts_alone = True
    first_alone = True

    def measure(self, batch: Batch) -> Rows:
        """Return the worth of the first relevant document of each ranking."""
        view = self.views(batch).relevant
        ranks = np.arange(view.depth + 1)
        inside = (ranks <= (self.k or view.depth)).astype(np.float64)
        hit = np.minimum(first_relevant(view, self.level, inside), 1.0)
        return self.rows(batch, view.relevant(self.level) > 0, {"hit": hit})

    def score(self, totals: Statistics) -> FloatArray:
        """Divide the queries with a hit by all queries."""
        return ratio(totals["hit"], totals["count"])
