"""Saved runs in the order of their time, and the change that each brought, as tables and JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import ceil, floor, isfinite, log10, nan
from pathlib import Path
from typing import Any

from ragauge.comparison.difference import Difference, change_texts
from ragauge.core.messages import Counted, Message
from ragauge.display.html import Displayed
from ragauge.display.numbers import Span, interval, percentage, short_number
from ragauge.display.table import Bar, Block, Notes, Paragraph, Table, TableColumn, TableRow
from ragauge.results.score import Score, shown_name, without_score

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
    "with Holm's correction over the metrics of a run"
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

    def to_dict(self) -> dict[str, Any]:
        """Return runs and changes as JSON types."""
        runs, changes = ([one.to_dict() for one in some] for some in (self.runs, self.changes))
        return {"runs": runs, "changes": changes, "notes": list(self.notes), "level": self.level}

    def blocks(self) -> Iterator[Block]:
        """Yield what is noted of all metrics, a table for each, and the changes that moved a score."""
        yield Paragraph(Message(_METHOD, percentage(self.level)))
        notes = {metric: list(self._notes(metric)) for metric in self.metrics}
        under = Counter(note for own in notes.values() for note in own)
        metrics = {run.name: len(run.scores) for run in self.runs}
        shared = [note for note, count in under.items() if 1 < count == metrics[note[0]]]
        yield Notes(tuple([Message("{run}: {words}", *note) for note in shared]))
        for metric, own in notes.items():
            yield self._table(metric, [Message("{run}: {words}", *note) for note in own if note not in shared])
        for (run, base), moved in groupby(self.moved(), key=lambda change: (change.run, change.base)):
            rows = [TableRow((shown_name(change.metric), *_changed(change))) for change in moved]
            yield Table(Message("what moved in {run}, against {base}", run, base), _MOVED, tuple(rows))
        yield Notes(self.notes)

    def _table(self, metric: str, notes: Sequence[str]) -> Table:
        runs = [run for run in self.runs if metric in run.scores]
        span = _span([run.scores[metric] for run in runs])
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


def _span(scores: Sequence[Score]) -> Span:
    """Return the scale of a metric's bars: it holds all intervals, and its ends have few digits."""
    ends = [end for one in scores for end in (one.low, one.value, one.high) if isfinite(end)]
    if not ends:
        return (nan, nan)
    low, high = min(ends), max(ends)
    step = 10.0 ** floor(log10(high - low)) if high > low else 0.5
    return (round(step * floor(low / step), 12), round(step * ceil(high / step), 12))


def _labels(run: PastRun) -> tuple[str, ...]:
    day, _, time = run.created.partition("T")
    return run.name, f"{day} {time[:5]}".strip(), run.tag or "", (run.commit or "")[:_COMMIT]


def _cells(score: Score, change: Change | None, span: Span) -> tuple[str | Bar, ...]:
    value, ends = short_number(score.value), interval(score.low, score.high, short_number)
    bar = Bar(score.value, (score.low, score.high), span, f"{value}{ends and f', {ends}'}")
    return value, ends, f"{score.scored}/{score.total}", *_changed(change), bar


def _changed(change: Change | None) -> tuple[str, str, str]:
    """Return change, interval and outcome as texts; empty for the first run, a dash where runs cannot be compared."""
    if change is None:
        return "", "", ""
    one = change.difference
    if one is None:
        return "–", "", ""
    return change_texts(one)


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
