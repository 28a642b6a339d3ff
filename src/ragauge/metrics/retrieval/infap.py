"""``infap``: inferred average precision."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ragauge.core.batch import Batch
from ragauge.core.ragged import FloatArray
from ragauge.core.registry import register
from ragauge.core.statistics import Rows
from ragauge.metrics.retrieval._rank_sums import View, ordinals
from ragauge.metrics.retrieval._ranked import Averaged, check_no_mean

# INFAP_EPSILON of trec_eval.
_EPSILON = 1e-5


@register("infap")
@dataclass(frozen=True, kw_only=True)
class InfAp(Averaged):
    """Inferred average precision: an estimate of average precision where only a sample of the pool was judged.

    Formula:
        infAP = sum over the ranks i of relevant documents of E(i) / R, R = relevant documents
        E(i)  = 1 / i + (pooled above i) / i * (r + e) / (r + n + 2e); r, n = relevant, not relevant above i, e = .00001

    A negative grade says that a document was pooled and not judged; one without any grade is not relevant. Where no
    grade is negative it is about average precision.

    Unit and range: an estimate of a share, 0 to 1. Passages: a passage counts as relevant if it matches a reference
    passage that no earlier passage matched. ``undefined``: the query has no relevant document.

    Raises:
        OptionError: ``ties=mean`` (there is no closed form), or another option has a value that it does not take.

    >>> import pyarrow as pa
    >>> judged = [[{"id": "a", "grade": 1.0}, {"id": "b", "grade": -1.0}, {"id": "c", "grade": 1.0}]]
    >>> batch = Batch(pa.table({"id": ["q"], "retrieved": [["a", "b", "c"]], "relevance": judged}))
    >>> InfAp().score(InfAp().measure(batch).totals()).round(4)
    np.float64(1.0)

    Not for: judgements of the whole pool (``map``), nor those whose documents were not drawn by chance.

    Source: Yilmaz and Aslam 2006, "Estimating average precision with incomplete and imperfect judgments"; ``infAP`` of
    trec_eval 9 and 10.
    """

    def __post_init__(self) -> None:
        check_no_mean(self, "infap has no closed form for the mean over the orders of tied documents")

    def measure(self, batch: Batch) -> Rows:
        """Estimate the precision at each relevant document."""
        view = self.views(batch).novel
        relevant = view.relevant(self.level)
        value = view.sums(self._expected(view)) / np.maximum(relevant, 1)
        return self.rows(batch, relevant > 0, {"value": np.minimum(value, 1.0)})

    def _expected(self, view: View) -> FloatArray:
        """Return the expected precision at each relevant document, 0 at others: (m,)."""
        grades, rank = view.judged_ranks.grades, view.judged_ranks.ranks.values
        good = grades >= self.level
        above = ordinals(view, good) - good
        wrong, unjudged = ordinals(view, (grades >= 0) & ~good), ordinals(view, grades < 0)
        rate = (above + _EPSILON) / (above + wrong + 2 * _EPSILON)
        # In the order of trec_eval, so that the rounding is the same.
        before = rank - 1
        pooled = before / rank * ((above + wrong + unjudged) / np.maximum(before, 1)) * rate
        return np.where(good, 1 / rank + pooled, 0.0)
