"""``bpref``: how often relevant documents are ranked above judged non-relevant ones."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ragauge.core.batch import Batch
from ragauge.core.ragged import FloatArray
from ragauge.core.registry import register
from ragauge.core.statistics import Rows
from ragauge.metrics.retrieval._rank_sums import View, ordinals
from ragauge.metrics.retrieval._ranked import Averaged, check_no_mean


@register("bpref")
@dataclass(frozen=True, kw_only=True)
class Bpref(Averaged):
    """Binary preference: the share of judged pairs in the right order, a relevant document above a non-relevant one.

    Formula:
        bpref = 1/R * sum over relevant documents retrieved of (1 - min(n, R) / min(N, R))
        R, N  = documents judged relevant, judged not relevant; n = how many of the latter rank above

    Unit and range: a share, 0 to 1. Unjudged documents, and those with a negative grade, have no effect. Passages:
    relevant is a passage that matches a reference passage that no earlier passage matched, every other one is not.
    ``undefined``: the query has no relevant document.

    Raises:
        OptionError: ``ties=mean`` (there is no closed form), or another option has a value that it does not take.

    >>> import pyarrow as pa
    >>> judged = [[{"id": "a", "grade": 1.0}, {"id": "b", "grade": 0.0}, {"id": "c", "grade": 1.0}]]
    >>> batch = Batch(pa.table({"id": ["q"], "retrieved": [["a", "b", "c"]], "relevance": judged}))
    >>> Bpref().score(Bpref().measure(batch).totals())
    array(0.5)

    Not for: judgements of relevant documents only: with nothing judged not relevant it is ``recall``.

    Source: Buckley and Voorhees 2004; ``bpref`` of trec_eval 9, to the last bit, and 10, to 4 decimals. That of ranx
    0.3.21 is NaN where nothing is judged not relevant.
    """

    def __post_init__(self) -> None:
        check_no_mean(self, "bpref has no closed form for the mean over the orders of tied documents")

    def measure(self, batch: Batch) -> Rows:
        """Count the non-relevant documents above each relevant one."""
        view = self.views(batch).novel
        relevant = view.relevant(self.level)
        value = view.sums(self._preferred(view)) / np.maximum(relevant, 1)
        return self.rows(batch, relevant > 0, {"value": value})

    def _preferred(self, view: View) -> FloatArray:
        """Return the share of right orders of each relevant document, 0 at others: (m,)."""
        relevant = view.relevant(self.level)
        others = view.relevant(0.0) - relevant
        above = ordinals(view, (view.judged_ranks.grades >= 0) & (view.judged_ranks.grades < self.level))
        wrong = np.minimum(above, relevant[view.rows]) / np.maximum(np.minimum(others, relevant), 1)[view.rows]
        return np.where(view.judged_ranks.grades >= self.level, np.where(above > 0, 1.0 - wrong, 1.0), 0.0)
