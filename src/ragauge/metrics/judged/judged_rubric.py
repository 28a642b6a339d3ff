"""``judged-rubric``: a judge's rating of the answer by your own criteria."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
import pyarrow as pa

from ragauge.core.batch import Batch
from ragauge.core.ingredients import Reply
from ragauge.core.messages import Message
from ragauge.core.options import Range, Text, check
from ragauge.core.protocol import Needs, Stage
from ragauge.core.registry import register
from ragauge.core.statistics import Rows
from ragauge.errors import OptionError, UsageError, excerpt
from ragauge.judges.question import ReplyForm
from ragauge.metrics._sample_mean import rows_of
from ragauge.metrics.judged._base import one_text, reasons_of, texts_of
from ragauge.metrics.judged._claims import passages_of
from ragauge.metrics.judged._forms import rating
from ragauge.metrics.judged._ratings import RatingMetric, rated

_MOST_CHARACTERS = 100_000
Shown = Literal["answer", "contexts", "question", "references"]


@dataclass(frozen=True, kw_only=True)
class CriteriaMetric(RatingMetric):
    """The base of metrics that show a judge criteria of one's own.

    Args:
        file: a text file of criteria in place of ``criteria``.
    """

    criteria: Annotated[str, Text("criteria to rate by")] | None = None
    file: Annotated[str, Text("a text file of criteria")] | None = None

    @cached_property
    def written(self) -> str:
        """The criteria, empty where none are given; UsageError where their file cannot be read or is empty."""
        if self.file is None:
            return self.criteria or ""
        try:
            written = Path(self.file).read_text(encoding="utf-8-sig").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(
                "RG-METRIC-006 the file of criteria {file!r} cannot be read: {reason}", self.file, excerpt(str(error))
            ) from None
        if not 0 < len(written) <= _MOST_CHARACTERS:
            raise UsageError(
                "RG-METRIC-005 the file of criteria {file!r} must hold 1 to {most_characters} characters; got {n}",
                self.file,
                _MOST_CHARACTERS,
                len(written),
            )
        return written

    @property
    def resolved(self) -> Mapping[str, str]:
        """The hashes of prompts and criteria."""
        return {**super().resolved, "criteria": sha256(self.written.encode()).hexdigest()[:8], "file": ""}


@register("judged-rubric", aliases=("rubric",))
@dataclass(frozen=True, kw_only=True)
class JudgedRubric(CriteriaMetric):
    """Rubric rating by a judge: a whole number from ``low`` to ``high`` by criteria of your own.

    Formula:
        score = sum over the labels low..high of label * P(label), where the server gives probabilities; else the rating

    Unit and range: points of the scale, ``low`` to ``high``. One question a sample. An empty answer is rated like any
    other, since only the criteria say what it is worth.

    ``undefined``: never. ``failed``: the judge gave no rating.

    Args:
        criteria: what to rate by, and, where you like, what each number means.
        low: the worst rating.
        high: the best rating.
        shows: what the judge sees beside the answer: ``question``, ``contexts``, ``references``, joined with ``/``;
            ``answer``: nothing else.

    Raises:
        OptionError: neither ``criteria`` nor ``file`` is given, or both are, or ``low`` is not below ``high``.
        UsageError: the file cannot be read.

    >>> import ragauge
    >>> reply = '{"rating": 4}'
    >>> judge = ragauge.judges.FunctionJudge(lambda messages: reply, "example")
    >>> ragauge.score(JudgedRubric(judge=judge, criteria="politeness"), question="When?", answer="In May.")
    4.0

    Not for: comparing systems by two different rubrics: their numbers mean different things, and the signature differs.

    Source: Liu, Iter, Xu, Wang, Xu and Zhu 2023, "G-Eval: NLG evaluation using GPT-4 with better human alignment", for
    ratings weighted by probability; ragas 0.4.3 ``RubricsScore``, which takes the number as written.
    """

    low: Annotated[int, Range(0, 99)] = 1
    high: Annotated[int, Range(1, 100)] = 5
    shows: tuple[Shown, ...] = ("question",)

    prompts_used: ClassVar[tuple[str, ...]] = ("rubric",)
    stage: ClassVar[Stage] = "generation"

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.criteria is None) == (self.file is None):
            raise OptionError(
                "RG-METRIC-007 judged-rubric needs criteria, in one place: give criteria=TEXT, or file=PATH, a text "
                "file that holds them"
            )
        check(self, "high", Message("above low={low}", self.low), holds=self.low < self.high)
        _ = self.written

    @property
    def range(self) -> tuple[float, float]:  # type: ignore[override]  # of the class where the scale is fixed
        """The ends of the scale."""
        return (float(self.low), float(self.high))

    @property
    def needs(self) -> Needs:
        """The answer, and what the judge sees beside it."""
        return (tuple(dict.fromkeys(("answer", *self.shows))),)

    def measured(self, batch: Batch) -> Rows:
        """Return the rating of each answer."""
        rows, replied = self._replies(batch)
        value = np.full(len(batch), float(self.low))
        value[rows] = np.nan_to_num(self.ratings(replied, "rating"), nan=self.low).clip(self.low, self.high)
        reasons, noted = reasons_of(rows, replied), self.noted(len(batch), rows, replied)
        return rows_of(value, np.zeros(len(batch), dtype=bool), reasons, noted)

    def explained(self, batch: Batch) -> pa.Table:
        """Return one row per answer with its rating."""
        rows, replied = self._replies(batch)
        answers = one_text(batch, "answer")
        return rated(batch, rows, "answer", [answers[row] for row in rows], self.ratings(replied, "rating"))

    @cached_property
    def _form(self) -> ReplyForm:
        return rating("rubric", self.low, self.high)

    def _replies(self, batch: Batch) -> tuple[list[int], Sequence[Reply]]:
        """Return the samples that were asked about, and the replies."""
        rows = np.flatnonzero(self.open(batch)).tolist()
        return rows, self.replies(batch, self._form, rows, [self._data(batch, row) for row in rows])

    def _data(self, batch: Batch, row: int) -> Mapping[str, Any]:
        """Return the data of one sample, without what it lacks."""
        one = batch.derived(("shown", self.shows), lambda: self._columns(batch))
        shown = {name: texts[row] for name, texts in one.items() if texts[row]}
        return {"criteria": self.written, "low": self.low, "high": self.high, **shown, "answer": one["answer"][row]}

    def _columns(self, batch: Batch) -> dict[str, Sequence[Any]]:
        """Return the columns that the judge sees, by the names of their places."""
        columns: dict[str, Sequence[Any]] = {"answer": one_text(batch, "answer")}
        if "question" in self.shows:
            columns["question"] = one_text(batch, "question")
        if "contexts" in self.shows:
            columns["passages"] = passages_of(batch)
        if "references" in self.shows:
            columns["references"] = texts_of(batch, "references")
        return columns
