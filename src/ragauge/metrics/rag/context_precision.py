"""``context-precision``: whether the passages that support the reference come first."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Annotated, ClassVar, Literal

import numpy as np

from ragauge.core.batch import Batch
from ragauge.core.options import Cutoff, Range, check
from ragauge.core.protocol import Needs, Stage, columns_read
from ragauge.core.ragged import BoolArray, FloatArray, IntArray, Ragged
from ragauge.core.registry import register
from ragauge.core.statistics import Rows
from ragauge.core.texts import Segments
from ragauge.metrics._sample_mean import sums
from ragauge.metrics.rag._compared import Compared
from ragauge.metrics.rag._relevance import RelevanceMetric
from ragauge.metrics.rag._supported import SupportMetric
from ragauge.sentences import split


@dataclass(frozen=True, kw_only=True)
class ContextPrecisionBase(SupportMetric):
    """The sum of precision@i times v_i over the first ``k`` passages, divided by a number of relevant passages.

    A passage is relevant (v_i = 1) if it supports a sentence of its target: a reference, or the answer.

    Args:
        k: the number of passages that count; None: all.
        epsilon: a number added to the denominator; RAGAS adds 1e-10, so a perfect ranking scores 0.9999999999.
    """

    epsilon: Annotated[float, Range(0, 1000)] = 0.0
    k: Cutoff = None

    stage: ClassVar[Stage] = "retrieval"
    explained: ClassVar[str] = "passage"

    def target(self, batch: Batch) -> str:
        """Return the column of the targets."""
        raise NotImplementedError

    def undefined(self, targets: Segments) -> BoolArray:
        """Return a mask of the samples without a target that count as undefined, (n,)."""
        raise NotImplementedError

    def denominator_of(self, batch: Batch, hits: FloatArray) -> FloatArray:  # noqa: ARG002 - one metric reads the batch
        """Return the divisor of the sum, (n,), from the number of relevant passages among the first k, (n,)."""
        return hits

    def compared(self, batch: Batch) -> Compared:
        """Return the passages, each with the sentence that it supports best."""
        passages, targets = batch.segments("contexts"), batch.segments(self.target(batch), split)
        return Compared.by_segment(self.degrees(batch, targets, passages), targets, passages)

    def measure(self, batch: Batch) -> Rows:
        """Return the average precision of each sample's passages."""
        compared = self.compared(batch)
        value = self.averaged(batch, Ragged(self.counts(compared.best), compared.segments.offsets))
        return self.rows(batch, compared, value, self.undefined(compared.others), self.target(batch), "contexts")

    def averaged(self, batch: Batch, passages: Ragged) -> FloatArray:
        """Return the average precision, (n,), of n lists of how far each passage counts as relevant."""
        return average_precision(passages, self.k, self.epsilon, partial(self.denominator_of, batch))


def average_precision(
    passages: Ragged,
    k: int | None,
    epsilon: float,
    denominator_of: Callable[[FloatArray], FloatArray] = lambda hits: hits,
) -> FloatArray:
    """Return the average precision of n lists of how far each passage counts as relevant, (n,).

    ``denominator_of`` makes the divisor of the number of relevant passages among the first ``k``, (n,).

    >>> average_precision(Ragged.of([[1.0, 0.0, 1.0], [0.0]]), None, 0.0)
    array([0.83333333, 0.        ])
    """
    counts = np.where(passages.positions < (k or len(passages.values) + 1), passages.values, 0.0)
    above, below = precision_sums(counts, passages.offsets), denominator_of(sums(counts, passages.offsets)) + epsilon
    return np.divide(above, below, out=np.zeros(len(passages)), where=below > 0)


def precision_sums(counts: FloatArray, offsets: IntArray) -> FloatArray:
    """Return the sum over ranks of precision@k times the count at k, of each list."""
    lists = Ragged(counts, offsets)
    rows, places = lists.rows, lists.positions
    matrix = np.zeros((len(lists), max(lists.lengths, default=0)))
    matrix[rows, places] = counts
    precision = np.cumsum(matrix, axis=1)[rows, places] / (places + 1)
    return sums(precision * counts, offsets)


