"""``judged-context-rating``: how far the question can be answered from the passages, as a judge rates it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pyarrow as pa

from ragauge.core.batch import Batch
from ragauge.core.protocol import Needs, Stage
from ragauge.core.questions import Reply
from ragauge.core.registry import register
from ragauge.core.statistics import Rows
from ragauge.metrics.judged._base import one_text, reasons_of
from ragauge.metrics.judged._claims import passages_of
from ragauge.metrics.judged._forms import rating
from ragauge.metrics.judged._ratings import RatingMetric, rated
from ragauge.metrics.rag._supported import rows_of

_FORM = rating("relevance")


@register("judged-context-rating", aliases=("nv-context-relevance",), compat={"ragas": {"weighted": "false"}})
@dataclass(frozen=True, kw_only=True)
class JudgedContextRating(RatingMetric):
    """How far the question can be answered from the retrieved passages, as a judge rates it.

    Formula:
        score = rating / 2

    Unit and range: ratings are 0 (not at all), 1 (in part) and 2 (completely), so the score is 0 to 1. One question a
    sample. Passages that are blank, or none, score 0, and nothing is asked.

    ``undefined``: the question is empty. ``failed``: the judge gave no rating.

    Not for: telling which passage is relevant (``judged-context-precision``).

    Source: ragas 0.4.3 ``ContextRelevance`` (``nv_context_relevance``); ``compat=ragas`` takes ratings as written.
    Deviations: ragas asks the same in two wordings and takes their mean, and scores passages that stand in the question
    0 without asking.
    """

    prompts_used: ClassVar[tuple[str, ...]] = ("relevance",)
    stage: ClassVar[Stage] = "retrieval"
    needs: ClassVar[Needs] = (("question", "contexts"),)

    def measured(self, batch: Batch) -> Rows:
        """Return the rating of each sample's passages."""
        rows, replied = self._replies(batch)
        value = np.zeros(len(batch))
        value[rows] = np.nan_to_num(self.ratings(replied, "rating")) / 2
        undefined = batch.segments("question").not_blank.lengths == 0
        return rows_of(value, undefined, reasons_of(rows, replied), self.noted(len(batch), rows, replied))

    def explained(self, batch: Batch) -> pa.Table:
        """Return one row per sample with its rating."""
        rows, replied = self._replies(batch)
        questions = one_text(batch, "question")
        return rated(batch, rows, "question", [questions[row] for row in rows], self.ratings(replied, "rating"))

    def _replies(self, batch: Batch) -> tuple[list[int], Sequence[Reply]]:
        """Return the samples that were asked about, and the replies."""
        passages, questions = passages_of(batch), one_text(batch, "question")
        there = [
            bool(question.strip()) and any(map(str.strip, texts))
            for question, texts in zip(questions, passages, strict=True)
        ]
        rows = np.flatnonzero(self.open(batch) & np.array(there, dtype=bool)).tolist()
        data = [{"question": questions[row], "passages": passages[row]} for row in rows]
        return rows, self.ask(batch, _FORM, rows, data)
