"""``citation-precision``: whether what is cited is to the point."""

from __future__ import annotations

from dataclasses import dataclass

from ragauge.core.ragged import FloatArray
from ragauge.core.registry import register
from ragauge.metrics.rag._cited import CitationMetric, Cited


@register("citation-precision")
@dataclass(frozen=True, kw_only=True)
class CitationPrecision(CitationMetric):
    """Citation precision: the share of the answer's citations that support their sentence alone or are needed for it.

    Formula:
        score = right citations / citations
        right = what the sentence cites supports it together, and this citation does so alone, or the rest does not

    An answer without citations scores 0.

    Markers, support and the sentences that are left out are as in ``citation-recall``.

    Unit and range: a share of citations, 0 to 1. ``undefined``: the answer is empty or claims nothing.
    ``failed``: the embedder or support model gave no answer, and its answer would decide.

    >>> import pyarrow as pa
    >>> from ragauge.core.batch import Batch
    >>> contexts = [["The tea house opened in 1990.", "Lin Wan founded the tea house."]]
    >>> answers = ["Lin Wan founded the tea house [2]. It opened in 1990 [2]. It opened in 1990 [1][2]. It is big."]
    >>> metric = CitationPrecision()
    >>> metric.score(metric.measure(Batch(pa.table({"id": ["a"], "answer": answers, "contexts": contexts})))).round(4)
    array([0.5])

    Not for: telling whether an answer is right: a wrong passage cited faithfully scores 1 (``answer-correctness``).

    Source: citation precision of Gao, Yen, Yu and Chen 2023, "Enabling large language models to generate text with
    citations" (ALCE). Deviations: support is measured without a model by default; a citation of no passage is a wrong
    one, where ALCE takes all citations of its sentence out of the count, and reads three a sentence.
    """

    def value(self, cited: Cited) -> FloatArray:
        """Return the share of right citations."""
        return cited.precision
