"""``judged-answer-rating``: how far the answer says what the reference says, as a judge rates it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pyarrow as pa

from ragauge.core.batch import Batch
from ragauge.core.ingredients import Reply
from ragauge.core.protocol import Needs, Stage
from ragauge.core.ragged import IntArray
from ragauge.core.registry import register
from ragauge.core.statistics import Rows
from ragauge.metrics._sample_mean import best_of, rows_of, taken
from ragauge.metrics.judged._base import one_text, reasons_of, with_question
from ragauge.metrics.judged._forms import rating
from ragauge.metrics.judged._ratings import RatingMetric, rated

_FORM = rating("accuracy")


@register(
    "judged-answer-rating",
    aliases=("answer-accuracy", "nv-accuracy"),
    compat={"ragas": {"weighted": "false"}},
)
@dataclass(frozen=True, kw_only=True)
class JudgedAnswerRating(RatingMetric):
    """Answer accuracy by a judge: how far the answer says what the reference says, rated in both orders.

    Formula:
        score = (rating of answer beside reference + rating of reference beside answer) / 4

    Unit and range: ratings are 0 (something else), 1 (a part) and 2 (the same), so the score is 0 to 1. Two questions
    for each reference; the one with the highest score counts. An empty answer scores 0, and nothing is asked.

    ``undefined``: the sample has no reference that is not blank. ``failed``: the judge gave no rating, or only one of
    the two.

    >>> import ragauge
    >>> reply = '{"rating": 1}'
    >>> judge = ragauge.judges.FunctionJudge(lambda messages: reply, "example")
    >>> ragauge.score(JudgedAnswerRating(judge=judge), answer="In May.", references=["In May 1990."])
    0.5

    Not for: telling which claim is wrong (``judged-factual-correctness``).

    Source: ragas 0.4.3 ``AnswerAccuracy`` (``nv_accuracy``), whose ratings are 0, 2 and 4; ``compat=ragas`` takes them
    as written. Deviations: a lost rating fails the sample; ragas takes the first where the second is lost, and gives
    NaN where the first is lost.
    """

    prompts_used: ClassVar[tuple[str, ...]] = ("accuracy",)
    stage: ClassVar[Stage] = "generation"
    needs: ClassVar[Needs] = (("answer", "references"),)

    def measured(self, batch: Batch) -> Rows:
        """Return the mean of the two ratings of each answer with its best reference."""
        owners, rows, replied = self._replies(batch)
        values = self.ratings(replied, "rating").reshape(2, -1).mean(axis=0) / 2
        best = best_of(np.nan_to_num(values), owners, len(batch))
        undefined = batch.segments("references").not_blank.lengths == 0
        value, reasons = np.nan_to_num(taken(values, best)), reasons_of(rows, replied)
        return rows_of(value, undefined, reasons, self.noted(len(batch), rows, replied))

    def explained(self, batch: Batch) -> pa.Table:
        """Return one row per rating: of the answer beside the reference, then of the reference beside the answer."""
        _, rows, replied = self._replies(batch)
        answers = one_text(batch, "answer")
        return rated(batch, rows, "answer", [answers[row] for row in rows], self.ratings(replied, "rating"))

    def _replies(self, batch: Batch) -> tuple[IntArray, list[int], Sequence[Reply]]:
        """Return the sample of each of m references that were asked about, that of each of 2 m replies, and these."""
        answers, references = one_text(batch, "answer"), batch.segments("references").not_blank
        stated = self.askable(batch, [bool(text.strip()) for text in answers])
        places = np.flatnonzero(np.isin(references.rows, stated))
        owners = references.rows[places]
        rows, texts = owners.tolist(), references.texts[places].tolist()
        pairs = [(answers[row], text) for row, text in zip(rows, texts, strict=True)]
        swapped = [(text, answer) for answer, text in pairs]
        data = [
            {**question, "first": first, "second": second}
            for question, (first, second) in zip(with_question(batch, rows * 2), pairs + swapped, strict=True)
        ]
        return owners, rows * 2, self.replies(batch, _FORM, rows * 2, data)
