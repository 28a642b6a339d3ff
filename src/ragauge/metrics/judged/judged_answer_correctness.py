"""``judged-answer-correctness``: shared claims of answer and reference, as a judge says, with their cosine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from ragauge.core.batch import Batch
from ragauge.core.ingredients import Embedder, Ingredient, ingredient_field
from ragauge.core.options import Range, check
from ragauge.core.ragged import FloatArray, IntArray
from ragauge.core.registry import register
from ragauge.core.statistics import Rows, f_measure
from ragauge.embedders.lexical import Lexical
from ragauge.grounding.support.scorer import cosines
from ragauge.metrics._sample_mean import best_of, sums, taken
from ragauge.metrics.judged.cascade import Cascade
from ragauge.metrics.judged.judged_factual_correctness import ClaimAgreement, JudgedAgreement


@register("judged-answer-correctness", compat={"ragas": {"claims": "judge", "clip": "false", "recall": "mixed"}})
@dataclass(frozen=True, kw_only=True)
class JudgedAnswerCorrectness(Cascade, JudgedAgreement):
    """Answer correctness by a judge: the F of the claims that answer and reference share, with the texts' cosine.

    Formula:
        score = (w1 F + w2 max(0, cos(answer, reference))) / (w1 + w2), w1/w2 = weights
        F     = (1 + beta^2) P R / (beta^2 P + R)
        P     = claims of the answer that the judge finds in the reference / claims of the answer
        R     = claims of the reference that the judge finds in the answer / claims of the reference

    Unit and range: a share, 0 to 1, or with ``clip=false`` from -w2 / (w1 + w2) on. The questions are those of
    ``judged-factual-correctness``, and are asked once for both. Of several references the one with the highest score
    counts. An empty answer scores 0. Parts: ``f``, ``similarity``, ``precision`` and ``recall`` with that reference.

    ``undefined``: no reference claims anything. ``failed``: the judge gave no answer of the right form, or the embedder
    no vector.

    Args:
        weights: of F and of the cosine, ``.75/.25``; they are divided by their sum.
        embedder: makes the vectors that are compared.
        clip: take a negative cosine for 0.

    >>> import ragauge
    >>> reply = '{"claims": [{"claim": 1, "passages": [1]}]}'
    >>> judge = ragauge.judges.FunctionJudge(lambda messages: reply, "example")
    >>> metric = JudgedAnswerCorrectness(judge=judge, weights=(1.0, 0.0))
    >>> ragauge.score(metric, answer="It opened.", references=["It opened in May."])
    1.0

    Not for: references of a few words beside long answers, whose further claims all count as wrong.

    Source: ragas 0.4.3 ``AnswerCorrectness``; ``compat=ragas`` takes its recall, with which F is TP / (TP + (FP + FN)
    / 2) for beta = 1, and does not clip. Deviations: each side's claims are held against the other text, where ragas
    sorts all claims in one reply, which may leave some out; an answer without claims scores 0, where ragas may score 1.
    """

    weights: tuple[Annotated[float, Range(0, 1000)], ...] = (0.75, 0.25)
    embedder: Ingredient[Embedder] = ingredient_field(Lexical)
    clip: bool = True

    own_parts: ClassVar[tuple[str, ...]] = ("f", "similarity", "precision", "recall")
    stand_in: ClassVar[str] = "answer-correctness"
    same_options: ClassVar[tuple[str, ...]] = ("weights", "embedder", "clip", "beta", "recall")

    def __post_init__(self) -> None:
        super().__post_init__()
        fit = len(self.weights) == 2 and sum(self.weights) > 0
        check(self, "weights", "two numbers from 0 on, not both 0, as in .75/.25", holds=fit)

    @property
    def range(self) -> tuple[float, float]:  # type: ignore[override]  # of the class where nothing can be negative
        """0 to 1, or lower by the weight of the cosine where cosines are not clipped."""
        return (0.0 if self.clip else -self.weights[1] / sum(self.weights), 1.0)

    def measured(self, batch: Batch) -> Rows:
        """Return the score of each answer with its best reference, and its parts."""
        agreement, reasons = self.agreement(batch)
        stated = np.flatnonzero(agreement.stated > 0)
        similarity, lost = self._similarity(batch, agreement, stated)
        precision, recall = agreement.precision()[stated], agreement.recall(self.recall)[stated]
        f = f_measure(precision, recall, self.beta).clip(0.0, 1.0)
        value = ((self.weights[0] * f + self.weights[1] * similarity) / sum(self.weights)).clip(*self.range)
        best = best_of(value, agreement.owner[stated], len(batch))
        by_name = {"value": value, "f": f, "similarity": similarity, "precision": precision, "recall": recall}
        columns = {name: taken(one, best) for name, one in by_name.items()}
        nothing = agreement.claims_nothing(len(batch))
        return self.rows(batch, columns.pop("value"), nothing, {**lost, **reasons}, columns)

    def _similarity(
        self, batch: Batch, agreement: ClaimAgreement, stated: IntArray
    ) -> tuple[FloatArray, Mapping[int, str]]:
        """Return the cosine of the answer with each of the references ``stated``, and why a sample has none."""
        owner = agreement.owner[stated]
        answers = batch.segments("answer").not_blank.take(owner)
        references = batch.segments("references").by_text().take(stated)
        alike = cosines(batch, self.embedder, answers, references)
        reasons = {int(owner[pair]): why for pair, why in alike.reasons.items()} if alike.by_claim.failed.any() else {}
        return sums(alike.by_claim.value.clip(0.0 if self.clip else -1.0), answers.offsets), reasons
