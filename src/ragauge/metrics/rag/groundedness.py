"""``groundedness``: how much of the answer the retrieved passages support."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
import pyarrow as pa

from ragauge.core.arrow import to_arrow
from ragauge.core.batch import Batch
from ragauge.core.protocol import Needs, Stage
from ragauge.core.ragged import BoolArray
from ragauge.core.registry import register
from ragauge.core.statistics import Rows
from ragauge.grounding.claims import Framing, sentences_of, without_assent
from ragauge.grounding.declining import unsaid
from ragauge.grounding.earlier import EARLIER, all_passages
from ragauge.grounding.notes import UNSAID, meanings
from ragauge.metrics._sample_mean import shares_of, sums
from ragauge.metrics.rag._compared import Compared
from ragauge.metrics.rag._supported import Windowed
from ragauge.sentences import split

# The degree from which a passage supports a statement where degrees count as they are.
_HELD = 0.5
_LEFT_OUT = "it claims nothing, and is left out"


@register("groundedness", aliases=("faithfulness",), compat={"ragas": {"soft": "false", "unsaid": "count"}})
@dataclass(frozen=True, kw_only=True)
class Groundedness(Windowed):
    """Groundedness, or faithfulness: the share of the answer's sentences that some retrieved passage supports.

    Formula:
        score   = sum over the answer's sentences of support / sentences of the answer
        support = the fourth power of the degree, 0 to 1, to which the best window of a passage supports the sentence

    Unit and range: a share of sentences, 0 to 1. The fourth power of a degree is about the share of sentences of that
    degree that people found supported. With a threshold a sentence counts 1 if its degree reaches it, else 0;
    ``soft`` says whether one near it counts in part, or degrees as they are. Without passages an answer scores 0.

    What frames a claim is not part of it: markers of citations, list marks, emphasis, "according to passage 2".
    Headings, greetings and offers of help claim nothing and are left out. So are sentences that only say that the
    passages, or the speaker, do not say something, where no passage supports them. A note counts what is left out.
    Where the data have the column ``earlier_contexts`` (`--turns` makes it of conversations), its passages support too.
    Framing is recognised by its words in eleven languages, such sentences in 18. In 62 languages more a number, month,
    weekday or measure that no passage has takes up to half of the degree, which is n-gram recall there.

    ``undefined``: the answer is empty, or nothing is left of it: it claims nothing, neither rightly nor wrongly. The
    bounds count it as anything from 0 to 1, because the system claimed nothing. ``failed``: the embedder or support
    model gave no answer, and its answer would decide.

    Args:
        unsaid: ``skip`` sentences that only say that something is not said, or ``count`` them like any other.
        framing: ``skip`` what frames claims, or ``count`` it as part of them.

    >>> import pyarrow as pa
    >>> contexts = [["The tea house opened in 1990. Lin Wan founded it."]]
    >>> batch = Batch(pa.table({"id": ["a"], "answer": ["Lin Wan founded it. It has a garden."], "contexts": contexts}))
    >>> Groundedness().measure(batch)["value"].round(2), Groundedness(soft=False).measure(batch)["value"]
    (array([0.5]), array([0.5]))

    Not for: telling whether an answer is right: a wrong passage quoted faithfully scores 1
    (``answer-correctness``). ``support=features`` sees numbers, dates, names and negations, but cannot infer: it takes
    a wrong claim in the passage's own words for supported and a right one in other words for doubtful, for which
    ``support=nli[model=...]`` is made. By default it does not follow an answer in
    another language than its passages; with ``embedder=blend`` it does.

    Source: faithfulness of Es, James, Espinosa-Anke and Schockaert 2023, "RAGAS: automated evaluation of retrieval
    augmented generation"; ragas 0.4.3 ``Faithfulness``. Deviations: the statements are the answer's
    sentences, where a language model rewrites them; the support is a similarity's, or a classifier's.
    """

    unsaid: Literal["skip", "count"] = "skip"
    framing: Framing = "skip"

    revision: ClassVar[int] = 11
    stage: ClassVar[Stage] = "generation"
    needs: ClassVar[Needs] = (("answer", "contexts", EARLIER), ("answer", "contexts"))
    bounds_undefined: ClassVar[bool] = True
    explained: ClassVar[str] = "answer sentence"

    def compared(self, batch: Batch) -> Compared:
        """Return the answer's sentences, each with the window of a passage that supports it best."""
        batch = all_passages(batch)
        (sentences, _), passages = sentences_of(batch, "answer", self.framing), batch.segments("contexts", split)
        return Compared.by_claim(self.degrees(batch, sentences, passages, self.width), sentences, passages)

    def measure(self, batch: Batch) -> Rows:
        """Return the share of supported sentences of each answer."""
        batch = all_passages(batch)
        compared = self.compared(batch)
        sentences, kept = compared.segments, self._claimed(batch, compared)
        value = shares_of(self.counts(compared.best), kept, sentences.offsets)
        claimed = sums(kept, sentences.offsets)
        skipped = {UNSAID: sentences.lengths - claimed.astype(np.int64)} if self._skips else {}
        return self.rows(batch, compared, value, claimed == 0, "answer", "contexts", skipped)

    @property
    def notes(self) -> Mapping[str, str]:
        """The notes that may accompany a score, with their meanings."""
        return {**super().notes, **(meanings(UNSAID) if self._skips else {})}

    @property
    def _skips(self) -> bool:
        return "skip" in (self.unsaid, self.framing)

    def explain(self, batch: Batch) -> pa.Table:
        """Return one row per sentence of the answer with its best window, or why it is left out."""
        batch = all_passages(batch)
        table, claimed = super().explain(batch), self._claimed(batch, self.compared(batch)).tolist()
        whys, decided = table["why"].to_pylist(), table["supported"].to_pylist()
        columns = {
            "supported": [one if kept else None for one, kept in zip(decided, claimed, strict=True)],
            "why": [why if kept else _LEFT_OUT for why, kept in zip(whys, claimed, strict=True)],
        }
        for name, values in columns.items():
            place = table.column_names.index(name)
            table = table.set_column(place, name, to_arrow(values, table.schema.field(name).type))
        return table

    def _claimed(self, batch: Batch, compared: Compared) -> BoolArray:
        """Return which of the answer's sentences count, (s,)."""
        best, some = compared.best, sentences_of(batch, "answer", self.framing)[1]
        if self.framing == "skip":
            some = without_assent(compared.segments, some)
        if self.unsaid == "count":
            return some
        supported = self.supported(best)
        held = best.value >= _HELD if supported is None else supported
        counted, sentences = some & held, compared.segments.strings.values
        doubtful = np.flatnonzero(some & ~held)
        counted[doubtful] = ~unsaid(sentences[doubtful].tolist())
        return np.asarray(counted)
