"""Calibration: a threshold from the similarity of claims with evidence of other samples."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from ragauge.core.arrow import to_arrow
from ragauge.core.batch import EMBEDDER_CACHE, Batch, Dataset, concatenated
from ragauge.core.ingredients import Embedder
from ragauge.core.messages import Argument, Counted, Message
from ragauge.core.ragged import FloatArray, IntArray
from ragauge.embedders.store import Cached, Store
from ragauge.errors import ColumnError, DataError, alternatives
from ragauge.grounding.support.meaning import Similarity
from ragauge.grounding.support.scorer import WIDTHS, SupportScorer
from ragauge.grounding.support.thresholds import Use
from ragauge.sentences import split

FEWEST = 50
"""The least number of mismatched pairs: with fewer, the share of one in twenty is too uncertain."""

# The columns that may hold the claims of a use; the evidence is in contexts.
_MAP = Argument("map", {"contexts": "docs"})
_EVIDENCE = "contexts"
_CLAIMS: Mapping[Use, tuple[str, ...]] = {"support": ("answer", "references"), "relevance": ("question",)}
# The number of samples that are used: enough for a percentile, and little to embed.
_MOST = 2000
# Steps from a sample to the one whose evidence it gets.
_PRIME = 104_729


@dataclass(frozen=True)
class Calibrated:
    """A threshold for one use, from so many mismatched ``pairs``, at the requested false-positive rate ``alpha``.

    ``own`` is the share of claims that reach it with their own evidence; ``columns`` are of claims and evidence.
    """

    value: float
    alpha: float
    pairs: int
    own: float
    columns: tuple[str, ...]

    def __str__(self) -> str:
        reached = f"{self.own:.0%} of {self.columns[0]} reach it with their own {self.columns[1]}"
        return f"{self.value:.6g}, from {self.pairs} mismatched pairs at alpha={self.alpha:g}; {reached}"

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as JSON types."""
        return {**vars(self), "columns": list(self.columns)}


def calibrate(
    data: Dataset, embedder: Embedder, similarity: Similarity, *, alpha: float = 0.05
) -> dict[Use, Calibrated]:
    """Return the threshold that a share ``alpha`` of mismatched claims still reach, for each use that the data allow.

    Each claim is compared with the evidence of one other sample, which stands some way after its own and has another
    question: the same pairs in every run. A sample is left out if all others have its question. Samples on one topic
    are similar to each other, so they raise the threshold.

    Args:
        data: with ``contexts``, and ``answer`` or ``references`` for support, ``question`` for relevance.
        embedder: makes the vectors.
        similarity: ``cosine``; or, with ``lexical``, ``ngram-recall`` or ``features``.
        alpha: the false-positive rate.

    Raises:
        ColumnError: the data have the columns of neither use.
        DataError: there are too few samples, or too few for which the embedder gave vectors.
    """
    claims = {use: [name for name in names if name in data.columns] for use, names in _CLAIMS.items()}
    columns = {use: (names[0], _EVIDENCE) for use, names in claims.items() if names and _EVIDENCE in data.columns}
    if not columns:
        raise ColumnError(
            "RG-SUPPORT-003 calibrating needs contexts, and a question, an answer or references; see {map}", _MAP
        )
    with Store() as store:
        batch = _sample(data).given(EMBEDDER_CACHE, partial(Cached, store=store))
        scorers = {use: SupportScorer(embedder, similarity, 1.0, None, use) for use in columns}
        return {use: _calibrated(scorer, batch, columns[use], alpha) for use, scorer in scorers.items()}


def columns_of(data: Dataset, use: Use) -> tuple[str, str]:
    """Return the columns of the claims and of the evidence of a use; ColumnError where the data lack one."""
    names = [name for name in _CLAIMS[use] if name in data.columns]
    if not names or _EVIDENCE not in data.columns:
        raise ColumnError(
            "RG-SUPPORT-004 calibrating {use} needs contexts and {claims}; see {map}",
            use,
            alternatives(_CLAIMS[use]),
            _MAP,
        )
    return names[0], _EVIDENCE


