"""The threshold of degrees that agrees best with labels that people gave, and how far it can be trusted."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ragauge.core.arrow import to_numpy
from ragauge.core.batch import EMBEDDER_CACHE, Dataset, concatenated
from ragauge.core.hashing import HashArray, hash_strings
from ragauge.core.ingredients import Embedder
from ragauge.core.messages import Argument
from ragauge.core.ragged import BoolArray, FloatArray
from ragauge.embedders.store import Cached, Store
from ragauge.errors import ColumnError, DataError
from ragauge.grounding.support.calibration import columns_of, sample_degrees
from ragauge.grounding.support.meaning import Similarity
from ragauge.grounding.support.scorer import SupportScorer
from ragauge.grounding.support.thresholds import Use
from ragauge.inference.agreement import balanced_accuracy, thresholds
from ragauge.inference.resampling import poisson_weights
from ragauge.validation.labels import numbers_of

FEWEST_LABELS = 10
FEWEST_OF_ONE_KIND = 3
"""The fewest labels, and the fewest of the rarer kind: replicates of fewer mostly hold labels of one kind alone."""
# Labels that are used: each is left out once, so that memory grows with the square of their number.
MOST_LABELS = 4000


@dataclass(frozen=True)
class LabelledThreshold:
    """A threshold and its interval, from ``ones`` and ``zeros``: labels of 1 and of 0.

    ``accuracy`` is the balanced accuracy, 0 to 1, that thresholds chosen without a sample have on that sample.
    """

    value: float
    low: float
    high: float
    accuracy: float
    ones: int
    zeros: int

    def __str__(self) -> str:
        return (
            f"{self.value:.6g}, 95 % interval [{self.low:.3g}, {self.high:.3g}], from {self.ones} labels of 1 and "
            f"{self.zeros} of 0; balanced accuracy on samples left out {self.accuracy:.0%}"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the fields."""
        return dict(vars(self))


def calibrate_with_labels(
    data: Dataset,
    human: str,
    embedder: Embedder,
    similarity: Similarity,
    *,
    use: Use = "support",
    positive: float | None = None,
    level: float = 0.95,
    seed: int = 0,
) -> LabelledThreshold:
    """Return the threshold of a use that agrees best with labels of samples, from 10 labels on.

    A sample's degree is the lowest of its claims: each sentence of an answer must be supported for the answer to be.
    Samples without a label, without a claim, or whose comparison failed are left out.

    Args:
        data: with ``contexts``, and ``answer`` or ``references`` for support, ``question`` for relevance.
        human: the column of labels: 1 or true where the passages support the answer, or are relevant to the question.
        embedder: makes the vectors.
        similarity: ``features`` or ``ngram-recall`` with ``lexical``; ``cosine``.
        use: ``support`` or ``relevance``.
        positive: labels of at least this number are good; None: labels are 0 or 1.
        level: of the interval.
        seed: of its replicates.

    Raises:
        ColumnError: the data lack a column.
        DataError: labels are not numbers, or not 0 and 1 without ``positive``, or too few.
    """
    if human not in data.columns:
        raise ColumnError(
            "RG-VALID-001 {human}: the data have no such column; available: {columns}",
            Argument("human", human),
            ", ".join(data.columns),
        )
    columns, scorer = columns_of(data, use), SupportScorer(embedder, similarity, 1.0, None, use)
    with_label = [batch.take(to_numpy(batch.column(human).is_valid()).nonzero()[0]) for batch in data.batches()]
    with Store() as store:
        batch = concatenated(with_label).given(EMBEDDER_CACHE, partial(Cached, store=store))
        labels, degrees = numbers_of(batch.column(human), human, "human"), sample_degrees(scorer, batch, columns)
    known = ~np.isnan(labels) & ~np.isnan(degrees)
    if positive is None and not np.isin(labels[known], (0, 1)).all():
        raise DataError(
            "RG-VALID-002 {human}: labels must be 0 and 1; or say from which number on they are good: positive",
            Argument("human", human),
        )
    label = labels[known] >= (0.5 if positive is None else positive)
    keys = hash_strings(batch.column("id").to_pylist())[known]
    return labelled_threshold(degrees[known], label, keys, level=level, seed=seed)


def labelled_threshold(
    degrees: FloatArray, label: BoolArray, keys: HashArray, *, level: float = 0.95, resamples: int = 2000, seed: int = 0
) -> LabelledThreshold:
    """Return the threshold from which on predicting 1 has the greatest balanced accuracy.

    It lies halfway between two degrees. Its interval holds the thresholds of ``resamples`` replicates of the samples,
    but for the same share at both ends. Neither depends on the order of the samples.

    Args:
        degrees: of n samples, from 0 to 1.
        label: (n,) what people said of each sample.
        keys: (n,) the hash of each sample's id.
        level: of the interval.
        resamples: number of replicates.
        seed: of the replicates.

    Raises:
        DataError: there are fewer than 10 labels, or fewer than 3 of ones or of zeros.

    Source: Youden 1950, "Index for rating diagnostic tests"; Efron 1979, "Bootstrap methods".

    >>> degrees, keys = np.arange(20) / 20, np.arange(20, dtype=np.uint64)
    >>> found = labelled_threshold(degrees, degrees >= 0.5, keys)
    >>> found.value, found.accuracy, found.low <= found.value <= found.high
    (0.475, 0.95, True)
    """
    ones, zeros = int(label.sum()), int((~label).sum())
    if len(label) < FEWEST_LABELS or min(ones, zeros) < FEWEST_OF_ONE_KIND:
        raise DataError(
            "RG-VALID-003 calibrating needs {fewest_labels} labels, {fewest_of_one_kind} of 1 and "
            "{fewest_of_one_kind} of 0; the samples that have a degree have {ones} labels of 1 and {zeros} of 0",
            FEWEST_LABELS,
            FEWEST_OF_ONE_KIND,
            ones,
            zeros,
        )
    order = np.argsort(keys, kind="stable")[:MOST_LABELS]
    degrees, label, keys = degrees[order], label[order], keys[order]
    drawn = poisson_weights(keys, resamples, seed).T.astype(np.float64)
    both = ((drawn @ label) > 0) & ((drawn @ ~label) > 0)
    tail = (1 - level) / 2
    low, high = np.quantile(_values(degrees, label, drawn[both]), [tail, 1 - tail]).tolist()
    value = float(_values(degrees, label, np.ones((1, len(label))))[0])
    return LabelledThreshold(value, min(low, value), max(high, value), _left_out(degrees, label), ones, zeros)


def _values(degrees: FloatArray, label: BoolArray, weights: FloatArray) -> FloatArray:
    """Return the threshold of each replicate, (r,), with six digits: halfway to the degree below."""
    distinct = np.unique(degrees)
    between = np.concatenate([distinct[:1], (distinct[1:] + distinct[:-1]) / 2])
    return np.asarray(np.round(between, 6)[thresholds(degrees, label, weights)])


def _left_out(degrees: FloatArray, label: BoolArray) -> float:
    """Return the balanced accuracy on each sample of the threshold that all others chose."""
    n = len(label)
    chosen = _values(degrees, label, 1.0 - np.eye(n))
    return float(balanced_accuracy((degrees >= chosen)[None], label, np.ones((1, n)))[0])
