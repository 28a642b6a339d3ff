"""``groundedness``: how much of the answer the retrieved passages support."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from ragauge.core.protocol import Needs, Stage
from ragauge.core.registry import register
from ragauge.metrics.rag._notes import evidence
from ragauge.metrics.rag._supported import RAGAS, Windowed, rows_of, shares
from ragauge.support.segments import sentences_of

if TYPE_CHECKING:
    import pyarrow as pa

    from ragauge.core.batch import Batch
    from ragauge.core.statistics import Rows
    from ragauge.support.pairs import Best
    from ragauge.support.scorer import Degrees


@register("groundedness", aliases=("faithfulness",), compat=RAGAS)
@dataclass(frozen=True, kw_only=True)
class Groundedness(Windowed):
    """The share of the answer's sentences that some passage supports, within neighbouring sentences of it.

    Formula:
        score   = sum over the answer's sentences of support / sentences of the answer
        support = 1 if a passage supports the sentence, else 0; with soft=graded or true, between

    Unit and range: a share of sentences, 0 to 1. A sentence is supported if its similarity with the best window
    reaches the threshold; ``soft`` says whether one near it counts in part. Without passages an answer scores 0.

    ``undefined``: the answer is empty: it claims nothing, neither rightly nor wrongly. That being the system's doing,
    the bounds count it as anything from 0 to 1. ``failed``: the embedder or support model gave no answer, and its
    answer would decide.

    Raises:
        OptionError: an option has a value that it does not take.
        UsageError: no threshold is known for the embedder.

    >>> import pyarrow as pa
    >>> from ragauge.core.batch import Batch
    >>> contexts = [["The tea house opened in 1990. Lin Wan founded it."]]
    >>> batch = Batch(pa.table({"id": ["a"], "answer": ["Lin Wan founded it. It has a garden."], "contexts": contexts}))
    >>> Groundedness().measure(batch)["value"]
    array([0.5])

    Not for: telling whether an answer is right: a wrong passage quoted faithfully scores 1
    (``answer-correctness``). With ``lexical`` it does not see a swapped number or a missing 'not' among the right
    words, for which ``support=nli[model=...]`` is made; nor does it follow an answer in another language than its
    passages.

    Source: faithfulness of Es, James, Espinosa-Anke and Schockaert 2023, "RAGAS: automated evaluation of retrieval
    augmented generation"; ragas 0.4.3 ``Faithfulness``. Deviations: the statements are the answer's
    sentences, where a language model rewrites them; the support is a similarity's, or a classifier's.
    """

    stage: ClassVar[Stage] = "generation"
    needs: ClassVar[Needs] = (("answer", "contexts"),)
    bounds_undefined: ClassVar[bool] = True

    def measure(self, batch: Batch) -> Rows:
        """Count the supported sentences of each answer."""
        claims = sentences_of(batch, "answer")
        degrees, best = self._best(batch)
        value = shares(self.counts(best), claims.offsets)
        reasons = self.failed(best, claims.rows, degrees, len(batch))
        noted = self.noted(batch, degrees, "answer", "contexts")
        return rows_of(value, np.diff(claims.offsets) == 0, reasons, noted)

    def explain(self, batch: Batch) -> pa.Table:
        """Return one row per sentence of an answer, with the window that supports it best."""
        claims, passages = sentences_of(batch, "answer"), sentences_of(batch, "contexts")
        _, best = self._best(batch)
        windows = passages.windows(self.shown).values
        supported = self.supported(best)
        return evidence(batch, claims.rows, "answer sentence", claims.windows(1).values, best, windows, supported)

    def _best(self, batch: Batch) -> tuple[Degrees, Best]:
        claims, passages = sentences_of(batch, "answer"), sentences_of(batch, "contexts")
        degrees = self.degrees(batch, claims, passages, self.width)
        return degrees, degrees.pairs.by_claim(degrees.values)
