"""``f1@k``: precision and recall in one number."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ragauge.core.batch import Batch
from ragauge.core.options import Beta, Cutoff
from ragauge.core.ragged import FloatArray
from ragauge.core.registry import register
from ragauge.core.statistics import Rows, Statistics, ratio
from ragauge.metrics.retrieval._rank_sums import Column
from ragauge.metrics.retrieval._ranked import Ranked, share


@register("f1", at="k")
@dataclass(frozen=True, kw_only=True)
class F1(Ranked):
    """F1 at k: the harmonic mean of precision at k and recall at k, weighted by beta.

    Formula:
        F@k = (1 + b^2) P R / (b^2 P + R), b = beta, P = P@k, R = R@k

    Unit and range: a share, 0 to 1; 0 where precision and recall are 0. With ``average=samples`` it is the mean of
    the queries' F, not the F of mean precision and mean recall. Passages: precision counts passages that match a
    reference passage, recall counts reference passages that are matched. ``undefined``: the query has no relevant
    document. Parts: ``precision`` and ``recall``.

    Args:
        beta: how many times as much recall weighs as precision, above 0.
        k: the cutoff of both; None: all that were retrieved.

    >>> import pyarrow as pa
    >>> judged = [[{"id": x, "grade": 1.0} for x in "acd"]]
    >>> batch = Batch(pa.table({"id": ["q"], "retrieved": [["a", "b"]], "relevance": judged}))
    >>> F1(k=2).score(F1(k=2).measure(batch).totals())
    array(0.4)

    Not for: a fixed k and judged ids: there F1 of a query is 2 hits / (k + relevant), which orders systems as
    recall@k does. The order within the first k does not count.

    Source: van Rijsbergen 1979; ``f1`` of ranx 0.3.21 without ties; ``set_F`` of trec_eval 9, to the last bit, and 10,
    to 4 decimals (k=None, its parameter is beta^2).
    """

    beta: Beta = 1.0
    k: Cutoff = None

    counts_alone = True

    def measure(self, batch: Batch) -> Rows:
        """Count the relevant documents: found, those that there are places for, and all."""
        views = self.views(batch)
        relevant = views.covered.relevant(self.level)
        columns: dict[str, Column] = {
            "hits": views.relevant.found(self.level, self.k),
            "places": views.relevant.cutoffs(self.k),
            "covered": views.covered.found(self.level, self.k),
            "relevant": relevant,
        }
        return self.rows(batch, relevant > 0, columns)

    def score(self, totals: Statistics) -> FloatArray:
        """Combine precision and recall."""
        parts = self.parts(totals)
        precision, recall, weight = parts["precision"], parts["recall"], self.beta**2
        combined = ratio((weight + 1.0) * precision * recall, recall + weight * precision)
        return np.where(precision + recall == 0, 0.0, combined)

    def parts(self, totals: Statistics) -> Mapping[str, FloatArray]:
        """Return precision and recall."""
        return {
            "precision": share(totals["hits"], totals["places"], totals["count"]),
            "recall": share(totals["covered"], totals["relevant"], totals["count"]),
        }
