"""``compression-ratio``: the words of the passages, of those of the answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ragauge.core.ragged import FloatArray
from ragauge.core.registry import register
from ragauge.core.statistics import Statistics
from ragauge.metrics.text._fragments import Extract


@register("compression-ratio")
@dataclass(frozen=True, kw_only=True)
class CompressionRatio(Extract):
    """Compression ratio: the words of the passages for each word of the answer.

    Formula:
        compression = |passages| / |answer|, lengths in words

    Unit and range: words for each word, 0 to infinity; neither end is better in itself (``direction``). An empty
    answer counts as one word. ``undefined``: the sample has no passage.

    Not for: whether a summary is good: an answer of one word has the highest value. Numbers of another tokenizer are
    another metric.

    Source: Grusky, Naaman and Artzi 2018, "Newsroom: a dataset of 1.3 million summaries with diverse extractive
    strategies", section 4.

    >>> import pyarrow as pa
    >>> from ragauge.core.batch import Batch
    >>> metric = CompressionRatio()
    >>> batch = Batch(pa.table({"answer": ["a cat"], "contexts": [["The cat sat.", "It slept."]]}))
    >>> metric.score(metric.measure(batch))
    array([2.5])
    """

    counts_fragments: ClassVar[bool] = False

    def score(self, totals: Statistics) -> FloatArray:
        """Return the ratio."""
        return totals["source"] / np.maximum(totals["words"], 1)
