"""``wil``: the share of the words' information that is lost."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ragauge.core.ragged import FloatArray
from ragauge.core.registry import register
from ragauge.core.statistics import Statistics
from ragauge.metrics.text._word_errors import COMPAT, WordErrors


@register("wil", compat=COMPAT)
@dataclass(frozen=True, kw_only=True)
class Wil(WordErrors):
    """Word information lost: 1 minus the product of the shares of reference and answer that agree.

    Formula:
        WIL = 1 - (H / N) (H / P); H = words that agree; N, P = words of the reference and of the answer

    Case is folded and punctuation left out; ``compat=jiwer`` keeps both, as jiwer does, which gives another rate.

    Unit and range: a share, 0 to 1; lower is better. Identical text scores 0, two empty texts too; an empty answer
    against any other, and one that shares no word in order, 1.

    Pooled by default: the counts of all samples are summed, then divided. Of several references the one of lowest loss
    counts. ``undefined``: the sample has no reference. ``failed``: the texts are too long to compare, about 370,000
    words each or the same product of lengths.

    Not for: answers that say the same in another order, or in other words. Numbers of another tokenizer are another
    metric: in Chinese, Japanese and Thai, name the one you used.

    Source: Morris, Maier and Green 2004, "From WER and RIL to MER and WIL: improved evaluation measures for connected
    speech recognition". Where several alignments have the fewest errors, the one of rapidfuzz counts, so that
    ``compat=jiwer`` equals ``jiwer.wil`` 4.0.0. Deviation: jiwer parts words at single spaces only.

    >>> import pyarrow as pa
    >>> from ragauge.core.batch import Batch
    >>> metric = Wil()
    >>> batch = Batch(pa.table({"answer": ["the cat sat on mat"], "references": [["the cat sits on the mat"]]}))
    >>> metric.score(metric.measure(batch).totals()).round(4)
    np.float64(0.4667)
    """

    def score(self, totals: Statistics) -> FloatArray:
        """Return the loss."""
        reference, answer = totals["reference"], totals["answer"]
        kept = totals["hits"] / np.maximum(reference, 1) * (totals["hits"] / np.maximum(answer, 1))
        return np.where((reference == 0) & (answer == 0), 0.0, 1 - kept)
