"""``recall@k``: how much of what is relevant was retrieved."""

from __future__ import annotations

from dataclasses import dataclass

from ragauge.core.batch import Batch
from ragauge.core.options import Cutoff
from ragauge.core.ragged import FloatArray
from ragauge.core.registry import register
from ragauge.core.statistics import Rows, Statistics
from ragauge.metrics.retrieval._ranked import Ranked, share


@register("recall", at="k")
@dataclass(frozen=True, kw_only=True)
class Recall(Ranked):
    """Recall at k: the share of the relevant documents that are among the first k retrieved.

    Formula:
        R@k = relevant documents at ranks 1..k / relevant documents

    Unit and range: a share, 0 to 1. Passages: the share of the reference passages that some passage matches; a
    passage may cover several. ``undefined``: the query has no relevant document.

    Args:
        k: the cutoff; None: all that were retrieved.

    >>> import pyarrow as pa
    >>> judged = [[{"id": "a", "grade": 1.0}, {"id": "c", "grade": 1.0}]]
    >>> batch = Batch(pa.table({"id": ["q"], "retrieved": [["a", "b", "c"]], "relevance": judged}))
    >>> Recall(k=2).score(Recall(k=2).measure(batch).totals())
    array(0.5)

    Not for: a system that may retrieve as much as it likes: everything retrieved is recall 1, so that a cutoff
    belongs to it. The order within the first k does not count, nor does what is relevant but was never judged.

    Source: ``recall`` and ``set_recall`` of trec_eval 9, to the last bit, and 10, to 4 decimals.
    """

    k: Cutoff = None

    counts_alone = True

    def measure(self, batch: Batch) -> Rows:
        """Count the relevant documents: retrieved up to k, and all."""
        view = self.views(batch).covered
        relevant = view.relevant(self.level)
        return self.rows(batch, relevant > 0, {"hits": view.found(self.level, self.k), "relevant": relevant})

    def score(self, totals: Statistics) -> FloatArray:
        """Divide the relevant documents retrieved by all relevant ones."""
        return share(totals["hits"], totals["relevant"], totals["count"])
