"""``gleu``: the n-grams that agree, of those of the side that has more."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ragauge.core.batch import Batch
from ragauge.core.ingredients import Ingredient, Tokenizer, ingredient_field
from ragauge.core.options import Order
from ragauge.core.protocol import Average
from ragauge.core.ragged import FloatArray
from ragauge.core.registry import register
from ragauge.core.statistics import Rows, Statistics
from ragauge.metrics.text._ngrams import clipped_matches, ngram_totals
from ragauge.metrics.text._references import (
    ReferenceMetric,
    best,
    compared_by_sample,
    reject_word_lists,
    rows_of,
    without_long,
)
from ragauge.tokenizers.auto import Auto
from ragauge.tokenizers.forms import Case, Forms


@register("gleu", compat={"nltk": {"tokenizer": "whitespace", "case": "keep", "nfkc": "false"}})
@dataclass(frozen=True, kw_only=True)
class Gleu(ReferenceMetric):
    """GLEU: the lower of n-gram precision and recall, over n-grams of all lengths up to four together.

    Formula:
        GLEU = m / max(a, r); m = n-grams shared, each as often as both have it; a, r = n-grams of answer and reference

    Unit and range: a share of n-grams, 0 to 1. Identical text scores 1. An empty answer, and one that shares no word
    with a reference, scores 0; so does a text against an empty reference.

    Pooled by default: the n-grams of all samples are summed, then divided. Of several references the one of highest
    score counts, the first among equals. ``undefined``: the sample has no reference. ``failed``: it has too many
    references beside so long an answer.

    Args:
        tokenizer: splits the texts; punctuation marks are tokens.
        order: the longest n-gram.
        average: ``pooled``, or ``samples`` for the mean of sentence scores.

    Raises:
        DataError: references that look like the words of one text.

    Not for: truth: 'is' and 'is not' differ by one word. Numbers of another tokenizer are another metric.

    Source: Wu et al. 2016, "Google's neural machine translation system: bridging the gap between human and machine
    translation", section 5. ``compat=nltk`` equals ``nltk.translate.gleu_score`` of nltk 3.10.4.

    >>> import pyarrow as pa
    >>> data = pa.table({"answer": ["the cat is here"], "references": [["the cat was here"]]})
    >>> metric = Gleu(order=2)
    >>> metric.score(metric.measure(Batch(data)).totals()).round(4)
    np.float64(0.5714)
    """

    tokenizer: Ingredient[Tokenizer] = ingredient_field(Auto)
    order: Order = 4
    case: Case = "keep"
    nfkc: bool = True
    references_are_words: bool = False
    average: Average = "pooled"

    def measure(self, batch: Batch) -> Rows:
        """Return the n-grams shared with the best reference, and those of the side that has more."""
        if not self.references_are_words:
            reject_word_lists(batch)
        forms = Forms(case=self.case, punctuation="keep", nfkc=self.nfkc)
        texts = compared_by_sample(batch, self.tokenizer, forms)
        pairs = texts.pairs
        shared = clipped_matches(pairs.hypotheses, pairs.references, np.arange(len(pairs.references)), self.order)
        answers, references = (
            ngram_totals(side.lengths, self.order).sum(axis=1) for side in (pairs.hypotheses, pairs.references)
        )
        counts = {"match": shared.sum(axis=1), "total": np.maximum(answers, references)}
        owner = batch.owners("references")
        # nltk passes over an empty reference of an empty answer where there is another.
        scores = np.where(counts["total"] > 0, counts["match"] / np.maximum(counts["total"], 1), -1.0)
        return without_long(rows_of(counts, best(scores, owner, len(batch)), owner, len(batch)), texts.long, owner)

    def score(self, totals: Statistics) -> FloatArray:
        """Return the share."""
        return totals["match"] / np.maximum(totals["total"], 1)
