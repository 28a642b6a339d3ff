"""``dcg@k``: discounted cumulative gain."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from ragauge.core.batch import Batch
from ragauge.core.registry import register
from ragauge.core.statistics import Rows
from ragauge.metrics.retrieval._rank_sums import discounted, has_gain
from ragauge.metrics.retrieval._ranked import Graded


@register("dcg", at="k")
@dataclass(frozen=True, kw_only=True)
class Dcg(Graded):
    """Discounted cumulative gain: the gain of each of the first k documents divided by log2(rank + 1), added up.

    Formula:
        DCG@k = sum over ranks i = 1..k of gain(i) / log2(i + 1)

    Unit and range: gain, 0 and up. Passages: a passage gains 1 if it matches a reference passage that no earlier
    passage matched. ``undefined``: no judgement of the query has a gain above 0.

    >>> import pyarrow as pa
    >>> judged = [[{"id": "a", "grade": 3.0}, {"id": "b", "grade": 2.0}]]
    >>> batch = Batch(pa.table({"id": ["q"], "retrieved": [["a", "b", "c"]], "relevance": judged}))
    >>> Dcg(k=2).score(Dcg(k=2).measure(batch).totals()).round(4)
    np.float64(4.2619)

    Not for: means over queries: it has no upper end, and queries with more relevant documents weigh more
    (``ndcg``).

    Source: ``dcg`` of trec_eval 10, which has no cutoff; the cutoff as in its ``ndcg_cut``.
    """

    range: ClassVar[tuple[float, float]] = (0.0, math.inf)

    def measure(self, batch: Batch) -> Rows:
        """Add the discounted gains of each ranking."""
        view = self.views(batch).novel
        return self.rows(batch, has_gain(view, self.gain), {"value": discounted(view, self.gain, self.k)})
