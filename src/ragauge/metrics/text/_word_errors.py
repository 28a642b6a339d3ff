"""The base of the error rates of words: the fewest words to insert, delete or replace, and the words that agree."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar, Literal

import numpy as np

from ragauge.core import native
from ragauge.core.batch import Batch
from ragauge.core.ingredients import Ingredient, Tokenizer, ingredient_field
from ragauge.core.protocol import Average, Direction
from ragauge.core.ragged import IntArray, Ragged
from ragauge.core.statistics import Rows
from ragauge.metrics.text._lcs import compared_in_pairs, strings
from ragauge.metrics.text._references import ReferenceMetric, compared_by_sample, reject_word_lists, too_long
from ragauge.tokenizers.auto import Auto
from ragauge.tokenizers.forms import Case, Forms

COMPAT: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {"jiwer": {"tokenizer": "whitespace", "case": "keep", "nfkc": "false", "punctuation": "keep"}}
)


@dataclass(frozen=True, kw_only=True)
class WordErrors(ReferenceMetric):
    """Base of the error rates of words, which differ in what they divide by.

    Args:
        tokenizer: splits the texts into words; in scripts without spaces ``auto`` takes characters, and ``zh``, ``ja``
            and ``th`` words.
        average: ``pooled``, or ``samples`` for the mean of the samples' rates.

    Raises:
        DataError: references that look like the words of one text.
    """

    tokenizer: Ingredient[Tokenizer] = ingredient_field(Auto)
    case: Case = "fold"
    punctuation: Literal["drop", "keep"] = "drop"
    nfkc: bool = True
    references_are_words: bool = False
    average: Average = "pooled"

    direction: ClassVar[Direction] = "lower"
    counts_hits: ClassVar[bool] = True
    """Whether the score needs the words that agree, which take longer to find than the distance."""

    def measure(self, batch: Batch) -> Rows:
        """Return the errors against the best reference, the words of both sides, and those that agree (``hits``)."""
        if not self.references_are_words:
            reject_word_lists(batch)
        forms = Forms(case=self.case, punctuation=self.punctuation, nfkc=self.nfkc)
        texts = compared_by_sample(batch, self.tokenizer, forms)
        pairs, owner = texts.pairs, batch.owners("references")
        answers, references = pairs.hypotheses.lengths, pairs.references.lengths
        long = texts.long | too_long(answers, references, owner)
        sides = pairs.references.where(~np.repeat(long, references)), pairs.hypotheses
        key = ("word errors", batch.key_of(self.tokenizer), forms)
        counts = {
            "errors": batch.derived(key, lambda: distances(*sides)),
            "answer": answers,
            "reference": references,
        }
        if self.counts_hits:
            counts["hits"] = batch.derived((*key, "hits"), lambda: hits(*sides))
        return self.best_rows(counts, owner, len(batch), long)


def distances(left: Ragged, right: Ragged) -> IntArray:
    """Return the Levenshtein distance of ``left[i]`` and ``right[i]`` for each i, (n,); no code may be negative.

    >>> distances(Ragged.of([[5, 1, 2, 3]]), Ragged.of([[1, 9, 3]]))
    array([2])
    """
    served = native.of_pairs("distances", left, right)
    if served is not None:
        return served
    from rapidfuzz.distance import Levenshtein

    return compared_in_pairs(left, right, Levenshtein.distance)


def hits(left: Ragged, right: Ragged) -> IntArray:
    """Return how many places agree where ``left[i]`` becomes ``right[i]`` by the fewest edits, for each i, (n,).

    Several ways may have the fewest edits, and not all have as many hits: the way is rapidfuzz's.

    >>> hits(Ragged.of([[5, 1, 2, 3]]), Ragged.of([[1, 9, 3]]))
    array([2])
    """
    from rapidfuzz.distance import Levenshtein

    found = np.zeros(len(left), dtype=np.int64)
    for first, last, lefts, rights in strings(left, right):
        edits = map(Levenshtein.editops, lefts, rights)
        found[first:last] = [sum(size for _, _, size in each.as_matching_blocks()) for each in edits]
    return found
