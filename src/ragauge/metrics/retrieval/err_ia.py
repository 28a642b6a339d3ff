"""``err-ia@k``: intent-aware expected reciprocal rank."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from ragauge.core.batch import Batch
from ragauge.core.options import Range
from ragauge.core.registry import register
from ragauge.core.statistics import Rows
from ragauge.metrics.retrieval._subtopics import Novel


@register("err-ia", at="k")
@dataclass(frozen=True, kw_only=True)
class ErrIa(Novel):
    """Intent-aware ERR: the mean over the subtopics of a question of the expected reciprocal rank for each.

    Formula:
        ERR-IA@k = sum over ranks i = 1..k of g(i) / i / highest
        g(i)     = sum over the subtopics s of document i of (1 - alpha)^n, n = documents before it that cover s
        highest  = subtopics * sum over ranks i = 1..k of (1 - alpha)^(i - 1) / i

    Unit and range: a share, 0 to 1: 1 where each of the first k documents covers all subtopics. Subtopics that no
    judged document covers do not count. ``undefined``: no document is relevant to a subtopic.

    Args:
        alpha: the chance that a reader who looks for a subtopic stops at a document that covers it, above 0.
        k: documents below rank k do not count; None: there is no cutoff.

    Raises:
        OptionError: alpha is not above 0, ``ties=mean`` (there is no closed form), or another option has a value that
            it does not take.
        DataError: the column ``subtopics`` has another form.

    >>> import pyarrow as pa
    >>> data = {"id": ["q"], "retrieved": [["a", "b", "c"]], "subtopics": [[["a", "b"], ["c"]]]}
    >>> batch = Batch(pa.table(data))
    >>> ErrIa(k=2).score(ErrIa(k=2).measure(batch).totals())
    array(0.5)

    Not for: grades: a document covers a subtopic or does not. With one subtopic and ``alpha=.5`` it is ``err`` of
    grades 0 and 1, divided by its highest value at k.

    Source: Chapelle, Ji, Liao, Velipasaoglu, Lai and Wu 2011, "Intent-based diversification of web search results";
    ``ERR-IA`` of ndeval, as pyndeval 0.0.8 has it, to 12 digits for k from 2 to 20; at 1 it leaves out the division.
    There tied documents are in the order ``ties=docid-asc``.
    """

    alpha: Annotated[float, Range(0, 1, above=True)] = 0.5

    def measure(self, batch: Batch) -> Rows:
        """Follow readers, one for each subtopic, down each ranking."""
        coverage = self.coverage(batch)
        ranks = coverage.view.judged_ranks.ranks.values
        gains = np.where(ranks <= (self.k or coverage.view.depth), coverage.gains(self.alpha) / ranks, 0.0)
        value = coverage.view.sums(gains) / np.maximum(coverage.subtopics, 1) / self._highest()
        return self.rows(batch, coverage.subtopics > 0, {"value": np.minimum(value, 1.0)})

    def _highest(self) -> float:
        """Return the value of one subtopic that each document covers."""
        if self.k is None:
            return 1.0 if self.alpha == 1 else -math.log(self.alpha) / (1.0 - self.alpha)
        ranks = np.arange(1, self.k + 1)
        return float(((1.0 - self.alpha) ** (ranks - 1) / ranks).sum())
