"""Learning a threshold from pairs that do not belong together: what a claim is like by chance."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ragauge.core.batch import Batch, Dataset, concatenated
from ragauge.core.ingredients import Embedder
from ragauge.core.ragged import FloatArray, IntArray
from ragauge.embedders.space import STORE
from ragauge.embedders.store import open_store
from ragauge.errors import ColumnError, DataError
from ragauge.support.scorer import SupportScorer, width_of
from ragauge.support.segments import Segments, sentences_of, wholes_of, written
from ragauge.support.thresholds import Similarity, Use

FEWEST = 50
"""So few mismatched pairs say nothing of one in twenty."""

# Which columns hold the claims and the evidence of a use.
_COLUMNS: Mapping[Use, tuple[str, tuple[str, ...]]] = {
    "support": ("contexts", ("answer", "references")),
    "relevance": ("contexts", ("question",)),
}
# Samples looked at: enough for a percentile, and little to embed.
_MOST = 2000
_PRIME = 104_729


@dataclass(frozen=True)
class Found:
    """A threshold for one use: ``value``, from how many ``pairs`` at which ``alpha``, of which ``columns``.

    ``own``: the share of claims that reach it against their own evidence.
    """

    value: float
    alpha: float
    pairs: int
    own: float
    columns: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON types."""
        return {**vars(self), "columns": list(self.columns)}


def calibrate(data: Dataset, embedder: Embedder, similarity: Similarity, *, alpha: float = 0.05) -> dict[Use, Found]:
    """Hold claims against another sample's evidence; a threshold is what a share ``alpha`` of them still reach.

    Each claim is held against the evidence of one other sample, with another question, that comes some way after its
    own: the same pairs in every run. A sample that no other has another question than is left out. Samples on one topic
    are like each other, and raise the threshold.

    Args:
        data: with ``contexts``, and ``answer`` or ``references`` for support, ``question`` for relevance.
        embedder: whose similarities they are.
        similarity: by which texts are compared.
        alpha: the rate of false positives that is aimed at.

    Raises:
        ColumnError: the columns of no use are there.
        DataError: there are too few samples, or too few for which the embedder gave vectors.
    """
    wanted = {use: columns for use in _COLUMNS if (columns := _there(data, use))}
    if not wanted:
        message = "calibrating needs contexts, and a question, an answer or references; see --map for other names"
        raise ColumnError(message)
    with open_store() as store:
        batch = _sample(data).given(STORE, store)
        return {
            use: _found(SupportScorer(embedder, similarity, 1.0, None, use), batch, wanted[use], alpha)
            for use in wanted
        }


def _found(scorer: SupportScorer, batch: Batch, columns: tuple[str, str], alpha: float) -> Found:
    """Learn the threshold of ``scorer`` for claims and evidence in these ``columns``."""
    null, reasons = _best(scorer, batch, columns, _other(batch))
    if len(null) < FEWEST:
        message = f"{len(null)} mismatched pairs of {' and '.join(columns)} are too few: calibrating needs {FEWEST}"
        lost = f"; {len(reasons)} samples failed: {next(iter(reasons.values()))}" if reasons else ""
        raise DataError(message + lost)
    own, _ = _best(scorer, batch, columns, np.arange(len(batch)))
    value = _above(float(np.quantile(null, 1 - alpha, method="higher")))
    return Found(value, alpha, len(null), float((own >= value).mean()), columns)


def _there(data: Dataset, use: Use) -> tuple[str, str] | None:
    """Return the columns of claims and evidence, if they are there."""
    evidence, claims = _COLUMNS[use]
    names = [name for name in claims if name in data.columns]
    return (names[0], evidence) if names and evidence in data.columns else None


def _sample(data: Dataset) -> Batch:
    """Return the first samples, as many as are looked at."""
    batches, size = [], 0
    for batch in data.batches():
        batches.append(batch)
        size += len(batch)
        if size >= _MOST:
            break
    every = concatenated(batches)
    return every.take(np.arange(min(len(every), _MOST)))


def _other(batch: Batch) -> IntArray:
    """Return another sample for each, (n,), with another question where there are questions; -1 where there is none."""
    n = len(batch)
    asked = batch.column("question").to_pylist() if "question" in batch.names else [None] * n
    asked = [row if question is None else question for row, question in enumerate(asked)]
    start = _PRIME % max(n - 1, 1) + 1
    steps = ((start + more) % n for more in range(n))
    first = list(steps)
    chosen = (((row + s) % n for s in first if asked[(row + s) % n] != asked[row]) for row in range(n))
    return np.array([next(rows, -1) for rows in chosen], dtype=np.int64)


def _best(
    scorer: SupportScorer, batch: Batch, columns: tuple[str, str], other: IntArray
) -> tuple[FloatArray, Mapping[int, str]]:
    """Return the best similarity of each claim with the evidence of its ``other`` sample, -1 being none.

    A claim with a comparison that failed is left out, since that might have been the best; why, by sample.
    """
    import pyarrow as pa

    claims, evidence = columns
    column = batch.column(evidence).take(pa.array(other, mask=other < 0))
    paired = Batch(pa.table({claims: batch.column(claims), evidence: column}))
    paired = paired.given(STORE, batch.derived(STORE, lambda: None))
    width = width_of(scorer.similarity) if scorer.use == "support" else 1
    degrees = scorer.degrees(paired, _claims(paired, claims, scorer.use), sentences_of(paired, evidence), width)
    best = degrees.pairs.by_claim(degrees.values)
    return best.value[(best.place >= 0) & ~best.failed], degrees.reasons


def _claims(batch: Batch, column: str, use: Use) -> Segments:
    return written(wholes_of(batch, column)) if use == "relevance" else sentences_of(batch, column)


def _above(value: float) -> float:
    """Return the smallest threshold with six digits above ``value``, so that what lies there is not reached."""
    return min(float(np.floor(value * 1e6 + 1) / 1e6), 1.0)
