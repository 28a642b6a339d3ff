"""``rouge-n``, ``rouge-1``, ``rouge-2``: shared n-grams."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ragauge.core.batch import Batch
from ragauge.core.ingredients import Ingredient, Tokenizer, ingredient_field
from ragauge.core.options import Order
from ragauge.core.ragged import IntArray
from ragauge.core.registry import register
from ragauge.metrics.text._ngrams import clipped_matches, ngram_totals
from ragauge.metrics.text._references import compared_by_sample
from ragauge.metrics.text._rouge import COMPAT, Rouge
from ragauge.tokenizers.auto import Auto

# Bigrams are counted with unigrams, which costs little, because ROUGE-1 and ROUGE-2 are usually scored together.
_COUNTED_AT_LEAST = 2


@register("rouge-n", at="order", variants={"rouge-1": {"order": "1"}, "rouge-2": {"order": "2"}}, compat=COMPAT)
@dataclass(frozen=True, kw_only=True)
class RougeN(Rouge):
    """ROUGE-N: the F of the n-grams that answer and reference share, each counted as often as both have it.

    Formula:
        m = n-grams shared, each as often as both have it
        P = m / n-grams of the answer, R = m / n-grams of the reference
        F = (1 + beta^2) P R / (beta^2 P + R)

    Unit and range: a share of n-grams, 0 to 1. An empty answer scores 0, and so does any text against an empty
    reference or one shorter than n tokens; identical text of n tokens or more scores 1.

    ``undefined``: the sample has no reference.

    Args:
        order: n.

    Not for: truth: a wrong name costs one token, and a missing 'not' too. An answer much longer than its reference
    loses precision however right it is. Numbers of another tokenizer are another metric.

    Source: Lin 2004, "ROUGE: a package for automatic evaluation of summaries", section 2. ``compat=rouge-score``
    equals rouge-score 0.1.2, whose tokens are lower-case ASCII letters and digits only. Deviation: ROUGE-1.5.5
    combines several references by leaving each one out in turn, which is not offered.

    >>> import pyarrow as pa
    >>> texts = {"answer": ["The brown fox jumped over the dog."]}
    >>> texts["references"] = [["The quick brown fox jumps over the lazy dog."]]
    >>> metric = RougeN(order=2)
    >>> totals = metric.measure(Batch(pa.table(texts))).totals()
    >>> metric.parts(totals)["recall"], metric.score(totals).round(4)
    (np.float64(0.25), np.float64(0.2857))
    """

    tokenizer: Ingredient[Tokenizer] = ingredient_field(Auto)
    order: Order = 1

    def counts(self, batch: Batch) -> dict[str, IntArray]:
        """Return the n-grams shared by each reference and its answer, and those of both: (m,) each."""
        texts = compared_by_sample(batch, self.tokenizer, self.forms)
        pairs = texts.pairs
        counted = max(self.order, _COUNTED_AT_LEAST)
        key = ("pair matches", batch.key_of(self.tokenizer), self.forms, counted)
        matches = batch.derived(
            key, lambda: clipped_matches(pairs.hypotheses, pairs.references, np.arange(len(pairs.references)), counted)
        )
        return {
            "match": matches[:, self.order - 1],
            "hypothesis": ngram_totals(pairs.hypotheses.lengths, self.order)[:, -1],
            "reference": ngram_totals(pairs.references.lengths, self.order)[:, -1],
            "too_long": texts.long.astype(np.int64),
        }
