"""``context-recall``: how much of the reference was retrieved."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from ragauge.core.measure import columns_read
from ragauge.core.protocol import Needs, Stage
from ragauge.core.registry import register
from ragauge.metrics.rag._notes import evidence
from ragauge.metrics.rag._supported import RAGAS, Windowed, rows_of, shares
from ragauge.support.segments import alone, sentences_of, texts_of

if TYPE_CHECKING:
    import pyarrow as pa

    from ragauge.core.batch import Batch
    from ragauge.core.ragged import FloatArray
    from ragauge.core.statistics import Rows
    from ragauge.support.pairs import Best
    from ragauge.support.scorer import Degrees


@register("context-recall", compat=RAGAS)
@dataclass(frozen=True, kw_only=True)
class ContextRecall(Windowed):
    """The share of the reference's sentences that some retrieved passage supports, within neighbouring sentences of it.

    Formula:
        score   = sum over the reference's sentences of support / sentences of the reference
        support = 1 if a passage supports the sentence, else 0; with soft=graded or true, between

    Unit and range: a share of sentences, 0 to 1. Of several references the one that was retrieved best counts; where
    the data have ``reference_contexts`` and no references, all of those passages should be retrieved, and the sentences
    of all count. An empty retrieval scores 0.

    ``undefined``: no reference has a sentence. ``failed``: the embedder or support model gave no answer.

    Raises:
        OptionError: an option has a value that it does not take.
        UsageError: no threshold is known for the embedder.

    >>> import pyarrow as pa
    >>> from ragauge.core.batch import Batch
    >>> references = [["The tea house opened in 1990. Lin Wan founded it."]]
    >>> contexts = [["Lin Wan founded it in the old town."]]
    >>> ContextRecall().measure(Batch(pa.table({"id": ["a"], "references": references, "contexts": contexts})))["value"]
    array([0.5])

    Not for: references that say more than was asked, since the surplus has to be retrieved too; and, with
    ``lexical``, passages in another language or wording than the reference.

    Source: ragas 0.4.3, ``LLMContextRecall``. Deviations: the support is a similarity's, a matcher's or a classifier's;
    an empty retrieval scores 0, where ragas drops the sample.
    """

    stage: ClassVar[Stage] = "retrieval"
    needs: ClassVar[Needs] = (("references", "contexts"), ("reference_contexts", "contexts"))

    def measure(self, batch: Batch) -> Rows:
        """Count the supported sentences of each reference."""
        column = columns_read(self, batch.names)[0]
        claims = sentences_of(batch, column)
        degrees, best = self._best(batch)
        counts = self.counts(best)
        value = shares(counts, claims.offsets) if column != "references" else _of_best(counts, batch)
        reasons = self.failed(best, claims.rows, degrees, len(batch))
        noted = self.noted(batch, degrees, column, "contexts")
        return rows_of(value, np.diff(claims.offsets) == 0, reasons, noted)

    def explain(self, batch: Batch) -> pa.Table:
        """Return one row per sentence of a reference, with the window that supports it best."""
        claims = sentences_of(batch, columns_read(self, batch.names)[0])
        windows = sentences_of(batch, "contexts").windows(self.shown).values
        _, best = self._best(batch)
        texts = claims.windows(1).values
        return evidence(batch, claims.rows, "reference sentence", texts, best, windows, self.supported(best))

    def _best(self, batch: Batch) -> tuple[Degrees, Best]:
        claims = sentences_of(batch, columns_read(self, batch.names)[0])
        degrees = self.degrees(batch, claims, sentences_of(batch, "contexts"), self.width)
        return degrees, degrees.pairs.by_claim(degrees.values)


def _of_best(counts: FloatArray, batch: Batch) -> FloatArray:
    """Return the highest share among each sample's references, (n,)."""
    each = shares(counts, alone(sentences_of(batch, "references")).offsets)
    highest = np.zeros(len(batch))
    np.maximum.at(highest, texts_of(batch, "references").rows, each)
    return highest
