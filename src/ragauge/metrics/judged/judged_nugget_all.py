"""``judged-nugget-all`` and its kin: which of the facts that an answer should state it states, as a judge says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, cast

import numpy as np
import pyarrow as pa

from ragauge.core.batch import Batch
from ragauge.core.options import Range
from ragauge.core.protocol import Needs, Stage, columns_read, name_of
from ragauge.core.ragged import FloatArray, Ragged
from ragauge.core.registry import register
from ragauge.core.statistics import Rows
from ragauge.core.texts import objects_of
from ragauge.errors import DataError
from ragauge.judges.question import decides
from ragauge.metrics._sample_mean import rows_of, sums
from ragauge.metrics.judged._base import one_text, reasons_of, texts_of, with_question
from ragauge.metrics.judged._forms import FACTS, NUGGETS, steps
from ragauge.metrics.judged.cascade import Cascade
from ragauge.metrics.nuggets import COLUMN, PART, Importance, Nuggets, nuggets_of


@register(
    "judged-nugget-all",
    variants={
        "judged-nugget-vital": {"importance": "vital"},
        "judged-nugget-strict-all": {"strict": "true"},
        "judged-nugget-strict-vital": {"importance": "vital", "strict": "true"},
    },
    meanings={
        "judged-nugget-vital": "Vital nugget recall by a judge: the share of the vital nuggets, the facts that an "
        "answer must state, that it states.",
        "judged-nugget-strict-all": "Strict nugget recall by a judge: the share of the nuggets that the answer "
        "states in full.",
        "judged-nugget-strict-vital": "Strict vital nugget recall by a judge: the share of the vital nuggets that "
        "the answer states in full.",
    },
)
@dataclass(frozen=True, kw_only=True)
class JudgedNuggetAll(Cascade):
    """Nugget recall by a judge: the share of the nuggets, the facts that an answer should state, that it states.

    Formula:
        score = (nuggets stated + .5 x nuggets stated in part) / nuggets

    The column ``nuggets`` and the other names are as in ``nugget-all``. An assignment that the data give is kept; all
    other nuggets of a sample are one question: how far the answer says each, rated 2 (as a whole), 1 (in part) or 0.
    The four names share it. An empty answer states nothing, and nothing is asked.

    Without a column ``nuggets`` the judge proposes up to ``most`` nuggets, vital or okay, by the question and the
    references, without seeing the answer: one question more, which all systems share. References may be passages that
    answer the question, as for nuggetizer.

    Unit and range: a share of nuggets, 0 to 1. Of a decision model a nugget counts its mean rating / 2, or with
    ``strict`` the probability of a 2.

    ``undefined``: the sample has no nugget that counts. ``failed``: the judge gave no answer of the right form.

    Args:
        importance: ``all`` nuggets count, or the ``vital`` ones alone.
        strict: count 0 for what is stated in part, not .5.
        most: how many nuggets the judge may propose for a question.

    >>> import ragauge
    >>> judge = ragauge.judges.FunctionJudge(lambda messages: '{"nuggets": [{"nugget": 1, "rating": 1}]}', "example")
    >>> metric = JudgedNuggetAll(judge=judge)
    >>> ragauge.score(metric, answer="It opened in May.", nuggets=[{"text": "It opened in May 1990."}])
    0.5

    Not for: what an answer states beside the nuggets, be it right or wrong (``judged-faithfulness``).

    Source: Pradeep, Thakur, Upadhyay, Campos, Craswell and Lin 2024, "Initial nugget evaluation results for the TREC
    2024 RAG track with the AutoNuggetizer framework"; nuggetizer 0.0.5, whose assigner has the same three labels.
    Deviations: the wording is our own; nuggetizer asks about ten nuggets at a time, and proposes them in several
    rounds over passages that people or a model judged; without a nugget that counts a
    sample is undefined, where nuggetizer scores 0.
    """

    importance: Importance = "all"
    strict: bool = False
    most: Annotated[int, Range(1, 40)] = 20

    prompts_used: ClassVar[tuple[str, ...]] = ("facts", "nuggets")
    stage: ClassVar[Stage] = "generation"
    revision: ClassVar[int] = 2
    stand_in: ClassVar[str] = "nugget-all"
    same_options: ClassVar[tuple[str, ...]] = ("importance", "strict")

    @property
    def needs(self) -> Needs:
        """The answer with its nuggets; or, where no other metric decides, with what the judge proposes them from."""
        given = ("answer", COLUMN)
        return (given,) if self.ask is not None else (given, ("answer", "question", "references"))

    def measured(self, batch: Batch) -> Rows:
        """Return the share of stated nuggets of each answer."""
        nuggets, shares, reasons = self._rated(batch)
        weights = np.array([0.0, 0.0 if self.strict else PART, 1.0])
        counts = self._counts(nuggets, shares @ weights, strict=self.strict)
        value, none = nuggets.value(counts, self.importance)
        none[list(reasons)] = False
        return rows_of(np.nan_to_num(value), none, reasons, {})

    def explained(self, batch: Batch) -> pa.Table:
        """Return one row per nugget that counts; none of a sample that failed."""
        nuggets, shares, reasons = self._rated(batch)
        rows = nuggets.texts.rows
        kept = nuggets.counted(self.importance) & ~np.isin(rows, list(reasons))
        kept &= np.isin(rows, self.askable(batch, np.ones(len(batch))))
        return nuggets.explained(batch, self._counts(nuggets, shares.argmax(axis=1) / 2, strict=False), kept)

    def _counts(self, nuggets: Nuggets, found: FloatArray, *, strict: bool) -> FloatArray:
        places = np.flatnonzero(nuggets.open)
        return nuggets.counts(places, found[places], strict=strict)

    def _rated(self, batch: Batch) -> tuple[Nuggets, FloatArray, dict[int, str]]:
        """Return the nuggets, the shares of the ratings 0, 1 and 2 of each, (m, 3), and why samples have none."""
        nuggets, reasons = self._nuggets(batch)
        asked, answers = nuggets.texts.where(nuggets.open), one_text(batch, "answer")
        counted = sums(nuggets.open & nuggets.counted(self.importance), nuggets.texts.offsets) > 0
        rows = self.askable(batch, counted & np.array([bool(text.strip()) for text in answers], dtype=bool))
        data = [
            {**question, "answer": answers[row], COLUMN: texts, "count": len(texts)}
            for question, row in zip(with_question(batch, rows), rows, strict=True)
            for texts in [asked[row].tolist()]
        ]
        replied = self.replies(batch, NUGGETS, rows, data)
        shares = np.tile([1.0, 0.0, 0.0], (len(nuggets.given), 1))
        places = Ragged(np.flatnonzero(nuggets.open), asked.offsets)
        for row, reply in zip(rows, replied, strict=True):
            if reply.ok:
                shares[places[row]] = steps(reply.value)
        return nuggets, shares, {**reasons, **reasons_of(rows, replied)}

    def _nuggets(self, batch: Batch) -> tuple[Nuggets, dict[int, str]]:
        """Return the nuggets of the data, or those that the judge proposes, and why samples have none of these."""
        column = columns_read(self, batch.names)[-1]
        if column == COLUMN:
            return nuggets_of(batch), {}
        if decides(self.judge):
            template = (
                "RG-METRIC-055 {name} needs a column {column} with judge {judge}, which gives probabilities alone and "
                "writes no nuggets"
            )
            raise DataError(template, name_of(cast("Any", self)), COLUMN, str(self.judge))
        sources = texts_of(batch, column)
        rows = self.askable(batch, [bool(texts) for texts in sources])
        data = [
            {**question, "passages": sources[row], "count": self.most}
            for question, row in zip(with_question(batch, rows), rows, strict=True)
        ]
        replied = self.replies(batch, FACTS, rows, data)
        lists: list[list[dict[str, str]]] = [[] for _ in range(len(batch))]
        for row, reply in zip(rows, replied, strict=True):
            lists[row] = reply.value[COLUMN] if reply.ok else []
        flat = [one for several in lists for one in several]
        texts = Ragged.from_lengths(objects_of([one["text"] for one in flat]), list(map(len, lists)))
        vital = np.array([one["importance"] == "vital" for one in flat], dtype=bool)
        return Nuggets(texts, vital, np.full(len(flat), np.nan)), reasons_of(rows, replied)
