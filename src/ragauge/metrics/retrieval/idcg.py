"""``idcg@k``: the discounted cumulative gain of the best order."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from ragauge.core.batch import Batch
from ragauge.core.ragged import IntArray
from ragauge.core.registry import register
from ragauge.core.statistics import Rows
from ragauge.metrics.retrieval._rank_sums import View, has_gain, ideal
from ragauge.metrics.retrieval._ranked import Graded


@register("idcg", at="k")
@dataclass(frozen=True, kw_only=True)
class Idcg(Graded):
    """Ideal discounted cumulative gain: the highest DCG at k that any order of the judged documents has.

    Formula:
        IDCG@k = sum over ranks i = 1..k of g(i) / log2(i + 1), g = the gains of the judgements, highest first

    Unit and range: gain, 0 and up. Passages: every reference passage gains 1. ``undefined``: no judgement of the
    query has a gain above 0.

    Args:
        ideal: ``judged``: of all judgements; ``retrieved``: of the retrieved documents only, the whole list sorted
            and then cut at k, as tutorials do.

    >>> import pyarrow as pa
    >>> judged = [[{"id": "a", "grade": 2.0}, {"id": "z", "grade": 3.0}]]
    >>> batch = Batch(pa.table({"id": ["q"], "retrieved": [["a", "b", "c"]], "relevance": judged}))
    >>> [Idcg(ideal=of).measure(batch)["value"].round(4).tolist() for of in ("judged", "retrieved")]
    [[4.2619], [2.0]]

    Not for: systems: with ``ideal=judged`` it is a property of the judgements. It is there to follow an nDCG by
    hand.

    Source: ``ideal_dcg`` of trec_eval 10, which has no cutoff; the cutoff as in its ``ndcg_cut``.
    """

    range: ClassVar[tuple[float, float]] = (0.0, math.inf)
    ideal: Literal["judged", "retrieved"] = "judged"

    def measure(self, batch: Batch) -> Rows:
        """Add the discounted gains of the best order for each query."""
        view = self.views(batch).novel
        best = ideal(view, self.gain, self.k, judged=self.ideal == "judged")
        return self.rows(batch, has_gain(view, self.gain), {"value": best})

    def cutoffs(self, view: View) -> IntArray:
        """Return no ranks: the ideal order depends on none."""
        return np.zeros(len(view), dtype=np.int64)
