"""``semantic-similarity``: how alike the answer and a reference are as a whole."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

import numpy as np

from ragauge.core.ingredients import Embedder, Ingredient, ingredient_field
from ragauge.core.options import Range
from ragauge.core.protocol import Direction, Needs, Stage
from ragauge.core.registry import register
from ragauge.core.statistics import Rows, Statistics, ratio
from ragauge.embedders.lexical import Lexical
from ragauge.metrics.rag._notes import evidence, noted, notes_of
from ragauge.metrics.rag._supported import rows_of, sums
from ragauge.support.scorer import cosines

if TYPE_CHECKING:
    import pyarrow as pa

    from ragauge.core.batch import Batch
    from ragauge.core.ragged import FloatArray

_COMPAT: Mapping[str, Mapping[str, str]] = MappingProxyType({"ragas": {"clip": "false"}})


@register("semantic-similarity", aliases=("answer-similarity",), compat=_COMPAT)
@dataclass(frozen=True, kw_only=True)
class SemanticSimilarity:
    """The cosine of the vectors of answer and reference, the highest of several references.

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
    >>> from ragauge.core.batch import Batch
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
    direction: ClassVar[Direction] = "higher"
    revision: ClassVar[int] = 1

    @property
    def notes(self) -> Mapping[str, str]:
        """What stands beside each score."""
        return notes_of(self.embedder)

    @property
    def range(self) -> tuple[float, float]:
        """0 to 1, or -1 to 1 where cosines are not clipped."""
        return (0.0, 1.0) if self.clip or self.at_least is not None else (-1.0, 1.0)

    def measure(self, batch: Batch) -> Rows:
        """Compare each answer with its references."""
        answers, references = (batch.segments(column).not_blank for column in ("answer", "references"))
        degrees = cosines(batch, self.embedder, answers, references)
        best = degrees.pairs.by_claim(degrees.values)
        value = sums(np.where(best.place >= 0, self._scored(best.value), 0.0), answers.offsets)
        reasons = {row: degrees.reasons[row] for row in answers.rows[best.failed].tolist()}
        counts = noted(batch, self.embedder, degrees, "references", "answer")
        return rows_of(value, references.lengths == 0, reasons, counts)

    def score(self, totals: Statistics) -> FloatArray:
        """Return the mean of the samples' values."""
        return ratio(totals["value"], totals["count"])

    def explain(self, batch: Batch) -> pa.Table:
        """Return one row per answer, with the reference that it is most like; nothing is decided."""
        answers, references = (batch.segments(column).not_blank for column in ("answer", "references"))
        degrees = cosines(batch, self.embedder, answers, references)
        best = degrees.pairs.by_claim(degrees.values)
        return evidence(batch, answers.rows, "answer", answers.texts, best, references.texts, None)

    def _scored(self, values: FloatArray) -> FloatArray:
        if self.at_least is not None:
            return (values >= self.at_least).astype(np.float64)
        return np.maximum(values, 0.0) if self.clip else values
