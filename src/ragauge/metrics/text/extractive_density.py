"""``extractive-density``: how long the fragments are that the answer copies from the passages."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ragauge.core.ragged import FloatArray
from ragauge.core.registry import register
from ragauge.core.statistics import Statistics
from ragauge.metrics.text._fragments import Extract


@register("extractive-density")
@dataclass(frozen=True, kw_only=True)
class ExtractiveDensity(Extract):
    """Extractive density: the mean length of the fragment copied from the passages that a word of the answer is in.

    Formula:
        density = sum over fragments f of |f|^2 / |answer|, lengths in words

    A fragment is a run of words that is in a passage too: from left to right the longest one, then the next behind it.

    Unit and range: words, 0 to the length of the answer; neither end is better in itself (``direction``). A copy of a
    passage has its length, an answer in words of its own and an empty answer 0. ``undefined``: the sample has no
    passage. ``failed``: the texts are too long to compare, about 130,000 words each or the same product of lengths.

    Not for: whether a summary is good or true: one sentence copied from the source, whichever it is, has the highest
    value. Numbers of another tokenizer are another metric.

    Source: Grusky, Naaman and Artzi 2018, "Newsroom: a dataset of 1.3 million summaries with diverse extractive
    strategies", section 4.

    >>> import pyarrow as pa
    >>> from ragauge.core.batch import Batch
    >>> metric = ExtractiveDensity()
    >>> batch = Batch(pa.table({"answer": ["the cat slept"], "contexts": [["The cat sat.", "It slept."]]}))
    >>> metric.score(metric.measure(batch)).round(4)
    array([1.6667])
    """

    def score(self, totals: Statistics) -> FloatArray:
        """Return the mean length."""
        return totals["squares"] / np.maximum(totals["words"], 1)
