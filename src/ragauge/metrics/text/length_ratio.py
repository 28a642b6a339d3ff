"""``length-ratio``: the words of the answer, of those of the reference."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from ragauge.core.batch import Batch
from ragauge.core.ingredients import Ingredient, Tokenizer, ingredient_field
from ragauge.core.protocol import Average, Direction
from ragauge.core.ragged import FloatArray
from ragauge.core.registry import register
from ragauge.core.statistics import Rows, Statistics
from ragauge.metrics.text._references import ReferenceMetric, best, compared_by_sample, reject_word_lists, rows_of
from ragauge.tokenizers.auto import Auto
from ragauge.tokenizers.forms import Case, Forms

_SACREBLEU = {"tokenizer": "13a", "case": "keep", "nfkc": "false", "punctuation": "keep"}


@register("length-ratio", compat={"sacrebleu": _SACREBLEU})
@dataclass(frozen=True, kw_only=True)
class LengthRatio(ReferenceMetric):
    """Length ratio: the words of the answer for each word of the reference.

    Formula:
        ratio = |answer| / |reference|, lengths in words

    Unit and range: words for each word, 0 to infinity; 1 is as long as the reference, and neither end is better
    (``direction``). An empty answer has 0, an empty reference counts as one word.

    Pooled by default: the words of all answers over those of all references. Of several references the one of the
    closest length counts, the shorter of two. ``undefined``: the sample has no reference.

    Args:
        tokenizer: splits the texts into words; in scripts without spaces ``auto`` takes characters, and ``zh``, ``ja``
            and ``th`` words.
        direction: whether ``higher`` or ``lower`` counts as better where runs are compared; neither is in itself.
        average: ``pooled``, or ``samples`` for the mean of the samples' ratios.

    Raises:
        DataError: references that look like the words of one text.

    Not for: how good an answer is; it says why other metrics are low where answers are long or short. Numbers of
    another tokenizer are another metric.

    Source: ``compat=sacrebleu`` equals the ratio beside BLEU in sacrebleu 2.6.0.

    >>> import pyarrow as pa
    >>> metric = LengthRatio()
    >>> batch = Batch(pa.table({"answer": ["a cat sat"], "references": [["there is a cat on it"]]}))
    >>> metric.score(metric.measure(batch).totals())
    np.float64(0.5)
    """

    tokenizer: Ingredient[Tokenizer] = ingredient_field(Auto)
    case: Case = "fold"
    punctuation: Literal["drop", "keep"] = "drop"
    nfkc: bool = True
    references_are_words: bool = False
    direction: Direction = "higher"  # type: ignore[misc]  # no direction is this metric's own
    average: Average = "pooled"

    range: ClassVar[tuple[float, float]] = (0.0, math.inf)

    def measure(self, batch: Batch) -> Rows:
        """Return the words of the answer and of the reference of the closest length."""
        if not self.references_are_words:
            reject_word_lists(batch)
        forms = Forms(case=self.case, punctuation=self.punctuation, nfkc=self.nfkc)
        texts = compared_by_sample(batch, self.tokenizer, forms)
        owner, references = texts.owner, texts.references.lengths
        answers = texts.hypotheses.lengths[owner]
        # The shorter of two at the same distance is nearer by a half.
        distance = np.abs(answers - references) + np.where(references > answers, 0.5, 0.0)
        counts = {"answer": answers, "reference": references}
        return rows_of(counts, best(-distance, owner, len(batch)), owner, len(batch))

    def score(self, totals: Statistics) -> FloatArray:
        """Return the ratio."""
        return totals["answer"] / np.maximum(totals["reference"], 1)
