"""``judged-factual-correctness``: which claims of answer and reference the other one makes too, as a judge says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
import pyarrow as pa

from ragauge.core.batch import Batch
from ragauge.core.options import Beta
from ragauge.core.protocol import Needs, Stage
from ragauge.core.ragged import BoolArray, FloatArray, IntArray
from ragauge.core.registry import register
from ragauge.core.statistics import Rows, f_measure
from ragauge.metrics._sample_mean import best_of, sums, taken
from ragauge.metrics.judged._base import one_text
from ragauge.metrics.judged._claims import ClaimMetric, Claims, Supported, evidence_of, passages_of

Recall = Literal["own", "mixed"]


@dataclass(frozen=True, eq=False)
class ClaimAgreement:
    """How far answers and references claim the same: one value for each of the m references of n samples.

    Shapes: all (m,). ``owner``: the sample of each reference. ``right``: the answer's claims that the reference
    supports, of ``claimed``. ``covered``: the reference's claims that the answer supports, of ``stated``.
    """

    owner: IntArray
    right: FloatArray
    claimed: FloatArray
    covered: FloatArray
    stated: FloatArray

    def claims_nothing(self, n: int) -> BoolArray:
        """Return a mask of the samples of which no reference claims anything, (n,)."""
        return np.asarray(np.bincount(self.owner, self.stated, n) == 0)

    def precision(self) -> FloatArray:
        """Return the share of the answer's claims that are right; 0 without claims."""
        return self.right / np.maximum(self.claimed, 1.0)

    def recall(self, how: Recall) -> FloatArray:
        """Return the share of the reference's claims that are covered; 0 without claims.

        ``mixed``: right claims of the answer / (these + claims of the reference that are not covered), as RAGAS.
        """
        if how == "own":
            return self.covered / np.maximum(self.stated, 1.0)
        missed = self.stated - self.covered
        return self.right / np.maximum(self.right + missed, 1.0)


@dataclass(frozen=True, kw_only=True)
class JudgedAgreement(ClaimMetric):
    """The base of metrics of claims that answers and references share.

    Args:
        beta: above 1, recall weighs more.
        recall: ``own``: the share of the reference's claims that the answer makes. ``mixed``: right claims of the
            answer / (these + claims of the reference that the answer lacks), as RAGAS.
    """

    beta: Beta = 1.0
    recall: Recall = "own"

    stage: ClassVar[Stage] = "generation"
    needs: ClassVar[Needs] = (("answer", "references"),)

    def explained(self, batch: Batch) -> pa.Table:
        """Return one row per claim of the answer, then of the references, with the text that supports it."""
        _, of_answer, of_references = self._both(batch)
        return pa.concat_tables(
            [evidence_of(batch, of_answer, "answer claim"), evidence_of(batch, of_references, "reference claim")]
        )

    def agreement(self, batch: Batch) -> tuple[ClaimAgreement, Mapping[int, str]]:
        """Return the agreement of each reference with the answer, and why a sample's is not known."""
        references, of_answer, of_references = self._both(batch)
        owner = np.repeat(np.arange(len(batch)), np.diff(references.texts))
        claimed = of_answer.claims.lengths[owner].astype(np.float64)
        stated = references.by_text.lengths.astype(np.float64)
        # Counts are whole again after they were divided.
        right = np.round(of_answer.matrix.shares_by_passage() * claimed, 9)
        covered = sums(of_references.matrix.by_claim(), references.by_text.offsets)
        return ClaimAgreement(owner, right, claimed, covered, stated), {**of_answer.reasons, **of_references.reasons}

    def _both(self, batch: Batch) -> tuple[Claims, Supported, Supported]:
        """Return the claims of the references, the support of the answer's claims, and that of the references'."""
        answers, references = self.claims_in(batch, "answer"), self.claims_in(batch, "references")
        of_answer = self.supported(batch, answers, passages_of(batch, "references"))
        own = [[text] if text.strip() else [] for text in one_text(batch, "answer")]
        return references, of_answer, self.supported(batch, references, own)


@register(
    "judged-factual-correctness",
    aliases=("factual-correctness",),
    compat={"ragas": {"claims": "judge", "recall": "mixed"}},
)
@dataclass(frozen=True, kw_only=True)
class JudgedFactualCorrectness(JudgedAgreement):
    """Factual correctness by a judge: the F of the claims of answer and reference that the other one supports.

    Formula:
        score = (1 + beta^2) P R / (beta^2 P + R)
        P     = claims of the answer that the judge finds in the reference / claims of the answer
        R     = claims of the reference that the judge finds in the answer / claims of the reference

    Unit and range: a share of claims, 0 to 1. Two questions a sample, one for each side, with all claims by number. Of
    several references the one with the highest F counts. An answer that claims nothing scores 0. Parts: ``precision``
    and ``recall`` with that reference.

    ``undefined``: no reference claims anything. ``failed``: the judge gave no answer of the right form.

    Args:
        mode: ``f``, or ``precision`` or ``recall`` alone.

    >>> import ragauge
    >>> reply = '{"claims": [{"claim": 1, "passages": [1]}]}'
    >>> judge = ragauge.judges.FunctionJudge(lambda messages: reply, "example")
    >>> ragauge.score(JudgedFactualCorrectness(judge=judge), answer="It opened.", references=["It opened in May."])
    1.0

    Not for: references of a few words beside long answers, whose further claims all count as wrong (``mode=recall``).

    Source: ragas 0.4.3 ``FactualCorrectness``. Deviations: the recall is that of the reference's claims; ragas divides
    the right claims of the answer by these and the claims missed, so that an answer that has none of two claims may
    score .67 (``compat=ragas``). Scores are not rounded to two digits.
    """

    mode: Literal["f", "precision", "recall"] = "f"

    own_parts: ClassVar[tuple[str, ...]] = ("precision", "recall")

    def measured(self, batch: Batch) -> Rows:
        """Return the score of each answer with its best reference, and its parts."""
        agreement, reasons = self.agreement(batch)
        precision, recall = agreement.precision(), agreement.recall(self.recall)
        f = f_measure(precision, recall, self.beta).clip(0.0, 1.0)
        stated = agreement.stated > 0
        best = best_of(f[stated], agreement.owner[stated], len(batch))
        by_name = {"f": f, "precision": precision, "recall": recall}
        columns = {name: taken(one[stated], best) for name, one in by_name.items()}
        parts = {name: columns[name] for name in self.own_parts}
        return self.rows(batch, columns[self.mode], agreement.claims_nothing(len(batch)), reasons, parts)
