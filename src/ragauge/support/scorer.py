"""Degrees of support: by the similarity of texts, or by a support model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from types import MappingProxyType
from typing import TYPE_CHECKING, cast

import numpy as np

from ragauge.core.batch import Batch
from ragauge.core.ingredients import Embedder, Role, SupportModel
from ragauge.core.ragged import BoolArray, FloatArray, IntArray
from ragauge.core.texts import NO_VECTOR, Segments, TextVectors
from ragauge.embedders._base import WINDOWS
from ragauge.embedders.lexical import Lexical
from ragauge.errors import OptionError
from ragauge.support.ngram_recall import Evidence, ngram_recall, terms_of
from ragauge.support.pairs import ClaimPairs
from ragauge.support.thresholds import Similarity, Threshold, Use, resolve

if TYPE_CHECKING:
    from ragauge.embedders.sparse import SparseVectors

WIDTHS: Mapping[Similarity, int] = MappingProxyType({"ngram-recall": 20, "cosine": 1})
"""The default number of neighbouring sentences that evidence reaches.

The best on half of the claims of WiCE and of the ratings of SummEval, of 6 to 64 sentences for n-gram recall, of 1 to 5
for cosines, because a vector of several sentences is less like each of them.
"""


def similarity_of(similarity: str, embedder: Embedder) -> Similarity:
    """Return the similarity that ``auto``, ``ngram-recall`` or ``cosine`` means with ``embedder``."""
    if similarity == "cosine":
        return "cosine"
    return "ngram-recall" if similarity == "ngram-recall" or isinstance(embedder, Lexical) else "cosine"


@dataclass(frozen=True, eq=False)
class Degrees:
    """The degree to which each segment of evidence supports each claim.

    Shapes: ``values`` (p,), NaN where there was no answer; ``reasons``: why, by sample. ``noted`` (n,) each: counts of
    long texts, see `ragauge.embedders._base`; every batch has the same names.
    """

    pairs: ClaimPairs
    values: FloatArray
    reasons: Mapping[int, str] = field(default_factory=dict)
    noted: Mapping[str, IntArray] = field(default_factory=dict)


@dataclass(frozen=True)
class SupportScorer:
    """Scores the support of claims by evidence, from an embedder, a similarity and a threshold or a support model.

    Args:
        embedder: makes vectors of claims and evidence.
        similarity: ``cosine``; or ``ngram-recall``, the share of a claim's n-grams that the evidence has, for
            ``lexical``.
        threshold: a number, ``measured`` or a file, see `ragauge.support.thresholds.resolve`.
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
        if self.similarity == "ngram-recall" and self.support is None and not isinstance(self.embedder, Lexical):
            allowed = f"cosine with embedder={self.embedder}"
            raise OptionError.value("the metric", "similarity", allowed, self.similarity)

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

        Args:
            batch: n samples.
            claims: of the n samples.
            evidence: of the n samples.
            window: for ``ngram-recall``, how far evidence reaches; else how many neighbouring segments are joined.
            granted: texts of the n samples whose words a claim may repeat; used by ``ngram-recall`` only.
        """
        if self.support is not None:
            by_model = partial(_by_model, self.support, claims, evidence, window)
            return batch.derived(("degrees", self.support.signature, claims, evidence, window), by_model)
        if self.similarity == "cosine":
            role: Role = "query" if self.use == "relevance" else "passage"
            return cosines(batch, self.embedder, claims, evidence, window, roles=(role, "passage"))
        by_ngrams = partial(_by_ngrams, batch, self.embedder, claims, evidence, window, granted)
        return batch.derived(("degrees", self.embedder.signature, claims, evidence, window, granted), by_ngrams)


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
        left, right = batch.vectors(claims, embedder, roles[0]), batch.vectors(joined, embedder, roles[1])
        return _of_vectors(ClaimPairs(claims.offsets, evidence.offsets), left, right)

    return batch.derived(("cosines", embedder.signature, claims, evidence, window, roles), compare)


def _by_ngrams(
    batch: Batch, embedder: Embedder, claims: Segments, evidence: Segments, window: int, granted: Segments | None
) -> Degrees:
    segments = batch.vectors(evidence, embedder)
    known = None if granted is None else batch.vectors(granted, embedder).numbers
    terms = terms_of(claims.strings, segments.space)
    searched = Evidence(cast("SparseVectors", segments.space.vectors), segments.numbers, evidence.source, known)
    return Degrees(ClaimPairs(claims.offsets, evidence.offsets), ngram_recall(terms, searched, window))


def _by_model(support: SupportModel, claims: Segments, evidence: Segments, window: int) -> Degrees:
    left, right = claims.strings, evidence.windows(window)
    pairs, values = ClaimPairs(claims.offsets, evidence.offsets), support.degrees(left, right)
    rows = _samples_of(pairs, np.isnan(values))
    counts = support.noted(left, right) if hasattr(support, "noted") else {}
    return Degrees(pairs, values, dict.fromkeys(rows.tolist(), "the support model gave no answer"), counts)


def _of_vectors(pairs: ClaimPairs, claims: TextVectors, evidence: TextVectors) -> Degrees:
    space = claims.space
    left, right = claims.numbers.values[pairs.claim], evidence.numbers.values[pairs.segment]
    values, counts = space.cosine(left, right), _windowed(claims, evidence)
    lost = np.isnan(values)
    if not lost.any():
        return Degrees(pairs, values, noted=counts)
    failures, rows = space.failures, _samples_of(pairs, lost)
    reasons = [
        failures.get(int(one)) or failures.get(int(other), NO_VECTOR)
        for one, other in zip(left[lost], right[lost], strict=True)
    ]
    return Degrees(pairs, values, dict(zip(rows.tolist(), reasons, strict=True)), counts)


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


def _samples_of(pairs: ClaimPairs, chosen: BoolArray) -> IntArray:
    """Return the sample of each of the ``chosen`` pairs."""
    return np.searchsorted(pairs.claims, pairs.claim[chosen], side="right") - 1
