"""Scores as tables: one per stage of a RAG system, all samples before the groups of a column."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from ragauge.core.protocol import STAGES
from ragauge.display.bars import Span
from ragauge.display.numbers import interval, label, number, percentage
from ragauge.display.table import Bar, Table, TableColumn, TableRow, Words
from ragauge.results.score import Score

_LOWER = "↓ lower is better"


def score_tables(scores: Sequence[Score], level: float, range_of: Callable[[str], Span]) -> list[Table]:
    """Return the tables of scores, by stage in the order of a RAG system.

    Args:
        scores: of one run.
        level: of their intervals.
        range_of: returns the least and the greatest value of a metric, by its name.
    """
    tables = []
    for stage in STAGES:
        staged = [score for score in scores if score.stage == stage]
        for by in dict.fromkeys(_grouping_column(score) for score in staged):
            shown = [score for score in staged if _grouping_column(score) == by]
            notes = (_LOWER,) if any(score.direction == "lower" for score in shown) else ()
            title = f"{stage} by {by}" if by else stage
            tables.append(Table(title, _columns(by, level), tuple(_rows(shown, range_of)), notes))
    return tables


def _grouping_column(score: Score) -> str | None:
    return next(iter(score.group)) if score.group else None


def _columns(by: str | None, level: float) -> tuple[TableColumn, ...]:
    return (
        *((TableColumn(by, "group"),) if by else ()),
        TableColumn("metric", "name"),
        TableColumn("value", "number"),
        TableColumn(f"{percentage(level)} interval"),
        TableColumn("scored", "number"),
        TableColumn("", "bar"),
        TableColumn("notes", "words"),
    )


def _rows(scores: Sequence[Score], range_of: Callable[[str], Span]) -> Iterator[TableRow]:
    """Yield a row for each score; a group is named in the first of its rows."""
    before = None
    for score in scores:
        group = label(score.group)
        cells = (
            score.metric + ("" if score.direction == "higher" else " ↓"),
            number(score.value),
            interval(score.low, score.high),
            f"{score.scored}/{score.total}",
            _bar(score, range_of(score.metric)),
            notes(score),
        )
        yield TableRow((*(("" if group == before else group,) if score.group else ()), *cells))
        before = group


def _bar(score: Score, span: Span) -> Bar:
    ends = f", {interval(score.low, score.high)}" if interval(score.low, score.high) else ""
    description = f"{number(score.value)}{ends} on {span[0]:g} to {span[1]:g}"
    return Bar(score.value, (score.low, score.high), span, description)


def notes(score: Score) -> Words:
    """Return the notes of a score: samples that were not scored and what they could change; extra: its components."""
    states = [(score.failed, "failed"), (score.missing, "missing"), (score.undefined, "undefined")]
    problems = [f"{count} {word}" for count, word in states if count]
    if score.bounds is not None and score.bounds[0] < score.bounds[1]:
        problems.append(f"bounds {number(score.bounds[0])}–{number(score.bounds[1])}")
    if score.undefined_scored:
        problems.append(f"{score.undefined_scored} undefined scored 0")
    extra = ", ".join(f"{name} {_component(part)}" for name, part in score.parts.items())
    return Words(", ".join(filter(None, [*problems, remarks(score)])), extra)


def remarks(score: Score) -> str:
    """Return the metric's own notes on a score: counts, as of texts that were cut, and words, as ``lexical``."""
    return ", ".join([*(f"{count} {name}" for name, count in score.noted.items()), *score.notes])


def _component(value: float) -> str:
    """Return a component, such as precision beside F; a count, such as a length, without decimals."""
    return f"{value:.0f}" if value >= 2 and value.is_integer() else number(value)