@register("context-precision", at="k", compat={"ragas": {"epsilon": "1e-10"}})
@dataclass(frozen=True, kw_only=True)
class ContextPrecision(ContextPrecisionBase, RelevanceMetric):
    """Context precision: the mean of precision@k over the ranks k of passages that support a reference's sentence.

    Formula:
        score = sum over ranks i = 1..k of P@i * v(i) / sum over ranks i = 1..k of v(i)
        v(i)  = 1 if the passage at rank i is relevant, else 0; P@i = share of relevant passages at ranks 1..i

    Unit and range: a share of passages, 0 to 1. What was not retrieved is not missed: see ``denominator``. No
    relevant passage, or none at all, scores 0.

    ``undefined``: no reference of the sample has a sentence; with ``to=question``, the question is empty. ``failed``:
    the embedder or model gave no answer.

    Args:
        to: what passages should be relevant to. ``references``: those of the sample, or its reference passages.
            ``question``: for data without references; v(i) is the probability that ``relevance`` gives.
        denominator: ``hits``: the relevant passages among those retrieved, as RAGAS; ``relevant``: the reference
            passages (the relevant ones retrieved, where these are more), so that what was not found counts. It needs
            the column ``reference_contexts``.

    >>> import pyarrow as pa
    >>> contexts = [["Lin Wan opened the tea house.", "It rained.", "The tea house was opened in 1990 by Lin Wan."]]
    >>> references = [["Lin Wan opened the tea house."]]
    >>> batch = Batch(pa.table({"id": ["a"], "contexts": contexts, "references": references}))
    >>> ContextPrecision().measure(batch)["value"].round(4)
    array([0.8333])

    With ``to=question`` the order alone counts, softly: the passage that holds most of the question's words first. On
    half of NoMIRACL the passage that a retriever ranked first had a higher relevance than those at 5 to 9 in 76 % of
    pairs in English, Chinese, Japanese and Korean, with ``embedder=blend`` in 83 %.

    Not for: asking whether everything was found: one passage of four, ranked first, scores 1
    (``denominator=relevant``, ``context-recall``). Where documents have ids and judgements, ``map`` and ``ndcg``
    rest on fewer assumptions.

    Source: ragas 0.4.3, ``LLMContextPrecisionWithReference`` and, against ``reference_contexts``,
    ``NonLLMContextPrecisionWithReference``; ``compat=ragas`` adds its epsilon. Deviations: the support is a
    similarity's, a matcher's or a classifier's; of several references any sentence will do.
    """

    to: Literal["references", "question"] = "references"
    denominator: Literal["hits", "relevant"] = "hits"

    def __post_init__(self) -> None:
        by_support = self.relevance_model is None
        check(self, "to", "references beside an option of support", holds=not (by_support and self.asks))
        check(self, "denominator", "hits with to=question", holds=not self.asks or self.denominator == "hits")
        super().__post_init__()

    @property
    def asks(self) -> bool:
        """Whether passages are held against the question."""
        return self.to == "question"

    @property
    def needs(self) -> Needs:
        """References or reference passages; for ``denominator=relevant`` the latter; for ``to=question`` that."""
        if self.asks:
            return (("contexts", "question"),)
        passages = ("contexts", "reference_contexts")
        return (passages,) if self.denominator == "relevant" else (("contexts", "references"), passages)

    def measure(self, batch: Batch) -> Rows:
        """Return the average precision of each sample's passages."""
        if self.relevance_model is None:
            return super().measure(batch)
        relevance = self.passages(batch)
        known = Ragged(np.nan_to_num(relevance.values.values), relevance.values.offsets)
        return self.rows_of_passages(batch, relevance, self.averaged(batch, known))

    def target(self, batch: Batch) -> str:
        """Return the column of references that the data have."""
        return columns_read(self, batch.names)[1]

    def undefined(self, targets: Segments) -> BoolArray:
        """Return a mask of the samples without a sentence in any reference, (n,)."""
        return np.asarray(targets.lengths == 0)

    def denominator_of(self, batch: Batch, hits: FloatArray) -> FloatArray:
        """Return the number of relevant passages that were retrieved, or that there are, (n,)."""
        if self.denominator == "hits":
            return hits
        return np.maximum(batch.segments("reference_contexts").not_blank.lengths, hits)
