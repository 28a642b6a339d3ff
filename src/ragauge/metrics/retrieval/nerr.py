"""``nerr@k``: expected reciprocal rank as a share of that of the best order."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ragauge.core.ragged import FloatArray
from ragauge.core.registry import register
from ragauge.metrics.retrieval._rank_sums import View
from ragauge.metrics.retrieval._ranked import share
from ragauge.metrics.retrieval.err import Err


@register("nerr", at="k")
@dataclass(frozen=True, kw_only=True)
class Nerr(Err):
    """Normalized expected reciprocal rank: ERR of the first k results divided by that of the ideal ranking.

    Formula:
        nERR@k = ERR@k / highest ERR@k of any order of the judged documents
        ERR@k  = sum over ranks i = 1..k of s(i) / i * product over j < i of (1 - s(j))
        s(i)   = (2^g - 1) / 2^max_grade, g = the grade at rank i

    Unit and range: a share, 0 to 1. Passages: a passage has grade 1 if it matches a reference passage that no earlier
    passage matched; set ``max_grade=1`` there. ``undefined``: the query has no judgement above grade 0.

    Args:
        max_grade: the highest grade of the scale, not of the query; 4 as in gdeval.
        k: documents below rank k do not count; None: there is no cutoff.

    Raises:
        OptionError: max_grade is not above 0, ``ties=mean`` (there is no closed form), or another option has a value
            that it does not take.
        DataError: a grade is above ``max_grade``.

    >>> import pyarrow as pa
    >>> from ragauge.core.batch import Batch
    >>> judged = [[{"id": "a", "grade": 1.0}, {"id": "b", "grade": 3.0}]]
    >>> batch = Batch(pa.table({"id": ["q"], "retrieved": [["a", "b", "c"]], "relevance": judged}))
    >>> Nerr(k=2).score(Nerr(k=2).measure(batch).totals()).round(4)
    np.float64(0.588)

    Not for: questions that need several passages: after a satisfying one the others hardly count.

    Source: Chapelle, Metzler, Zhang and Grinspan 2009, divided by its highest value, as NTCIREVAL does.
    """

    def _value(self, view: View) -> FloatArray:
        # The best order is that of falling grades: a swap of neighbours in any other raises ERR.
        judged = view.judged_ranks.judged.values
        best = self.stops(view.judged_rows, view.judged_positions + 1, judged, view)
        return np.minimum(share(super()._value(view), best, np.ones(len(view))), 1.0)
