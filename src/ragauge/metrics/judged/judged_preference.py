"""``judged-preference``: whether a judge prefers the answer to another one, asked in both orders."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np
import pyarrow as pa

from ragauge.core.batch import Batch
from ragauge.core.ingredients import Reply
from ragauge.core.messages import Message
from ragauge.core.options import Text, check
from ragauge.core.protocol import Needs, Stage, evidence
from ragauge.core.ragged import FloatArray
from ragauge.core.registry import register
from ragauge.core.statistics import Rows
from ragauge.metrics._sample_mean import rows_of
from ragauge.metrics.judged._base import one_text, reasons_of
from ragauge.metrics.judged._forms import PREFERENCE
from ragauge.metrics.judged.judged_rubric import CriteriaMetric

_SHOWN = ("preferred {win:g}, shown second", "preferred {win:g}, shown first")
# Of a reply 0, 1 and 2: a tie, the first answer, the second answer.
_OF_FIRST = {0: 0.5, 1: 1.0, 2: 0.0}


@register("judged-preference", aliases=("preference",))
@dataclass(frozen=True, kw_only=True)
class JudgedPreference(CriteriaMetric):
    """Pairwise preference by a judge: whether it prefers the answer to another one, asked in both orders.

    Formula:
        score = (w(answer first) + w(answer second)) / 2
        w     = 1 if the judge prefers the answer, 1/2 for a tie, 0 if it prefers the other one; with probabilities,
                P(answer) + P(tie) / 2

    Unit and range: a share of comparisons won, 0 to 1; 1/2 says that neither is better, or that the judge goes by the
    order. Two questions a sample. Answers that are equal score 1/2, and nothing is asked. Part ``consistent``: of
    the samples that were asked about, the share whose two replies say the same; a low share says that the judge goes
    by the order.

    ``undefined``: never. ``failed``: the judge gave no reply of the right form in one of the two orders.

    Args:
        other: the column of the other answers.
        criteria: what makes an answer better; null: being more correct and complete.

    Raises:
        OptionError: both ``criteria`` and ``file`` are given.
        UsageError: the file cannot be read.

    >>> import ragauge
    >>> reply = '{"better": 0}'
    >>> judge = ragauge.judges.FunctionJudge(lambda messages: reply, "example")
    >>> ragauge.score(JudgedPreference(judge=judge), question="When?", answer="In May.", other_answer="In spring.")
    0.5

    Not for: two runs that are scored already: ``ragauge compare`` tests their differences.

    Source: Zheng et al. 2023, "Judging LLM-as-a-judge with MT-Bench and Chatbot Arena", for both orders; that paper
    calls a win only what both orders say, which ``score >= .75`` counts here.
    """

    other: Annotated[str, Text("the name of a column")] = "other_answer"
    criteria: Annotated[str, Text("criteria to compare by")] | None = None

    prompts_used: ClassVar[tuple[str, ...]] = ("preference",)
    own_parts: ClassVar[tuple[str, ...]] = ("consistent",)
    stage: ClassVar[Stage] = "end-to-end"

    def __post_init__(self) -> None:
        super().__post_init__()
        check(self, "file", "left out beside criteria", holds=self.criteria is None or self.file is None)
        _ = self.written

    @property
    def needs(self) -> Needs:
        """The question, the answer and the other answer."""
        return (("question", "answer", self.other),)

    def measured(self, batch: Batch) -> Rows:
        """Return the share of comparisons that each answer wins."""
        rows, replied = self._replies(batch)
        by_order = self._wins(replied)
        value, consistent = np.full(len(batch), 0.5), np.full(len(batch), np.nan)
        asked_rows = rows[: len(rows) // 2]
        value[asked_rows] = np.nan_to_num(by_order.mean(axis=0), nan=0.5)
        written = self._wins(replied, weighted=False)
        consistent[asked_rows] = written[0] == written[1]
        reasons, noted = reasons_of(rows, replied), self.noted(len(batch), rows, replied)
        return rows_of(value, np.zeros(len(batch), dtype=bool), reasons, noted, consistent=consistent)

    def explained(self, batch: Batch) -> pa.Table:
        """Return one row per reply: the answer first, then the other answer first."""
        rows, replied = self._replies(batch)
        wins = self._wins(replied).ravel()
        there = np.flatnonzero(~np.isnan(wins)).tolist()
        answers, others = one_text(batch, "answer"), one_text(batch, self.other)
        return evidence(
            batch,
            [rows[place] for place in there],
            what="answer",
            texts=[answers[rows[place]] for place in there],
            best=[others[rows[place]] for place in there],
            why=[Message(_SHOWN[place < len(rows) // 2], wins[place]) for place in there],
        )

    def _wins(self, replied: Sequence[Reply], *, weighted: bool = True) -> FloatArray:
        """Return how far the judge prefers the answers, (2, q): shown first, shown second; NaN where it did not say."""
        wins = np.array([self._win(reply, weighted=weighted and self.weighted) for reply in replied], dtype=np.float64)
        by_order = wins.reshape(2, -1)
        return np.stack([by_order[0], 1.0 - by_order[1]])

    @staticmethod
    def _win(reply: Reply, *, weighted: bool) -> float:
        """Return how far a reply prefers the first answer, 0 to 1."""
        if not reply.ok:
            return float("nan")
        if weighted and reply.label_probabilities:
            return sum(_OF_FIRST[int(label)] * share for label, share in reply.label_probabilities.items())
        return _OF_FIRST[reply.value["better"]]

    def _replies(self, batch: Batch) -> tuple[list[int], Sequence[Reply]]:
        """Return the samples of both orders, one order after the other, and the replies."""
        answers, others = one_text(batch, "answer"), one_text(batch, self.other)
        differ = [one.strip() != other.strip() for one, other in zip(answers, others, strict=True)]
        rows = self.askable(batch, differ)
        questions = one_text(batch, "question")
        common = [self._common(questions[row]) for row in rows]
        data = [
            {**shared, "first": first[row], "second": second[row]}
            for first, second in ((answers, others), (others, answers))
            for shared, row in zip(common, rows, strict=True)
        ]
        return rows * 2, self.replies(batch, PREFERENCE, rows * 2, data)

    def _common(self, question: str) -> dict[str, Any]:
        criteria = {"criteria": self.written} if self.written else {}
        return {**criteria, **({"question": question} if question.strip() else {})}
