"""``answer-relevancy``: whether the answer answers the question."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import ClassVar, Literal

import numpy as np
import pyarrow as pa

from ragauge.core.batch import Batch
from ragauge.core.ingredients import Embedder, Ingredient, Role, ingredient_field
from ragauge.core.protocol import Needs, Stage, columns_read
from ragauge.core.ragged import BoolArray, FloatArray, Ragged
from ragauge.core.registry import register
from ragauge.core.statistics import Rows, Statistics, ratio
from ragauge.embedders.lexical import Lexical
from ragauge.grounding.evasion import Noncommittal, evasive
from ragauge.grounding.notes import compared_by, evidence, noted, notes_of
from ragauge.grounding.support.scorer import cosines
from ragauge.metrics._sample_mean import SampleMean, rows_of, shares
from ragauge.metrics.rag._compared import Compared, with_parts

_DIRECT = ("question", "answer")
_COLUMNS = tuple((*_DIRECT, name) for name in ("generated_questions", "questions"))
_NEEDS: Mapping[str, Needs] = MappingProxyType({"auto": (*_COLUMNS, _DIRECT), "column": _COLUMNS, "direct": (_DIRECT,)})
_WORDS: Mapping[str, str] = MappingProxyType(
    {
        "column": "generated questions are compared with the question",
        "direct": "the answer is compared with the question",
    }
)
_RAGAS = {"clip": "false", "questions": "column"}


@register(
    "answer-relevancy",
    aliases=("response-relevancy",),
    compat={"ragas": {**_RAGAS, "noncommittal": "all"}, "ragas-0.2": {**_RAGAS, "noncommittal": "any"}},
)
@dataclass(frozen=True, kw_only=True)
class AnswerRelevancy(SampleMean):
    """Answer relevancy: the mean cosine of the question with questions generated from the answer; 0 if evasive.

    Formula:
        score = 0 if the answer is evasive, else max(0, mean over generated questions q of cos(question, q))

    Unit and range: a cosine, 0 to 1, or with ``clip=false`` -1 to 1. Without generated questions the answer itself is
    compared with the question: another measurement, which rewards repeating the question, and which with ``lexical``
    sees shared words only. Part ``questions``: how many generated questions a sample has; 0: it was compared directly.
    An empty answer, or none of its questions, scores 0.

    ``undefined``: the question is empty. ``failed``: the embedder gave no vector.

    Args:
        embedder: makes the vectors.
        questions: ``column``: those of the column ``generated_questions`` or ``questions``; ``direct``: the answer in
            their place; ``auto``: the column if there is one.
        noncommittal: an answer that evades scores 0: where ``any`` or ``all`` marks of the column ``noncommittal`` are
            set, or without such a column where the answer says that it does not know, in en, zh, ja, ko or ru; ``off``.
        clip: take a negative score for 0.

    Raises:
        DataError: a mark of the column ``noncommittal`` says neither yes nor no.

    >>> import pyarrow as pa
    >>> questions, answers = ["Who founded the tea house?"] * 2, ["Lin Wan.", "I don't know."]
    >>> generated = [["Who founded the tea house?", "Who opened a tea house?"]] * 2
    >>> columns = {"id": ["a", "b"], "question": questions, "answer": answers, "generated_questions": generated}
    >>> AnswerRelevancy().measure(Batch(pa.table(columns)))["value"].round(2)
    array([0.87, 0.  ])

    Not for: correctness: right and wrong answers to the same question score alike. Compared directly, without
    generated questions, it ranked the correct above the incorrect answer in 54.6 % [51.3, 57.7] of pairs, near chance.

    Source: Es, James, Espinosa-Anke and Schockaert 2023, "RAGAS: automated evaluation of retrieval augmented
    generation"; ragas 0.4.3 ``AnswerRelevancy`` (``compat=ragas``), which scores 0 if all generations were marked;
    up to 0.2.15 if any was (``compat=ragas-0.2``). Deviations: the questions are given; without any ragas has no score.
    """

    embedder: Ingredient[Embedder] = ingredient_field(Lexical)
    questions: Literal["auto", "column", "direct"] = "auto"
    noncommittal: Noncommittal = "all"
    clip: bool = True
    average: Literal["samples"] = "samples"

    revision: ClassVar[int] = 9
    stage: ClassVar[Stage] = "end-to-end"

    @property
    def needs(self) -> Needs:
        """Question and answer, and the generated questions unless ``questions=direct``."""
        return _NEEDS[self.questions]

    @property
    def compared_by(self) -> str:
        """How texts are compared, as shown behind the metric's name."""
        return compared_by(self.embedder)

    @property
    def notes(self) -> Mapping[str, str]:
        """The notes that may accompany a score, with their meanings: the texts compared, and how."""
        return {**notes_of(self.embedder), **{key: _WORDS[key] for key in _WORDS if key == self.questions}}

    @property
    def range(self) -> tuple[float, float]:
        """0 to 1, or -1 to 1 where cosines are not clipped."""
        return (0.0, 1.0) if self.clip else (-1.0, 1.0)

    def for_columns(self, columns: Iterable[str]) -> AnswerRelevancy:
        """Return the metric with ``questions=auto`` resolved for data of these columns."""
        if self.questions != "auto":
            return self
        return replace(self, questions="direct" if columns_read(self, columns) == _DIRECT else "column")

    def measure(self, batch: Batch) -> Rows:
        """Return the mean cosine of each question with those generated from its answer, or with the answer."""
        compared = self._compared(batch)
        questions, others, degrees = compared.others, compared.segments, compared.degrees
        evades = evasive(batch, self.noncommittal) | (batch.segments("answer").not_blank.lengths == 0)
        value = relevancy(Ragged(compared.best.value, others.offsets), evades, clip=self.clip)
        reasons = {row: why for row, why in degrees.reasons.items() if not evades[row]}
        generated = others.lengths * (not self._direct(batch))
        counts = noted(batch, self.embedder, degrees, "question", columns_read(self, batch.names)[-1])
        return rows_of(value, questions.lengths == 0, reasons, counts, questions=generated)

    def parts(self, totals: Statistics) -> Mapping[str, FloatArray]:
        """Return the number of generated questions of a sample; 0 where the answer is compared."""
        return {"questions": ratio(totals["questions"], totals["count"])}

    def explain(self, batch: Batch) -> pa.Table:
        """Return one row per generated question or answer, with the question, and what each part of a blend found."""
        compared = self._compared(batch)
        others, what = compared.segments, "answer" if self._direct(batch) else "generated question"
        table = evidence(batch, others.rows, what, others.texts, compared.best, compared.others.texts, None)
        role: Role = "passage" if self._direct(batch) else "query"
        vectors = batch.vectors(others, self.embedder, role), batch.vectors(compared.others, self.embedder, "query")
        return with_parts(table, *vectors, compared.best)

    def _direct(self, batch: Batch) -> bool:
        return columns_read(self, batch.names) == _DIRECT

    def _compared(self, batch: Batch) -> Compared:
        """Return the texts that are not blank of the generated questions, or of the answers, with their question."""
        questions = batch.segments("question").not_blank
        others = batch.segments(columns_read(self, batch.names)[-1]).not_blank
        role: Role = "passage" if self._direct(batch) else "query"
        degrees = cosines(batch, self.embedder, questions, others, roles=("query", role))
        return Compared.by_segment(degrees, questions, others)


def relevancy(cosine: Ragged, evasive: BoolArray, *, clip: bool) -> FloatArray:
    """Return the mean cosine of each list, 0 where the answer is evasive or the list is empty, (n,).

    >>> relevancy(Ragged.of([[0.5, 1.0], [-0.5], [1.0]]), np.array([False, False, True]), clip=True)
    array([0.75, 0.  , 0.  ])
    """
    value = shares(cosine.values, cosine.offsets)
    return np.where(evasive, 0.0, np.maximum(value, 0.0) if clip else value.clip(-1.0, 1.0))
