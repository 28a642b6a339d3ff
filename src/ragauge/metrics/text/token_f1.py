"""``token-f1``: the words that an answer shares with a reference, in any order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from ragauge.core.batch import Batch
from ragauge.core.ingredients import Ingredient, Tokenizer, ingredient_field
from ragauge.core.protocol import Average
from ragauge.core.ragged import FloatArray
from ragauge.core.registry import register
from ragauge.core.statistics import Rows, Statistics, f_measure
from ragauge.metrics.text._answers import Punctuation, compared_answers
from ragauge.metrics.text._ngrams import clipped_matches
from ragauge.metrics.text._references import ReferenceMetric
from ragauge.metrics.text._rouge import precision_recall
from ragauge.tokenizers.auto import Auto
from ragauge.tokenizers.forms import Case

_SQUAD = {"tokenizer": "whitespace", "case": "lower", "punctuation": "ascii", "nfkc": "false"}


@register("token-f1", compat={"squad": _SQUAD, "squad1": {**_SQUAD, "empty_matches": "false"}})
@dataclass(frozen=True, kw_only=True)
class TokenF1(ReferenceMetric):
    """Token F1: the F of the tokens that answer and reference share, without punctuation and a, an, the.

    Formula:
        P = shared tokens / tokens of the answer, R = shared tokens / tokens of the reference
        F = 2 P R / (P + R)

    Each token is counted as often as both have it. Punctuation and the words a, an, the do not count, in texts of any
    language, as in SQuAD: ``articles=false`` counts them.

    Unit and range: a share of tokens, 0 to 1. Where one side has no tokens left, 0; where both have none, 1.
    Identical text scores 1. Of several references the one of highest F counts, the first among equals.
    References of one word each are alternatives here: one given as the list of its words by mistake is not noticed.

    ``undefined``: the sample has no reference.

    Args:
        tokenizer: splits the texts; ``auto`` gives words, and in Chinese and Japanese characters.
        punctuation: ``drop`` leaves out tokens that are punctuation only; ``unicode`` or ``ascii`` delete marks before
            the text is tokenised, also within words, so that "U.S." is "us".
        articles: leave out a, an, the.
        empty_matches: two texts without tokens score 1; if false, 0.
        average: ``samples``, or ``pooled`` for the F of summed counts.

    Not for: answers in whole sentences beside references of a word or two, which lose precision for being
    sentences; and truth: the order of words does not count, and a 'not' is one token.

    Source: Rajpurkar et al. 2016, "SQuAD: 100,000+ questions for machine comprehension of text"; ``compat=squad``
    equals SQuAD 2.0's evaluate-v2.0.py, but for references that have no tokens beside others that have some, which that
    script leaves out; ``compat=squad1`` equals SQuAD 1.1's evaluate-v1.1.py, where two texts without tokens score 0.
    Deviation from CMRC 2018 in Chinese: that takes the longest common run of characters, this the characters in any
    order.

    >>> import pyarrow as pa
    >>> metric = TokenF1()
    >>> batch = Batch(pa.table({"answer": ["in the city of Paris"], "references": [["Paris", "city of Paris"]]}))
    >>> metric.score(metric.measure(batch)).round(4)
    array([0.8571])
    """

    tokenizer: Ingredient[Tokenizer] = ingredient_field(Auto)
    punctuation: Punctuation = "drop"
    articles: bool = True
    case: Case = "fold"
    nfkc: bool = True
    # Added later: its default is not in the signature, so that saved runs keep theirs.
    empty_matches: bool = field(default=True, metadata={"later": True})
    average: Average = "samples"

    def measure(self, batch: Batch) -> Rows:
        """Return shared tokens, and those of either side, of the best reference."""
        texts = compared_answers(
            batch, self.tokenizer, self.punctuation, self.case, articles=self.articles, nfkc=self.nfkc
        )
        pairs = texts.pairs
        match = clipped_matches(pairs.hypotheses, pairs.references, pairs.owner, 1)[:, 0]
        counts = {"match": match, "hypothesis": pairs.hypotheses.lengths, "reference": pairs.references.lengths}
        if self.empty_matches:
            nothing = (counts["hypothesis"] == 0) & (counts["reference"] == 0)
            counts = {name: np.where(nothing, 1, count) for name, count in counts.items()}
        return self.best_rows(counts, texts.owner, len(batch), texts.long)

    def score(self, totals: Statistics) -> FloatArray:
        """Return F."""
        return f_measure(*precision_recall(totals), 1.0)

    def parts(self, totals: Statistics) -> Mapping[str, FloatArray]:
        """Return precision and recall."""
        precision, recall = precision_recall(totals)
        return {"precision": precision, "recall": recall}
