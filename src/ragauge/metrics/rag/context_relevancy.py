"""``context-relevancy``: how much of what was retrieved has to do with the question."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from ragauge.core.protocol import Needs, Stage
from ragauge.core.registry import register
from ragauge.metrics.rag._notes import evidence
from ragauge.metrics.rag._supported import SupportMetric, rows_of, shares
from ragauge.support.segments import Segments, sentences_of, wholes_of, written
from ragauge.support.thresholds import Use

if TYPE_CHECKING:
    import pyarrow as pa

    from ragauge.core.batch import Batch
    from ragauge.core.statistics import Rows
    from ragauge.support.pairs import Best
    from ragauge.support.scorer import Degrees


@register("context-relevancy")
@dataclass(frozen=True, kw_only=True)
class ContextRelevancy(SupportMetric):
    """The share of the retrieved passages' sentences that are relevant to the question, or to the answer.

    Formula:
        score = relevant sentences retrieved / sentences retrieved

    Unit and range: a share of sentences, 0 to 1. A sentence is relevant to the question if its similarity reaches the
    threshold of relevance; to the answer, if it supports one of the answer's sentences. Without a retrieved sentence,
    and for ``to=answer`` with an empty answer, the score is 0.

    ``undefined``: the question is empty. ``failed``: the embedder or support model gave no answer.

    Args:
        to: what sentences should be relevant to: ``question``, as RAGAS; or ``answer``, as some texts define it.

    Raises:
        OptionError: an option has a value that it does not take.
        UsageError: no threshold is known for the embedder.

    >>> import pyarrow as pa
    >>> from ragauge.core.batch import Batch
    >>> contexts = [["林婉在1990年开了这家茶馆。花园里有一只猫。"]]
    >>> batch = Batch(pa.table({"id": ["a"], "question": ["谁开了这家茶馆？"], "contexts": contexts}))
    >>> ContextRelevancy().measure(batch)["value"]
    array([0.5])

    Not for: telling which of several passages on the topic answers the question. On NoMIRACL it did so better than
    chance in Korean, Spanish and Chinese, and not in English, German and Japanese. Chunks of another size give
    another score: do not compare across them.

    Source: context relevance of Es, James, Espinosa-Anke and Schockaert 2023, "RAGAS: automated evaluation of retrieval
    augmented generation", extracted sentences / sentences; ragas 0.1.7 ``ContextRelevancy``. Deviation: the support is
    a similarity's, a matcher's or a classifier's; sentences are split in any language.
    """

    to: Literal["question", "answer"] = "question"

    stage: ClassVar[Stage] = "retrieval"

    @property
    def needs(self) -> Needs:
        """The passages, and what they should be relevant to."""
        return ((self.to, "contexts"),)

    @property
    def use(self) -> Use:
        """Relevance to a question, or support of a sentence."""
        return "relevance" if self.to == "question" else "support"

    def measure(self, batch: Batch) -> Rows:
        """Count the relevant sentences of all passages."""
        sentences = sentences_of(batch, "contexts")
        degrees, best = self._best(batch)
        value = shares(self.counts(best), sentences.offsets)
        unasked = np.diff(self._target(batch).offsets) == 0
        undefined = unasked if self.to == "question" else np.zeros_like(unasked)
        reasons = self.failed(best, sentences.rows, degrees, len(batch))
        return rows_of(value, undefined, reasons, self.noted(batch, degrees, self.to, "contexts"))

    def explain(self, batch: Batch) -> pa.Table:
        """Return one row per sentence of a passage, with what it is relevant to."""
        sentences, targets = sentences_of(batch, "contexts"), self._target(batch).windows(1).values
        _, best = self._best(batch)
        texts = sentences.windows(1).values
        return evidence(batch, sentences.rows, "passage sentence", texts, best, targets, self.supported(best))

    def _target(self, batch: Batch) -> Segments:
        return written(wholes_of(batch, "question")) if self.to == "question" else sentences_of(batch, "answer")

    def _best(self, batch: Batch) -> tuple[Degrees, Best]:
        degrees = self.degrees(batch, self._target(batch), sentences_of(batch, "contexts"))
        return degrees, degrees.pairs.by_segment(degrees.values)
