"""``ndcg[@k]``: discounted cumulative gain as a share of that of the best order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ragauge.core.batch import Batch
from ragauge.core.ragged import FloatArray
from ragauge.core.registry import register
from ragauge.core.statistics import Rows, Statistics, ratio
from ragauge.metrics.retrieval._rank_sums import discounted, has_gain, ideal, unjudged_columns
from ragauge.metrics.retrieval._ranked import Graded, share


@register("ndcg", at="k")
@dataclass(frozen=True, kw_only=True)
class Ndcg(Graded):
    """Normalized discounted cumulative gain: DCG of the first k results divided by the DCG of the ideal ranking.

    Formula:
        nDCG@k  = DCG@k / IDCG@k
        DCG@k   = sum over ranks i = 1..k of gain(i) / log2(i + 1)
        IDCG@k  = DCG@k of the best order

    Unit and range: a share, 0 to 1. Passages: a passage gains 1 if it matches a reference passage that no earlier
    passage matched; the best order has one for each reference.
    ``undefined``: no judgement of the query has a gain above 0. Part ``unjudged``: the share of the documents up to k
    (or of all retrieved) that nobody judged; a negative grade is not a judgement.

    Args:
        ideal: ``judged``: the best order of all judgements; ``retrieved``: of the retrieved documents only, the whole
            list sorted and then cut at k, as tutorials do. It gives 1 to a ranking that found one relevant document
            of many.

    >>> import pyarrow as pa
    >>> judged = [[{"id": "a", "grade": 2.0}, {"id": "b", "grade": 3.0}]]
    >>> batch = Batch(pa.table({"id": ["q"], "retrieved": [["a", "b", "c"]], "relevance": judged}))
    >>> [Ndcg(gain=gain).measure(batch)["value"].round(4).tolist() for gain in ("linear", "exp")]
    [[0.9134], [0.834]]

    Not for: a prompt that takes k passages whatever their order (``recall@k``). Numbers of another ``gain``
    or ``ideal`` are another metric; and where much is unjudged, a system that finds what the assessors never saw looks
    worse than it is.

    Source: Järvelin and Kekäläinen 2002; ``ndcg`` and ``ndcg_cut`` of trec_eval 9, to the last bit, and 10, to 4
    decimals. A gain table as ``-m ndcg.1=3,2=9``, but fractions are kept, where trec_eval 10 may order them wrongly.
    """

    ideal: Literal["judged", "retrieved"] = "judged"

    def measure(self, batch: Batch) -> Rows:
        """Divide the discounted gains of each ranking by the best there could be."""
        view = self.views(batch).novel
        best = ideal(view, self.gain, self.k, judged=self.ideal == "judged")
        value = share(discounted(view, self.gain, self.k), best, np.ones(len(view)))
        columns = {"value": np.minimum(value, 1.0), **unjudged_columns(view, self.k)}
        return self.rows(batch, has_gain(view, self.gain), columns)

    def parts(self, totals: Statistics) -> Mapping[str, FloatArray]:
        """Return the share of unjudged documents; NaN where nothing was retrieved."""
        return {"unjudged": ratio(totals["unjudged"], totals["depth"])}
