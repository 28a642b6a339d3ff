"""``answer-correctness``: whether the answer says what the reference says, and no more."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, ClassVar, Literal

import numpy as np
import pyarrow as pa

from ragauge.core.batch import Batch
from ragauge.core.ingredients import Embedder, Ingredient, ingredient_field
from ragauge.core.options import Beta, Range, check
from ragauge.core.protocol import Needs, Stage
from ragauge.core.ragged import BoolArray, FloatArray, IntArray
from ragauge.core.registry import register
from ragauge.core.statistics import Rows, Statistics, f_measure, ratio
from ragauge.core.texts import Segments
from ragauge.embedders.lexical import Lexical
from ragauge.metrics.rag._notes import evidence, noted, notes_of
from ragauge.metrics.rag._supported import Windowed, best_of, rows_of, shares, sums
from ragauge.sentences import split
from ragauge.support.pairs import BLOCK
from ragauge.support.scorer import MOST_COMPARED, Degrees, cosines

# Each takes about 10 kB, however short it is.
_MOST_REFERENCES = 10_000
_TOO_MANY = f"too many references: more than {_MOST_REFERENCES}, or too long an answer beside them"
_PARTS = ("f", "similarity", "precision", "recall")


@register(
    "answer-correctness", compat={"ragas": {"recall": "mixed", "known": "nothing", "soft": "false", "clip": "false"}}
)
@dataclass(frozen=True, kw_only=True)
class AnswerCorrectness(Windowed):
    """The weighted mean of the F of supported sentences and of the cosine of answer and reference.

    Formula:
        score = (w1 F + w2 max(0, cos(answer, reference))) / (w1 + w2), w1/w2 = weights
        F     = (1 + beta^2) P R / (beta^2 P + R)
        P     = sum over the answer's sentences of support / sentences of the answer
        R     = sum over the reference's sentences of support / sentences of the reference
        support = 1 if the other side supports the sentence, else 0; with soft=graded or true, between

    Unit and range: a share, 0 to 1, or with ``clip=false`` from -w2 / (w1 + w2) on. Of several references the one with
    the highest score counts. An empty answer scores 0. Parts: ``f``, ``similarity``, ``precision`` and ``recall`` with
    that reference.

    ``undefined``: the sample has no reference that is not empty. ``failed``: the embedder or support model gave no
    answer.

    Args:
        weights: of F and of the cosine, ``.75/.25``; they are divided by their sum.
        beta: above 1, recall weighs more.
        recall: ``own``: as above; ``mixed``: supported sentences of the answer / (these + unsupported sentences of the
            reference), as RAGAS.
        known: ``question``: under ``similarity=ngram-recall``, and where the data have a question, words of the
            question count as supported in the answer; ``nothing``: they do not.
        clip: take a negative cosine for 0.

    >>> import pyarrow as pa
    >>> answer, references = ["Lin Wan founded it. It has a garden."], [["Lin Wan founded it."]]
    >>> rows = AnswerCorrectness().measure(Batch(pa.table({"id": ["a"], "answer": answer, "references": references})))
    >>> [round(float(rows[part][0]), 2) for part in ("precision", "recall", "f", "similarity", "value")]
    [0.5, 1.0, 0.67, 0.85, 0.71]

    Not for: answers that are right and say more than the reference, whose surplus counts as unsupported; and, with
    ``lexical``, answers that say the same in other words or another language, or the opposite in the same words.

    Source: ragas 0.4.3, ``AnswerCorrectness``; ``compat=ragas`` takes its recall, with which F is TP / (TP + (FP + FN)
    / 2) for beta = 1, and does not clip. Deviations: the statements are sentences, where a language model rewrites
    them; the support is a similarity's, a matcher's or a classifier's; an empty answer scores 0, where ragas may
    score 1.
    """

    embedder: Ingredient[Embedder] = ingredient_field(Lexical)
    weights: tuple[Annotated[float, Range(0, 1000)], ...] = (0.75, 0.25)
    beta: Beta = 1.0
    recall: Literal["own", "mixed"] = "own"
    known: Literal["question", "nothing"] = "question"
    clip: bool = True

    stage: ClassVar[Stage] = "generation"

    def __post_init__(self) -> None:
        super().__post_init__()
        fit = len(self.weights) == 2 and sum(self.weights) > 0
        check(self, "weights", "two numbers from 0 on, not both 0, as in .75/.25", holds=fit)

    @property
    def range(self) -> tuple[float, float]:  # type: ignore[override]  # of the class where nothing can be negative
        """0 to 1, or lower by the weight of the cosine where cosines are not clipped."""
        return (self._lowest, 1.0)

    @property
    def needs(self) -> Needs:
        """Answer and references; the question if its words are known."""
        with_question = (("answer", "references", "question"),) if self._asks else ()
        return (*with_question, ("answer", "references"))

    def measure(self, batch: Batch) -> Rows:
        """Return the score of each answer with its best reference, and its parts."""
        pairs = self._pairs(batch)
        precise, recalled = self._degrees(batch, pairs)
        alike = cosines(batch, self.embedder, pairs.answers, pairs.references)
        floor = 0.0 if self.clip else -1.0
        similarity = sums(alike.by_claim.value.clip(floor), pairs.answers.offsets)
        correct, covered = (self.counts(one.by_claim) for one in (precise, recalled))
        scored = self._scored(pairs, correct, covered, similarity)
        best = best_of(scored["value"], pairs.owner, len(batch))
        columns = {name: np.where(best >= 0, np.append(values, 0.0)[best], 0.0) for name, values in scored.items()}
        # Reasons are looked for in all comparisons, which takes as long as comparing.
        failed = (one for one in (precise, recalled, alike) if one.by_claim.failed.any())
        by_pair = [pair for one in failed for pair in one.reasons.items()]
        reasons = {int(pairs.owner[pair]): why for pair, why in by_pair}
        reasons |= dict.fromkeys(np.flatnonzero(pairs.left_out).tolist(), _TOO_MANY)
        value = columns.pop("value")
        return rows_of(
            value, (best < 0) & ~pairs.left_out, reasons, self._noted(batch, best, precise, alike), **columns
        )

    def parts(self, totals: Statistics) -> Mapping[str, FloatArray]:
        """Return F, similarity, precision and recall."""
        return {name: ratio(totals[name], totals["count"]) for name in _PARTS}

    def explain(self, batch: Batch) -> pa.Table:
        """Return one row per sentence of the answer, then of the reference, for each reference."""
        pairs = self._pairs(batch)
        sides = (
            ("answer sentence", pairs.answer_sentences, pairs.reference_sentences),
            ("reference sentence", pairs.reference_sentences, pairs.answer_sentences),
        )
        tables = []
        for (what, segments, others), degrees in zip(sides, self._degrees(batch, pairs), strict=True):
            best = degrees.by_claim
            texts, rows = segments.strings.values, pairs.owner[segments.rows]
            shown = others.windows(self.shown).values
            tables.append(evidence(batch, rows, what, texts, best, shown, self.supported(best)))
        return pa.concat_tables(tables)

    @property
    def notes(self) -> Mapping[str, str]:
        """The notes that may stand beside a score; those of the embedder too, because the cosine is its own."""
        return {**notes_of(self.embedder), **super().notes}

    def _noted(self, batch: Batch, best: IntArray, support: Degrees, alike: Degrees) -> Mapping[str, IntArray]:
        """Return for each note its count in each sample, (n,), for sentences and whole texts of the best reference."""
        counts = noted(batch, self.embedder, replace(alike, noted={}), "references", "answer")
        for name, by_pair in (*support.noted.items(), *alike.noted.items()):
            counts[name] = counts.get(name, 0) + np.where(best >= 0, np.append(by_pair, 0)[best], 0)
        return counts

    @property
    def _lowest(self) -> float:
        return 0.0 if self.clip else -self.weights[1] / sum(self.weights)

    @property
    def _asks(self) -> bool:
        return self.known == "question" and self.support is None and self.scorer.similarity == "ngram-recall"

    def _pairs(self, batch: Batch) -> Pairs:
        return batch.derived("answers by reference", lambda: _paired(batch))

    def _degrees(self, batch: Batch, pairs: Pairs) -> tuple[Degrees, Degrees]:
        """Return the degrees of the answers' sentences by their reference, and of the references' by their answer."""
        known = pairs.questions if self._asks else None
        return (
            self.degrees(batch, pairs.answer_sentences, pairs.reference_sentences, self.width, known),
            self.degrees(batch, pairs.reference_sentences, pairs.answer_sentences, self.width),
        )

    def _scored(
        self, pairs: Pairs, correct: FloatArray, covered: FloatArray, similarity: FloatArray
    ) -> dict[str, FloatArray]:
        """Return value and parts of each pair, (m,), from the weights of its sentences and the cosine of its texts."""
        precision = shares(correct, pairs.answer_sentences.offsets)
        recall = shares(covered, pairs.reference_sentences.offsets)
        if self.recall == "mixed":
            right = sums(correct, pairs.answer_sentences.offsets)
            missed = pairs.reference_sentences.lengths - sums(covered, pairs.reference_sentences.offsets)
            recall = np.divide(right, right + missed, out=np.zeros(len(right)), where=right + missed > 0)
        f = f_measure(precision, recall, self.beta).clip(0.0, 1.0)
        value = ((self.weights[0] * f + self.weights[1] * similarity) / sum(self.weights)).clip(self._lowest, 1.0)
        return {"value": value, "f": f, "similarity": similarity, "precision": precision, "recall": recall}


@dataclass(frozen=True, eq=False)
class Pairs:
    """Answer and reference of each of m pairs; a sample has as many pairs as references that are not blank.

    Shapes: ``owner`` (m,) rising: the sample of each pair; all segments are those of the m pairs. ``left_out`` (n,):
    the samples without pairs, because several references beside a long answer take too many comparisons.
    """

    owner: IntArray
    left_out: BoolArray
    answers: Segments
    references: Segments
    answer_sentences: Segments
    reference_sentences: Segments
    questions: Segments | None


def _paired(batch: Batch) -> Pairs:
    references = batch.segments("references").not_blank
    answer_sentences, reference_sentences = (batch.segments(name, split) for name in ("answer", "references"))
    by_reference = reference_sentences.by_text()
    written = [place for place, text in enumerate(by_reference.texts.tolist()) if text.strip()]
    repeated = answer_sentences.lengths * references.lengths
    comparisons = answer_sentences.lengths * reference_sentences.lengths
    left_out = (references.lengths > 1) & ((repeated > BLOCK) | (comparisons > MOST_COMPARED))
    left_out |= references.lengths > _MOST_REFERENCES
    kept = np.flatnonzero(~left_out[references.rows])
    owner = references.rows[kept]
    return Pairs(
        owner,
        left_out,
        batch.segments("answer").not_blank.take(owner),
        references.by_text().take(kept),
        answer_sentences.take(owner),
        by_reference.take(np.array(written, dtype=np.int64)[kept]),
        batch.segments("question").take(owner) if "question" in batch.names else None,
    )
