"""``answer-correctness``: whether the answer says what the reference says."""

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
from ragauge.embedders.lexical import Lexical
from ragauge.grounding.claims import Framing
from ragauge.grounding.notes import UNSAID, evidence, meanings, noted, notes_of
from ragauge.grounding.support.pairs import Best
from ragauge.grounding.support.scorer import Degrees, cosines
from ragauge.grounding.support.thresholds import MEASURED
from ragauge.metrics._sample_mean import best_of, rows_of, shares_of, sums, taken
from ragauge.metrics.rag._answer_pairs import (
    TOO_MANY,
    Pairs,
    claiming,
    claims_nothing,
    denials,
    paired,
    stances_of,
    tokens_of_references,
)
from ragauge.metrics.rag._compared import Compared
from ragauge.metrics.rag._supported import Windowed
from ragauge.sentences import split

_PARTS = ("f", "similarity", "precision", "recall")


_RAGAS = {
    "recall": "mixed",
    "known": "nothing",
    "short": "0",
    "unsaid": "count",
    "stance": "ignore",
    "soft": "false",
    "clip": "false",
}


@register("answer-correctness", compat={"ragas": _RAGAS})
@dataclass(frozen=True, kw_only=True)
class AnswerCorrectness(Windowed):
    """Answer correctness: the share of a short reference in the answer; of a long one, F of sentences with the cosine.

    Formula:
        score = s R + (1 - s) (w1 F + w2 max(0, cos(answer, reference))) / (w1 + w2), w1/w2 = weights
        s     = short / (short + tokens of the reference)
        F     = (1 + beta^2) P R / (beta^2 P + R)
        P     = sum over the answer's sentences of support / sentences of the answer
        R     = sum over the reference's sentences of support / sentences of the reference
        support = the degree to which the other side supports the sentence; with soft=false 0 or 1, with graded between

    A longer answer is not a wrong one: beside a reference of a few words, what else the answer says hardly counts.

    Sentences that only say that something is unknown or not mentioned are left out. If an answer has no others, it
    scores 1 beside a reference of that kind, and 0 beside any other; an answer that claims something scores 0 beside a
    reference that does not. Where both begin with yes or no, different ones score 0, and equal ones are half of the
    score. Such sentences are recognised by their words in 18 languages, yes and no in eleven.

    Unit and range: a share, 0 to 1, or with ``clip=false`` from -w2 / (w1 + w2) on. Of several references the one with
    the highest score counts. An empty answer scores 0. Parts: ``f``, ``similarity``, ``precision`` and ``recall`` with
    that reference.

    ``undefined``: the sample has no reference that is not empty. ``failed``: the embedder or support model gave no
    answer.

    Args:
        weights: of F and of the cosine, ``.75/.25``; they are divided by their sum.
        beta: above 1, recall weighs more.
        short: the number of tokens of a reference at which recall and the rest weigh the same; 0: the rest alone.
        recall: ``own``: as above; ``mixed``: supported sentences of the answer / (these + unsupported sentences of the
            reference), as RAGAS.
        known: ``question``: where the data have a question, its words count as supported in the answer, unless
            ``support=cosine`` or a model decides; ``nothing``: they do not.
        unsaid: ``kind``: sentences that claim nothing are dealt with as above; ``count``: like any other.
        framing: ``skip`` what frames claims, as markers of citations, list marks, greetings; or ``count`` it.
        stance: ``compare`` what answer and reference begin with, yes or no, or ``ignore`` it.
        soft: as for all metrics of support, but ``auto`` is true for features and for n-gram recall with its measured
            threshold: degrees count as they are, and the threshold only says what evidence shows as supported.
        clip: take a negative cosine for 0.

    >>> import pyarrow as pa
    >>> answer, references = ["Lin Wan founded it. It has a garden."], [["Lin Wan founded it."]]
    >>> rows = AnswerCorrectness().measure(Batch(pa.table({"id": ["a"], "answer": answer, "references": references})))
    >>> [round(float(rows[part][0]), 2) for part in ("precision", "recall", "f", "similarity", "value")]
    [0.61, 1.0, 0.75, 0.85, 0.94]

    Not for: by default, answers that say the same in quite other words or in another language; what was exchanged or
    denied costs a part of the score only. Nor for answers that list everything beside a short reference (``token-f1``).

    On half of the answers of EVOUNA (TriviaQA) and of OpenQA (NQ) that people labelled, right answers score higher than
    wrong ones with an area under the curve of 98.5 and 83.0 %, token F1 with 89.2 and 80.1 %; any ``short`` from 3 to
    20 gives the same within .1. A score of .5 tells right answers from wrong ones with 93 and 79 % balanced accuracy.

    Source: ragas 0.4.3, ``AnswerCorrectness``; ``compat=ragas`` takes its recall, with which F is TP / (TP + (FP + FN)
    / 2) for beta = 1, does not clip, and treats short references like long ones. Deviations: the statements are
    sentences, where a language model rewrites them; the support is a similarity's, a matcher's or a classifier's; an
    empty answer scores 0, where ragas may score 1.
    """

    embedder: Ingredient[Embedder] = ingredient_field(Lexical)
    weights: tuple[Annotated[float, Range(0, 1000)], ...] = (0.75, 0.25)
    beta: Beta = 1.0
    short: Annotated[float, Range(0, 1000)] = 10.0
    recall: Literal["own", "mixed"] = "own"
    known: Literal["question", "nothing"] = "question"
    unsaid: Literal["kind", "count"] = "kind"
    framing: Framing = "skip"
    stance: Literal["compare", "ignore"] = "compare"
    clip: bool = True

    revision: ClassVar[int] = 10
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
        scored = self._scored(batch, pairs, correct, covered, similarity)
        best = best_of(scored["value"], pairs.owner, len(batch))
        columns = {name: taken(values, best) for name, values in scored.items()}
        # Reasons are looked for in all comparisons, which takes as long as comparing.
        failed = (one for one in (precise, recalled, alike) if one.by_claim.failed.any())
        by_pair = [pair for one in failed for pair in one.reasons.items()]
        reasons = {int(pairs.owner[pair]): why for pair, why in by_pair}
        reasons |= dict.fromkeys(np.flatnonzero(pairs.left_out).tolist(), TOO_MANY)
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
            texts, rows = segments.windows(1).values, pairs.owner[segments.rows]
            shown = others.windows(self.shown).values
            supported = self.supported(best)
            why = Compared.by_claim(degrees, segments, others).why(supported)
            tables.append(evidence(batch, rows, what, texts, best, shown, supported, why))
        return pa.concat_tables(tables)

    @property
    def notes(self) -> Mapping[str, str]:
        """The notes that may accompany a score; those of the embedder too, because the cosine is its own."""
        return {**notes_of(self.embedder), **super().notes, **(meanings(UNSAID) if self.unsaid == "kind" else {})}

    @property
    def softness(self) -> Literal[False, "graded", True, "calibrated"]:
        """The value of ``soft``, with ``auto`` resolved: degrees keep their order where they can."""
        return True if self._ordered else super().softness

    @property
    def _ordered(self) -> bool:
        """Whether degrees count as they are, where others grade or calibrate them."""
        return self.soft == "auto" and self.threshold == MEASURED and super().softness in ("graded", "calibrated")

    def supported(self, best: Best) -> BoolArray | None:
        """Return a mask of the sentences that evidence shows as supported, (s,); None if no threshold is known."""
        return best.reaches(self.scorer.resolved_threshold.value) if self._ordered else super().supported(best)

    def _noted(self, batch: Batch, best: IntArray, support: Degrees, alike: Degrees) -> Mapping[str, IntArray]:
        """Return for each note its count in each sample, (n,), for sentences and whole texts of the best reference."""
        counts = noted(batch, self.embedder, replace(alike, noted={}), "references", "answer")
        if self.unsaid == "kind":
            answers = batch.segments("answer", split)
            counts[UNSAID] = np.bincount(
                answers.rows[~claiming(batch, "answer", self.framing).values], minlength=len(batch)
            )
        for name, by_pair in (*support.counts.items(), *alike.noted.items()):
            counts[name] = counts.get(name, 0) + np.where(best >= 0, np.append(by_pair, 0)[best], 0)
        return counts

    @property
    def _lowest(self) -> float:
        return 0.0 if self.clip else -self.weights[1] / sum(self.weights)

    @property
    def _asks(self) -> bool:
        return self.known == "question" and self.model is None and self.method != "cosine"

    def _pairs(self, batch: Batch) -> Pairs:
        return batch.derived(("answers by reference", self.framing), lambda: paired(batch, self.framing))

    def _degrees(self, batch: Batch, pairs: Pairs) -> tuple[Degrees, Degrees]:
        """Return the degrees of the answers' sentences by their reference, and of the references' by their answer."""
        known = pairs.questions if self._asks else None
        return (
            self.degrees(batch, pairs.answer_sentences, pairs.reference_sentences, self.width, known),
            self.degrees(batch, pairs.reference_sentences, pairs.answer_sentences, self.width),
        )

    def _scored(
        self, batch: Batch, pairs: Pairs, correct: FloatArray, covered: FloatArray, similarity: FloatArray
    ) -> dict[str, FloatArray]:
        """Return value and parts of each pair, (m,), from the weights of its sentences and the cosine of its texts."""
        answers, references = pairs.answer_sentences.offsets, pairs.reference_sentences.offsets
        answered, stated = self._claimed(batch, pairs)
        precision, recall = shares_of(correct, answered, answers), shares_of(covered, stated, references)
        if self.recall == "mixed":
            right, missed = (
                sums(correct * answered, answers),
                sums(stated, references) - sums(covered * stated, references),
            )
            recall = np.divide(right, right + missed, out=np.zeros(len(right)), where=right + missed > 0)
        # Both sides claim nothing, and do so with sentences: they say the same.
        silent, blank = claims_nothing(answered, answers), claims_nothing(stated, references)
        alike = silent & blank
        precision, recall = (np.where(alike, 1.0, one) for one in (precision, recall))
        f = f_measure(precision, recall, self.beta).clip(0.0, 1.0)
        long = (self.weights[0] * f + self.weights[1] * similarity) / sum(self.weights)
        share = self.short / (self.short + tokens_of_references(batch)[pairs.reference].clip(1))
        value = share * recall + (1.0 - share) * long
        value = np.where(alike, 1.0, np.where(silent | blank, 0.0, value))
        value = self._by_stance(batch, pairs, value).clip(self._lowest, 1.0)
        return {"value": value, "f": f, "similarity": similarity, "precision": precision, "recall": recall}

    def _claimed(self, batch: Batch, pairs: Pairs) -> tuple[BoolArray, BoolArray]:
        """Return which sentences of the pairs' answers and references count."""
        sentences = pairs.answer_sentences, pairs.reference_sentences
        if self.unsaid == "count":
            return np.ones(len(sentences[0]), dtype=bool), np.ones(len(sentences[1]), dtype=bool)
        answers, references = (claiming(batch, name, self.framing) for name in ("answer", "references"))
        return answers.take(pairs.owner).values, references.take(pairs.reference).values

    def _by_stance(self, batch: Batch, pairs: Pairs, value: FloatArray) -> FloatArray:
        """Return the values of pairs, (m,), after what answer and reference begin with, yes or no."""
        if self.stance == "ignore":
            return value
        answers, references = (stances_of(batch, name) for name in ("answer", "references"))
        agreement = answers[pairs.owner] * references[pairs.reference]
        agreement = np.where(denials(pairs), -1, agreement)
        return np.select([agreement > 0, agreement < 0], [(1.0 + value) / 2.0, np.zeros(len(value))], value)
