"""Saved runs in the order of their time, and the change that each brought, as tables and JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import ceil, floor, isfinite, log10, nan
from pathlib import Path
from typing import Any

from ragauge.comparison.comparison import ARROWS
from ragauge.comparison.difference import Difference
from ragauge.display.html import Displayed
from ragauge.display.numbers import Span, interval, number, percentage, signed
from ragauge.display.table import Bar, Block, Notes, Paragraph, Table, TableColumn, TableRow
from ragauge.results.score import Score

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
    TableColumn("run", "name"),
    TableColumn("against"),
    TableColumn("metric"),
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
        """Yield a table for each metric, and the changes that moved a score."""
        method = f"{percentage(self.level)} intervals; a change is of the same samples in both runs, and decided by"
        yield Paragraph(f"{method} the tests of ragauge compare, with Holm's correction over the metrics of a run")
        for metric in self.metrics:
            yield self._table(metric)
        moved = self.moved()
        if moved:
            yield Table("what moved", _MOVED, tuple(map(_moved_row, moved)))
        yield Notes(self.notes)

    def _table(self, metric: str) -> Table:
        runs = [run for run in self.runs if metric in run.scores]
        span = _span([run.scores[metric] for run in runs])
        direction = "" if runs[0].scores[metric].direction == "higher" else " ↓ lower is better"
        rows: list[tuple[str | Bar, ...]] = []
        notes: list[str] = []
        for run in runs:
            score, change = run.scores[metric], self.change(metric, run.name)
            rows.append((*_labels(run), *_cells(score, change, span)))
            notes += [*_without_score(run.name, score), *([] if change is None else _notes(change, score))]
        # Tags and commits are left out where no run has one.
        kept = [place for place in range(len(_COLUMNS)) if place not in (2, 3) or any(row[place] for row in rows)]
        shown = tuple(TableRow(tuple([row[place] for place in kept])) for row in rows)
        return Table(f"{metric}{direction}", tuple([_COLUMNS[place] for place in kept]), shown, tuple(notes))


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
    alike = partial(number, among=(score.value, score.low, score.high))
    value, ends = alike(score.value), interval(score.low, score.high, alike)
    bar = Bar(score.value, (score.low, score.high), span, f"{value}{ends and f', {ends}'}")
    return value, ends, f"{score.scored}/{score.total}", *_changed(change), bar


def _changed(change: Change | None) -> tuple[str, str, str]:
    """Return change, interval and outcome as texts; empty for the first run, a dash where runs cannot be compared."""
    if change is None:
        return "", "", ""
    one = change.difference
    if one is None:
        return "–", "", ""
    return signed(one.difference), interval(one.low, one.high, signed), f"{ARROWS[one.outcome]} {one.outcome}"


def _without_score(run: str, score: Score) -> list[str]:
    """Return how many samples of a run have no score, and the bounds where failed ones could move it."""
    states = [(score.failed, "failed"), (score.missing, "missing"), (score.undefined, "undefined")]
    parts = [f"{count} {state}" for count, state in states if count]
    if score.bounds is not None and score.bounds[0] < score.bounds[1]:
        parts.append(f"bounds {number(score.bounds[0])}–{number(score.bounds[1])}")
    return [f"{run}: {', '.join(parts)}"] if parts else []


def _notes(change: Change, score: Score) -> list[str]:
    """Return why a run was not compared, or on how many samples, where not on all that it scored."""
    one = change.difference
    if one is None:
        return [f"{change.run}: {change.reason}"]
    every = one.scored == score.scored == one.total
    return [] if every else [f"{change.run}: compared on the {one.scored} samples scored in both"]


def _moved_row(change: Change) -> TableRow:
    return TableRow((change.run, change.base, change.metric, *_changed(change)))
