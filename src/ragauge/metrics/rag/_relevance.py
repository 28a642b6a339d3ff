"""The base of metrics that rest on the relevance of passages to the question."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, Literal, cast

import numpy as np
import pyarrow as pa

from ragauge.core.arrow import to_arrow
from ragauge.core.batch import Batch
from ragauge.core.ingredients import Embedder, Ingredient, RelevanceModel, ingredient_field
from ragauge.core.messages import Joined, Message
from ragauge.core.options import check, default_of
from ragauge.core.protocol import evidence
from ragauge.core.ragged import FloatArray, IntArray
from ragauge.core.spec import write
from ragauge.core.statistics import Rows
from ragauge.embedders.lexical import Lexical
from ragauge.grounding.notes import ACROSS, across, notes_of
from ragauge.grounding.relevance.lexical import LexicalRelevance
from ragauge.grounding.relevance.passages import PassageRelevance, relevance_of
from ragauge.metrics._sample_mean import rows_of
from ragauge.metrics.rag._supported import SupportMetric

# Options of support, which a relevance model replaces.
_OF_SUPPORT = ("soft", "support", "threshold")
_RELEVANT = 0.5


@dataclass(frozen=True, kw_only=True)
class RelevanceMetric(SupportMetric):
    """A metric that rests on the relevance of passages to the question; or on support, if that is asked for.

    Args:
        relevance: what gives the probability that a passage is relevant to the question. ``lexical``: the words that
            its best sentence has, and the cosine of ``embedder`` beside them if that is another than ``lexical``.
            ``rerank``: an English model; ``reranker``: one of your own; ``http``: one on a server. ``none``: there is
            no such model, and support decides by the options below. ``auto``: ``lexical``, or ``none`` where one of
            ``soft``, ``support`` and ``threshold`` is given: ``support=ngram-recall`` is how questions and sentences
            were compared before.
    """

    relevance: Ingredient[Literal["auto"] | None | RelevanceModel] = ingredient_field(lambda: "auto")  # noqa: RUF036 - read in this order

    def __post_init__(self) -> None:
        if self.relevance_model is None:
            super().__post_init__()
        else:
            beside = Message("left out beside {options}", Joined(self._of_support, " and "))
            check(self, "relevance", beside, holds=not self._of_support)
            check(self, "relevance", "left out where passages are not held against the question", holds=self.asks)

    @property
    def not_shared(self) -> tuple[str, ...]:
        """What an ingredient named once for all metrics does not fill: that of support and relevance not in use."""
        return ("relevance",) if self.relevance_model is None else ("support",)

    @property
    def asks(self) -> bool:
        """Whether passages are held against the question."""
        return True

    @property
    def relevance_model(self) -> RelevanceModel | None:
        """The model of relevance; None where support decides."""
        if self.relevance != "auto":
            return self.relevance
        return LexicalRelevance() if self.asks and not self._of_support else None

    @property
    def _of_support(self) -> list[str]:
        """The options of support that have another value than their default."""
        of_support = [field for field in fields(self) if field.name in _OF_SUPPORT]
        return sorted(field.name for field in of_support if getattr(self, field.name) != default_of(field))

    @property
    def resolved(self) -> Mapping[str, str]:
        """The values of the options that may be ``auto`` or a file; empty for those that another one replaces."""
        if self.relevance_model is None:
            return {**super().resolved, "relevance": "none"}
        replaced = (*_OF_SUPPORT, *([] if self._reads_embedder else ["embedder"]))
        return {**dict.fromkeys(replaced, ""), "relevance": write(self.relevance_model, signed=True)}

    @property
    def compared_by(self) -> str:
        """How passages are compared with the question, as shown behind the metric's name."""
        if self.relevance_model is None or self._reads_embedder:
            return super().compared_by
        own_name = self.relevance_model.signature.partition("[")[0]
        return str(getattr(self.relevance_model, "compared_by", own_name))

    @property
    def notes(self) -> Mapping[str, str]:
        """The notes that may accompany a score, with their meanings."""
        if self.relevance_model is None:
            return super().notes
        return notes_of(
            cast("Embedder", self.embedder), None if self._reads_embedder else cast("Any", self.relevance_model)
        )

    @cached_property
    def _reads_embedder(self) -> bool:
        return isinstance(self.relevance_model, LexicalRelevance)

    def passages(self, batch: Batch) -> PassageRelevance:
        """Return the relevance of the passages by the model of relevance."""
        return relevance_of(batch, cast("RelevanceModel", self.relevance_model), cast("Embedder", self.embedder))

    def rows_of_passages(self, batch: Batch, relevance: PassageRelevance, value: FloatArray) -> Rows:
        """Return rows of ``value`` (n,), undefined where the question is empty; a sample fails with one passage."""
        undefined = batch.segments("question").not_blank.lengths == 0
        lost = np.flatnonzero(relevance.unknown).tolist()
        reasons = {row: relevance.reasons.get(row, "no answer") for row in lost}
        counts: dict[str, IntArray] = dict(relevance.noted)
        if self._reads_embedder and isinstance(self.embedder, Lexical):
            counts[ACROSS] = across(batch, "question", "contexts").astype(np.int64)
        return rows_of(value, undefined, reasons, counts)

    def explain(self, batch: Batch) -> pa.Table:
        """Return one row per segment that the metric counts; per passage with its relevance and its best sentence."""
        if self.relevance_model is None:
            return super().explain(batch)
        relevance, texts = self.passages(batch), batch.segments("contexts").strings
        values = relevance.values.values
        decided = [None if np.isnan(value) else bool(value >= _RELEVANT) for value in values]
        table = evidence(
            batch,
            relevance.values.rows,
            what="passage",
            texts=texts.values.tolist(),
            best=relevance.best.tolist(),
            similarity=values,
            supported=decided,
            why=relevance.why(),
        )
        for name, cosines in relevance.parts.items():
            table = table.append_column(Message("similarity {name}", name), to_arrow(cosines, mask=np.isnan(cosines)))
        return table
