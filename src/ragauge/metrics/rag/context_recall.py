"""``context-recall``: how much of the reference was retrieved."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ragauge.core.batch import Batch
from ragauge.core.protocol import Needs, Stage, columns_read
from ragauge.core.ragged import Ragged
from ragauge.core.registry import register
from ragauge.core.statistics import Rows
from ragauge.metrics._sample_mean import best_share, shares
from ragauge.metrics.rag._compared import Compared
from ragauge.metrics.rag._supported import Windowed
from ragauge.sentences import split


@register("context-recall", compat={"ragas": {"soft": "false"}})
@dataclass(frozen=True, kw_only=True)
class ContextRecall(Windowed):
    """Context recall: the share of the reference's sentences that some retrieved passage supports.

    Formula:
        score   = sum over the reference's sentences of support / sentences of the reference
        support = the fourth power of the degree, 0 to 1, to which the best window of a passage supports the sentence

    Unit and range: a share of sentences, 0 to 1. The fourth power of a degree is about the share of sentences of that
    degree that people found supported; with ``soft=false`` a sentence counts 1 if its degree reaches the threshold,
    else 0. Of several references the one that was retrieved best counts;
    where the data have ``reference_contexts`` and no references, all of those passages should be retrieved, and the
    sentences of all count. An empty retrieval scores 0.

    ``undefined``: no reference has a sentence. ``failed``: the embedder or support model gave no answer.

    >>> import pyarrow as pa
    >>> references = [["The tea house opened in 1990. Lin Wan founded it."]]
    >>> contexts = [["Lin Wan founded it in the old town."]]
    >>> batch = Batch(pa.table({"id": ["a"], "references": references, "contexts": contexts}))
    >>> ContextRecall().measure(batch)["value"].round(2), ContextRecall(soft=False).measure(batch)["value"]
    (array([0.5]), array([0.5]))

    Not for: references that say more than was asked, since the surplus has to be retrieved too; and, by default,
    passages in another language than the reference, or in quite other words.

    Source: ragas 0.4.3, ``LLMContextRecall``. Deviations: the support is a similarity's, a matcher's or a classifier's;
    an empty retrieval scores 0, where ragas drops the sample.
    """

    revision: ClassVar[int] = 2
    stage: ClassVar[Stage] = "retrieval"
    needs: ClassVar[Needs] = (("references", "contexts"), ("reference_contexts", "contexts"))
    explained: ClassVar[str] = "reference sentence"

    def compared(self, batch: Batch) -> Compared:
        """Return the sentences of the references, each with the window of a passage that supports it best."""
        claims = batch.segments(columns_read(self, batch.names)[0], split)
        passages = batch.segments("contexts", split)
        return Compared.by_claim(self.degrees(batch, claims, passages, self.width), claims, passages)

    def measure(self, batch: Batch) -> Rows:
        """Return the share of supported sentences of each sample's best reference."""
        column, compared = columns_read(self, batch.names)[0], self.compared(batch)
        claims, counts = compared.segments, self.counts(compared.best)
        value = shares(counts, claims.offsets)
        if column == "references":
            by_text = Ragged(counts, batch.segments("references", split).by_text().offsets)
            value = best_share(by_text, batch.segments("references").offsets)
        return self.rows(batch, compared, value, claims.lengths == 0, column, "contexts")
