"""``judged-faithfulness``: how much of the answer the retrieved passages support, as a judge says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import pyarrow as pa

from ragauge.core.batch import Batch
from ragauge.core.protocol import Needs, Stage
from ragauge.core.registry import register
from ragauge.core.statistics import Rows
from ragauge.grounding.earlier import EARLIER, all_passages
from ragauge.metrics._sample_mean import shares
from ragauge.metrics.judged._claims import ClaimMetric, Supported, evidence_of, passages_of
from ragauge.metrics.judged.cascade import Cascade


@register("judged-faithfulness", aliases=("judged-groundedness",))
@dataclass(frozen=True, kw_only=True)
class JudgedFaithfulness(Cascade, ClaimMetric):
    """Faithfulness by a judge: the share of the answer's claims that follow from a retrieved passage.

    Formula:
        score = claims of the answer for which the judge cites a passage / claims of the answer

    Unit and range: a share of claims, 0 to 1. One question a sample, with all claims and passages by number; with
    ``claims=judge`` one more, which takes the answer apart. Without passages the score is 0, and no support is asked
    for.

    Where the data have the column ``earlier_contexts`` (`--turns` makes it of conversations), its passages count too.

    ``undefined``: the answer claims nothing. The bounds count it as anything from 0 to 1, because the system claimed
    nothing. ``failed``: the judge gave no answer of the right form, also when asked again with the complaint.

    >>> import ragauge
    >>> reply = '{"claims": [{"claim": 1, "passages": [1]}, {"claim": 2, "passages": []}]}'
    >>> judge = ragauge.judges.FunctionJudge(lambda messages: reply, "example")
    >>> ragauge.score(JudgedFaithfulness(judge=judge), answer="It opened. It rained.", contexts=["It opened."])
    0.5

    Not for: telling whether an answer is right: a wrong passage quoted faithfully scores 1
    (``judged-answer-correctness``).

    Source: faithfulness of Es, James, Espinosa-Anke and Schockaert 2023, "RAGAS: automated evaluation of retrieval
    augmented generation"; ragas 0.4.3 ``Faithfulness``. Deviations: claims are numbered, and a reply that lacks one
    fails, where ragas divides by the verdicts that came back; an answer without claims is undefined, where ragas gives
    NaN; by default the claims are sentences.
    """

    stage: ClassVar[Stage] = "generation"
    needs: ClassVar[Needs] = (("answer", "contexts", EARLIER), ("answer", "contexts"))
    bounds_undefined: ClassVar[bool] = True
    stand_in: ClassVar[str] = "groundedness"

    def measured(self, batch: Batch) -> Rows:
        """Return the share of supported claims of each answer."""
        batch = all_passages(batch)
        support = self._support(batch)
        value = shares(support.matrix.by_claim(), support.claims.offsets)
        return self.rows(batch, value, support.claims.lengths == 0, support.reasons)

    def explained(self, batch: Batch) -> pa.Table:
        """Return one row per claim of the answer, with the first passage that the judge cites for it."""
        batch = all_passages(batch)
        return evidence_of(batch, self._support(batch), "answer claim")

    def _support(self, batch: Batch) -> Supported:
        return self.supported(batch, self.claims_in(batch, "answer"), passages_of(batch))
