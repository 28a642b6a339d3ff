"""Several answers to each question: how often they pass, how much they vary, and what more of them would tell."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from math import isnan, nan
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pyarrow as pa

from ragauge.comparison.consistency import Others
from ragauge.comparison.consistency import consistency as among
from ragauge.comparison.sample_sizes import beyond_range
from ragauge.core.arrow import to_numpy
from ragauge.core.messages import Argument, Counted, Message
from ragauge.core.options import Cutoff, Range, checked_value
from ragauge.core.ragged import FloatArray, IntArray
from ragauge.display.html import Displayed
from ragauge.display.numbers import interval, json_fields, number, percentage, short_number
from ragauge.display.table import Block, Notes, Paragraph, Table, TableColumn, TableRow
from ragauge.errors import ColumnError, UsageError, did_you_mean
from ragauge.evaluation.summarize import Level
from ragauge.inference.intervals import Interval, jackknife
from ragauge.inference.repeats import all_of, any_of, flips, variances
from ragauge.results.result import Result, loaded
from ragauge.results.score import shown_name


@dataclass(frozen=True)
class QuestionMean:
    """A mean over questions with its interval; NaN where it is not known."""

    value: float
    low: float
    high: float

    @classmethod
    def of(cls, values: FloatArray, level: float, limits: Interval) -> QuestionMean:
        """Return the mean of the ``values`` of questions, (u,), NaN left out, each a unit of the interval."""
        values = values[~np.isnan(values)]
        if not len(values):
            return cls(nan, nan, nan)
        mean = float(values.mean())
        without = (values.sum() - values) / max(len(values) - 1, 1)
        return cls(mean, *jackknife(mean, without if len(values) > 1 else values[:0], level, limits))


@dataclass(frozen=True, kw_only=True)
class RepeatedScore:
    """A metric of several answers to each question."""

    metric: str
    mean: QuestionMean
    """Of the questions' means: each question counts the same, however many answers it has."""
    questions: int
    answers: int
    """Answers with a score; those without are left out."""
    total: int
    k: int
    """How many answers `any_of` and `all_of` draw: as many as most questions have, or as was asked."""
    short: int
    """Questions with fewer than ``k`` answers, which `any_of` and `all_of` leave out."""
    any_of: QuestionMean
    """pass@k; NaN where no score says that an answer passes."""
    all_of: QuestionMean
    """pass^k."""
    flips: QuestionMean
    """The chance that of two answers to a question one passes and one does not."""
    between: float
    """The variance of the questions' true means; NaN where no question has two answers, or there is one."""
    within: float
    """The variance of the answers to one question."""
    more_questions: float
    """How wide the interval of the mean would be with twice the questions, as a share of what it is."""
    more_answers: float
    """And with twice the answers to each question."""

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as JSON types."""
        estimates = {name: json_fields(asdict(getattr(self, name))) for name in ("mean", "any_of", "all_of", "flips")}
        return json_fields({**asdict(self), **estimates})


@dataclass(frozen=True, eq=False, repr=False)
class Repeats(Displayed):
    """Several answers to each question, by metric."""

    scores: tuple[RepeatedScore, ...]
    by: str
    """The column whose values are the questions."""
    level: float
    consistency: Mapping[str, QuestionMean] = field(default_factory=dict)
    """How alike the answers to a question are, by the metrics that were asked for."""

    def __getitem__(self, metric: str) -> RepeatedScore:
        return next(one for one in self.scores if one.metric == metric)

    def to_dict(self) -> dict[str, Any]:
        """Return the scores as JSON types."""
        shown = {"by": self.by, "level": self.level, "metrics": [one.to_dict() for one in self.scores]}
        alike = {name: json_fields(asdict(one)) for name, one in self.consistency.items()}
        return {**shown, **({"consistency": alike} if alike else {})}

    def blocks(self) -> Iterator[Block]:
        """Yield a table of how often answers pass, and one of where their scores vary."""
        first = self.scores[0]
        counts = Counted(first.questions, "question"), Counted(first.total, "answer")
        template = "{questions} by {column}, {answers}; {level} intervals, by question"
        yield Paragraph(Message(template, counts[0], self.by, counts[1], percentage(self.level)))
        drawn = {one.k for one in self.scores}
        k = drawn.pop() if len(drawn) == 1 else "k"
        heads = ("mean", "interval", f"pass@{k}", "interval", f"pass^{k}", "interval", "flips", "interval")
        extra = [place for place, head in enumerate(heads) if head == "interval" and place > 1]
        passing = {one.metric: _passing(one) for one in self.scores}
        yield _table(Message("how often answers pass"), heads, passing, extra)
        varying = Message("where scores vary (standard deviation), and the interval's width with more (now: 1)")
        spread = ("questions", "answers", "between", "within", "2 × questions", "2 × answers")
        yield _table(varying, spread, {one.metric: _spread(one) for one in self.scores})
        if self.consistency:
            alike = {name: [number(one.value), interval(one.low, one.high)] for name, one in self.consistency.items()}
            yield _table(Message("how alike the answers to a question are"), ("mean", "interval"), alike)
        yield Notes(tuple(self._notes()))

    def _notes(self) -> Iterator[str]:
        for one in self.scores:
            name = shown_name(one.metric)
            if one.short:
                fewer = "RG-NOTE-111 {metric}: {questions} fewer than {k} scored answers, left out of pass@k and pass^k"
                yield Message(fewer, name, Counted(one.short, "question has", "questions have"), one.k)
            if one.answers < one.total:
                lacking = "RG-NOTE-112 {metric}: {n} of {total} answers have no score"
                yield Message(lacking, name, one.total - one.answers, one.total)
        if all(isnan(one.flips.value) for one in self.scores):
            given = Argument("passing", 0.5)
            yield Message("RG-NOTE-113 no metric scores 0 or 1 alone; name the score that passes, as in {given}", given)
        if any(one.between + one.within > 0 for one in self.scores):
            yield Message("RG-NOTE-114 for the mean, more questions help at least as much as more answers to each")


def _table(title: str, heads: Sequence[str], rows: Mapping[str, Sequence[str]], extra: Sequence[int] = ()) -> Table:
    columns = [TableColumn(head, "number", extra=place in extra) for place, head in enumerate(heads)]
    shown = [TableRow((shown_name(metric), *cells)) for metric, cells in rows.items()]
    return Table(title, (TableColumn("metric", "name"), *columns), tuple(shown))


def _passing(one: RepeatedScore) -> list[str]:
    estimates = (one.mean, one.any_of, one.all_of, one.flips)
    return [
        text for each in estimates for text in (number(each.value, each.low, each.high), interval(each.low, each.high))
    ]


def _spread(one: RepeatedScore) -> list[str]:
    numbers = (one.between**0.5, one.within**0.5, one.more_questions, one.more_answers)
    return [str(one.questions), str(one.answers), *map(short_number, numbers)]


def repeats(
    run: Result | str | Path,
    by: str | None = None,
    metrics: str | Sequence[str] = (),
    *,
    passing: float | None = None,
    k: int | None = None,
    level: Level = 0.95,
    consistency: Any = (),
    others: Others = "each",
) -> Repeats:
    """Return what several answers to each question say, under each metric of a run.

    Args:
        run: a result, or the directory of a saved run; a sample is an answer.
        by: the column whose values are the questions; by default the ``cluster`` of the run.
        metrics: some of the run's metrics; by default all.
        passing: the score from which an answer passes, or up to which, where lower is better; by default 1, or 0, of
            metrics that score nothing but 0 and 1, and no other metric has answers that pass.
        k: how many answers pass@k and pass^k draw; by default as many as most questions have.
        level: of the intervals, whose units are the questions.
        consistency: metrics that compare an answer with references, as ``token-f1``, by which the answers to a question
            are compared with each other.
        others: what stands for the references of an answer there: ``each`` other answer, with the mean over all pairs,
            or all ``together``: ``bleu`` with these is self-BLEU.

    Raises:
        ColumnError: the run has no column ``by``.
        UsageError: no question has two answers, or a metric cannot score ``passing``.
        OptionError: an argument has a wrong value.

    >>> import ragauge
    >>> given = [(1, "tea"), (1, "ale"), (2, "tea"), (2, "tea")]
    >>> rows = [{"q": q, "answer": answer, "references": ["tea"]} for q, answer in given]
    >>> found = repeats(ragauge.evaluate(rows, "exact-match", cluster="q"))["exact-match"]
    >>> found.mean.value, found.any_of.value, found.all_of.value, found.flips.value
    (0.75, 1.0, 0.5, 0.5)
    >>> alike = repeats(ragauge.evaluate(rows, "exact-match", cluster="q"), consistency="exact-match").consistency
    >>> alike["exact-match"].value
    0.5
    """
    result = loaded(run, "repeats", "run")
    level = checked_value("repeats", "level", level, Level)
    k = checked_value("repeats", "k", k, Cutoff)
    passing = checked_value("repeats", "passing", passing, Annotated[float, Range()] | None)
    column = result.options["cluster"] if by is None else result.data.known(by)
    if column is None:
        template = "RG-CMP-050 name the column whose values are the questions, as in {given}"
        raise UsageError(template, Argument("by", "question_id"))
    if column not in result.data.columns:
        hint = did_you_mean(str(column), result.data.columns)
        raise ColumnError("RG-CMP-051 by must be a column of the run; it has no {column!r}{hint}", column, hint)
    question = _numbered(result.column(column))
    if np.bincount(question).max(initial=0) < 2:
        raise UsageError(
            "RG-CMP-052 no two answers share a value of {column}; name the column of their questions, as in {given}",
            column,
            Argument("by", "question_id"),
        )
    names = [metrics] if isinstance(metrics, str) else list(metrics)
    chosen = [result.name(name) for name in names] or list(result.keys())
    for name in chosen if passing is not None else ():
        low, high = result.range(name)
        if not low <= passing <= high:
            raise beyond_range("passing", passing, name, low, high)
    others = checked_value("repeats", "others", others, Others)
    wanted = list(consistency) if isinstance(consistency, list | tuple) else [consistency]
    alike = {
        name: QuestionMean.of(values, level, limits)
        for name, values, limits in (among(result, question, metric, others) for metric in wanted)
    }
    return Repeats(tuple([_of(result, name, question, passing, k, level) for name in chosen]), column, level, alike)


def _of(
    result: Result, name: str, question: IntArray, passing: float | None, k: int | None, level: float
) -> RepeatedScore:
    scores, lower = result.scores(name), result[name].direction == "lower"
    scored = ~np.isnan(scores)
    values, (_, own) = scores[scored], np.unique(question[scored], return_inverse=True)
    answers = np.bincount(own)
    binary = bool(np.isin(values, (0.0, 1.0)).all())
    least = passing if passing is not None else (0.0 if lower else 1.0) if binary else nan
    passed = np.bincount(own, values <= least if lower else values >= least).astype(np.int64)
    drawn = k or max(int(np.bincount(answers, minlength=2).argmax()), 1)
    chances = any_of(passed, answers, drawn), all_of(passed, answers, drawn), flips(passed, answers)
    known = [one[:0] if isnan(least) else one for one in chances]
    pass_at, pass_all, flipped = (QuestionMean.of(one, level, (0.0, 1.0)) for one in known)
    spread = variances(values, own)
    units, each = max(len(answers), 1), max(len(values), 1) / max(len(answers), 1)
    now = spread.error(units, each)
    return RepeatedScore(
        metric=name,
        mean=QuestionMean.of(np.bincount(own, values) / answers, level, result.range(name)),
        questions=len(answers),
        answers=len(values),
        total=len(scores),
        k=drawn,
        short=int((answers < drawn).sum()),
        any_of=pass_at,
        all_of=pass_all,
        flips=flipped,
        between=spread.between,
        within=spread.within,
        more_questions=spread.error(2 * units, each) / now if now > 0 else nan,
        more_answers=spread.error(units, 2 * each) / now if now > 0 else nan,
    )


def _numbered(column: pa.Array) -> IntArray:
    """Return a number from 0 on for each value, (n,), none shared by rows without one."""
    codes = column.cast(pa.string()).dictionary_encode().indices
    numbers = np.asarray(to_numpy(codes.fill_null(-1)), dtype=np.int64)
    alone = numbers < 0
    numbers[alone] = numbers.max(initial=-1) + 1 + np.arange(alone.sum())
    return numbers
