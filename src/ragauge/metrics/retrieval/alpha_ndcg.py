"""``alpha-ndcg@k``: discounted gains of new subtopics as a share of those of the best order."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ragauge.core.batch import Batch
from ragauge.core.registry import register
from ragauge.core.statistics import Rows
from ragauge.metrics.retrieval._ranked import share
from ragauge.metrics.retrieval._subtopics import Novel


@register("alpha-ndcg", at="k")
@dataclass(frozen=True, kw_only=True)
class AlphaNdcg(Novel):
    """Alpha-nDCG: the discounted gain of subtopics, less for each repeat, divided by that of the ideal ranking.

    Formula:
        alpha-nDCG@k = DCG@k / DCG@k of the ideal ranking
        DCG@k        = sum over ranks i = 1..k of g(i) / log2(i + 1)
        g(i)         = sum over the subtopics s of document i of (1 - alpha)^n, n = documents before it that cover s

    The ideal ranking has at each rank the judged document that gains most there, of several the greatest by its id: to
    find the best order of all takes too long. Where a ranking does better than it, the score is 1.

    Unit and range: a share, 0 to 1. ``undefined``: no document is relevant to a subtopic.

    Args:
        alpha: by how much a subtopic counts less after each document that covers it; 0: not at all.
        k: documents below rank k do not count; None: there is no cutoff.

    Raises:
        OptionError: ``ties=mean`` (there is no closed form), or another option has a value that it does not take.
        DataError: the column ``subtopics`` has another form.

    >>> import pyarrow as pa
    >>> data = {"id": ["q"], "retrieved": [["a", "b", "c"]], "subtopics": [[["a", "b"], ["c"]]]}
    >>> batch = Batch(pa.table(data))
    >>> AlphaNdcg(k=2).score(AlphaNdcg(k=2).measure(batch).totals()).round(4)
    np.float64(0.8066)

    Not for: questions with one subtopic, where a second relevant document counts half (``ndcg``).

    Source: Clarke, Kolla, Cormack, Vechtomova, Ashkan, Buettcher and MacKinnon 2008, "Novelty and diversity in
    information retrieval evaluation"; ``alpha-nDCG`` of ndeval, as pyndeval 0.0.8 has it, to 12 digits. There tied
    documents are in the order ``ties=docid-asc``.
    """

    def measure(self, batch: Batch) -> Rows:
        """Add up what each document covers that is new."""
        coverage = self.coverage(batch)
        deepest = max(coverage.view.depth, int(np.bincount(coverage.pool_rows).max(initial=0)))
        discounts = 1.0 / np.log2(np.arange(2, min(self.k or deepest, deepest) + 2))
        ranks = coverage.view.judged_ranks.ranks.values
        worth = np.where(ranks <= len(discounts), discounts[np.minimum(ranks, len(discounts)) - 1], 0.0)
        value = coverage.view.sums(coverage.gains(self.alpha) * worth)
        shared = share(value, coverage.ideal(self.alpha, discounts), np.ones(len(batch)))
        return self.rows(batch, coverage.subtopics > 0, {"value": np.minimum(shared, 1.0)})
