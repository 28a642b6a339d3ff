"""``judged-context-utilization``: whether the passages that are useful for the answer come first, as a judge says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ragauge.core.batch import Batch
from ragauge.core.protocol import Needs
from ragauge.core.ragged import BoolArray
from ragauge.core.registry import register
from ragauge.metrics.judged.judged_context_precision import JudgedPassages


@register("judged-context-utilization", at="k", compat={"ragas": {"epsilon": "1e-10"}})
@dataclass(frozen=True, kw_only=True)
class JudgedContextUtilization(JudgedPassages):
    """Context utilization by a judge: the mean of precision@k over the ranks k of passages useful for the answer.

    Formula:
        score = sum over ranks i = 1..k of P@i * v(i) / sum over ranks i = 1..k of v(i)
        v(i)  = 1 if the judge finds the passage at rank i useful for the answer, else 0
        P@i   = share of useful passages at ranks 1..i

    Unit and range: a share of passages, 0 to 1. It needs no reference. No useful passage, none at all, or an empty
    answer scores 0. All passages of a sample are in one question.

    ``undefined``: never. ``failed``: the judge gave no answer of the right form.

    >>> import ragauge
    >>> reply = '{"passages": [{"passage": 1, "useful": false}, {"passage": 2, "useful": true}]}'
    >>> judge = ragauge.judges.FunctionJudge(lambda messages: reply, "example")
    >>> metric = JudgedContextUtilization(judge=judge)
    >>> ragauge.score(metric, answer="In May.", contexts=["It rained.", "It opened in May."])
    0.5

    Not for: telling whether the answer is right: a wrong answer that uses the first passage scores 1.

    Source: ragas 0.4.3 ``LLMContextPrecisionWithoutReference``, once ``context_utilization``; ``compat=ragas`` adds its
    epsilon. Deviations: ragas asks one question for each passage.
    """

    needs: ClassVar[Needs] = (("contexts", "answer"),)
    against: ClassVar[str] = "answer"
    stand_in: ClassVar[str] = "context-utilization"

    def undefined(self, batch: Batch) -> BoolArray:
        """Return that no sample is undefined, (n,): an empty answer uses nothing, and scores 0."""
        return np.zeros(len(batch), dtype=bool)
