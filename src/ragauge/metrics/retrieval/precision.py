"""``precision@k``: how much of what was retrieved is relevant."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ragauge.core.batch import Batch
from ragauge.core.options import Cutoff
from ragauge.core.ragged import FloatArray
from ragauge.core.registry import register
from ragauge.core.statistics import Rows, Statistics
from ragauge.metrics.retrieval._rank_sums import Column
from ragauge.metrics.retrieval._ranked import Ranked, share


@register("precision", at="k")
@dataclass(frozen=True, kw_only=True)
class Precision(Ranked):
    """Precision at k: the share of the first k retrieved documents that are relevant.

    Formula:
        P@k = relevant documents at ranks 1..k / k
        P   = relevant documents retrieved / documents retrieved

    Unit and range: a share, 0 to 1. Passages: relevant is what matches any reference passage. ``undefined``: the
    query has no relevant document.

    Args:
        k: the cutoff. Where fewer were retrieved, the rest count as not relevant. None: all that were retrieved, and
            0 where nothing was.

    >>> import pyarrow as pa
    >>> judged = [[{"id": "a", "grade": 1.0}, {"id": "c", "grade": 1.0}]]
    >>> batch = Batch(pa.table({"id": ["q"], "retrieved": [["a", "b", "c"]], "relevance": judged}))
    >>> Precision(k=2).score(Precision(k=2).measure(batch).totals())
    array(0.5)

    Not for: questions with fewer than k relevant documents, where no ranking can reach 1 (``r-precision`` can); the
    order within the first k; and judgements so few that much of what is retrieved counts as not relevant because
    nobody looked at it (``judged@k`` says how much).

    Source: ``P`` and ``set_P`` of trec_eval 9, to the last bit, and 10, to 4 decimals.
    """

    k: Cutoff = None

    counts_alone = True

    def measure(self, batch: Batch) -> Rows:
        """Count the relevant documents and the places that they could have had."""
        view = self.views(batch).relevant
        places = view.cutoffs(self.k)
        # Expected numbers of documents, over ties, may be rounded up.
        columns: dict[str, Column] = {"hits": np.minimum(view.found(self.level, self.k), places), "places": places}
        return self.rows(batch, view.relevant(self.level) > 0, columns)

    def score(self, totals: Statistics) -> FloatArray:
        """Divide the relevant documents by the places."""
        return share(totals["hits"], totals["places"], totals["count"])
