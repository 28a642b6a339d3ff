"""``judged-context-precision``: whether the passages that are useful for the reference come first, as a judge says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
import pyarrow as pa

from ragauge.core.batch import Batch
from ragauge.core.options import Cutoff, Range
from ragauge.core.protocol import Needs, Stage, evidence
from ragauge.core.ragged import BoolArray, Ragged, offsets_of
from ragauge.core.registry import register
from ragauge.core.statistics import Rows
from ragauge.metrics._sample_mean import rows_of
from ragauge.metrics.judged._base import reasons_of, texts_of, with_question
from ragauge.metrics.judged._claims import passages_of
from ragauge.metrics.judged._forms import USEFUL, flags
from ragauge.metrics.judged._verdicts import VerdictMetric
from ragauge.metrics.judged.cascade import Cascade
from ragauge.metrics.rag.context_precision import average_precision


@dataclass(frozen=True, kw_only=True)
class JudgedPassages(Cascade, VerdictMetric):
    """The base of metrics that ask which passages are useful for an answer, all of a sample in one question.

    Args:
        k: the number of passages that count; None: all. All are shown to the judge.
        epsilon: a number added to the denominator; RAGAS adds 1e-10, so a perfect ranking scores 0.9999999999.
    """

    epsilon: Annotated[float, Range(0, 1000)] = 0.0
    k: Cutoff = None

    prompts_used: ClassVar[tuple[str, ...]] = ("useful",)
    stage: ClassVar[Stage] = "retrieval"
    same_options: ClassVar[tuple[str, ...]] = ("k", "epsilon")
    against: ClassVar[str]
    """The column of the answers that passages should be useful for."""

    def measured(self, batch: Batch) -> Rows:
        """Return the average precision of each sample's passages."""
        useful, reasons = self._useful(batch)
        value = average_precision(Ragged(np.nan_to_num(useful.values), useful.offsets), self.k, self.epsilon)
        return rows_of(value, self.undefined(batch), reasons)

    def undefined(self, batch: Batch) -> BoolArray:
        """Return a mask of the samples without a text to be useful for that count as undefined, (n,)."""
        raise NotImplementedError

    def explained(self, batch: Batch) -> pa.Table:
        """Return one row per passage: whether it is useful; none of a sample that was not asked about, or failed."""
        useful, _ = self._useful(batch)
        kept = np.flatnonzero(~np.isnan(useful.values))
        texts = [text for passages in passages_of(batch) for text in passages]
        return evidence(
            batch,
            useful.rows[kept],
            what="passage",
            texts=[texts[place] for place in kept.tolist()],
            supported=useful.values[kept].astype(bool).tolist(),
        )

    def _useful(self, batch: Batch) -> tuple[Ragged, dict[int, str]]:
        """Return whether each passage is useful, n lists, NaN where that is not known; and why it is not."""
        passages, answers = passages_of(batch), texts_of(batch, self.against)
        has_both = [bool(own) and bool(texts) for own, texts in zip(answers, passages, strict=True)]
        rows = self.askable(batch, has_both)
        data = [
            {**question, "answers": answers[row], "passages": passages[row], "count": len(passages[row])}
            for question, row in zip(with_question(batch, rows), rows, strict=True)
        ]
        replied = self.replies(batch, USEFUL, rows, data)
        known = {row: flags(reply.value, USEFUL) for row, reply in zip(rows, replied, strict=True) if reply.ok}
        lists = [known.get(row, [np.nan] * len(texts)) for row, texts in enumerate(passages)]
        values = np.array([value for own in lists for value in own], dtype=np.float64)
        return Ragged(values, offsets_of([len(own) for own in lists])), reasons_of(rows, replied)


@register("judged-context-precision", at="k", compat={"ragas": {"epsilon": "1e-10"}})
@dataclass(frozen=True, kw_only=True)
class JudgedContextPrecision(JudgedPassages):
    """Context precision by a judge: the mean of precision@k over the ranks k of passages useful for the reference.

    Formula:
        score = sum over ranks i = 1..k of P@i * v(i) / sum over ranks i = 1..k of v(i)
        v(i)  = 1 if the judge finds the passage at rank i useful for the reference, else 0
        P@i   = share of useful passages at ranks 1..i

    Unit and range: a share of passages, 0 to 1. What was not retrieved is not missed. No useful passage, or none at
    all, scores 0. All passages of a sample are in one question; of several references any will do.

    ``undefined``: the sample has no reference that is not blank. ``failed``: the judge gave no answer of the right
    form.

    >>> import ragauge
    >>> reply = '{"passages": [{"passage": 1, "useful": false}, {"passage": 2, "useful": true}]}'
    >>> judge = ragauge.judges.FunctionJudge(lambda messages: reply, "example")
    >>> metric = JudgedContextPrecision(judge=judge)
    >>> ragauge.score(metric, references=["In May."], contexts=["It rained.", "It opened in May."])
    0.5

    Not for: asking whether everything was found: one passage of four, ranked first, scores 1
    (``judged-context-recall``).

    Source: ragas 0.4.3 ``LLMContextPrecisionWithReference``; ``compat=ragas`` adds its epsilon. Deviations: ragas asks
    one question for each passage.
    """

    needs: ClassVar[Needs] = (("contexts", "references"),)
    against: ClassVar[str] = "references"
    stand_in: ClassVar[str] = "context-precision"

    def undefined(self, batch: Batch) -> BoolArray:
        """Return a mask of the samples without a reference that is not blank, (n,)."""
        return np.array([not texts for texts in texts_of(batch, "references")], dtype=bool)
