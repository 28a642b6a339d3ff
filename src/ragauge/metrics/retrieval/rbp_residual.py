"""``rbp-residual``: what rank-biased precision does not know."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ragauge.core.batch import Batch
from ragauge.core.protocol import Direction
from ragauge.core.registry import register
from ragauge.core.statistics import Rows
from ragauge.metrics.retrieval.rbp import Rbp


@register("rbp-residual", at="k")
@dataclass(frozen=True, kw_only=True)
class RbpResidual(Rbp):
    """Residual of rank-biased precision: how much higher it could be if all that nobody judged were relevant.

    Formula:
        residual = 1 - (1 - p) * sum over the ranks i of judged documents of p^(i - 1)

    What lies below the last document, or below rank k, is not judged either.

    Unit and range: a share, 0 to 1; lower is better: ``rbp`` is known better. A query of which nothing was retrieved
    has 1. A negative grade is not a judgement. Passages: those that a reference is compared with are all judged.
    ``undefined``: the query has no relevant document.

    Args:
        p: the reader's persistence, between 0 and 1.
        k: documents below rank k are not known; None: there is no cutoff.

    >>> import pyarrow as pa
    >>> judged = [[{"id": "a", "grade": 1.0}, {"id": "c", "grade": 0.0}]]
    >>> batch = Batch(pa.table({"id": ["q"], "retrieved": [["a", "b", "c"]], "relevance": judged}))
    >>> RbpResidual(p=0.5).score(RbpResidual(p=0.5).measure(batch).totals())
    array(0.375)

    Not for: ranking systems: it measures the judgements. Two systems that differ by less may be in either order.

    Source: Moffat and Zobel 2008, section 5; ``rbp_resid`` of trec_eval 10, which has 0 for a query of which nothing
    was retrieved.
    """

    direction: ClassVar[Direction] = "lower"

    def measure(self, batch: Batch) -> Rows:
        """Weigh the judged documents of each ranking."""
        view = self.views(batch).novel
        seen = np.where(view.judged_ranks.grades >= 0, view.expected(self.weights(view.depth)), 0.0)
        value = np.maximum(1.0 - (1.0 - self.p) * view.sums(seen), 0.0)
        return self.rows(batch, view.relevant(self.level) > 0, {"value": value})
