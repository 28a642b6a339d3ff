"""``st-recall@k``: how many subtopics of a question are covered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ragauge.core.batch import Batch
from ragauge.core.protocol import Average
from ragauge.core.ragged import FloatArray
from ragauge.core.registry import register
from ragauge.core.statistics import Rows, Statistics
from ragauge.metrics.retrieval._ranked import share
from ragauge.metrics.retrieval._subtopics import Diverse


@register("st-recall", at="k")
@dataclass(frozen=True, kw_only=True)
class StRecall(Diverse):
    """Subtopic recall: the share of the subtopics that some document among the first k retrieved covers.

    Formula:
        S-recall@k = subtopics of the documents at ranks 1..k / subtopics

    Unit and range: a share, 0 to 1. Subtopics that no judged document covers do not count. ``undefined``: no document
    is relevant to a subtopic. For passages instead of ids see ``recall``: there each reference passage is a subtopic.

    Args:
        k: the cutoff; None: all that were retrieved.
        average: ``samples``: the mean of the queries' scores; ``pooled``: the score of the summed counts.

    Raises:
        OptionError: ``ties=mean``, or another option has a value that it does not take.
        DataError: the column ``subtopics`` has another form.

    >>> import pyarrow as pa
    >>> data = {"id": ["q"], "retrieved": [["a", "b", "c"]], "subtopics": [[["a", "b"], ["c"]]]}
    >>> batch = Batch(pa.table(data))
    >>> StRecall(k=2).score(StRecall(k=2).measure(batch).totals())
    array(0.5)

    Not for: how early a subtopic is covered, nor how often (``alpha-ndcg``).

    Source: Zhai, Cohen and Lafferty 2003, "Beyond independent relevance"; ``strec`` of ndeval, as pyndeval 0.0.8 has
    it, to the last bit.
    """

    average: Average = "samples"

    counts_alone: ClassVar[bool] = True

    def measure(self, batch: Batch) -> Rows:
        """Count the subtopics: covered up to k, and all."""
        coverage = self.coverage(batch)
        ranks = coverage.view.judged_ranks.ranks.values[coverage.places]
        first = (coverage.earlier() == 0) & (ranks <= (self.k or coverage.view.depth))
        rows = coverage.view.rows[coverage.places]
        hits = np.bincount(rows, first, len(batch))
        return self.rows(batch, coverage.subtopics > 0, {"hits": hits, "relevant": coverage.subtopics})

    def score(self, totals: Statistics) -> FloatArray:
        """Divide the subtopics covered by all of them."""
        return share(totals["hits"], totals["relevant"], totals["count"])
