"""``mer``: the share of errors among all words that were matched."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ragauge.core.ragged import FloatArray
from ragauge.core.registry import register
from ragauge.core.statistics import Statistics
from ragauge.metrics.text._word_errors import COMPAT, WordErrors


@register("mer", compat=COMPAT)
@dataclass(frozen=True, kw_only=True)
class Mer(WordErrors):
    """Match error rate: the share of errors among the words of answer and reference, once they are aligned.

    Formula:
        MER = (S + D + I) / (H + S + D + I); H = words that agree; S, D, I = words replaced, deleted and inserted

    Case is folded and punctuation left out; ``compat=jiwer`` keeps both, as jiwer does, which gives another rate.

    Unit and range: a share of aligned words, 0 to 1; lower is better. Identical text scores 0; an empty answer, and one
    that shares no word in order, 1.

    Pooled by default: the counts of all samples are summed, then divided. Of several references the one of lowest rate
    counts. ``undefined``: the sample has no reference. ``failed``: the texts are too long to compare, about 370,000
    words each or the same product of lengths.

    Not for: answers that say the same in another order, or in other words. Numbers of another tokenizer are another
    metric: in Chinese, Japanese and Thai, name the one you used.

    Source: Morris, Maier and Green 2004, "From WER and RIL to MER and WIL: improved evaluation measures for connected
    speech recognition". Where several alignments have the fewest errors, the one of rapidfuzz counts, so that
    ``compat=jiwer`` equals ``jiwer.mer`` 4.0.0. Deviation: jiwer parts words at single spaces only.

    >>> import pyarrow as pa
    >>> from ragauge.core.batch import Batch
    >>> metric = Mer()
    >>> batch = Batch(pa.table({"answer": ["the cat sat on mat"], "references": [["the cat sits on the mat"]]}))
    >>> metric.score(metric.measure(batch).totals()).round(4)
    np.float64(0.3333)
    """

    def score(self, totals: Statistics) -> FloatArray:
        """Return the rate."""
        return totals["errors"] / np.maximum(totals["errors"] + totals["hits"], 1)
