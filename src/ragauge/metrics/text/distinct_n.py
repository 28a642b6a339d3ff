"""``distinct-n``: how little an answer repeats itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from ragauge.core.batch import Batch
from ragauge.core.ingredients import Ingredient, Tokenizer, ingredient_field
from ragauge.core.options import Order
from ragauge.core.protocol import Average, Direction, Needs, Stage
from ragauge.core.ragged import FloatArray, IntArray, Ragged
from ragauge.core.registry import register
from ragauge.core.statistics import Rows, Statistics, Status
from ragauge.tokenizers.auto import Auto
from ragauge.tokenizers.forms import Case, Forms


@register("distinct-n", at="n", variants={"distinct-1": {"n": "1"}, "distinct-2": {"n": "2"}})
@dataclass(frozen=True, kw_only=True)
class DistinctN:
    """Distinct n-grams: the share of an answer's n-grams that are different ones, 1 where it repeats none.

    Formula:
        score = different n-grams of the answer / n-grams of the answer

    Unit and range: a share of n-grams, 0 to 1. An empty answer scores 0. Longer answers repeat more, so compare answers
    of about the same length. ``undefined``: the answer has fewer than n words, but some.

    Args:
        n: the length of the n-grams.
        tokenizer: splits the answer into words; in scripts without spaces ``auto`` takes characters, and ``zh``, ``ja``
            and ``th`` words.
        case: ``keep`` tells case apart, ``lower`` and ``fold`` do not; ``fold`` also makes ``ss`` of ``ß``.
        punctuation: ``drop`` leaves out tokens that are punctuation only, ``keep`` counts them.
        nfkc: take full-width and other compatibility forms for the plain ones.
        average: ``samples`` for the mean of the answers' shares, or ``pooled`` over their summed n-grams.

    >>> import pyarrow as pa
    >>> batch = Batch(pa.table({"answer": ["a cat and a cat and a dog", "one two three"]}))
    >>> metric = DistinctN(n=2)
    >>> metric.score(metric.measure(batch)).round(4)
    array([0.5714, 1.    ])

    Not for: how good an answer is; nor how different the answers of a system are from one another, which ``ragauge
    repeats --consistency`` tells of the answers to one question.

    Source: Li, Galley, Brockett, Gao and Dolan 2016, "A diversity-promoting objective function for neural conversation
    models". Deviation: it counts the n-grams of all answers together, which falls with every answer that is added; here
    they are counted within each answer (intra-distinct of Gu, Cho, Ha and Kim 2019, "DialogWAE").
    """

    n: Order = 2
    tokenizer: Ingredient[Tokenizer] = ingredient_field(Auto)
    case: Case = "fold"
    punctuation: Literal["drop", "keep"] = "drop"
    nfkc: bool = True
    average: Average = "samples"

    needs: ClassVar[Needs] = (("answer",),)
    stage: ClassVar[Stage] = "generation"
    direction: ClassVar[Direction] = "higher"
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    revision: ClassVar[int] = 1

    def measure(self, batch: Batch) -> Rows:
        """Count the n-grams of each answer, and the different ones."""
        forms = Forms(case=self.case, punctuation=self.punctuation, nfkc=self.nfkc)
        words = batch.tokens("answer", self.tokenizer, forms)
        counts = {"distinct": distinct_ngrams(words, self.n), "total": np.maximum(words.lengths - self.n + 1, 0)}
        too_short = (words.lengths > 0) & (words.lengths < self.n)
        return Rows.of(counts, status=np.where(too_short, np.uint8(Status.UNDEFINED), np.uint8(Status.OK)))

    def score(self, totals: Statistics) -> FloatArray:
        """Divide the different n-grams by all."""
        return totals["distinct"] / np.maximum(totals["total"], 1)


def distinct_ngrams(words: Ragged, n: int) -> IntArray:
    """Return how many different n-grams each list of words has, (len(words),).

    An n-gram is known by the number of its row and first n - 1 words, and its last word.

    >>> distinct_ngrams(Ragged.of([[1, 2, 1, 2], [1, 2], [3]]), 2).tolist()
    [2, 1, 0]
    """
    places, known = np.arange(len(words.values)), words.rows.astype(np.int64)
    left = np.repeat(words.offsets[1:], words.lengths) - places
    codes = words.values.astype(np.int64)
    size = int(codes.max(initial=0)) + 1
    for step in range(n):
        kept = left[places] > step
        places, known = places[kept], known[kept]
        _, first, known = np.unique(known * size + codes[places + step], return_index=True, return_inverse=True)
    return np.bincount(words.rows[places[first]], minlength=len(words)).astype(np.int64)
