"""``wer``: the words to change, of those of the reference."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ragauge.core.ragged import FloatArray
from ragauge.core.registry import register
from ragauge.core.statistics import Statistics
from ragauge.metrics.text._word_errors import COMPAT, WordErrors


@register("wer", compat=COMPAT)
@dataclass(frozen=True, kw_only=True)
class Wer(WordErrors):
    """Word error rate: the fewest words to insert, delete or replace, over the number of words of the reference.

    Formula:
        WER = (S + D + I) / N; S, D, I = words replaced, deleted and inserted; N = words of the reference

    Case is folded and punctuation left out; ``compat=jiwer`` keeps both, as jiwer does, which gives another rate.

    Unit and range: words to change for each one of the reference, 0 to infinity; lower is better. Identical text
    scores 0, an empty answer 1, an answer much longer than its reference more than 1. Against an empty reference the
    score is the number of words of the answer.

    Pooled by default: the errors of all samples over the words of all references, as speech recognition states it. Of
    several references the one of lowest rate counts. ``undefined``: the sample has no reference. ``failed``: the texts
    are too long to compare, about 370,000 words each or the same product of lengths.

    Not for: answers that say the same in another order, or in other words. Numbers of another tokenizer are another
    metric: in Chinese, Japanese and Thai, name the one you used.

    Source: Morris, Maier and Green 2004, "From WER and RIL to MER and WIL: improved evaluation measures for connected
    speech recognition". ``compat=jiwer`` equals ``jiwer.wer`` 4.0.0. Deviation: jiwer parts words at single spaces
    only, so that a lone tab or line break is a part of a word there.

    >>> import pyarrow as pa
    >>> from ragauge.core.batch import Batch
    >>> metric = Wer()
    >>> batch = Batch(pa.table({"answer": ["the cat sat on mat"], "references": [["the cat sits on the mat"]]}))
    >>> metric.score(metric.measure(batch).totals()).round(4)
    np.float64(0.3333)
    """

    range: ClassVar[tuple[float, float]] = (0.0, math.inf)
    counts_hits: ClassVar[bool] = False

    def score(self, totals: Statistics) -> FloatArray:
        """Return the rate."""
        return totals["errors"] / np.maximum(totals["reference"], 1)
