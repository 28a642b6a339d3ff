"""``judged-context-recall``: how much of the reference was retrieved, as a judge says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import pyarrow as pa

from ragauge.core.batch import Batch
from ragauge.core.protocol import Needs, Stage
from ragauge.core.ragged import Ragged
from ragauge.core.registry import register
from ragauge.core.statistics import Rows
from ragauge.metrics._sample_mean import best_share
from ragauge.metrics.judged._claims import ClaimMetric, Supported, evidence_of, passages_of
from ragauge.metrics.judged.cascade import Cascade


@register("judged-context-recall")
@dataclass(frozen=True, kw_only=True)
class JudgedContextRecall(Cascade, ClaimMetric):
    """Context recall by a judge: the share of the reference's claims that follow from a retrieved passage.

    Formula:
        score = claims of the reference for which the judge cites a passage / claims of the reference

    Unit and range: a share of claims, 0 to 1. Of several references the one that was retrieved best counts; all are in
    one question. An empty retrieval scores 0, and nothing is asked.

    ``undefined``: no reference claims anything. ``failed``: the judge gave no answer of the right form.

    >>> import ragauge
    >>> reply = '{"claims": [{"claim": 1, "passages": [1]}, {"claim": 2, "passages": []}]}'
    >>> judge = ragauge.judges.FunctionJudge(lambda messages: reply, "example")
    >>> ragauge.score(JudgedContextRecall(judge=judge), references=["It opened. It rained."], contexts=["It opened."])
    0.5

    Not for: references that say more than was asked, since the surplus has to be retrieved too.

    Source: ragas 0.4.3 ``LLMContextRecall``. Deviations: sentences are numbered, and a reply that lacks one fails; an
    empty retrieval scores 0, where ragas asks about an empty text.
    """

    stage: ClassVar[Stage] = "retrieval"
    needs: ClassVar[Needs] = (("references", "contexts"),)
    stand_in: ClassVar[str] = "context-recall"

    def measured(self, batch: Batch) -> Rows:
        """Return the share of supported claims of each sample's best reference."""
        claims, support = self.claims_in(batch, "references"), self._support(batch)
        value = best_share(Ragged(support.matrix.by_claim(), claims.by_text.offsets), claims.texts)
        return self.rows(batch, value, support.claims.lengths == 0, support.reasons, column="references")

    def explained(self, batch: Batch) -> pa.Table:
        """Return one row per claim of the references, with the first passage that the judge cites for it."""
        return evidence_of(batch, self._support(batch), "reference claim")

    def _support(self, batch: Batch) -> Supported:
        return self.supported(batch, self.claims_in(batch, "references"), passages_of(batch))
