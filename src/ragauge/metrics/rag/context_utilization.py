"""``context-utilization``: whether the passages that the answer draws on come first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ragauge.core.batch import Batch
from ragauge.core.protocol import Needs, Stage
from ragauge.core.ragged import BoolArray
from ragauge.core.registry import register
from ragauge.core.texts import Segments
from ragauge.metrics.rag.context_precision import ContextPrecisionBase


@register("context-utilization", at="k", compat={"ragas": {"epsilon": "1e-10"}})
@dataclass(frozen=True, kw_only=True)
class ContextUtilization(ContextPrecisionBase):
    """Context utilization: the mean of precision@k over the ranks k of passages that support the answer.

    Formula:
        score = sum over ranks i = 1..k of P@i * v(i) / sum over ranks i = 1..k of v(i)
        v(i)  = 1 if the passage at rank i supports the answer, else 0; P@i = share of such passages at ranks 1..i

    Unit and range: a share of passages, 0 to 1. An answer that no passage supports, an empty answer, and one without
    passages score 0.

    ``undefined``: never. ``failed``: the embedder or support model gave no answer.

    >>> import pyarrow as pa
    >>> contexts = [["下雨了。", "林婉于1990年开了这家茶馆。"]]
    >>> batch = Batch(pa.table({"id": ["a"], "answer": ["林婉开了这家茶馆。"], "contexts": contexts}))
    >>> ContextUtilization().measure(batch)["value"]
    array([0.5])

    Not for: judging a retriever: a wrong answer drawn from wrong passages makes those the relevant ones. With
    references take ``context-precision``; without an answer, ``context-precision:to=question``.

    Source: ragas 0.4.3, ``LLMContextPrecisionWithoutReference``; ``compat=ragas`` adds its epsilon. RAGChecker calls
    something else by this name: the share of relevant claims in the passages that the answer used. Deviation: the
    support is a similarity's, a matcher's or a classifier's.
    """

    stage: ClassVar[Stage] = "end-to-end"
    needs: ClassVar[Needs] = (("contexts", "answer"),)

    def target(self, batch: Batch) -> str:  # noqa: ARG002 - the same of every batch
        """Return the answer's column."""
        return "answer"

    def undefined(self, targets: Segments) -> BoolArray:
        """Return a mask of no sample, (n,), because an empty answer is the system's doing."""
        return np.zeros_like(targets.lengths, dtype=bool)
