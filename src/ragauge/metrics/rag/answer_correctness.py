"""``answer-correctness``: whether the answer says what the reference says, and no more."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from ragauge.core.protocol import Needs, Stage
from ragauge.core.registry import register
from ragauge.core.statistics import ratio
from ragauge.metrics.rag._notes import evidence, noted, notes_of
from ragauge.metrics.rag._sides import Sides, sides_of
from ragauge.metrics.rag._supported import Windowed, best_of, check, rows_of, shares, sums
from ragauge.support.scorer import cosines
from ragauge.support.segments import texts_of

if TYPE_CHECKING:
    import pyarrow as pa

    from ragauge.core.batch import Batch
    from ragauge.core.ragged import FloatArray, IntArray
    from ragauge.core.statistics import Rows, Statistics
    from ragauge.support.scorer import Degrees

_COMPAT: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {"ragas": {"recall": "mixed", "known": "nothing", "soft": "false", "clip": "false"}}
)
_PARTS = ("f", "similarity", "precision", "recall")


@register("answer-correctness", compat=_COMPAT)
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

    ``undefined``: the sample has no reference that is not empty. ``failed``: the embedder or
    support model gave no answer.

    Args:
        weights: of F and of the cosine, ``.75/.25``; they are divided by their sum.
        beta: above 1, recall weighs more.
        recall: ``own``: as above; ``mixed``: supported sentences of the answer / (these + unsupported sentences of the
            reference), as RAGAS.
        known: with ``question``, under ``similarity=ngram-recall``, and where the data have a question, an answer may
            repeat its words without being held to have claimed them; ``nothing``: it may not.
        clip: take a negative cosine for 0.

    Raises:
        OptionError: an option has a value that it does not take.
        UsageError: no threshold is known for the embedder.

    >>> import pyarrow as pa
    >>> from ragauge.core.batch import Batch
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

    weights: tuple[float, ...] = (0.75, 0.25)
    beta: float = 1.0
    recall: Literal["own", "mixed"] = "own"
    known: Literal["question", "nothing"] = "question"
    clip: bool = True

    stage: ClassVar[Stage] = "generation"

    def __post_init__(self) -> None:
        super().__post_init__()
        fit = len(self.weights) == 2 and min(self.weights) >= 0 and sum(self.weights) > 0
        check(self, "weights", "two numbers from 0 on, not both 0, as in .75/.25", holds=fit)
        check(self, "beta", "a number above 0", holds=self.beta > 0)

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
        """Compare each answer with each of its references, and take the best."""
        sides = self._sides(batch)
        said, true = self._supported(batch, sides)
        alike = cosines(batch, self.embedder, sides.answers, sides.references)
        likeness = sums(
            np.nan_to_num(alike.values).clip(0.0 if self.clip else -1.0), alike.pairs.offsets[alike.pairs.claims]
        )
        held, reached = (self.counts(one.pairs.by_claim(one.values)) for one in (said, true))
        found = self._scored(sides, held, reached, likeness)
        best = best_of(found["value"], sides.owner, len(batch))
        columns = {
            name: np.where(best >= 0, values[best] if len(values) else 0.0, 0.0) for name, values in found.items()
        }
        reasons = {int(sides.owner[pair]): why for one in (said, true, alike) for pair, why in one.reasons.items()}
        value = columns.pop("value")
        return rows_of(value, best < 0, reasons, self._noted(batch, best, said, alike), **columns)

    def parts(self, totals: Statistics) -> Mapping[str, FloatArray]:
        """Return F, similarity, precision and recall."""
        return {name: ratio(totals[name], totals["count"]) for name in _PARTS}

    def explain(self, batch: Batch) -> pa.Table:
        """Return one row per sentence of the answer, then of the reference, for each reference."""
        import pyarrow as pa

        sides = self._sides(batch)
        tables = []
        for what, segments, others, degrees in (
            ("answer sentence", sides.said, sides.true, self._supported(batch, sides)[0]),
            ("reference sentence", sides.true, sides.said, self._supported(batch, sides)[1]),
        ):
            best = degrees.pairs.by_claim(degrees.values)
            texts, rows = segments.windows(1).values, sides.owner[segments.rows]
            shown = others.windows(self.shown).values
            tables.append(evidence(batch, rows, what, texts, best, shown, self.supported(best)))
        return pa.concat_tables(tables)

    @property
    def notes(self) -> Mapping[str, str]:
        """What stands beside each score: the cosine is the embedder's, whoever decides."""
        return {**notes_of(self.embedder), **super().notes}

    def _noted(self, batch: Batch, best: IntArray, support: Degrees, alike: Degrees) -> Mapping[str, IntArray]:
        """Count what a reader must know of each sample and its best reference, of sentences and of wholes."""
        found = noted(batch, self.embedder, replace(alike, noted={}), "references", "answer")
        for name, counts in (*support.noted.items(), *alike.noted.items()):
            chosen = np.where(best >= 0, np.append(counts, 0)[best], 0)
            found[name] = found.get(name, 0) + chosen
        return found

    @property
    def _lowest(self) -> float:
        return 0.0 if self.clip else -self.weights[1] / sum(self.weights)

    @property
    def _asks(self) -> bool:
        return self.known == "question" and self.support is None and self.scorer.similarity == "ngram-recall"

    def _sides(self, batch: Batch) -> Sides:
        return sides_of(batch)

    def _supported(self, batch: Batch, sides: Sides) -> tuple[Degrees, Degrees]:
        known = texts_of(batch, "question").take(sides.owner) if self._asks and "question" in batch.names else None
        return (
            self.degrees(batch, sides.said, sides.true, self.width, known),
            self.degrees(batch, sides.true, sides.said, self.width),
        )

    def _scored(self, sides: Sides, said: FloatArray, true: FloatArray, likeness: FloatArray) -> dict[str, FloatArray]:
        precision, recall = shares(said, sides.said.offsets), shares(true, sides.true.offsets)
        if self.recall == "mixed":
            right = sums(said, sides.said.offsets)
            missed = np.diff(sides.true.offsets) - sums(true, sides.true.offsets)
            recall = np.divide(right, right + missed, out=np.zeros(len(right)), where=right + missed > 0)
        below = self.beta**2 * precision + recall
        above = (1 + self.beta**2) * precision * recall
        f = np.divide(above, below, out=np.zeros(len(below)), where=below > 0).clip(0.0, 1.0)
        value = (self.weights[0] * f + self.weights[1] * likeness) / sum(self.weights)
        return {
            "value": value.clip(self._lowest, 1.0),
            "f": f,
            "similarity": likeness,
            "precision": precision,
            "recall": recall,
        }
