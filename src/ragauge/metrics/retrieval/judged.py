"""``judged@k``: how much of what was retrieved was judged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ragauge.core.batch import Batch
from ragauge.core.options import Cutoff
from ragauge.core.ragged import FloatArray
from ragauge.core.registry import register
from ragauge.core.statistics import Rows, Statistics
from ragauge.metrics.retrieval._rank_sums import Column
from ragauge.metrics.retrieval._ranked import Ranked, share


@register("judged", at="k")
@dataclass(frozen=True, kw_only=True)
class Judged(Ranked):
    """Judged at k: the share of the first k retrieved documents that have a judgement.

    Formula:
        judged@k = documents at ranks 1..k with a judgement / documents at ranks 1..k

    Unit and range: a share, 0 to 1; where fewer than k were retrieved, of those; 0 where nothing was. A document with
    a negative grade was pooled but not judged. Passages: all are compared with the references and so judged.
    ``undefined``: never.

    Args:
        k: the cutoff; None: all that were retrieved.

    >>> import pyarrow as pa
    >>> judged = [[{"id": "a", "grade": 1.0}, {"id": "c", "grade": 0.0}]]
    >>> batch = Batch(pa.table({"id": ["q"], "retrieved": [["a", "b", "c", "d"]], "relevance": judged}))
    >>> Judged(k=10).score(Judged(k=10).measure(batch).totals())
    array(0.5)

    Not for: ranking systems: it measures the judgements. It says how far to trust the other metrics at the same k.

    Source: ``Judged`` of ir_measures 0.4.3, which breaks ties the other way (``ties=docid-asc``) and counts negative
    grades as judged; 1 - ``unj`` of trec_eval 10 where at least k were retrieved.
    """

    k: Cutoff = None
    renamed: ClassVar[Mapping[str, str]] = {"criteria": "judged-rubric:criteria=..."}
    """Options of another metric whose name is alike, and what is meant."""

    counts_alone = True

    def measure(self, batch: Batch) -> Rows:
        """Count the documents up to k and those of them that were judged."""
        view = self.views(batch).relevant
        depth = np.minimum(view.judged_ranks.retrieved, view.cutoffs(self.k))
        # Expected numbers of documents, over ties, may be rounded up.
        columns: dict[str, Column] = {"judged": np.minimum(view.found(0.0, self.k), depth), "depth": depth}
        return self.rows(batch, np.ones(len(batch), dtype=bool), columns)

    def score(self, totals: Statistics) -> FloatArray:
        """Divide the judged documents by all."""
        return share(totals["judged"], totals["depth"], totals["count"])
