"""Degrees of support: by the similarity of texts, or by a support model."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial, reduce
from types import MappingProxyType
from typing import TYPE_CHECKING, cast

import numpy as np

from ragauge.core.batch import Batch
from ragauge.core.ingredients import Embedder, Role, SupportModel
from ragauge.core.messages import Joined, Message
from ragauge.core.ragged import BoolArray, FloatArray, IntArray, Ragged
from ragauge.core.texts import NO_VECTOR, Segments, TextVectors
from ragauge.embedders.base import WINDOWS
from ragauge.embedders.lexical import Lexical
from ragauge.errors import OptionError
from ragauge.grounding.support._explained import reasons
from ragauge.grounding.support._reading import Reader
from ragauge.grounding.support.features import SupportByFeatures
from ragauge.grounding.support.meaning import SentenceCosines, Similarity, SupportByMeaning, has_scale, words_of
from ragauge.grounding.support.ngram_recall import NgramRecall, terms_of
from ragauge.grounding.support.pairs import Best, ClaimPairs, Distinct
from ragauge.grounding.support.thresholds import Threshold, Use, resolve

if TYPE_CHECKING:
    from ragauge.embedders.sparse import SparseVectors

WIDTHS: Mapping[Similarity, int] = MappingProxyType({"ngram-recall": 20, "features": 20, "cosine": 1})
"""The default number of neighbouring sentences that evidence reaches.

