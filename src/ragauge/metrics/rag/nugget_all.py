"""``nugget-all``, ``nugget-vital``, ``nugget-strict-all``, ``nugget-strict-vital``: the facts that an answer states."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np
import pyarrow as pa

from ragauge.core.batch import Batch
from ragauge.core.protocol import Needs, Stage
from ragauge.core.ragged import FloatArray
from ragauge.core.registry import register
from ragauge.core.statistics import Rows
from ragauge.errors import DataError
from ragauge.grounding.support.pairs import Best
from ragauge.metrics.nuggets import COLUMN, PART, Importance, Nuggets, may_be_several, nuggets_of
from ragauge.metrics.rag._compared import Compared
from ragauge.metrics.rag._supported import Soft, Windowed
from ragauge.sentences import split

_OPEN = "open nuggets"
_TOGETHER = "nuggets that may be several"
_TOGETHER_MEANS = (
    "texts with a mark such as ; | ## or 2. within, each read as one nugget; if it parts nuggets, split them by your "
    'mark, as by --split "nuggets=;"'
)


@register(
    "nugget-all",
    variants={
        "nugget-vital": {"importance": "vital"},
        "nugget-strict-all": {"strict": "true"},
        "nugget-strict-vital": {"importance": "vital", "strict": "true"},
    },
    meanings={
        "nugget-vital": "Vital nugget recall: the share of the vital nuggets, the facts that an answer must state, "
        "that it supports.",
        "nugget-strict-all": "Strict nugget recall: the share of the nuggets that the answer supports in full.",
        "nugget-strict-vital": "Strict vital nugget recall: the share of the vital nuggets that the answer supports "
        "in full.",
    },
)
@dataclass(frozen=True, kw_only=True)
class NuggetAll(Windowed):
    """Nugget recall: the share of the nuggets, the facts that an answer should state, that the answer supports.

    Formula:
        score = (nuggets supported + .5 x nuggets supported in part) / nuggets

    ``nugget-vital`` counts vital nuggets alone; ``nugget-strict-all`` and ``nugget-strict-vital`` count 0 for what is
    supported in part.

    The column ``nuggets`` lists them in each row, each as an object: its ``text``, its ``importance``, ``vital`` or
    ``okay``, and, where people or a judge assigned it, ``assignment``: ``support``, ``partial_support`` or
    ``not_support``. A nugget that is only a text, or has no importance, is vital.

    A nugget without an assignment is compared with the answer: it is supported where the best window of the answer's
    sentences supports it to the threshold, and in part from half of that on. On the half of WiCE that this was not
    chosen by, the mean recall of the three steps, as people judged claims, is 63 % (``python benchmarks/nuggets.py``);
    that of chance is 33 %.

    Unit and range: a share of nuggets, 0 to 1. An empty answer supports nothing.

    ``undefined``: the sample has no nugget that counts. ``failed``: the embedder or support model gave no answer, and
    its answer would decide.

    Args:
        importance: ``all`` nuggets count, or the ``vital`` ones alone.
        strict: count 0 for what is supported in part, not .5.

    >>> import pyarrow as pa
    >>> nuggets = [{"text": "It opened in 1990.", "importance": "vital"}, {"text": "It is red.", "importance": "okay"}]
    >>> batch = Batch(pa.table({"id": ["a"], "answer": ["Lin opened it. It opened in 1990."], "nuggets": [nuggets]}))
    >>> NuggetAll().measure(batch)["value"], NuggetAll(importance="vital").measure(batch)["value"]
    (array([0.5]), array([1.]))

    Not for: what an answer states beside the nuggets, be it right or wrong (``groundedness``).

    Source: Pradeep, Thakur, Upadhyay, Campos, Craswell and Lin 2024, "Initial nugget evaluation results for the TREC
    2024 RAG track with the AutoNuggetizer framework"; equals ``all_score``, ``vital_score``, ``strict_all_score`` and
    ``strict_vital_score`` of nuggetizer 0.0.5. Deviations: without a nugget that counts a sample is undefined, where
    nuggetizer scores 0; without assignments support is measured, where nuggetizer asks a language model.
    """

    importance: Importance = "all"
    strict: bool = False
    soft: Soft = field(default=False, init=False, repr=False, metadata={"option": False})

    stage: ClassVar[Stage] = "generation"
    needs: ClassVar[Needs] = (("answer", COLUMN), (COLUMN,))
    explained: ClassVar[str] = "nugget"

    @property
    def notes(self) -> Mapping[str, str]:
        """The notes that may accompany a score, with their meanings."""
        return {**super().notes, _TOGETHER: _TOGETHER_MEANS}

    def compared(self, batch: Batch) -> Compared:
        """Return the nuggets without an assignment, each with the window of the answer that supports it best."""
        claims = batch.derived(("segments", _OPEN), lambda: nuggets_of(batch).claims)
        if len(claims) and "answer" not in batch.names:
            template = "RG-METRIC-032 without a column {answer} each nugget must have an assignment; not {rows}"
            rows = list(zip(claims.rows.tolist(), claims.strings.values.tolist(), strict=True))
            raise DataError(template, "answer", batch.named(rows))
        sentences = batch.segments("answer", split) if len(claims) else claims
        return Compared.by_claim(self.degrees(batch, claims, sentences, self.width), claims, sentences)

    def measure(self, batch: Batch) -> Rows:
        """Return the share of supported nuggets of each answer."""
        nuggets, compared = nuggets_of(batch), self.compared(batch)
        counts = self._counts(nuggets, compared.best, strict=self.strict)
        value, none = nuggets.value(counts, self.importance)
        # Nuggets that do not count decide nothing.
        counted = nuggets.counted(self.importance)[nuggets.open]
        best = replace(compared.best, failed=compared.best.failed & counted)
        known = "answer" if "answer" in batch.names else _OPEN
        more = {_TOGETHER: may_be_several(batch)}
        return self.rows(batch, replace(compared, best=best), value, none, known, _OPEN, more)

    def explain(self, batch: Batch) -> pa.Table:
        """Return one row per nugget, with the sentences of the answer that support it best."""
        nuggets, compared = nuggets_of(batch), self.compared(batch)
        best, others = compared.best, compared.others.windows(self.shown).values
        counts = self._counts(nuggets, best, strict=False)
        shown: list[str | None] = [None] * len(counts)
        why: list[str | None] = [None] * len(counts)
        similarity = np.full(len(counts), np.nan)
        lost = best.unknown(self.scorer.resolved_threshold.value)
        reasons = compared.why(counts[nuggets.open] == 1.0)
        for at, place, reason in zip(np.flatnonzero(nuggets.open).tolist(), best.place.tolist(), reasons, strict=True):
            shown[at], why[at] = others[place] if place >= 0 else None, reason
        similarity[nuggets.open] = np.where((best.place >= 0) & ~lost, best.value, np.nan)
        counts[np.flatnonzero(nuggets.open)[lost]] = np.nan
        return nuggets.explained(batch, counts, None, shown, similarity, why)

    def _counts(self, nuggets: Nuggets, best: Best, *, strict: bool) -> FloatArray:
        """Return what each nugget counts, (m,): 1, 0, or between them what is supported in part."""
        limit, part = self.scorer.resolved_threshold.value, 0.0 if strict else PART
        found = np.where(best.reaches(limit), 1.0, np.where(best.reaches(limit * PART), part, 0.0))
        return nuggets.counts(np.flatnonzero(nuggets.open), found, strict=strict)
