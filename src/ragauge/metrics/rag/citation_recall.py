"""``citation-recall``: whether what a sentence cites supports it."""

from __future__ import annotations

from dataclasses import dataclass

from ragauge.core.ragged import FloatArray
from ragauge.core.registry import register
from ragauge.metrics.rag._cited import CitationMetric, Cited


@register("citation-recall")
@dataclass(frozen=True, kw_only=True)
class CitationRecall(CitationMetric):
    """Citation recall: the share of the answer's sentences that the passages they cite, taken together, support.

    Formula:
        score = sentences that are supported by what they cite / sentences of the answer

    A sentence that cites nothing is not supported.

    Support is that of ``groundedness`` by the passages joined as one text, with its threshold.

    Markers: numbers from 1 on in any digits, as ``[1]``, ``[1, 3]``, ``[1-3]``, ``[^1]``, ``【1】``,
    ``[citation:1]``, ``<sup>1</sup>``, ``¹``, "passage 2", and ``(2)`` behind a word or a year and before a mark;
    ``①``, ``{1}``, ``[^1^]``, ``[#1]``, ``[S1]``, ``[1.]`` and ``[1:p.3]`` where there is such a passage; from 0 on
    in ``##0$$`` and ``[ID:0]``, and where a marker is ``[0]`` and no number is that of passages or more, which a
    note counts; or, where there is a column ``retrieved``, ids of the passages, as ``[hours.md]`` and ``(Source:
    hours.md)``. A marker between two sentences belongs to the first, unless the answer begins with one and ends
    without. In Thai and Lao, and in Khmer and Burmese without full stops, a marker before a space ends a sentence.
    Citations may be beside the text too, in a column ``citations``: an object for each sentence, with its ``text``
    and a list ``citations`` of ids or ranks, as answers of TREC RAG are read. Ranks there count from 0 in all samples
    where more samples have a 0 than the number of their passages or more, which a note says. Notes count sentences
    without a citation, and citations of no passage.

    Unit and range: a share of sentences, 0 to 1. ``undefined``: the answer is empty or claims nothing; sentences are
    left out as in ``groundedness``, those that say that something is not said only where they cite nothing.
    ``failed``: the embedder or support model gave no answer, and its answer would decide.

    >>> import pyarrow as pa
    >>> from ragauge.core.batch import Batch
    >>> contexts = [["The tea house opened in 1990.", "Lin Wan founded the tea house."]]
    >>> answers = ["Lin Wan founded the tea house [2]. It opened in 1990 [2]. It opened in 1990 [1][2]. It is big."]
    >>> metric = CitationRecall()
    >>> metric.score(metric.measure(Batch(pa.table({"id": ["a"], "answer": answers, "contexts": contexts})))).round(4)
    array([0.5])

    Not for: telling whether an answer is right: a wrong passage cited faithfully scores 1 (``answer-correctness``).

    Source: citation recall of Gao, Yen, Yu and Chen 2023, "Enabling large language models to generate text with
    citations" (ALCE). Deviations: support is measured without a model by default; a citation of no passage is a wrong
    one, where ALCE takes all citations of its sentence out of the count, and reads three a sentence.
    """

    def value(self, cited: Cited) -> FloatArray:
        """Return the share of supported sentences."""
        return cited.recall