The best on half of the claims of WiCE and of the ratings of SummEval, of 6 to 64 sentences for n-gram recall, of 1 to 5
for cosines, because a vector of several sentences is less like each of them.
"""


def similarity_of(similarity: str, embedder: Embedder) -> Similarity:
    """Return the similarity that ``auto``, ``ngram-recall``, ``cosine`` or ``features`` means with ``embedder``."""
    if similarity == "auto":
        return "ngram-recall" if isinstance(embedder, Lexical) else "cosine"
    return cast("Similarity", similarity)


def methods_of(embedder: Embedder) -> tuple[Similarity, ...]:
    """Return the similarities that ``embedder`` can be used with."""
    if isinstance(embedder, Lexical):
        return ("features", "ngram-recall", "cosine")
    return ("features", "cosine") if has_scale(embedder) else ("cosine",)


# Pairs of different sentences of one sample, and n-grams that such pairs share, that are compared at most: more would
# take over ten seconds.
MOST_COMPARED = 1 << 27
MOST_BY_FEATURES = 1 << 25
"""The same where features are read beside n-grams."""
NOT_READ = "language not read"
TOO_LONG = f"too long: more than {MOST_COMPARED} comparisons of its sentences"


@dataclass(frozen=True, eq=False)
class Degrees:
    """How far each segment of evidence supports each claim, computed in blocks, and once for equal segments.

    Args:
        claims: the distinct claims of n samples.
        evidence: the distinct segments of evidence of n samples.
        pairs: of distinct claims and segments; samples that are too long are left out.
        compute: returns the degrees of the pairs of the claims from a first to before a last; NaN: there is no answer.
        why: returns why there is no answer for a claim and a segment.
        decided: returns what decided against support, of k claims, as texts, and places of segments; None: not known.
        noted: counts of long texts (n,), see `ragauge.embedders.base`; every batch has the same names.
        most: comparisons beyond which a sample was left out.
        unread: returns which pairs of distinct claims and segments are in no language that is read; None: none are.
    """

    claims: Distinct
    evidence: Distinct
    pairs: ClaimPairs
    compute: Callable[[int, int], FloatArray]
    why: Callable[[int, int], str] = lambda _claim, _segment: NO_VECTOR
    decided: Callable[[Sequence[str], IntArray], list[str | None]] | None = None
    noted: Mapping[str, IntArray] = field(default_factory=lambda: MappingProxyType({}))
    most: int = MOST_COMPARED
    unread: Callable[[IntArray, IntArray], BoolArray] | None = None

    @cached_property
    def by_claim(self) -> Best:
        """The best segment of evidence of each claim."""
        best = Best.joined([self.pairs.by_claim(*block) for block in self._blocks()])
        return self._named(best, self.claims, self.evidence)

    @cached_property
    def by_segment(self) -> Best:
        """The best claim of each segment of evidence."""
        best = reduce(Best.or_better, (self.pairs.by_segment(*block) for block in self._blocks()))
        return self._named(best, self.evidence, self.claims)

    @cached_property
    def counts(self) -> Mapping[str, IntArray]:
        """What was noted, and whether a claim of each sample is in no language that is read, (n,) each."""
        if self.unread is None:
            return self.noted
        place = self.by_claim.place[self.claims.first]
        some = np.flatnonzero(place >= 0)
        lost = some[self.unread(some, self.evidence.of[place[some]])]
        n = len(self.claims.lengths)
        found = np.bincount(np.repeat(np.arange(n), self.claims.lengths)[lost], minlength=n) > 0
        return {**self.noted, NOT_READ: found.astype(np.int64)}

    @cached_property
    def reasons(self) -> Mapping[int, str]:
        """Why a comparison failed, by sample."""
        too_long = f"too long: more than {self.most} comparisons of its sentences"
        reasons = dict.fromkeys(np.flatnonzero(self.pairs.left_out).tolist(), too_long)
        for first, last, values in self._blocks():
            lost = np.isnan(values)
            if lost.any():
                claim, segment = (one[lost] for one in self.pairs.part(first, last))
                rows = np.searchsorted(self.pairs.claims, claim, side="right") - 1
                for place in np.flatnonzero(np.diff(rows, append=-1)).tolist():
                    reasons[int(rows[place])] = self.why(int(claim[place]), int(segment[place]))
        return reasons

    def _blocks(self) -> Iterator[tuple[int, int, FloatArray]]:
        """Yield runs of claims, as first and last (excluded), with the degrees of their pairs."""
        blocks = [*self.pairs.blocks()]
        if len(blocks) < 2:
            yield 0, len(self.claims.first), self._all
        else:
            yield from ((first, last, self.compute(first, last)) for first, last in blocks)

    @cached_property
    def _all(self) -> FloatArray:
        return self.compute(0, len(self.claims.first))

    def _named(self, best: Best, side: Distinct, other: Distinct) -> Best:
        """Return the best counterparts of all segments, from those of the distinct ones of their ``side``."""
        failed = best.failed | np.repeat(self.pairs.left_out, side.lengths)
        place = np.append(other.first, -1)[best.place]
        return Best(place[side.of], best.value[side.of], failed[side.of])


@dataclass(frozen=True)
class SupportScorer:
    """Scores the support of claims by evidence, from an embedder, a similarity and a threshold or a support model.

    Args:
        embedder: makes vectors of claims and evidence.
        similarity: ``cosine``; for ``lexical``, ``ngram-recall``, the share of a claim's n-grams that the evidence has;
            or ``features`` of `ragauge.grounding.support.features`, with the cosine of another embedder beside them.
        threshold: a number, ``measured`` or a file, see `ragauge.grounding.support.thresholds.resolve`.
        support: a support model, used instead of embedder, similarity and threshold; None: there is none.
        use: which threshold is meant; for ``relevance`` the claim is a question.

    Raises:
        OptionError: ``similarity`` needs another embedder.
        UsageError: no threshold was measured for the embedder.
    """

    embedder: Embedder
    similarity: Similarity
    threshold: float | str
    support: SupportModel | None
    use: Use

    def __post_init__(self) -> None:
        allowed = methods_of(self.embedder)
        if self.support is None and self.similarity not in allowed:
            message = Message("{methods} with embedder={embedder}", Joined(allowed, " or "), self.embedder)
            raise OptionError.value("the metric", "support", message, self.similarity)

    @cached_property
    def resolved_threshold(self) -> Threshold:
        """The lowest degree at which a claim is supported."""
        if self.support is not None:
            return Threshold(self.support.threshold, "support")
        return resolve(self.threshold, self.embedder, self.similarity, self.use)

    def degrees(
        self, batch: Batch, claims: Segments, evidence: Segments, window: int = 1, granted: Segments | None = None
    ) -> Degrees:
        """Return the degree of each claim of a sample with each window of its evidence; computed once for a batch.

        ``window``: for ``ngram-recall``, how far evidence reaches; else how many neighbouring segments are joined.
        ``granted``: texts whose words a claim may repeat; used by ``ngram-recall`` only.
        """
        if self.support is not None:
            by_model = partial(_by_model, self.support, claims, evidence, window)
            return batch.derived(("degrees", self.support.signature, claims, evidence, window), by_model)
        if self.similarity == "cosine":
            role: Role = "query" if self.use == "relevance" else "passage"
            return cosines(batch, self.embedder, claims, evidence, window, roles=(role, "passage"))
        by_features = self.similarity == "features"
        compare = partial(_by_ngrams, batch, self.embedder, claims, evidence, window, granted, by_features=by_features)
        key = ("degrees", self.similarity, self.embedder.signature, claims, evidence, window, granted)
        return batch.derived(key, compare)


def cosines(
    batch: Batch,
    embedder: Embedder,
    claims: Segments,
    evidence: Segments,
    window: int = 1,
    *,
    roles: tuple[Role, Role] = ("passage", "passage"),
) -> Degrees:
    """Return the cosine of each claim of a sample with each ``window`` of its evidence; computed once for a batch.

    ``roles`` are those of the claims and of the evidence.
    """

    def compare() -> Degrees:
        joined = evidence if window == 1 else evidence.windows(window)
        return _by_vectors(batch.vectors(claims, embedder, roles[0]), batch.vectors(joined, embedder, roles[1]))

    return batch.derived(("cosines", embedder.signature, claims, evidence, window, roles), compare)


def _by_vectors(claims: TextVectors, evidence: TextVectors) -> Degrees:
    space, sides = claims.space, (claims.numbers, evidence.numbers)
    own, other = (Distinct.by(side.values, side.offsets) for side in sides)
    left, right = claims.numbers.values[own.first], evidence.numbers.values[other.first]
    pairs = ClaimPairs.up_to(MOST_COMPARED, own, other)

    def compute(first: int, last: int) -> FloatArray:
        claim, segment = pairs.part(first, last)
        return space.cosine(left[claim], right[segment])

    def why(claim: int, segment: int) -> str:
        return space.failures.get(int(left[claim])) or space.failures.get(int(right[segment]), NO_VECTOR)

    return Degrees(own, other, pairs, compute, why, noted=_windowed(claims, evidence))


def _by_ngrams(
    batch: Batch,
    embedder: Embedder,
    claims: Segments,
    evidence: Segments,
    window: int,
    granted: Segments | None,
    *,
    by_features: bool,
) -> Degrees:
    by_words = words_of(embedder)
    segments = batch.vectors(evidence, by_words)
    known = None if granted is None else batch.vectors(granted, by_words).numbers
    texts = claims.strings
    own, other = Distinct.of_texts(texts), Distinct.all_of(evidence.offsets)
    terms = terms_of(Ragged(texts.values[own.first], own.offsets), segments.space)
    vectors = cast("SparseVectors", segments.space.vectors)
    recall = NgramRecall(terms, vectors, segments.numbers, evidence.source, known, window)
    most = MOST_BY_FEATURES if by_features else MOST_COMPARED
    pairs = ClaimPairs.up_to(most, own, other, recall.steps)
    by_ngrams = partial(recall.of, pairs)
    if not by_features:
        return Degrees(own, other, pairs, by_ngrams)
    reader = batch.derived("units", Reader)
    shared = None if granted is None else granted.strings
    # A window of one sentence has no passage around it.
    alone = window == 1
    passages = evidence.strings.values if alone else evidence.texts
    source = np.arange(len(evidence)) if alone else evidence.source
    scored = SupportByFeatures(
        reader, texts.values[own.first], passages, source, evidence.strings.values, pairs, shared
    )
    decided = partial(reasons, scored)
    if isinstance(embedder, Lexical):
        compute = lambda first, last: scored.of(first, last, by_ngrams(first, last))  # noqa: E731
        return Degrees(own, other, pairs, compute, decided=decided, most=most, unread=scored.unread)
    cosine = SentenceCosines.of(batch, embedder, claims, evidence, own.first, whole=alone)
    raised = SupportByMeaning(scored, cosine)
    compute = lambda first, last: raised.of(first, last, by_ngrams(first, last))  # noqa: E731
    return Degrees(own, other, pairs, compute, cosine.why, decided, _windowed(cosine.claims, cosine.sentences), most)


def _by_model(support: SupportModel, claims: Segments, evidence: Segments, window: int) -> Degrees:
    left, right = claims.strings, evidence.windows(window)
    own, other = Distinct.of_texts(left), Distinct.of_texts(right)
    pairs = ClaimPairs.up_to(MOST_COMPARED, own, other)
    claimed = Ragged(left.values[own.first], own.offsets)
    compared = Ragged(right.values[other.first], other.offsets).where(~np.repeat(pairs.left_out, other.lengths))

    def compute(first: int, last: int) -> FloatArray:
        some_claims = Ragged(claimed.values[first:last], own.offsets.clip(first, last) - first)
        samples = np.flatnonzero(some_claims.lengths)
        return support.degrees(some_claims.take(samples), compared.take(samples))

    counts = support.noted(left, right) if hasattr(support, "noted") else {}
    why = "the support model gave no answer"
    return Degrees(own, other, pairs, compute, lambda _claim, _segment: why, noted=counts)


def _windowed(claims: TextVectors, evidence: TextVectors) -> Mapping[str, IntArray]:
    """Return how many texts of each sample a model read in windows; no count for embedders that read texts whole."""
    windowed = claims.space.windowed
    if windowed is None:
        return {}
    several = np.zeros(len(claims.space), dtype=bool)
    several[list(windowed)] = True
    sides = (claims.numbers, evidence.numbers)
    counts = [np.bincount(side.rows[several[side.values]], minlength=len(side)) for side in sides]
    return {WINDOWS: np.sum(counts, axis=0, dtype=np.int64)}
