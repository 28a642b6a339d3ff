"""Saved runs in the order of their time, and the change that each brought, as tables and JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import ceil, floor, isfinite, log10, nan
from pathlib import Path
from typing import Any

from ragauge.comparison.difference import Difference, Outcome, change_texts, signs
from ragauge.comparison.every_pair import stands
from ragauge.core.messages import Counted, Message
from ragauge.display.html import Displayed
from ragauge.display.numbers import Span, interval, percentage, short_number, sparkline, with_direction
from ragauge.display.table import Bar, Block, Notes, Paragraph, Table, TableColumn, TableRow
from ragauge.display.text import plain_text
from ragauge.errors import worded
from ragauge.results.score import Score, shown_name, without_score

_MOST_COLUMNS = 12
"""Runs whose values have a column each; of more runs only the first and the last have one."""
_COMMIT = 8
"""Digits of a commit that are shown."""
_COLUMNS = (
    TableColumn("run", "name"),
    TableColumn("date", extra=True),
    TableColumn("tag"),
    TableColumn("commit", extra=True),
    TableColumn("value", "number"),
    TableColumn("interval", extra=True),
    TableColumn("scored", "number"),
    TableColumn("change", "number"),
    TableColumn("interval"),
    TableColumn(""),
    TableColumn("", "bar"),
)
_MOVED = (
    TableColumn("metric", "name"),
    TableColumn("change", "number"),
    TableColumn("interval"),
    TableColumn(""),
)


@dataclass(frozen=True, kw_only=True)
class PastRun:
    """A saved run: where it is, and when and of what it was made."""

    path: Path
    name: str
    """Its folder, as it is called below the folder that all runs share."""
    created: str
    """The time at which it was saved, in UTC."""
    tag: str | None
    commit: str | None
    samples: int
    scores: Mapping[str, Score]
    """Scores over all samples, by metric."""

    def to_dict(self) -> dict[str, Any]:
        """Return the run as JSON types."""
        scores = {metric: score.to_dict() for metric, score in self.scores.items()}
        known = {name: getattr(self, name) for name in ("created", "tag", "commit", "samples")}
        return {"run": self.name, "path": str(self.path), **known, "metrics": scores}


@dataclass(frozen=True)
class Change:
    """What a run changed under one metric, against the last run before it that has the metric.

    ``difference`` is None where the two cannot be compared, and then ``reason`` says why.
    """

    metric: str
    base: str
    run: str
    difference: Difference | None
    reason: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return the change as JSON types."""
        of_it = {"metric": self.metric, "base": self.base, "run": self.run, "reason": self.reason or None}
        return of_it | {"difference": None if self.difference is None else self.difference.to_dict()}


_METHOD = (
    "{level} intervals; a change is of the same samples in both runs, and decided by the tests of ragauge compare, "
    "with Holm's correction over the primary metrics of a run, and over its others"
)


