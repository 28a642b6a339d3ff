"""``exact-match``: whether an answer is a reference, but for case, punctuation and articles."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from ragauge.core.arrow import to_numpy
from ragauge.core.batch import Batch
from ragauge.core.protocol import Average
from ragauge.core.ragged import FloatArray
from ragauge.core.registry import register
from ragauge.core.statistics import Rows, Statistics, ratio
from ragauge.metrics.text._answers import Deleted, Normalised
from ragauge.metrics.text._references import ReferenceMetric
from ragauge.tokenizers.forms import Case

_SQUAD = {"case": "lower", "punctuation": "ascii", "articles": "true", "nfkc": "false"}


@register("exact-match", compat={"squad": _SQUAD})
@dataclass(frozen=True, kw_only=True)
class ExactMatch(ReferenceMetric):
    """Exact match: whether the answer equals a reference, but for case, punctuation and a, an, the.

    Formula:
        1 if normalised(answer) = normalised(reference) for one reference, else 0

    Case, punctuation, the words a, an, the, and the amount of white space do not count, in texts of any language, as in
    SQuAD: ``articles=false`` counts these words.

    Unit and range: 0 or 1. An empty answer equals a reference of which nothing is left, and no other. Identical text
    scores 1.
    References of one word each are alternatives here: one given as the list of its words by mistake is not noticed.

    ``undefined``: the sample has no reference.

    Args:
        punctuation: which marks are deleted: all of ``unicode``, those of ``ascii``, or ``none``.
        articles: delete a, an, the.
        average: ``samples``, or ``pooled``, which is the same here.

    Not for: answers in whole sentences: 'in Paris' is not 'Paris'. It is meant for names, numbers and choices
    (``token-f1`` gives part of the score).

    Source: Rajpurkar et al. 2016, "SQuAD: 100,000+ questions for machine comprehension of text"; ``compat=squad``
    equals its evaluate-v1.1.py. In Chinese this is the rule of CMRC 2018: characters but punctuation must agree.
    Deviations of the defaults: all of Unicode's punctuation is deleted, not only ASCII's, case is folded (``ß`` is
    ``ss``), and compatibility forms are taken for plain ones.

    >>> import pyarrow as pa
    >>> metric = ExactMatch()
    >>> batch = Batch(pa.table({"answer": ["The Eiffel Tower."], "references": [["Tour Eiffel", "Eiffel tower"]]}))
    >>> metric.score(metric.measure(batch))
    array([1.])
    """

    case: Case = "fold"
    punctuation: Deleted = "unicode"
    articles: bool = True
    nfkc: bool = True
    average: Average = "samples"

    def measure(self, batch: Batch) -> Rows:
        """Return whether each answer equals a reference."""
        normalised = Normalised(case=self.case, punctuation=self.punctuation, articles=self.articles, nfkc=self.nfkc)
        owner = batch.owners("references")
        sides = [normalised.column(batch, name) for name in ("answer", "references")]
        # Equal texts have equal numbers, which are smaller than a copy of the answer for each reference.
        numbers = to_numpy(pa.concat_arrays(sides).dictionary_encode().indices)
        equal = (numbers[: len(batch)][owner] == numbers[len(batch) :]).astype(np.int64)
        return self.best_rows({"match": equal, "count": np.ones_like(equal)}, owner, len(batch))

    def score(self, totals: Statistics) -> FloatArray:
        """Return the share of answers that equal a reference."""
        return ratio(totals["match"], totals["count"])