def sample_degrees(scorer: SupportScorer, batch: Batch, columns: tuple[str, str]) -> FloatArray:
    """Return the degree of each sample, (n,): the lowest of its claims, each with its best evidence.

    So a sample reaches a threshold where all of its claims do. NaN: it has no claim, or a comparison failed.
    """
    claims, evidence = columns
    relevance = scorer.use == "relevance"
    claimed = batch.segments(claims).not_blank if relevance else batch.segments(claims, split)
    width = 1 if relevance else WIDTHS[scorer.similarity]
    best = scorer.degrees(batch, claimed, batch.segments(evidence, split), width).by_claim
    lowest = np.full(len(batch), np.inf)
    np.minimum.at(lowest, claimed.rows, np.where(best.failed, np.nan, best.value))
    return np.where(np.isinf(lowest), np.nan, lowest)


def _calibrated(scorer: SupportScorer, batch: Batch, columns: tuple[str, str], alpha: float) -> Calibrated:
    """Return the threshold of ``scorer`` for claims and evidence in these ``columns``."""
    mismatched, reasons = _best(scorer, batch, columns, _other(batch))
    if len(mismatched) < FEWEST:
        failed = Counted(len(reasons), "sample")
        lost = Message("; {samples} failed: {reason}", failed, next(iter(reasons.values()))) if reasons else ""
        raise DataError(
            "RG-SUPPORT-005 calibrating needs {fewest} samples whose {columns} can be held against other "
            "{columns2} than their own; these data have {n}{lost}",
            FEWEST,
            columns[0],
            columns[1],
            len(mismatched),
            lost,
        )
    own, _ = _best(scorer, batch, columns, np.arange(len(batch)))
    # The smallest number with six digits above the quantile, so that the quantile itself does not reach it.
    quantile = float(np.quantile(mismatched, 1 - alpha, method="higher"))
    value = min(float(np.floor(quantile * 1e6 + 1) / 1e6), 1.0)
    return Calibrated(value, alpha, len(mismatched), float((own >= value).mean()), columns)


def _sample(data: Dataset) -> Batch:
    """Return the first samples of ``data``."""
    batches, size = [], 0
    for batch in data.batches():
        batches.append(batch)
        size += len(batch)
        if size >= _MOST:
            break
    every = concatenated(batches)
    return every.take(np.arange(min(len(every), _MOST)))


def _other(batch: Batch) -> IntArray:
    """Return for each sample another one with another question, (n,); -1 where there is none."""
    n = len(batch)
    column = batch.column("question").to_pylist() if "question" in batch.names else [None] * n
    questions = [row if question is None else question for row, question in enumerate(column)]
    start = _PRIME % max(n - 1, 1) + 1
    steps = [(start + more) % n for more in range(n)]
    others = (((row + s) % n for s in steps if questions[(row + s) % n] != questions[row]) for row in range(n))
    return np.array([next(rows, -1) for rows in others], dtype=np.int64)


def _best(
    scorer: SupportScorer, batch: Batch, columns: tuple[str, str], other: IntArray
) -> tuple[FloatArray, Mapping[int, str]]:
    """Return the best degree of each claim with the evidence of its ``other`` sample, and reasons by sample.

    A claim is left out if one of its comparisons failed, because that one might have been the best.
    """
    claims, evidence = columns
    column = batch.column(evidence).take(to_arrow(other, mask=other < 0))
    paired = Batch(pa.table({claims: batch.column(claims), evidence: column}))
    paired = paired.given(EMBEDDER_CACHE, batch.derived(EMBEDDER_CACHE, lambda: None))
    relevance = scorer.use == "relevance"
    claimed = paired.segments(claims).not_blank if relevance else paired.segments(claims, split)
    width = 1 if relevance else WIDTHS[scorer.similarity]
    degrees = scorer.degrees(paired, claimed, paired.segments(evidence, split), width)
    best = degrees.by_claim
    return best.value[(best.place >= 0) & ~best.failed], degrees.reasons
