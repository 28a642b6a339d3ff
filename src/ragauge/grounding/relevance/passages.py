"""The relevance of each passage to its sample's question, whatever model gives it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from types import MappingProxyType
from typing import Any

import numpy as np

from ragauge.core.batch import Batch
from ragauge.core.ingredients import Embedder, RelevanceModel
from ragauge.core.ragged import Array, BoolArray, FloatArray, IntArray, Ragged
from ragauge.core.spec import write
from ragauge.errors import UsageError

# Sorts behind all probabilities.
_LAST = -1.0


@dataclass(frozen=True, eq=False)
class PassageRelevance:
    """The relevance of m passages of n samples.

    Args:
        values: n lists of probabilities, 0 to 1; NaN where there is no answer.
        best: (m,) str: the sentence of each passage that is most relevant; None where the model does not say.
        reasons: why there is no answer, by sample.
        noted: counts of long texts (n,), see `ragauge.embedders.base`.
        why: returns in words what speaks against each passage, m texts; None where nothing does.
        parts: (m,) what the values are made of, by name; NaN where a part does not count.
    """

    values: Ragged
    best: Array
    reasons: Mapping[int, str] = field(default_factory=lambda: MappingProxyType({}))
    noted: Mapping[str, IntArray] = field(default_factory=lambda: MappingProxyType({}))
    why: Callable[[], Sequence[str | None] | None] = lambda: None
    parts: Mapping[str, FloatArray] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def unknown(self) -> BoolArray:
        """A mask of the samples with a passage for which there is no answer, (n,)."""
        unknown = np.zeros(len(self.values), dtype=bool)
        unknown[self.values.rows[np.isnan(self.values.values)]] = True
        return unknown

    def mean_of_best(self, count: int) -> FloatArray:
        """Return the mean of the ``count`` highest probabilities of each sample, (n,); 0 without a passage.

        >>> values = Ragged.of([[0.25, 0.75, 0.5], [0.5], []])
        >>> PassageRelevance(values, np.array([])).mean_of_best(2)
        array([0.625, 0.5  , 0.   ])
        """
        known = np.nan_to_num(self.values.values, nan=_LAST)
        rows = self.values.rows
        ordered = known[np.lexsort((-known, rows))]
        kept = self.values.positions < count
        sums = np.bincount(rows[kept], ordered[kept].clip(min=0.0), len(self.values))
        return np.asarray(sums / np.clip(self.values.lengths, 1, count))


def relevance_of(batch: Batch, model: RelevanceModel, embedder: Embedder) -> PassageRelevance:
    """Return the relevance of the passages of ``batch`` by ``model``; computed once for a batch.

    ``embedder`` counts where the model is ``lexical``.
    """
    if hasattr(model, "passages"):
        key = ("relevance", model.signature, embedder.signature)
        by_words: Callable[[Batch, Embedder], PassageRelevance] = model.passages
        return batch.derived(key, partial(by_words, batch, embedder))
    return batch.derived(("relevance", model.signature), partial(_by_model, model, batch))


def _by_model(model: RelevanceModel, batch: Batch) -> PassageRelevance:
    questions, passages = batch.segments("question").not_blank.strings, batch.segments("contexts").strings
    # A model may also say why there is no answer.
    ask: Any = getattr(model, "answers", None) or (lambda *texts: (model.probabilities(*texts), {}))
    probabilities, reasons = ask(questions, passages)
    values = np.asarray(probabilities, dtype=np.float64)
    if values.shape != passages.values.shape:
        name = write(model)
        raise UsageError(
            "RG-SUPPORT-001 probabilities of the relevance model {name} must return one number per passage, {n}; "
            "got an array of shape {shape}",
            name,
            len(passages.values),
            values.shape,
        )
    relevance = Ragged(values, passages.offsets)
    lost = np.unique(relevance.rows[np.isnan(values)]).tolist()
    noted = model.noted(questions, passages) if hasattr(model, "noted") else {}
    none = np.full(len(values), None, dtype=object)
    why = dict.fromkeys(lost, "the relevance model gave no answer") | reasons
    return PassageRelevance(relevance, none, why, noted)
