"""``judged-answer-relevancy``: whether the answer answers the question, by questions that a judge writes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np
import pyarrow as pa

from ragauge.core.batch import Batch
from ragauge.core.ingredients import Embedder, Ingredient, ingredient_field
from ragauge.core.options import Range
from ragauge.core.protocol import Needs, Stage, evidence
from ragauge.core.ragged import Ragged
from ragauge.core.registry import register
from ragauge.core.spec import write
from ragauge.core.statistics import Rows
from ragauge.core.texts import Segments
from ragauge.embedders.lexical import Lexical
from ragauge.grounding.support.scorer import Degrees, cosines
from ragauge.metrics._sample_mean import rows_of
from ragauge.metrics.judged._base import JudgedMetric, one_text, reasons_of
from ragauge.metrics.judged._claims import listed
from ragauge.metrics.judged._forms import QUESTIONS
from ragauge.metrics.rag.answer_relevancy import relevancy


@register("judged-answer-relevancy", aliases=("judged-response-relevancy",), compat={"ragas": {"clip": "false"}})
@dataclass(frozen=True, kw_only=True)
class JudgedAnswerRelevancy(JudgedMetric):
    """Answer relevancy by a judge: the mean cosine of the question with questions it writes for the answer.

    Formula:
        score = 0 if the judge finds the answer evasive, else max(0, mean over the questions q of cos(question, q))

    Unit and range: a cosine, 0 to 1, or with ``clip=false`` -1 to 1. One question a sample. With ``embedder=lexical``
    the cosine sees shared letters only; ``embedder=blend`` and others see meaning. An empty answer scores 0, and
    nothing is asked.

    ``undefined``: the question is empty. ``failed``: the judge gave no answer of the right form, or the embedder no
    vector.

    Args:
        questions: how many questions the judge writes.
        embedder: makes the vectors that are compared.
        clip: take a negative score for 0.

    >>> import ragauge
    >>> reply = '{"questions": ["When did it open?"], "evasive": false}'
    >>> judge = ragauge.judges.FunctionJudge(lambda messages: reply, "example")
    >>> metric = JudgedAnswerRelevancy(judge=judge, questions=1)
    >>> round(ragauge.score(metric, question="When did it open?", answer="In May."), 4)
    1.0

    Not for: correctness: right and wrong answers to the same question score alike.

    Source: Es, James, Espinosa-Anke and Schockaert 2023, "RAGAS: automated evaluation of retrieval augmented
    generation"; ragas 0.4.3 ``ResponseRelevancy``; ``compat=ragas`` does not clip. Deviations: all questions are
    written in one reply, with one mark for an evasive answer, where ragas asks three times at a temperature above 0.
    """

    questions: Annotated[int, Range(1, 20)] = 3
    embedder: Ingredient[Embedder] = ingredient_field(Lexical)
    clip: bool = True

    prompts_used: ClassVar[tuple[str, ...]] = ("questions",)
    stage: ClassVar[Stage] = "end-to-end"
    needs: ClassVar[Needs] = (("question", "answer"),)

    @property
    def range(self) -> tuple[float, float]:  # type: ignore[override]  # of the class where nothing can be negative
        """0 to 1, or -1 to 1 where cosines are not clipped."""
        return (0.0, 1.0) if self.clip else (-1.0, 1.0)

    def measured(self, batch: Batch) -> Rows:
        """Return the mean cosine of each question with those that the judge wrote."""
        replied, reasons = self._written(batch)
        degrees, written = self._cosines(batch, replied)
        evasive = np.zeros(len(batch), dtype=bool)
        evasive[[row for row, reply in replied.items() if reply["evasive"]]] = True
        value = relevancy(Ragged(degrees.by_segment.value, written.offsets), evasive, clip=self.clip)
        lost = {row: why for row, why in degrees.reasons.items() if not evasive[row]}
        undefined = batch.segments("question").not_blank.lengths == 0
        return rows_of(value, undefined, {**lost, **reasons})

    def explained(self, batch: Batch) -> pa.Table:
        """Return one row per question that the judge wrote, with its cosine."""
        replied, _ = self._written(batch)
        degrees, written = self._cosines(batch, replied)
        rows, questions = written.rows, one_text(batch, "question")
        return evidence(
            batch,
            rows,
            what="generated question",
            texts=written.strings.values.tolist(),
            best=[questions[row] for row in rows.tolist()],
            similarity=np.where(degrees.by_segment.failed, np.nan, degrees.by_segment.value),
            why=["the judge finds the answer evasive" if replied[row]["evasive"] else None for row in rows.tolist()],
        )

    def _written(self, batch: Batch) -> tuple[Mapping[int, Any], dict[int, str]]:
        """Return the replies of the judge by sample, and why there are none."""
        answers, questions = one_text(batch, "answer"), one_text(batch, "question")
        there = [bool(one.strip() and other.strip()) for one, other in zip(answers, questions, strict=True)]
        rows = self.askable(batch, there)
        replied = self.replies(
            batch, QUESTIONS, rows, [{"text": answers[row], "count": self.questions} for row in rows]
        )
        values = {row: reply.value for row, reply in zip(rows, replied, strict=True) if reply.ok}
        return values, reasons_of(rows, replied)

    def _cosines(self, batch: Batch, replied: Mapping[int, Any]) -> tuple[Degrees, Segments]:
        """Return the cosines of the written questions with the sample's own, and the written ones."""

        def make() -> Segments:
            lists = [replied[row]["questions"] if row in replied else [] for row in range(len(batch))]
            return Segments.whole(listed(lists))

        key = ("questions of a judge", write(self.judge), self.repeat, self.wording, self.language, self.questions)
        written = batch.derived(key, make)
        questions = batch.segments("question").not_blank
        return cosines(batch, self.embedder, questions, written, roles=("query", "query")), written
