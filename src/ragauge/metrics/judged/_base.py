"""The base of judged metrics: which samples a judge is asked about, in which language, and each question once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from itertools import count
from typing import Annotated, Any, ClassVar, Literal, Self, cast

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ragauge.core.arrow import to_arrow
from ragauge.core.batch import Batch
from ragauge.core.ingredients import Check, Ingredient, Judge, Question, Reply, ingredient_field
from ragauge.core.messages import Message, Spelled
from ragauge.core.options import Range, Text
from ragauge.core.protocol import columns_read, failures, identity_of, name_of
from ragauge.core.ragged import BoolArray, FloatArray, IntArray
from ragauge.core.spec import parse_spec, write
from ragauge.core.statistics import Rows, Statistics, Status, ratio
from ragauge.errors import OptionError, worded
from ragauge.judges import Member, ask, members
from ragauge.judges.calibration import Calibration, CalibrationFile, model_of
from ragauge.judges.prompts import Data, Language, Prompts, language_of
from ragauge.judges.question import ReplyForm, decides, key_of, prompts_of_decisions
from ragauge.metrics._sample_mean import SampleMean

VARIANCE = "judge variance"
WRITTEN = ("claims", "entities", "questions")
"""Prompts whose replies are texts, which a decision model does not write."""
_DECIDED = (
    "one that asks for no text: judged-faithfulness, -context-recall, -context-precision, -context-relevancy, "
    "-factual-correctness, -rubric, -preference, or a rating"
)
_CASCADES = (
    "judged-faithfulness, judged-context-recall, judged-context-precision, judged-context-utilization, "
    "judged-context-relevancy, judged-answer-correctness and judged-nugget-all"
)
# Options of what becomes of the judge's scores.
_AFTER_SCORES = ("calibration", "threshold", "ask", "audit")
# Options that name texts, and what has the hash of these.
_BY_HASH = {"prompts": "prompts", "file": "criteria"}
_NAMED = Spelled("judge='chat[url=...,model=...]'", "--judge URL --judge-model NAME")


@dataclass(frozen=True, kw_only=True)
class JudgedMetric(SampleMean):
    """A metric that asks a judge.

    No question is asked about a sample that lacks a value, on which the system failed, or that has no value anyway.
    Each distinct question of a run is asked once, for all metrics together. Whatever is in a sample is data: it is
    put between marks that it cannot hold.

    With several judges or repeats the value of a sample is the mean of theirs, and the part ``judge variance`` their
    variance, over the samples that at least two of them give a value. A sample fails if one of them fails.

    Args:
        judge: the LLM that is asked; it has to be named.
        repeats: how often each question is asked, with another seed each time.
        language: of the prompts: ``en``, ``ja``, ``ko``, ``ru`` or ``zh``; ``auto``: that of each sample, by its column
            ``language``, or else by the script of its question and answer; English for all others.
        prompts: a folder with prompts of your own, ``NAME.LANGUAGE.txt`` or ``NAME.txt``; none: those of the package.
        thinking: tokens that the model may take to think before each reply. A model that thinks is truncated at 0, and
            asked once more with 4,096; a number here spares the first request.
        calibration: a file that ``ragauge calibrate --judge`` wrote: scores become what people would say, by its map.
    """

    judge: Ingredient[Judge] = ingredient_field(lambda: None)
    repeats: Annotated[int, Range(1, 100)] = 1
    language: Literal["auto", "en", "ja", "ko", "ru", "zh"] = "auto"
    prompts: Annotated[str, Text("a folder of prompts")] | None = None
    thinking: Annotated[int, Range(0, 1_000_000)] = 0
    calibration: Annotated[str, Text("a file of calibrations")] | None = None
    average: Literal["samples"] = "samples"
    repeat: int = field(default=0, repr=False, metadata={"option": False})
    """Which of the repeats this is; set by `measure`."""
    whole: Any = field(default=None, repr=False, metadata={"option": False})
    """The metric that this one is a part of, with one of its judges; set by `measure`."""

    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    prompts_used: ClassVar[tuple[str, ...]]
    """The names of the prompts that it may use."""
    of_others: ClassVar[Mapping[str, str]] = {"ask": _CASCADES, "audit": _CASCADES}
    """Options that only other metrics have, and which; an error about them names these."""
    renamed: ClassVar[Mapping[str, str]] = {"criteria": "judged-rubric:criteria=..."}
    """Options of another metric, and what is meant."""
    own_parts: ClassVar[tuple[str, ...]] = ()
    """The names of the columns of `measured` that are parts."""

    def __post_init__(self) -> None:
        if self.judge is None:
            raise OptionError(
                "RG-METRIC-004 {name} asks a judge, and none is named. Pass {named}.", name_of(self), _NAMED
            )
        writing = [name for name in self.prompts_used if name in WRITTEN]
        if writing and decides(self.judge):
            template = (
                "RG-METRIC-016 {name} needs a judge that writes {what}, and {judge} gives probabilities alone. "
                "Take {others}"
            )
            others = Message("claims=sentences") if hasattr(self, "claims") else Message(_DECIDED)
            raise OptionError(template, name_of(cast("Any", self)), worded(writing[0]), str(self.judge), others)
        _ = self.wording.version(self.prompts_used)
        _ = self.map_of_scores

    @cached_property
    def wording(self) -> Prompts:
        """The prompts."""
        return Prompts(self.prompts)

    @property
    def identity(self) -> str:
        """Name and options; prompts and criteria by their hash."""
        return identity_of(self, self.resolved)

    @property
    def resolved(self) -> Mapping[str, str]:
        """The hashes of the texts that options name; empty for an option that another one replaces."""
        names = prompts_of_decisions(self.prompts_used) if decides(self.judge) else self.prompts_used
        digest = "" if self.calibration is None else self._calibration_file.digest
        return {"prompts": self.wording.version(names), "calibration": digest}

    @property
    def map_of_scores(self) -> Calibration | None:
        """What people would say, as the file of calibrations has it; UsageError where it has none of this judge."""
        if self.calibration is None:
            return None
        whole: JudgedMetric = self.whole or self
        return self._calibration_file.of(whole.calibrated_as, model_of(whole.judge))

    @property
    def uncalibrated(self) -> Self:
        """The metric whose scores a calibration maps: its judge is asked about all, and no threshold cuts them."""
        usual = {one.name: one.default for one in fields(cast("Any", self)) if one.name in _AFTER_SCORES}
        return cast("Self", replace(cast("Any", self), **usual))

    @property
    def calibrated_as(self) -> str:
        """What a calibration holds for: the name, and all options that decide the judge's scores, but the judge."""
        spec = parse_spec(str(self.uncalibrated))
        texts = {name: text for name, text in spec.options.items() if name != "judge"}
        texts |= {name: self.resolved[by] for name, by in _BY_HASH.items() if getattr(self, name, None) is not None}
        at = f"@{','.join(spec.at)}" if spec.at else ""
        written = ",".join([f"{name}={text}" for name, text in texts.items()])
        return f"{spec.name}{at}:{written}" if written else f"{spec.name}{at}"

    @cached_property
    def _calibration_file(self) -> CalibrationFile:
        return CalibrationFile(self.calibration or "")

    @property
    def compared_by(self) -> str:
        """How texts are compared, as shown behind the metric's name."""
        return "judge"

    def measure(self, batch: Batch) -> Rows:
        """Return the mean of what each judge and each repeat says of a sample."""
        each = [metric.measured(batch) for metric in self.by_member]
        return self.calibrated(batch, each[0] if len(each) == 1 else mean_of(each))

    def calibrated(self, batch: Batch, rows: Rows) -> Rows:
        """Return rows with their values mapped to what people would say, where there is such a map."""
        found = self.map_of_scores
        if found is None:
            return rows
        low, high = self.range
        shares = found.mapped((rows["value"] - low) / (high - low), self.languages(batch))
        columns = {name: rows[name] for name in rows.names} | {"value": low + (high - low) * shares}
        return Rows.of(columns, status=rows.status, reasons=rows.reasons, noted=rows.noted)

    def explain(self, batch: Batch) -> pa.Table:
        """Return what the score rests on; of several judges or repeats one after the other."""
        tables = [metric.explained(batch) for metric in self.by_member]
        return tables[0] if len(tables) == 1 else pa.concat_tables(map(_numbered, tables, count(1)))

    def measured(self, batch: Batch) -> Rows:
        """Return the statistics of each sample by one judge, asked once."""
        raise NotImplementedError

    def explained(self, batch: Batch) -> pa.Table:
        """Return what the score of one judge, asked once, rests on."""
        raise NotImplementedError

    @property
    def by_member(self) -> list[Self]:
        """The same metric with each judge and for each repeat."""
        each = members(self.judge, self.repeats)
        return (
            [replace(cast("Any", self), judge=one.judge, repeats=1, repeat=one.repeat, whole=self) for one in each]
            if len(each) > 1
            else [self]
        )

    def parts(self, totals: Statistics) -> Mapping[str, FloatArray]:
        """Return the parts of the score by name; with several judges or repeats their variance among them."""
        several = len(members(self.judge, self.repeats)) > 1
        names = [*self.own_parts, *([VARIANCE] if several else [])]
        return {name: ratio(totals[name], totals["count"]) for name in names}

    def askable(self, batch: Batch, there: npt.ArrayLike) -> list[int]:
        """Return the open samples that ``there`` (n,) marks."""
        return np.flatnonzero(self.open(batch) & np.asarray(there, dtype=bool)).tolist()

    def open(self, batch: Batch) -> BoolArray:
        """Return the samples that have all that the metric reads, and on which the system did not fail, (n,)."""
        absent = batch.absent(*columns_read(cast("Any", self), batch.names))
        return np.asarray(~absent & ~failures(batch)[0])

    def replies(self, batch: Batch, form: ReplyForm, rows: Sequence[int], data: Sequence[Data]) -> list[Reply]:
        """Return the replies to questions about samples ``rows``, each with its data; each is asked once a batch."""
        languages = self.languages(batch)
        most = decides(self.judge)
        if most:
            each = form.decisions(self.wording, [languages[row] for row in rows], data, most)
            replies = iter(self._asked(batch, [question for some in each for question in some], lambda *_: None))
            return [
                form.decided(one, [next(replies) for _ in some], threshold)
                for one, some, threshold in zip(data, each, self.thresholds(batch, rows), strict=True)
            ]
        questions = form.questions(self.wording, [languages[row] for row in rows], data, thinking=self.thinking)
        return self._asked(batch, questions, form.check(questions, data))

    def _asked(self, batch: Batch, questions: Sequence[Question], check: Check) -> list[Reply]:
        # Also failures are kept, so that what the score rests on can be shown without asking once more.
        known: dict[Any, Reply] = batch.derived(("replies", write(self.judge), self.repeat), dict)
        keys = list(map(key_of, questions))
        new = {key: question for key, question in zip(keys, questions, strict=True) if key not in known}
        if new:
            member = Member(self.judge, self.repeat)
            replied = ask(batch, member, list(new.values()), check, metric=name_of(cast("Any", self)))
            known.update(zip(new, replied, strict=True))
        return [known[key] for key in keys]

    def thresholds(self, batch: Batch, rows: Sequence[int]) -> Sequence[float | None]:  # noqa: ARG002 - of verdicts
        """Return from which probability on something holds in samples ``rows``; None: the probability itself counts."""
        return [None] * len(rows)

    def languages(self, batch: Batch) -> list[Language]:
        """Return the language of the prompts of each sample."""
        if self.language != "auto":
            return [self.language] * len(batch)

        def detect() -> list[Language]:
            columns = [one_text(batch, name) for name in ("question", "answer") if name in batch.names]
            texts = [" ".join(parts) for parts in zip(*columns, strict=True)] if columns else [""] * len(batch)
            named = batch.column("language").to_pylist() if "language" in batch.names else [None] * len(batch)
            return [language_of(*pair) for pair in zip(texts, named, strict=True)]

        return batch.derived("languages of prompts", detect)


