"""``judged-context-relevancy``: which share of the retrieved sentences is relevant, as a judge says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pyarrow as pa

from ragauge.core.batch import Batch
from ragauge.core.protocol import Needs, Stage, evidence
from ragauge.core.ragged import Ragged
from ragauge.core.registry import register
from ragauge.core.statistics import Rows
from ragauge.metrics._sample_mean import rows_of, shares
from ragauge.metrics.judged._base import one_text, reasons_of
from ragauge.metrics.judged._forms import RELEVANT, flags
from ragauge.metrics.judged._verdicts import VerdictMetric
from ragauge.metrics.judged.cascade import Cascade
from ragauge.sentences import split


@register("judged-context-relevancy")
@dataclass(frozen=True, kw_only=True)
class JudgedContextRelevancy(Cascade, VerdictMetric):
    """Context relevancy by a judge: the share of the passages' sentences that help to answer the question.

    Formula:
        score = sentences of the passages that the judge finds relevant / sentences of the passages

    Unit and range: a share of sentences, 0 to 1. All sentences of a sample are in one question, by number. Passages
    without a sentence, or none, score 0, and nothing is asked.

    ``undefined``: the question is empty. ``failed``: the judge gave no answer of the right form.

    >>> import ragauge
    >>> reply = '{"sentences": [{"sentence": 1, "relevant": true}, {"sentence": 2, "relevant": false}]}'
    >>> judge = ragauge.judges.FunctionJudge(lambda messages: reply, "example")
    >>> metric = JudgedContextRelevancy(judge=judge)
    >>> ragauge.score(metric, question="When did it open?", contexts=["It opened in May. It rained."])
    0.5

    Not for: comparing retrievers that return a different number of passages: each further passage lowers the share.

    Source: context relevance of Es, James, Espinosa-Anke and Schockaert 2023, "RAGAS: automated evaluation of retrieval
    augmented generation"; ragas 0.1.7 ``ContextRelevancy``. Deviations: ragas has sentences copied, and counts what it
    finds in the copy; sentences are split in any language.
    """

    prompts_used: ClassVar[tuple[str, ...]] = ("relevant",)
    stage: ClassVar[Stage] = "retrieval"
    needs: ClassVar[Needs] = (("question", "contexts"),)
    stand_in: ClassVar[str] = "context-relevancy"

    def measured(self, batch: Batch) -> Rows:
        """Return the share of relevant sentences of each sample."""
        relevant, reasons = self._relevant(batch)
        value = shares(np.nan_to_num(relevant.values), relevant.offsets)
        return rows_of(value, batch.segments("question").not_blank.lengths == 0, reasons)

    def explained(self, batch: Batch) -> pa.Table:
        """Return one row per sentence of the passages: whether it is relevant; none of a sample that failed."""
        relevant, _ = self._relevant(batch)
        kept = np.flatnonzero(~np.isnan(relevant.values))
        return evidence(
            batch,
            relevant.rows[kept],
            what="passage sentence",
            texts=batch.segments("contexts", split).strings.values[kept].tolist(),
            supported=relevant.values[kept].astype(bool).tolist(),
        )

    def _relevant(self, batch: Batch) -> tuple[Ragged, dict[int, str]]:
        """Return whether each sentence is relevant, n lists, NaN where that is not known; and why it is not."""
        sentences, questions = batch.segments("contexts", split).strings, one_text(batch, "question")
        stated = np.array([bool(text.strip()) for text in questions], dtype=bool)
        rows = self.askable(batch, stated & (sentences.lengths > 0))
        data = [
            {"question": questions[row], "sentences": own, "count": len(own)}
            for row in rows
            for own in [sentences[row].tolist()]
        ]
        replied = self.replies(batch, RELEVANT, rows, data)
        values = np.full(len(sentences.values), np.nan)
        for row, reply in zip(rows, replied, strict=True):
            if reply.ok:
                values[sentences.offsets[row] : sentences.offsets[row + 1]] = flags(reply.value, RELEVANT)
        return Ragged(values, sentences.offsets), reasons_of(rows, replied)
