"""``context-relevancy``: the share of the retrieved sentences that are about the question."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from ragauge.core.batch import Batch
from ragauge.core.protocol import Needs, Stage
from ragauge.core.registry import register
from ragauge.core.statistics import Rows
from ragauge.metrics.rag._supported import Compared, SupportMetric, shares
from ragauge.sentences import split
from ragauge.support.thresholds import Use


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

    >>> import pyarrow as pa
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
    explained: ClassVar[str] = "passage sentence"

    @property
    def needs(self) -> Needs:
        """The passages, and the column that they should be relevant to."""
        return ((self.to, "contexts"),)

    @property
    def use(self) -> Use:  # type: ignore[override]  # of the class where it is one for all options
        """Relevance to a question, or support of a sentence."""
        return "relevance" if self.to == "question" else "support"

    def compared(self, batch: Batch) -> Compared:
        """Return the sentences of the passages, each with the question or the answer's sentence it supports best."""
        to_question = self.to == "question"
        targets = batch.segments("question").not_blank if to_question else batch.segments("answer", split)
        sentences = batch.segments("contexts", split)
        return Compared.by_segment(self.degrees(batch, targets, sentences), targets, sentences)

    def measure(self, batch: Batch) -> Rows:
        """Return the share of relevant sentences of all passages of each sample."""
        compared = self.compared(batch)
        value = shares(self.counts(compared.best), compared.segments.offsets)
        undefined = (compared.others.lengths == 0) & (self.to == "question")
        return self.rows(batch, compared, value, undefined, self.to, "contexts")