def mean_of(each: Sequence[Rows]) -> Rows:
    """Return the mean of the statistics of m judges or repeats, and the variance of their values between them.

    A sample fails if one of them fails. Those that find it undefined do not count; it is undefined if all do. The
    variance is NaN where fewer than two have a value.
    """
    status = np.stack([rows.status for rows in each])
    ok = status == Status.OK
    counts = np.maximum(ok.sum(axis=0), 1)
    means = {name: np.where(ok, [rows[name] for rows in each], 0.0).sum(axis=0) / counts for name in each[0].names}
    squares = np.where(ok, [(rows["value"] - means["value"]) ** 2 for rows in each], 0.0).sum(axis=0)
    columns = {**means, VARIANCE: np.where(counts > 1, squares / np.maximum(counts - 1, 1), np.nan)}
    columns["count"] = np.ones(len(counts))
    failed = (status == Status.FAILED).any(axis=0)
    states = np.where(
        failed, np.uint8(Status.FAILED), np.where(ok.any(axis=0), np.uint8(Status.OK), status.min(axis=0))
    )
    reasons = {row: why for rows in reversed(each) for row, why in rows.reasons.items()}
    noted = {name: np.sum([rows.noted[name] for rows in each], axis=0) for name in each[0].noted}
    return Rows.of(columns, status=states, reasons=reasons, noted=noted)


