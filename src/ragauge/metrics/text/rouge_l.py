"""``rouge-l``: the longest common subsequence."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ragauge.core.batch import Batch
from ragauge.core.ingredients import Ingredient, Tokenizer, ingredient_field
from ragauge.core.ragged import IntArray
from ragauge.core.registry import register
from ragauge.metrics.text._lcs import lcs_lengths
from ragauge.metrics.text._references import compared_by_sample, too_long
from ragauge.metrics.text._rouge import COMPAT, Rouge
from ragauge.tokenizers.auto import Auto


@register("rouge-l", compat=COMPAT)
@dataclass(frozen=True, kw_only=True)
class RougeL(Rouge):
    """ROUGE-L: the F of the longest common subsequence of answer and reference, the same words in the same order.

    Formula:
        P = LCS(answer, reference) / tokens of the answer, R = LCS / tokens of the reference
        F = (1 + beta^2) P R / (beta^2 P + R)

    Unit and range: a share of tokens, 0 to 1. An empty answer scores 0, and so does any text against an empty
    reference; identical text scores 1.

    ``undefined``: the sample has no reference. ``failed``: the texts are too long to compare, about 370,000 tokens each
    or the same product of lengths.

    Not for: answers that say the right things in another order than the reference; and truth: a wrong name costs
    one token.

    Source: Lin 2004, "ROUGE: a package for automatic evaluation of summaries", section 3.1. ``compat=rouge-score``
    equals rouge-score 0.1.2.

    >>> import pyarrow as pa
    >>> texts = {"answer": ["The brown fox jumped over the dog."]}
    >>> texts["references"] = [["The quick brown fox jumps over the lazy dog."]]
    >>> metric = RougeL()
    >>> metric.score(metric.measure(Batch(pa.table(texts))).totals())
    array(0.75)
    """

    tokenizer: Ingredient[Tokenizer] = ingredient_field(Auto)

    def counts(self, batch: Batch) -> dict[str, IntArray]:
        """Return the length of each longest common subsequence, and of its texts: (m,) each."""
        texts = compared_by_sample(batch, self.tokenizer, self.forms)
        pairs = texts.pairs
        hypothesis, reference = pairs.hypotheses.lengths, pairs.references.lengths
        long = texts.long | too_long(hypothesis, reference, batch.owners("references"))
        match = lcs_lengths(pairs.hypotheses, pairs.references.where(~np.repeat(long, reference)))
        return {"match": match, "hypothesis": hypothesis, "reference": reference, "too_long": long.astype(np.int64)}
