"""How much of each word of a question stands in each sentence, as arrays over pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import cast

import numpy as np
import regex

from ragauge.core.ragged import BoolArray, FloatArray, IntArray, Ragged
from ragauge.core.texts import VectorSpace
from ragauge.embedders.sparse import SparseVectors
from ragauge.grounding.relevance.question import UNSPACED
from ragauge.grounding.support.ngram_recall import Terms
from ragauge.grounding.support.pairs import ClaimPairs

# Runs of scripts without spaces weigh by their length: a word is about two characters of two n-grams each.
_NGRAMS_PER_WORD = 4


@dataclass(frozen=True, eq=False)
class QuestionWords:
    """The words of n samples' questions, w in all.

    Shapes: ``texts``: n lists of str. ``worth`` (w,): how much each says, whole numbers: the weight of its rarest
    n-gram; of a run of a script without spaces, a quarter of the sum. ``terms``: their n-grams, each word as a claim.
    """

    texts: Ragged
    worth: IntArray
    terms: Terms

    @classmethod
    def of(cls, words: Sequence[Sequence[str]], space: VectorSpace) -> QuestionWords:
        """Return the words of n lists, whose n-grams and weights ``space`` makes."""
        texts = Ragged.of(words, dtype=object)
        places = space.numbers(texts.values.tolist(), "passage")
        vectors = cast("SparseVectors", space.vectors)
        keys = Ragged(vectors.keys, vectors.offsets).take(places)
        weights = Ragged(vectors.weights, vectors.offsets).take(places).values.astype(np.int64)
        highest = np.zeros(len(places), dtype=np.int64)
        np.maximum.at(highest, keys.rows, weights)
        terms = Terms(keys.values.astype(np.uint64), weights, keys.offsets, texts.offsets)
        unspaced = regex.compile(rf"[{UNSPACED}]")
        runs = np.array([unspaced.match(word) is not None for word in texts.values], dtype=bool)
        return cls(texts, np.where(runs, terms.sums(weights) // _NGRAMS_PER_WORD, highest), terms)

    @cached_property
    def totals(self) -> IntArray:
        """The weight of all n-grams of each word, (w,)."""
        return self.terms.sums(self.terms.weights)

    def of_samples(self, values: IntArray) -> IntArray:
        """Return the sum of ``values`` (w,) of each sample's words, (n,)."""
        sums = np.concatenate([[0], np.cumsum(values)])
        return np.asarray(np.diff(sums[self.texts.offsets]))


@dataclass(frozen=True, eq=False)
class WordShares:
    """The share of each word's n-grams, by weight, that each text of its sample has.

    Sums are of whole numbers, so a share is the same bits on every machine and among any other samples.

    Args:
        words: of the questions of n samples.
        holders: for each of the distinct n-grams of the words, which texts of its sample have it, see `Terms.found`.
        pairs: of each word of a sample with each of its t texts, word by word; samples left out have none.
    """

    words: QuestionWords
    holders: Ragged
    pairs: ClaimPairs

    @classmethod
    def of(cls, words: QuestionWords, vectors: SparseVectors, texts: Ragged, left_out: BoolArray) -> WordShares:
        """Return the shares for n lists of numbers of ``vectors``; ``left_out`` (n,) masks samples without pairs."""
        pairs = ClaimPairs(words.texts.offsets, texts.offsets, left_out)
        return cls(words, words.terms.found(vectors, texts), pairs)

    @cached_property
    def steps(self) -> IntArray:
        """How many sums each word takes, (w,): one a pair, and one for each text that has one of its n-grams."""
        hits = self.words.terms.sums(self.holders.lengths[self.words.terms.index[1]])
        widths = np.diff(self.pairs.offsets)
        return np.where(widths > 0, widths + hits, 0)

    def without(self, left_out: BoolArray) -> WordShares:
        """Return the same shares for those samples only that ``left_out`` (n,) does not mask."""
        return WordShares(self.words, self.holders, ClaimPairs(self.pairs.claims, self.pairs.evidence, left_out))

    def between(self, first: int, last: int) -> FloatArray:
        """Return the shares, 0 to 1, of the pairs of the words from ``first`` to before ``last``."""
        terms, pairs = self.words.terms, self.pairs
        widths = np.diff(pairs.offsets[first : last + 1])
        begin, end = terms.offsets[first], terms.offsets[last]
        some = begin + np.flatnonzero(widths[terms.claim[begin:end] - first] > 0)
        matches = self.holders.take(terms.index[1][some])
        begins = pairs.offsets[:-1] - pairs.offsets[first] - pairs.first_segment
        place = begins[terms.claim[some]][matches.rows] + matches.values
        # Whole numbers below 2^53 are added exactly.
        weight = np.bincount(place, terms.weights[some][matches.rows], minlength=int(widths.sum()))
        return np.asarray(weight / np.repeat(np.maximum(self.words.totals[first:last], 1), widths))