def _numbered(table: pa.Table, number: int) -> pa.Table:
    """Return evidence with the number of its judge or repeat behind the kind of segment."""
    place = table.column_names.index("what")
    kinds = [f"{kind} ({number})" for kind in table["what"].to_pylist()]
    return table.set_column(place, "what", to_arrow(kinds, pa.string()))


def one_text(batch: Batch, column: str) -> list[str]:
    """Return the text of each sample in a column of texts, empty where it is null."""
    return [text or "" for text in batch.column(column).to_pylist()]


def texts_of(batch: Batch, column: str) -> list[list[str]]:
    """Return the texts of each sample in a column of one or several, without blank ones."""
    listed = [[value] if isinstance(value, str) else value or [] for value in batch.column(column).to_pylist()]
    return [[text for text in texts if text and text.strip()] for texts in listed]


def with_question(batch: Batch, rows: IntArray | Sequence[int]) -> list[dict[str, Any]]:
    """Return for each of ``rows`` its question as data, or nothing where there is none."""
    if "question" not in batch.names:
        return [{} for _ in rows]
    questions = one_text(batch, "question")
    return [{"question": questions[row]} if questions[row].strip() else {} for row in rows]


def reasons_of(rows: Sequence[int], replied: Sequence[Reply]) -> dict[int, str]:
    """Return why samples have no reply, by sample; of several replies of a sample the first reason."""
    reasons: dict[int, str] = {}
    for row, reply in zip(rows, replied, strict=True):
        if not reply.ok:
            reasons.setdefault(row, reply.reason)
    return reasons