@dataclass(frozen=True, eq=False, repr=False)
class History(Displayed):
    """Runs in the order of their time, and the change that each brought."""

    runs: tuple[PastRun, ...]
    changes: tuple[Change, ...]
    notes: tuple[str, ...]
    """Folders that were left out, and why."""
    level: float
    """Level of the intervals of changes."""
    overall: tuple[Change, ...] = ()
    """What the last run with each metric changed against the first one with it, or against the baseline."""
    baseline: str | None = None
    """The run that each is compared with, in place of the one before it."""

    @property
    def metrics(self) -> list[str]:
        """The metrics of all runs, in the order in which they come."""
        return list(dict.fromkeys(metric for run in self.runs for metric in run.scores))

    def change(self, metric: str, run: str) -> Change | None:
        """Return what ``run`` changed under ``metric``; None where no run before it has the metric."""
        return next((one for one in self.changes if (one.metric, one.run) == (metric, run)), None)

    def moved(self) -> list[Change]:
        """Return the changes that are decided: better or worse."""
        return [one for one in self.changes if one.difference and one.difference.outcome in ("better", "worse")]

    def verdict(self) -> str:
        """Return how the last run stands to the first, or the baseline, and to the one before it; empty if untested.

        Only primary metrics count, as in the verdict of `ragauge compare`.
        """
        last = self.runs[-1].name if self.runs else ""
        against: dict[str, dict[str, Outcome]] = {}
        for one in (*self.overall, *self.changes):
            if one.run == last and one.difference is not None and one.difference.primary:
                against.setdefault(one.base, {})[shown_name(one.metric)] = one.difference.outcome
        return stands(last, against) if against else ""

    def to_dict(self) -> dict[str, Any]:
        """Return runs and changes as JSON types."""
        runs, changes = ([one.to_dict() for one in some] for some in (self.runs, self.changes))
        plain = {"runs": runs, "changes": changes, "notes": list(self.notes), "level": self.level}
        return plain | {"overall": [one.to_dict() for one in self.overall], "baseline": self.baseline}

    def blocks(self, *, details: bool = True) -> Iterator[Block]:
        """Yield the runs, one row for each metric, and the changes that moved a score.

        ``details``: also a table for each metric, with the interval and the change of each run.
        """
        if verdict := self.verdict():
            yield Paragraph(verdict)
        yield Paragraph(Message(_METHOD, percentage(self.level)))
        yield _runs_in_short(self.runs, self.baseline)
        yield from _metrics_in_short(self, {metric: self._span(metric) for metric in self.metrics})
        notes = {metric: list(self._notes(metric)) for metric in self.metrics}
        under: dict[tuple[str, str], list[str]] = {}
        for metric, own in notes.items():
            for note in own:
                under.setdefault(note, []).append(metric)
        number = {run.name: len(run.scores) for run in self.runs}
        shared = [note for note, metrics in under.items() if not details or 1 < len(metrics) == number[note[0]]]
        yield Notes(tuple([_note(*note, under[note] if len(under[note]) < number[note[0]] else ()) for note in shared]))
        for metric, own in notes.items() if details else ():
            yield self._table(metric, [_note(*note) for note in own if note not in shared])
        # From the first run to the last one the rows of all metrics show it already.
        shown = set() if details else {(one.run, one.base) for one in self.overall}
        for (run, base), moved in groupby(self.moved(), key=lambda change: (change.run, change.base)):
            if (run, base) in shown:
                continue
            rows = [TableRow((shown_name(change.metric), *_changed(change))) for change in moved]
            yield Table(Message("what moved in {run}, against {base}", run, base), _MOVED, tuple(rows))
        yield Notes(self.notes)

    def __str__(self) -> str:
        return plain_text(self.blocks(details=False))

    def _span(self, metric: str) -> Span:
        return _span([run.scores[metric] for run in self.runs if metric in run.scores])

    def _table(self, metric: str, notes: Sequence[str]) -> Table:
        runs = [run for run in self.runs if metric in run.scores]
        span = self._span(metric)
        name: str = shown_name(metric)
        if runs[0].scores[metric].direction == "lower":
            name = Message("{metric} ↓ lower is better", name)
        rows = [(*_labels(run), *_cells(run.scores[metric], self.change(metric, run.name), span)) for run in runs]
        # Tags and commits are left out where no run has one.
        kept = [place for place in range(len(_COLUMNS)) if place not in (2, 3) or any(row[place] for row in rows)]
        shown = tuple(TableRow(tuple([row[place] for place in kept])) for row in rows)
        return Table(name, tuple([_COLUMNS[place] for place in kept]), shown, tuple(notes))

    def _notes(self, metric: str) -> Iterator[tuple[str, str]]:
        """Yield runs, and which of their samples have no score under a metric, and what its changes rest on."""
        for run in self.runs:
            if score := run.scores.get(metric):
                change = self.change(metric, run.name)
                for words in (*_without_score(score), *([] if change is None else _compared(change, score))):
                    yield run.name, words


def _runs_in_short(runs: Sequence[PastRun], baseline: str | None) -> Table:
    """Return the runs, each with the number that stands over its values."""
    rows = [
        (
            f"{place}",
            run.name,
            *_labels(run)[1:],
            f"{run.samples:,}",
            worded("baseline") if run.name == baseline else "",
        )
        for place, run in enumerate(runs, 1)
    ]
    columns = (
        TableColumn("", "number"),
        TableColumn("run", "name"),
        TableColumn("date"),
        TableColumn("tag"),
        TableColumn("commit", extra=True),
        TableColumn("samples", "number"),
        TableColumn(""),
    )
    kept = [place for place in range(len(columns)) if place < 3 or any(row[place] for row in rows)]
    shown = tuple([TableRow(tuple([row[place] for place in kept])) for row in rows])
    return Table("", tuple([columns[place] for place in kept]), shown)


