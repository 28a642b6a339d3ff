"""``cg@k``: cumulative gain."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ragauge.core.batch import Batch
from ragauge.core.registry import register
from ragauge.core.statistics import Rows
from ragauge.metrics.retrieval._rank_sums import gains, has_gain
from ragauge.metrics.retrieval._ranked import Graded


@register("cg", at="k")
@dataclass(frozen=True, kw_only=True)
class Cg(Graded):
    """Cumulative gain: the gains of the first k documents, added up whatever their order.

    Formula:
        CG@k = sum over ranks i = 1..k of gain(i)

    Unit and range: gain, 0 and up. Passages: a passage gains 1 if it matches a reference passage that no earlier
    passage matched. ``undefined``: no judgement of the query has a gain above 0.

    >>> import pyarrow as pa
    >>> judged = [[{"id": "a", "grade": 3.0}, {"id": "b", "grade": 2.0}]]
    >>> batch = Batch(pa.table({"id": ["q"], "retrieved": [["a", "x", "b"]], "relevance": judged}))
    >>> [float(Cg(k=k).score(Cg(k=k).measure(batch).totals())) for k in (2, 3)]
    [3.0, 5.0]

    Not for: means over queries: it has no upper end, and queries with more relevant documents weigh more (``ndcg``).
    The order of the first k does not count (``dcg``).

    Source: Järvelin and Kekäläinen 2002, section 2.1.
    """

    range: ClassVar[tuple[float, float]] = (0.0, math.inf)

    counts_alone = True

    def measure(self, batch: Batch) -> Rows:
        """Add the gains of each ranking."""
        view = self.views(batch).novel
        counted = (np.arange(view.depth + 1) <= (view.depth if self.k is None else self.k)).astype(np.float64)
        value = view.sums(gains(view.judged_ranks.grades, self.gain) * view.expected(counted))
        return self.rows(batch, has_gain(view, self.gain), {"value": value})
