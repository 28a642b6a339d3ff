"""``judged-nugget-all`` and its kin: which of the facts that an answer should state it states, as a judge says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pyarrow as pa

from ragauge.core.batch import Batch
from ragauge.core.ingredients import Reply
from ragauge.core.protocol import Needs, Stage
from ragauge.core.ragged import IntArray
from ragauge.core.registry import register
from ragauge.core.statistics import Rows
from ragauge.metrics._sample_mean import rows_of
from ragauge.metrics.judged._base import one_text, reasons_of, with_question
from ragauge.metrics.judged._forms import rating
from ragauge.metrics.judged._ratings import RatingMetric, rating_of
from ragauge.metrics.nuggets import COLUMN, Importance, nuggets_of

_FORM = rating("accuracy")
_WHOLE = "2"
"""The rating of what is said as a whole."""


@register(
    "judged-nugget-all",
    variants={
        "judged-nugget-vital": {"importance": "vital"},
        "judged-nugget-strict-all": {"strict": "true"},
        "judged-nugget-strict-vital": {"importance": "vital", "strict": "true"},
    },
)
@dataclass(frozen=True, kw_only=True)
class JudgedNuggetAll(RatingMetric):
    """Nugget recall by a judge: the share of the nuggets, the facts that an answer should state, that it states.

    Formula:
        score = (nuggets stated + .5 x nuggets stated in part) / nuggets

    The column ``nuggets`` and the other names are as in ``nugget-all``. An assignment that the data give is kept; for
    each other nugget that counts there is one question: how far the answer says what the nugget says, rated 2 (as a
    whole), 1 (in part) or 0. The four names share their questions. An empty answer states nothing, and nothing is
    asked.

    Unit and range: a share of nuggets, 0 to 1. Where the probabilities of the ratings are known a nugget counts its
    mean rating / 2, or with ``strict`` the probability of a 2.

    ``undefined``: the sample has no nugget that counts. ``failed``: the judge gave no rating of one that counts.

    Args:
        importance: ``all`` nuggets count, or the ``vital`` ones alone.
        strict: count 0 for what is stated in part, not .5.

    >>> import ragauge
    >>> judge = ragauge.judges.FunctionJudge(lambda messages: '{"rating": 1}', "example")
    >>> metric = JudgedNuggetAll(judge=judge)
    >>> ragauge.score(metric, answer="It opened in May.", nuggets=[{"text": "It opened in May 1990."}])
    0.5

    Not for: what an answer states beside the nuggets, be it right or wrong (``judged-faithfulness``).

    Source: Pradeep, Thakur, Upadhyay, Campos, Craswell and Lin 2024, "Initial nugget evaluation results for the TREC
    2024 RAG track with the AutoNuggetizer framework"; nuggetizer 0.0.5, whose assigner has the same three labels.
    Deviations: the wording is our own; nuggetizer asks about ten nuggets at a time; without a nugget that counts a
    sample is undefined, where nuggetizer scores 0.
    """

    importance: Importance = "all"
    strict: bool = False

    prompts_used: ClassVar[tuple[str, ...]] = ("accuracy",)
    stage: ClassVar[Stage] = "generation"
    needs: ClassVar[Needs] = (("answer", COLUMN),)

    def measured(self, batch: Batch) -> Rows:
        """Return the share of stated nuggets of each answer."""
        nuggets, (open_ones, places, replied) = nuggets_of(batch), self._replies(batch)
        found = np.zeros(len(nuggets.given))
        found[places] = [self._credit(reply) for reply in replied]
        value, none = nuggets.value(nuggets.counts(open_ones, found[open_ones], strict=self.strict), self.importance)
        rows = nuggets.texts.rows[places].tolist()
        return rows_of(np.nan_to_num(value), none, reasons_of(rows, replied), self.noted(len(batch), rows, replied))

    def explained(self, batch: Batch) -> pa.Table:
        """Return one row per nugget that counts; none of a sample that failed."""
        nuggets, (open_ones, places, replied) = nuggets_of(batch), self._replies(batch)
        found = np.zeros(len(nuggets.given))
        found[places] = [rating_of(reply, "rating", weighted=False) / 2 for reply in replied]
        rows = nuggets.texts.rows
        lost = np.isin(rows, list(reasons_of(rows[places].tolist(), replied)))
        kept = nuggets.counted(self.importance) & ~lost & np.isin(rows, self.askable(batch, np.ones(len(batch))))
        return nuggets.explained(batch, nuggets.counts(open_ones, found[open_ones], strict=False), kept)

    def _credit(self, reply: Reply) -> float:
        """Return what a nugget counts, by its rating; NaN where there is none."""
        if not self.strict or not reply.ok:
            return rating_of(reply, "rating", weighted=self.weighted) / 2
        shares = reply.label_probabilities if self.weighted else None
        return shares[_WHOLE] if shares else float(str(reply.value["rating"]) == _WHOLE)

    def _replies(self, batch: Batch) -> tuple[IntArray, IntArray, Sequence[Reply]]:
        """Return the nuggets without an assignment, those of them that were asked about, and the replies."""
        nuggets, answers = nuggets_of(batch), one_text(batch, "answer")
        rows = self.askable(batch, [bool(text.strip()) for text in answers])
        asked = nuggets.open & nuggets.counted(self.importance) & np.isin(nuggets.texts.rows, rows)
        places = np.flatnonzero(asked)
        owners = nuggets.texts.rows[places].tolist()
        data = [
            {**question, "first": answers[row], "second": text}
            for question, row, text in zip(
                with_question(batch, owners), owners, nuggets.texts.values[places].tolist(), strict=True
            )
        ]
        return np.flatnonzero(nuggets.open), places, self.replies(batch, _FORM, owners, data)
