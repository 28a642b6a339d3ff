"""``judged-passage-relevance``: how relevant each retrieved passage is, as a judge grades it from 0 to 3."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pyarrow as pa

from ragauge.core.batch import Batch
from ragauge.core.ingredients import Reply
from ragauge.core.messages import Message
from ragauge.core.protocol import Needs, Stage, evidence
from ragauge.core.ragged import FloatArray, IntArray, Ragged, offsets_of
from ragauge.core.registry import register
from ragauge.core.statistics import Rows
from ragauge.core.texts import objects_of
from ragauge.metrics._sample_mean import rows_of, shares
from ragauge.metrics.judged._base import one_text, reasons_of
from ragauge.metrics.judged._claims import passages_of
from ragauge.metrics.judged._forms import rating
from ragauge.metrics.judged._ratings import RatingMetric

MOST = 3
"""The highest grade."""
GRADED = "graded passage"
"""The kind of a segment of evidence, whose similarity is its grade / 3."""
_FORM = rating("grade", 0, MOST)


@register("judged-passage-relevance", aliases=("umbrela",))
@dataclass(frozen=True, kw_only=True)
class JudgedPassageRelevance(RatingMetric):
    """Relevance of passages by a judge: the mean grade of the retrieved passages for the question, as a share of 3.

    Formula:
        score = mean grade of the passages / 3

    The judge grades each passage by itself: 3 holds the whole answer, 2 a part of it or an unclear one, 1 is on the
    subject, 0 has nothing to do with the question. Passages that are blank have 0, and nothing is asked. Grades do not
    depend on the system that retrieved a passage, so ``ragauge export --to "trec[what=qrels]"`` writes them as
    judgements by which runs are scored.

    Unit and range: a mean grade / 3, 0 to 1. Without passages the score is 0. One question a passage.

    ``undefined``: the question is empty. ``failed``: the judge gave no grade of one of the passages.

    >>> import ragauge
    >>> judge = ragauge.judges.FunctionJudge(lambda messages: '{"rating": 2}', "example")
    >>> metric = JudgedPassageRelevance(judge=judge)
    >>> round(ragauge.score(metric, question="When did it open?", contexts=["It opened in May.", ""]), 4)
    0.3333

    Not for: telling whether the right passages come first (``ndcg`` by the grades that it writes).

    Source: Upadhyay, Pradeep, Thakur, Craswell and Lin 2024, "UMBRELA: UMbrela is the (open-source reproduction of the)
    Bing RELevance Assessor", whose scale of four grades it has. Deviations: the wording is our own, and asks for
    the grade alone.
    """

    prompts_used: ClassVar[tuple[str, ...]] = ("grade",)
    stage: ClassVar[Stage] = "retrieval"
    needs: ClassVar[Needs] = (("question", "contexts"),)

    def measured(self, batch: Batch) -> Rows:
        """Return the mean grade of the passages of each sample, as a share of 3."""
        grades, rows, replied = self._grades(batch)
        undefined = batch.segments("question").not_blank.lengths == 0
        value = shares(np.nan_to_num(grades.values) / MOST, grades.offsets)
        return rows_of(value, undefined, reasons_of(rows, replied), self.noted(len(batch), rows, replied))

    def explained(self, batch: Batch) -> pa.Table:
        """Return one row per passage, whose similarity is its grade / 3; none of a sample that failed."""
        grades, rows, replied = self._grades(batch)
        asked = (batch.segments("question").not_blank.lengths > 0) & self.open(batch)
        asked[list(reasons_of(rows, replied))] = False
        kept = np.flatnonzero(asked[grades.rows])
        texts = [text for several in passages_of(batch) for text in several]
        return evidence(
            batch,
            grades.rows[kept],
            what=GRADED,
            texts=[texts[place] for place in kept],
            similarity=grades.values[kept] / MOST,
            why=[Message("rating {ratings:g}", grades.values[place]) for place in kept],
        )

    def _grades(self, batch: Batch) -> tuple[Ragged, list[int], Sequence[Reply]]:
        """Return the grade of each passage, NaN where there is none, who was asked about, and the replies."""
        passages, questions = passages_of(batch), one_text(batch, "question")
        offsets = offsets_of([len(texts) for texts in passages])
        flat = objects_of([text for texts in passages for text in texts])
        own: IntArray = np.repeat(np.arange(len(batch)), np.diff(offsets))
        open_ones = np.isin(own, self.askable(batch, [bool(text.strip()) for text in questions]))
        places = np.flatnonzero(open_ones & np.array([bool(text.strip()) for text in flat], dtype=bool)).tolist()
        rows = own[places].tolist()
        data = [{"question": questions[row], "passage": flat[place]} for row, place in zip(rows, places, strict=True)]
        replied = self.replies(batch, _FORM, rows, data)
        grades: FloatArray = np.zeros(len(flat))
        grades[places] = self.ratings(replied, "rating")
        return Ragged(grades, offsets), rows, replied
