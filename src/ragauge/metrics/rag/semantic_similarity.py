"""``semantic-similarity``: how alike the answer and a reference are as a whole."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import numpy as np
import pyarrow as pa

from ragauge.core.batch import Batch
from ragauge.core.ingredients import Embedder, Ingredient, ingredient_field
from ragauge.core.options import Range
from ragauge.core.protocol import Needs, Stage
from ragauge.core.registry import register
from ragauge.core.statistics import Rows
from ragauge.embedders.lexical import Lexical
from ragauge.grounding.notes import compared_by, evidence, noted, notes_of
from ragauge.grounding.support.scorer import cosines
from ragauge.metrics._sample_mean import SampleMean, rows_of, sums
from ragauge.metrics.rag._compared import Compared, with_parts


@register("semantic-similarity", aliases=("answer-similarity",), compat={"ragas": {"clip": "false"}})
@dataclass(frozen=True, kw_only=True)
class SemanticSimilarity(SampleMean):
    """Semantic similarity: the cosine of the vectors of answer and reference, the highest of several references.

    Formula:
        score = max over references r of max(0, cos(answer, r))

    Unit and range: a cosine, 0 to 1, or with ``clip=false`` -1 to 1; with ``at_least`` 0 or 1. An empty answer scores
    0. With ``lexical`` it is similarity of wording: it says little of paraphrases, and nothing across languages.

    ``undefined``: the sample has no reference that is not empty. ``failed``: the embedder gave no vector.

    Args:
        embedder: makes the vectors.
        clip: take negative cosines for 0.
        at_least: score 1 from this cosine on, 0 below; None: the cosine itself.

    Raises:
        OptionError: ``at_least`` is not between -1 and 1.

    >>> import pyarrow as pa
    >>> answers, references = ["The cat sat.", "It rained."], [["The cat sat."], ["A dog ran.", "It rains."]]
    >>> batch = Batch(pa.table({"id": ["a", "b"], "answer": answers, "references": references}))
    >>> SemanticSimilarity().measure(batch)["value"].round(2)
    array([1.  , 0.48])

    Not for: correctness by itself: an answer with the opposite meaning in the same words lies close. Cosines of
    another embedder are another metric, and their height means nothing by itself.

    Source: ragas 0.4.3, ``SemanticSimilarity``, formerly answer similarity; ``compat=ragas`` does not clip. Deviations:
    ragas embeds an empty answer as a blank; it ignores a threshold of 0; it takes one reference.
    """

    embedder: Ingredient[Embedder] = ingredient_field(Lexical)
    clip: bool = True
    at_least: Annotated[float, Range(-1, 1)] | None = None
    average: Literal["samples"] = "samples"

    needs: ClassVar[Needs] = (("answer", "references"),)
    stage: ClassVar[Stage] = "generation"

    @property
    def notes(self) -> Mapping[str, str]:
        """The notes that may accompany a score, with their meanings."""
        return notes_of(self.embedder)

    @property
    def compared_by(self) -> str:
        """How texts are compared, as shown behind the metric's name."""
        return compared_by(self.embedder)

    @property
    def range(self) -> tuple[float, float]:
        """0 to 1, or -1 to 1 where cosines are not clipped."""
        return (0.0, 1.0) if self.clip or self.at_least is not None else (-1.0, 1.0)

    def measure(self, batch: Batch) -> Rows:
        """Return the cosine of each answer with the reference that it is most like."""
        compared = self._compared(batch)
        best, degrees = compared.best, compared.degrees
        values = np.maximum(best.value, 0.0) if self.clip else best.value
        if self.at_least is not None:
            values = (best.value >= self.at_least).astype(np.float64)
        value = sums(values, compared.segments.offsets)
        reasons = {row: degrees.reasons[row] for row in compared.segments.rows[best.failed].tolist()}
        counts = noted(batch, self.embedder, degrees, "references", "answer")
        return rows_of(value, compared.others.lengths == 0, reasons, counts)

    def explain(self, batch: Batch) -> pa.Table:
        """Return one row per answer, with the reference that it is most like, and what each part of a blend found."""
        compared = self._compared(batch)
        answers, references = compared.segments, compared.others
        table = evidence(batch, answers.rows, "answer", answers.texts, compared.best, references.texts, None)
        vectors = batch.vectors(answers, self.embedder), batch.vectors(references, self.embedder)
        return with_parts(table, *vectors, compared.best)

    def _compared(self, batch: Batch) -> Compared:
        answers, references = batch.segments("answer").not_blank, batch.segments("references").not_blank
        return Compared.by_claim(cosines(batch, self.embedder, answers, references), answers, references)
