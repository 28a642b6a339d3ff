"""``rbp``: rank-biased precision."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from ragauge.core.batch import Batch
from ragauge.core.options import Cutoff, Range
from ragauge.core.ragged import FloatArray
from ragauge.core.registry import register
from ragauge.core.statistics import Rows
from ragauge.metrics.retrieval._ranked import Averaged


@register("rbp", at="k")
@dataclass(frozen=True, kw_only=True)
class Rbp(Averaged):
    """Rank-biased precision: the share of relevant documents seen by a reader who goes on with probability p.

    Formula:
        RBP = (1 - p) * sum over the ranks i of relevant documents of p^(i - 1)

    Unit and range: a share, 0 to 1. 1 would take a ranking without end: the best score of a query with R relevant
    documents is 1 - p^R. Passages: a passage counts if it matches a reference passage that no earlier passage matched.
    ``undefined``: the query has no relevant document.

    Args:
        p: the reader's persistence, between 0 and 1.
        k: relevant documents below rank k do not count; None: there is no cutoff.

    >>> import pyarrow as pa
    >>> judged = [[{"id": "a", "grade": 1.0}, {"id": "c", "grade": 1.0}]]
    >>> batch = Batch(pa.table({"id": ["q"], "retrieved": [["a", "b", "c"]], "relevance": judged}))
    >>> Rbp(p=0.5).score(Rbp(p=0.5).measure(batch).totals())
    array(0.625)

    Not for: comparison with scores of another p. With few relevant documents a query even a perfect ranking stays
    far below 1: with one and p = .8, at .2.

    Source: Moffat and Zobel 2008; ``RBP(rel=1)`` of ir_measures 0.4.3. ``rbp`` of trec_eval 10 rescales gains by the
    query's highest grade, and that of ranx 0.3.21 adds up raw grades and can exceed 1: for graded judgements both
    give other numbers.
    """

    p: Annotated[float, Range(0, 1, above=True, below=True)] = 0.8
    k: Cutoff = None

    def measure(self, batch: Batch) -> Rows:
        """Weigh the relevant documents of each ranking."""
        view = self.views(batch).novel
        weights = self.weights(view.depth)
        relevant = view.judged_ranks.grades >= self.level
        value = (1.0 - self.p) * view.sums(np.where(relevant, view.expected(weights), 0.0))
        return self.rows(batch, view.relevant(self.level) > 0, {"value": value})

    def weights(self, depth: int) -> FloatArray:
        """Return p^(rank - 1) by rank, from 0 to ``depth``."""
        factors = np.full(depth + 1, self.p)
        factors[:2] = 1.0
        weights = np.multiply.accumulate(factors)
        return weights if self.k is None else np.where(np.arange(depth + 1) <= self.k, weights, 0.0)
