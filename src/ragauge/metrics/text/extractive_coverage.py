"""``extractive-coverage``: the words of the answer that are copied from the passages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ragauge.core.ragged import FloatArray
from ragauge.core.registry import register
from ragauge.core.statistics import Statistics
from ragauge.metrics.text._fragments import Extract


@register("extractive-coverage")
@dataclass(frozen=True, kw_only=True)
class ExtractiveCoverage(Extract):
    """Extractive coverage: the share of the answer's words that are in fragments copied from the passages.

    Formula:
        coverage = sum over fragments f of |f| / |answer|, lengths in words

    A fragment is a run of words that is in a passage too: from left to right the longest one, then the next behind it.

    Unit and range: a share of words, 0 to 1; neither end is better in itself (``direction``). A copy of a passage has
    1, an answer in words of its own and an empty answer 0. ``undefined``: the sample has no passage. ``failed``: the
    texts are too long to compare, about 130,000 words each or the same product of lengths.

    Not for: whether a summary is good or true: one sentence copied from the source, whichever it is, has the highest
    value. Numbers of another tokenizer are another metric.

    Source: Grusky, Naaman and Artzi 2018, "Newsroom: a dataset of 1.3 million summaries with diverse extractive
    strategies", section 4.

    >>> import pyarrow as pa
    >>> from ragauge.core.batch import Batch
    >>> metric = ExtractiveCoverage()
    >>> batch = Batch(pa.table({"answer": ["the cat slept"], "contexts": [["The cat sat.", "It slept."]]}))
    >>> metric.score(metric.measure(batch))
    array([1.])
    """

    range: ClassVar[tuple[float, float]] = (0.0, 1.0)

    def score(self, totals: Statistics) -> FloatArray:
        """Return the share."""
        return totals["copied"] / np.maximum(totals["words"], 1)