def _metrics_in_short(history: History, spans: dict[str, Span]) -> Iterator[Table]:
    """Yield the primary metrics, and then the others, with their values and the change from the first to the last run.

    ``spans``: metric -> the ends of its scale, from low to high.
    """
    overall = {one.metric: one for one in history.overall}
    primary = {one.metric for one in (*history.changes, *history.overall) if one.difference and one.difference.primary}
    ends = next(((one.base, one.run) for one in history.overall), ("", ""))
    parts = [[metric for metric in history.metrics if (metric in primary) == first] for first in (True, False)]
    others = worded("more metrics, exploratory: corrected among themselves")
    title = Message("from {first} to {last}", *ends) if overall else ""
    for metrics, head in zip(parts, (title, others if parts[0] else title), strict=True):
        if metrics:
            rows = [_row(history.runs, metric, spans[metric], overall.get(metric)) for metric in metrics]
            elsewhere = [one for metric in metrics if (one := overall.get(metric)) and (one.base, one.run) != ends]
            template = "{metric}: from {first} to {last}"
            notes = [Message(template, shown_name(one.metric), one.base, one.run) for one in elsewhere]
            of_part = [one.difference for metric in metrics if (one := overall.get(metric)) and one.difference]
            yield Table(head, _columns(len(history.runs)), tuple(rows), (*notes, *signs(of_part)))


def _columns(runs: int) -> tuple[TableColumn, ...]:
    values = [TableColumn(f"{place + 1}", "number", extra=0 < place < runs - 1) for place in _shown(runs)]
    heads = (TableColumn(""), TableColumn("change", "number"), TableColumn("interval"), TableColumn(""))
    return (TableColumn("metric", "name"), *values, *heads)


def _shown(runs: int) -> Sequence[int]:
    return range(runs) if runs <= _MOST_COLUMNS else (0, runs - 1)


def _row(runs: Sequence[PastRun], metric: str, span: Span, change: Change | None) -> TableRow:
    scores = [run.scores.get(metric) for run in runs]
    known: Score = next(one for one in scores if one is not None)
    values = [nan if one is None else one.value for one in scores]
    numbers = [
        "" if (one := scores[place]) is None else short_number(one.value, one.low, one.high)
        for place in _shown(len(runs))
    ]
    name = with_direction(known.title, known.direction, known.unit)
    return TableRow((name, *numbers, sparkline(values, span), *_changed(change)))


def _labels(run: PastRun) -> tuple[str, ...]:
    """Return name, time, tag and commit of a run."""
    day, _, time = run.created.partition("T")
    return run.name, f"{day} {time[:5]}".strip(), run.tag or "", (run.commit or "")[:_COMMIT]


def _changed(change: Change | None) -> tuple[str, str, str]:
    """Return change, interval and outcome as texts; empty for the first run, a dash where runs cannot be compared."""
    if change is None:
        return "", "", ""
    one = change.difference
    if one is None:
        return "–", "", ""
    return change_texts(one)


def _note(run: str, words: str, metrics: Sequence[str] = ()) -> str:
    if not metrics:
        return Message("{run}: {words}", run, words)
    return Message("{run}, {metrics}: {reason}", run, ", ".join(map(shown_name, metrics)), words)


def _span(scores: Sequence[Score]) -> Span:
    """Return the scale of a metric's bars: it holds all intervals, and its ends have few digits."""
    ends = [end for one in scores for end in (one.low, one.value, one.high) if isfinite(end)]
    if not ends:
        return (nan, nan)
    low, high = min(ends), max(ends)
    step = 10.0 ** floor(log10(high - low)) if high > low else 0.5
    return (round(step * floor(low / step), 12), round(step * ceil(high / step), 12))


def _cells(score: Score, change: Change | None, span: Span) -> tuple[str | Bar, ...]:
    value, ends = short_number(score.value, score.low, score.high), interval(score.low, score.high, short_number)
    bar = Bar(score.value, (score.low, score.high), span, f"{value}{ends and f', {ends}'}")
    return value, ends, f"{score.scored:,}/{score.total:,}", *_changed(change), bar


def _without_score(score: Score) -> Iterator[str]:
    """Yield how many samples of a run have no score, and the bounds where these reach beyond its interval."""
    if lost := without_score(score):
        yield lost
    low, high = score.bounds or (nan, nan)
    if low < high and not score.low <= low <= high <= score.high:
        yield Message("bounds {low}–{high}", short_number(low), short_number(high))


def _compared(change: Change, score: Score) -> Iterator[str]:
    """Yield why a run was not compared, or on how many samples, where not on all that it scored."""
    one = change.difference
    if one is None:
        yield change.reason
    elif not one.scored == score.scored == one.total:
        yield Message("compared on {samples} scored in both", Counted(one.scored, "sample"))
