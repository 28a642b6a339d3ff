"""``context-precision``: whether the passages that support the reference stand first."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

import numpy as np

from ragauge.core.options import Cutoff, Range
from ragauge.core.protocol import Needs, Stage, columns_read
from ragauge.core.ragged import BoolArray, FloatArray, IntArray, Ragged
from ragauge.core.registry import register
from ragauge.core.texts import Segments
from ragauge.metrics.rag._supported import Compared, SupportMetric, sums
from ragauge.sentences import split

if TYPE_CHECKING:
    from ragauge.core.batch import Batch
    from ragauge.core.statistics import Rows


@dataclass(frozen=True, kw_only=True)
class ContextPrecisionBase(SupportMetric):
    """The sum of precision@k times v_k over the first ``k`` passages, divided by what ``epsilon`` and v_k say.

    A passage is relevant (v_k = 1) if it supports a sentence of the text that it is held against.

    Args:
        k: how many passages count; None: all.
        epsilon: is added to the denominator; RAGAS adds 1e-10, so that a perfect ranking scores 0.9999999999.
    """

    epsilon: Annotated[float, Range(0, 1000)] = 0.0
    k: Cutoff = None

    stage: ClassVar[Stage] = "retrieval"
    explained: ClassVar[str] = "passage"

    def against(self, batch: Batch) -> str:
        """Return the column that the passages are held against."""
        raise NotImplementedError

    def no_target(self, batch: Batch, targets: Segments) -> BoolArray:
        """Return a mask of samples without anything that a passage could be relevant to, shape (n,)."""
        raise NotImplementedError

    def denominator_of(self, batch: Batch, hits: FloatArray) -> FloatArray:
        """Return what the sum is divided by, given the number of relevant passages, (n,)."""
        raise NotImplementedError

    def compared(self, batch: Batch) -> Compared:
        """Return the passages, each with the sentence that it supports best."""
        passages, targets = batch.segments("contexts"), batch.segments(self.against(batch), split)
        return Compared.by_segment(self.degrees(batch, targets, passages), targets, passages)

    def measure(self, batch: Batch) -> Rows:
        """Average the precision at each relevant passage."""
        offsets, targets = batch.segments("contexts").offsets, batch.segments(self.against(batch), split)
        counts = self.counts(self.compared(batch).best)
        counts = np.where(Ragged(counts, offsets).positions < (self.k or len(counts) + 1), counts, 0.0)
        above, hits = precision_sums(counts, offsets), sums(counts, offsets)
        below = self.denominator_of(batch, hits) + self.epsilon
        value = np.divide(above, below, out=np.zeros(len(batch)), where=below > 0)
        return self.rows(batch, value, self.no_target(batch, targets), self.against(batch), "contexts")


def precision_sums(counts: FloatArray, offsets: IntArray) -> FloatArray:
    """Return the sum over ranks of precision@k times the count at k, of each list.

    >>> precision_sums(np.array([1.0, 0.0, 1.0, 0.0]), np.array([0, 3, 4]))
    array([1.66666667, 0.        ])
    """
    lists = Ragged(counts, offsets)
    rows, places = lists.rows, lists.positions
    matrix = np.zeros((len(lists), max(lists.lengths, default=0)))
    matrix[rows, places] = counts
    precision = np.cumsum(matrix, axis=1)[rows, places] / (places + 1)
    return sums(precision * counts, offsets)


_COMPAT: Mapping[str, Mapping[str, str]] = MappingProxyType({"ragas": {"epsilon": "1e-10"}})


@register("context-precision", at="k", compat=_COMPAT)
@dataclass(frozen=True, kw_only=True)
class ContextPrecision(ContextPrecisionBase):
    """The mean of precision@k over the ranks k of the passages that support a sentence of a reference.

    Formula:
        score = sum over ranks i = 1..k of P@i * v(i) / sum over ranks i = 1..k of v(i)
        v(i)  = 1 if the passage at rank i is relevant, else 0; P@i = share of relevant passages at ranks 1..i

    Unit and range: a share of passages, 0 to 1. What was not retrieved is not missed: see ``denominator``. No
    relevant passage, or none at all, scores 0.

    ``undefined``: no reference of the sample has a sentence. ``failed``: the embedder or support model gave no answer.

    Args:
        denominator: ``hits``: the relevant passages among those retrieved, as RAGAS; ``relevant``: the reference
            passages (the relevant ones retrieved, where these are more), so that what was not found counts. It needs
            the column ``reference_contexts``.

    Raises:
        OptionError: an option has a value that it does not take.
        UsageError: no threshold is known for the embedder.

    >>> import pyarrow as pa
    >>> from ragauge.core.batch import Batch
    >>> contexts = [["Lin Wan opened the tea house.", "It rained.", "The tea house was opened in 1990 by Lin Wan."]]
    >>> references = [["Lin Wan opened the tea house."]]
    >>> batch = Batch(pa.table({"id": ["a"], "contexts": contexts, "references": references}))
    >>> ContextPrecision().measure(batch)["value"].round(4)
    array([0.8333])

    Not for: asking whether everything was found: one passage of four, ranked first, scores 1
    (``denominator=relevant``, ``context-recall``). Where documents have ids and judgements, ``map`` and ``ndcg``
    rest on fewer assumptions.

    Source: ragas 0.4.3, ``LLMContextPrecisionWithReference`` and, against ``reference_contexts``,
    ``NonLLMContextPrecisionWithReference``; ``compat=ragas`` adds its epsilon. Deviations: the support is a
    similarity's, a matcher's or a classifier's; of several references any sentence will do.
    """

    denominator: Literal["hits", "relevant"] = "hits"

    @property
    def needs(self) -> Needs:
        """References or reference passages; for ``denominator=relevant`` the latter."""
        passages = ("contexts", "reference_contexts")
        return (passages,) if self.denominator == "relevant" else (("contexts", "references"), passages)

    def against(self, batch: Batch) -> str:
        """Return the column of references that is there."""
        return columns_read(self, batch.names)[1]

    def no_target(self, batch: Batch, targets: Segments) -> BoolArray:  # noqa: ARG002 - the same of every batch
        """Return a mask of samples without a sentence in any reference, shape (n,)."""
        return np.asarray(targets.lengths == 0)

    def denominator_of(self, batch: Batch, hits: FloatArray) -> FloatArray:
        """Return the relevant passages that were retrieved, or that there are."""
        if self.denominator == "hits":
            return hits
        return np.maximum(batch.segments("reference_contexts").not_blank.lengths, hits)
