"""``judged-groundedness-rating``: how far the passages support the answer, as a judge rates it."""

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
from ragauge.metrics.judged._base import one_text, reasons_of, with_question
from ragauge.metrics.judged._claims import passages_of
from ragauge.metrics.judged._forms import rating
from ragauge.metrics.judged._ratings import RatingMetric, rated
from ragauge.metrics.rag._supported import rows_of

_FORM = rating("groundedness")


@register(
    "judged-groundedness-rating",
    aliases=("response-groundedness", "nv-response-groundedness"),
    compat={"ragas": {"weighted": "false"}},
)
@dataclass(frozen=True, kw_only=True)
class JudgedGroundednessRating(RatingMetric):
    """How far the retrieved passages support the answer as a whole, as a judge rates it.

    Formula:
        score = rating / 2

    Unit and range: ratings are 0 (nothing), 1 (a part) and 2 (all of it), so the score is 0 to 1. One question a
    sample. Passages that are blank, or none, score 0, and nothing is asked.

    ``undefined``: the answer is empty. The bounds count it as anything from 0 to 1, because the system claimed nothing.
    ``failed``: the judge gave no rating.

    Not for: telling which claim is not supported (``judged-faithfulness``).

    Source: ragas 0.4.3 ``ResponseGroundedness`` (``nv_response_groundedness``); ``compat=ragas`` takes ratings as
    written. Deviations: ragas asks the same in two wordings and takes their mean, and scores an answer that stands in
    the passages 1 without asking.
    """

    prompts_used: ClassVar[tuple[str, ...]] = ("groundedness",)
    stage: ClassVar[Stage] = "generation"
    needs: ClassVar[Needs] = (("answer", "contexts"),)
    bounds_undefined: ClassVar[bool] = True

    def measured(self, batch: Batch) -> Rows:
        """Return the rating of each answer."""
        rows, replied = self._replies(batch)
        value = np.zeros(len(batch))
        value[rows] = np.nan_to_num(self.ratings(replied, "rating")) / 2
        undefined = batch.segments("answer").not_blank.lengths == 0
        return rows_of(value, undefined, reasons_of(rows, replied), self.noted(len(batch), rows, replied))

    def explained(self, batch: Batch) -> pa.Table:
        """Return one row per answer with its rating."""
        rows, replied = self._replies(batch)
        answers = one_text(batch, "answer")
        return rated(batch, rows, "answer", [answers[row] for row in rows], self.ratings(replied, "rating"))

    def _replies(self, batch: Batch) -> tuple[list[int], Sequence[Reply]]:
        """Return the samples that were asked about, and the replies."""
        passages, answers = passages_of(batch), one_text(batch, "answer")
        there = [
            bool(answer.strip()) and any(map(str.strip, texts)) for answer, texts in zip(answers, passages, strict=True)
        ]
        rows = np.flatnonzero(self.open(batch) & np.array(there, dtype=bool)).tolist()
        data = [
            {**question, "passages": passages[row], "answer": answers[row]}
            for question, row in zip(with_question(batch, rows), rows, strict=True)
        ]
        return rows, self.ask(batch, _FORM, rows, data)
