"""``iprec@recall``: interpolated precision."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np

from ragauge.core.batch import Batch
from ragauge.core.options import Range
from ragauge.core.ragged import FloatArray, IntArray
from ragauge.core.registry import register
from ragauge.core.statistics import Rows
from ragauge.metrics.retrieval._rank_sums import View, ordinals
from ragauge.metrics.retrieval._ranked import Averaged, check_no_mean

# The levels of the recall-precision graph, and of the average that `iprec` without a level is.
ELEVEN = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)


@register("iprec", at="recall")
@dataclass(frozen=True, kw_only=True)
class Iprec(Averaged):
    """Interpolated precision: the highest precision at any rank where recall is at least the given share.

    Formula:
        iprec@r = highest P@i at any rank i with recall@i >= r
        iprec   = mean of iprec@0, iprec@0.1, ... iprec@1

    Unit and range: a share, 0 to 1; 0 where so much was never found. Without a recall it is the mean over the eleven
    levels 0, 0.1, ... 1. Passages: relevant is a passage that matches a reference passage that no earlier passage
    matched. ``undefined``: the query has no relevant document.

    Args:
        recall: the share of the relevant documents, 0 to 1; None: the mean over the eleven levels.
        rounding: how recall times R relevant documents becomes a number of documents: ``nearest``, halves up, as
            trec_eval 10; or ``up``, 0.9 added and cut off, as trec_eval 9 and pytrec_eval.

    Raises:
        OptionError: recall is not between 0 and 1, ``ties=mean`` (there is no closed form), or another option has a
            value that it does not take.

    >>> import pyarrow as pa
    >>> judged = [[{"id": "b", "grade": 1.0}, {"id": "c", "grade": 1.0}]]
    >>> batch = Batch(pa.table({"id": ["q"], "retrieved": [["a", "b", "c"]], "relevance": judged}))
    >>> Iprec(recall=0.5).score(Iprec(recall=0.5).measure(batch).totals()).round(4)
    np.float64(0.6667)

    Not for: queries with few relevant documents, where the eleven levels are only two or three points; and readers
    who look at the first few only.

    Source: ``iprec_at_recall`` and ``11pt_avg`` of trec_eval 9, to the last bit, and 10, to 4 decimals.
    """

    recall: Annotated[float, Range(0, 1)] | None = None
    rounding: Literal["nearest", "up"] = "nearest"

    def __post_init__(self) -> None:
        check_no_mean(self, "iprec has no closed form for the mean over the orders of tied documents")

    def measure(self, batch: Batch) -> Rows:
        """Find the best precision past the given recall in each ranking."""
        view = self.views(batch).novel
        relevant = view.relevant(self.level)
        levels = ELEVEN if self.recall is None else (self.recall,)
        # From the highest level down, the order in which trec_eval adds.
        values = sum(
            (self._at(view, self._documents(np.multiply(level, relevant))) for level in levels[::-1]),
            np.zeros(len(view)),
        )
        return self.rows(batch, relevant > 0, {"value": values / len(levels)})

    def _at(self, view: View, least: IntArray) -> FloatArray:
        """Return the highest precision at a rank where ``least`` (n,) relevant documents or more were found: (n,)."""
        relevant = view.judged_ranks.grades >= self.level
        so_far = ordinals(view, relevant)
        eligible = relevant & (so_far >= least[view.rows])
        highest = np.zeros(len(view))
        np.maximum.at(highest, view.rows[eligible], so_far[eligible] / view.judged_ranks.ranks.values[eligible])
        return highest

    def _documents(self, wanted: FloatArray) -> IntArray:
        """Turn a share of the relevant documents into a number of them."""
        if self.rounding == "up":
            return (wanted + 0.9).astype(np.int64)
        whole = np.trunc(wanted)
        return (whole + (wanted - whole >= 0.5)).astype(np.int64)
