"""``citation-f1``: citation recall and precision in one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ragauge.core.ragged import FloatArray
from ragauge.core.registry import register
from ragauge.core.statistics import Statistics, ratio
from ragauge.metrics.rag._cited import CitationMetric, Cited

_PARTS = ("recall", "precision", "uncited", "dangling")


@register("citation-f1")
@dataclass(frozen=True, kw_only=True)
class CitationF1(CitationMetric):
    """Citation F1: the harmonic mean of citation recall and citation precision of each answer.

    Formula:
        score = 2 * recall * precision / (recall + precision), 0 where both are 0

    Its parts are ``recall``, ``precision``, ``uncited``, the share of the sentences that cite nothing, and
    ``dangling``, the share of the citations that point at no passage; each is the mean over the samples.

    Markers, support and the sentences that are left out are as in ``citation-recall``.

    Unit and range: a harmonic mean of two shares, 0 to 1. ``undefined``: the answer is empty or claims nothing.
    ``failed``: the embedder or support model gave no answer, and its answer would decide.

    >>> import pyarrow as pa
    >>> from ragauge.core.batch import Batch
    >>> contexts = [["The tea house opened in 1990.", "Lin Wan founded the tea house."]]
    >>> answers = ["Lin Wan founded the tea house [2]. It opened in 1990 [2]. It opened in 1990 [1][2]. It is big."]
    >>> metric = CitationF1()
    >>> metric.score(metric.measure(Batch(pa.table({"id": ["a"], "answer": answers, "contexts": contexts})))).round(4)
    array([0.5])

    Not for: telling whether an answer is right: a wrong passage cited faithfully scores 1 (``answer-correctness``).

    Source: of citation recall and precision, Gao, Yen, Yu and Chen 2023, "Enabling large language models to generate
    text with citations" (ALCE), which has no F1 of them. Deviations: those of ``citation-precision``.
    """

    def value(self, cited: Cited) -> FloatArray:
        """Return the harmonic mean of both."""
        both = cited.recall + cited.precision
        return np.where(both == 0, 0.0, ratio(2 * cited.recall * cited.precision, both))

    def shares(self, cited: Cited) -> dict[str, FloatArray]:
        """Return recall, precision, and the shares of sentences and citations without a passage, (n,) each."""
        return {name: getattr(cited, name) for name in _PARTS}

    def parts(self, totals: Statistics) -> Mapping[str, FloatArray]:
        """Return the means of the parts by name."""
        return {name: ratio(totals[name], totals["count"]) for name in _PARTS}
