"""Degrees of support, by similarity of texts or by a support that was chosen in its place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import cast

import numpy as np

from ragauge.core.batch import Batch
from ragauge.core.ingredients import Embedder, Role, SupportModel
from ragauge.core.ragged import BoolArray, FloatArray, IntArray, Ragged
from ragauge.embedders.lexical import Lexical
from ragauge.embedders.space import Space, space_of
from ragauge.embedders.sparse import SparseVectors
from ragauge.errors import OptionError
from ragauge.support.ngram_recall import Evidence, ngram_recall, terms_of
from ragauge.support.pairs import ClaimPairs
from ragauge.support.segments import WINDOWS, Segments
from ragauge.support.thresholds import Similarity, Threshold, Use, resolve

# The best on half of the claims of WiCE and of the ratings of SummEval, of 6 to 64 sentences for n-gram recall, of 1 to
# 5 for cosines. The more a vector stands for, the less it is like any part of it; n-gram recall asks only what is
# there.
_WIDTHS: Mapping[Similarity, int] = MappingProxyType({"ngram-recall": 20, "cosine": 1})


def similarity_of(similarity: str, embedder: Embedder) -> Similarity:
    """Return the measure of similarity that ``auto``, ``ngram-recall`` or ``cosine`` comes to with ``embedder``."""
    if similarity == "cosine":
        return "cosine"
    return "ngram-recall" if similarity == "ngram-recall" or isinstance(embedder, Lexical) else "cosine"


def width_of(similarity: Similarity) -> int:
    """Return how far evidence reaches, in neighbouring sentences, unless somebody says otherwise."""
    return _WIDTHS[similarity]


@dataclass(frozen=True, eq=False)
class Degrees:
    """How far each segment of evidence supports each claim.

    Shapes: ``values`` (p,), NaN where there was no answer; ``reasons`` says why, by sample. ``noted`` (n,) each: counts
    of long texts, see `ragauge.support.segments`, the same names in every batch.
    """

    pairs: ClaimPairs
    values: FloatArray
    reasons: Mapping[int, str] = field(default_factory=lambda: MappingProxyType({}))
    noted: Mapping[str, IntArray] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True)
class SupportScorer:
    """What decides: an embedder with a similarity and a threshold, or a support.

    Args:
        embedder: makes vectors of claims and evidence.
        measure: ``cosine``; ``ngram-recall``, the share of a claim's n-grams that the evidence has, for ``lexical``.
        threshold: a number, ``measured`` or a file, see `ragauge.support.thresholds.resolve`.
        support: decides in place of all of these.
        use: which threshold is meant, and for ``relevance`` that the claim is a question.
    """

    embedder: Embedder
    similarity: Similarity
    threshold: float | str
    support: SupportModel | None
    use: Use

    def __post_init__(self) -> None:
        if self.similarity == "ngram-recall" and self.support is None and not isinstance(self.embedder, Lexical):
            raise OptionError.value(
                "the metric", "similarity", f"cosine with embedder={self.embedder}", self.similarity
            )

    @cached_property
    def decided(self) -> Threshold:
        """From which degree on a claim is supported."""
        if self.support is not None:
            return Threshold(self.support.threshold, "support")
        return resolve(self.threshold, self.embedder, self.similarity, self.use)

    def degrees(
        self, batch: Batch, claims: Segments, evidence: Segments, window: int = 1, granted: Ragged | None = None
    ) -> Degrees:
        """Compare each claim of a sample with each window of its evidence.

        Args:
            batch: n samples.
            claims: of the n samples.
            evidence: of the n samples.
            window: for ``ngram-recall``, how far evidence reaches; else how many neighbouring segments are joined.
            granted: n lists of str, whose words a claim may repeat; seen by ``ngram-recall`` only.
        """
        pairs = ClaimPairs(claims.offsets, evidence.offsets)
        if self.support is not None:
            return _by_model(pairs, self.support, claims.windows(1), evidence.windows(window))
        role: Role = "query" if self.use == "relevance" else "passage"
        if self.similarity == "cosine":
            return cosines(batch, self.embedder, claims, evidence, window, roles=(role, "passage"))
        return Degrees(pairs, _ngram_recall(space_of(batch, self.embedder), claims, evidence, window, granted))


def cosines(
    batch: Batch,
    embedder: Embedder,
    claims: Segments,
    evidence: Segments,
    window: int = 1,
    *,
    roles: tuple[Role, Role] = ("passage", "passage"),
) -> Degrees:
    """Compare each claim of a sample with each window of its evidence by the cosine of their vectors.

    Args:
        batch: n samples.
        embedder: makes the vectors.
        claims: of the n samples.
        evidence: of the n samples.
        window: how many neighbouring segments of evidence are taken together.
        roles: of the claims and of the evidence.
    """
    pairs = ClaimPairs(claims.offsets, evidence.offsets)
    space = space_of(batch, embedder)
    asked = space.places(claims.windows(1).values.tolist(), roles[0])
    offered = space.places(evidence.windows(window).values.tolist(), roles[1])
    return replace(_cosines(space, pairs, asked, offered), noted=_windowed(space, pairs, asked, offered))


def _ngram_recall(
    space: Space, claims: Segments, evidence: Segments, window: int, granted: Ragged | None
) -> FloatArray:
    segments, known = (
        None if texts is None else Ragged(space.places(texts.values.tolist(), "passage"), texts.offsets)
        for texts in (evidence.windows(1), granted)
    )
    terms = terms_of(claims.windows(1).values.tolist(), space)
    vectors = cast("SparseVectors", space.vectors)
    offered = Evidence(vectors, cast("Ragged", segments), evidence.source, known)
    return ngram_recall(terms, claims.offsets, offered, window)


def _cosines(space: Space, pairs: ClaimPairs, asked: IntArray, offered: IntArray) -> Degrees:
    left, right = asked[pairs.claim], offered[pairs.segment]
    values = space.cosine(left, right)
    lost = np.isnan(values)
    if not lost.any():
        return Degrees(pairs, values)
    reasons = space.failures
    rows = _rows(pairs, lost)
    why = [reasons.get(int(one)) or reasons[int(other)] for one, other in zip(left[lost], right[lost], strict=True)]
    return Degrees(pairs, values, dict(zip(rows.tolist(), why, strict=True)))


def _windowed(space: Space, pairs: ClaimPairs, asked: IntArray, offered: IntArray) -> Mapping[str, IntArray]:
    """Count the texts of each sample that a model read in windows; sparse vectors are of whole texts."""
    if isinstance(space.vectors, SparseVectors):
        return {}
    several = np.zeros(len(space), dtype=bool)
    several[list(space.windowed)] = True
    sides = ((pairs.claims, asked), (pairs.evidence, offered))
    counts = [np.add.reduceat(np.append(several[places], 0), ends[:-1]) * (np.diff(ends) > 0) for ends, places in sides]
    return {WINDOWS: np.asarray(counts[0] + counts[1], dtype=np.int64)}


def _by_model(pairs: ClaimPairs, support: SupportModel, claims: Ragged, evidence: Ragged) -> Degrees:
    values = support.degrees(claims, evidence)
    rows = _rows(pairs, np.isnan(values))
    counts = support.noted(claims, evidence) if hasattr(support, "noted") else {}
    return Degrees(pairs, values, dict.fromkeys(rows.tolist(), "the support model gave no answer"), counts)


def _rows(pairs: ClaimPairs, chosen: BoolArray) -> IntArray:
    """Return the sample of each of the ``chosen`` pairs."""
    return np.searchsorted(pairs.claims, pairs.claim[chosen], side="right") - 1
