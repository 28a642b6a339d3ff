"""``judged-noise-sensitivity``: how many of the answer's claims are wrong and come from passages, as a judge says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
import pyarrow as pa

from ragauge.core.batch import Batch
from ragauge.core.messages import Message
from ragauge.core.protocol import Direction, Needs, Stage, evidence
from ragauge.core.ragged import FloatArray
from ragauge.core.registry import register
from ragauge.core.statistics import Rows
from ragauge.metrics._sample_mean import shares
from ragauge.metrics.judged._claims import ClaimMetric, Claims, Supported, SupportMatrix, passages_of


@register("judged-noise-sensitivity", aliases=("noise-sensitivity",), compat={"ragas": {"claims": "judge"}})
@dataclass(frozen=True, kw_only=True)
class JudgedNoiseSensitivity(ClaimMetric):
    """Noise sensitivity by a judge: the share of the answer's claims that are wrong and follow from a passage.

    Formula:
        score = claims of the answer that are wrong and follow from such a passage / claims of the answer
        wrong = no reference supports the claim

    Unit and range: a share of claims, 0 to 1, better when lower. A passage is relevant if it supports a claim of a
    reference; where a claim follows only from several passages together, each of them is. Three questions a sample: the
    answer's claims against the passages, as for ``judged-faithfulness``, the references' claims against the passages,
    as for ``judged-context-recall``, and the answer's against the references, as for ``judged-factual-correctness``;
    each is asked once for all these metrics. Without passages the score is 0.

    ``undefined``: no reference claims anything, or the answer claims nothing; the bounds count it as anything from 0 to
    1. ``failed``: the judge gave no answer of the right form.

    Args:
        mode: ``relevant``: wrong claims that follow from a relevant passage; ``irrelevant``: those that follow from
            irrelevant passages alone.

    >>> import ragauge
    >>> def reply(messages):  # Every claim is in the passage, and none in the reference.
    ...     cited = "[1]" if "Red and old." in messages[-1][1] else "[]"
    ...     return f'{{"claims": [{{"claim": 1, "passages": {cited}}}]}}'
    >>> metric = JudgedNoiseSensitivity(judge=ragauge.judges.FunctionJudge(reply, "example"))
    >>> ragauge.score(metric, answer="It is red.", contexts=["Red and old."], references=["It is old."])
    1.0

    Not for: judging answers by themselves: an answer of wrong claims that are in no passage scores 0.

    Source: ragas 0.4.3 ``NoiseSensitivity``, after RAGChecker (Ru et al. 2024). Deviations: all passages are in one
    question, where ragas asks two for each passage; by default claims are sentences.
    """

    mode: Literal["relevant", "irrelevant"] = "relevant"

    direction: ClassVar[Direction] = "lower"
    stage: ClassVar[Stage] = "generation"
    needs: ClassVar[Needs] = (("answer", "contexts", "references"),)
    bounds_undefined: ClassVar[bool] = True

    def measured(self, batch: Batch) -> Rows:
        """Return the share of wrong claims that follow from passages, of each answer."""
        answers, references = self._claims(batch)
        by_passages, of_references, by_references = self._supports(batch, answers, references)
        wrong = self._wrong(by_passages, of_references, by_references)
        reasons = {**by_passages.reasons, **of_references.reasons, **by_references.reasons}
        claims_nothing = (answers.by_sample.lengths == 0) | (references.by_sample.lengths == 0)
        return self.rows(batch, shares(wrong, answers.by_sample.offsets), claims_nothing, reasons)

    def explained(self, batch: Batch) -> pa.Table:
        """Return one row per claim of the answer, with the first passage from which it follows, and why it counts."""
        three = self._supports(batch, *self._claims(batch))
        by_passages, wrong, right = three[0], self._wrong(*three), three[2].matrix.by_claim()
        lost = sorted({row for support in three for row in support.reasons})
        kept = np.flatnonzero(~np.isin(by_passages.claims.rows, lost))
        first = by_passages.matrix.first_passage()[kept].tolist()
        passages = [text for texts in by_passages.passages for text in texts]
        return evidence(
            batch,
            by_passages.claims.rows[kept],
            what="answer claim",
            texts=by_passages.claims.values[kept].tolist(),
            best=[passages[place] if place >= 0 else None for place in first],
            supported=right[kept].astype(bool).tolist(),
            why=[
                Message("wrong, from {mode} passages", self.mode) if wrong[place] else None for place in kept.tolist()
            ],
        )

    def _claims(self, batch: Batch) -> tuple[Claims, Claims]:
        """Return the claims of answers and references."""
        return self.claims_in(batch, "answer"), self.claims_in(batch, "references")

    def _supports(self, batch: Batch, answers: Claims, references: Claims) -> tuple[Supported, Supported, Supported]:
        """Return the answers' and the references' claims by passages, and the answers' by references."""
        passages = passages_of(batch)
        return (
            self.supported(batch, answers, passages),
            self.supported(batch, references, passages),
            self.supported(batch, answers, passages_of(batch, "references")),
        )

    def _wrong(self, by_passages: Supported, of_references: Supported, by_references: Supported) -> FloatArray:
        right = by_references.matrix.by_claim()
        return noise(by_passages.matrix, of_references.matrix, right, relevant=self.mode == "relevant")


def noise(answer: SupportMatrix, reference: SupportMatrix, right: FloatArray, *, relevant: bool) -> FloatArray:
    """Return which claims of the answers are wrong, and follow from a relevant passage, or from irrelevant ones only.

    Of probabilities, what must hold together is multiplied.

    A passage is relevant if it supports a claim of the reference.

    Args:
        answer: claims of the answers by passages.
        reference: claims of the references by the same passages.
        right: (c,) which of the answers' claims the references support.
        relevant: claims from relevant passages; else those from irrelevant passages alone.

    >>> offsets = np.array([0, 2])
    >>> answer = SupportMatrix(offsets, offsets, np.array([True, False, False, True]))
    >>> reference = SupportMatrix(np.array([0, 1]), offsets, np.array([True, False]))
    >>> noise(answer, reference, np.array([0.0, 0.0]), relevant=True)
    array([1., 0.])

    Source: ragas 0.4.3 ``NoiseSensitivity``.
    """
    useful = reference.by_passage()
    from_useful = answer.by_claim(useful)
    blamed = from_useful if relevant else answer.by_claim(1 - useful) * (1 - from_useful)
    return np.asarray(blamed * (1 - right))
