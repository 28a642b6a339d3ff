"""What changed between the baseline and the other runs: differences, intervals, corrected p-values, outcomes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import isfinite
from typing import TYPE_CHECKING

from ragauge.comparison.compare import compare
from ragauge.comparison.comparison import Comparison, Versus
from ragauge.comparison.difference import Difference
from ragauge.comparison.tables import CORRECTED, excluded, interval, number, probability, signed
from ragauge.errors import RagaugeError
from ragauge.reports.charts.canvas import span
from ragauge.reports.charts.distributions import bubbles
from ragauge.reports.charts.intervals import GLYPHS, Entry, forest
from ragauge.reports.metrics import Asked
from ragauge.reports.texts import Said, Subject, count, say
from ragauge.results.tables import label

if TYPE_CHECKING:
    from markupsafe import Markup

_SCATTERS = 6
_GROUPS = 20
"""Columns with more groups than this are not tested group by group: the correction would leave nothing to find."""
_TESTED = 5_000
"""Of more samples than this groups are not tested, which takes longest; ``ragauge compare --by`` does."""


@dataclass(frozen=True)
class Row:
    """A difference in words."""

    metric: str
    group: str
    lower: bool
    base: str
    candidate: str
    difference: str
    interval: str
    p: str
    corrected: str
    glyph: str
    outcome: str
    wins: int
    ties: int
    losses: int
    scored: str
    excluded: str


@dataclass(frozen=True)
class Change:
    """A candidate against the baseline. ``summary`` counts the outcomes, ``lines`` name what they are about."""

    candidate: str
    place: int
    paired: Said
    summary: Said
    lines: tuple[Said, ...]
    forests: tuple[Markup, ...]
    rows: tuple[Row, ...]
    groups: tuple[tuple[str, tuple[Row, ...]], ...]
    scatters: tuple[Markup, ...]


@dataclass(frozen=True)
class Changes:
    """All candidates; or ``problem``, why they cannot be compared."""

    base: str
    found: tuple[Change, ...]
    method: Said | None
    correction: str
    level: str
    notes: tuple[str, ...]
    untested: tuple[str, ...]
    problem: str | None


def changes(subject: Subject) -> Changes | None:
    """Compare the other runs with the first; None for one run."""
    if len(subject.runs) < 2:
        return None
    shared = [one for one in subject.asked if one.everywhere]
    try:
        comparison = compare(
            *(run.result for run in subject.runs), metrics=[one.names[0] or "" for one in shared], by=_columns(subject)
        )
    except RagaugeError as error:
        return Changes(subject.names[0], (), None, "", "", (), (), str(error))
    options = comparison.options
    found = [_change(subject, shared, comparison, place, versus) for place, versus in enumerate(comparison.versus, 1)]
    tested = sum(one.group is None and isfinite(one.p) for one in comparison.table)
    correction = CORRECTED[options["correction"]]
    method = say("page.method", correction=correction, n=tested, seed=options["seed"], alpha=options["alpha"])
    level = f"{100 * options['level']:g}"
    untested = tuple(name for name in subject.runs[0].result.options["by"] if name not in options["by"])
    return Changes(subject.names[0], tuple(found), method, correction, level, comparison.notes, untested, None)


def _columns(subject: Subject) -> list[str]:
    """Return the columns that all runs were grouped by, if they have few groups."""
    base = subject.runs[0].result
    asked = [name for name in base.options["by"] if all(name in run.result.options["by"] for run in subject.runs)]
    if len(subject.found) > _TESTED:
        return []
    return [name for name in asked if len(base.groups(next(iter(base.metrics)), name)) <= _GROUPS]


def _change(subject: Subject, shared: Sequence[Asked], comparison: Comparison, place: int, versus: Versus) -> Change:
    titles = {one.names[0]: one for one in shared}
    table = comparison.of(versus.name)
    whole = [one for one in table if one.group is None]
    by = groupby((one for one in table if one.group), key=lambda one: next(iter(one.group or {})))
    counts = Counter(one.outcome for one in whole)
    key = "page.summary.one" if len(whole) == 1 else "page.summary"
    summary = say(key, candidate=subject.names[place], base=subject.names[0], metrics=len(whole),
                  better=counts["better"], worse=counts["worse"],
                  unclear=counts["unclear"] + counts["equal"])  # fmt: skip
    return Change(
        subject.names[place],
        place,
        count("page.paired", len(versus.pairs)),
        summary,
        tuple(_lines([(titles[one.metric].title, one.outcome) for one in whole])),
        tuple(_forests(subject, place, [(titles[one.metric], one) for one in whole])),
        tuple(_row(titles[one.metric].title, one) for one in whole),
        tuple((column, tuple(_row(titles[one.metric].title, one) for one in found)) for column, found in by),
        # Of many candidates only the last: the page would be mostly these figures.
        tuple(_scatters(subject, place, versus, [(titles[one.metric], one) for one in whole]))
        if place == len(subject.runs) - 1
        else (),
    )


def _lines(outcomes: Sequence[tuple[str, str]]) -> Iterator[Said]:
    """Name the metrics that changed, and count those without a sample to compare."""
    for outcome in ("better", "worse"):
        if named := [metric for metric, found in outcomes if found == outcome]:
            yield say(f"page.summary.{outcome}", metrics=", ".join(named))
    if nothing := sum(found == "nothing" for _, found in outcomes):
        yield say("page.summary.nothing", n=nothing)


def _forests(subject: Subject, place: int, found: Sequence[tuple[Asked, Difference]]) -> Iterator[Markup]:
    """Draw the metrics of one range together; those without a range each on its own, since their units differ."""
    scales: dict[object, list[Entry]] = {}
    for asked, one in found:
        entry = Entry(asked.title + (" ↓" if asked.direction == "lower" else ""), one)
        scales.setdefault(asked.range if asked.bounded else asked.title, []).append(entry)
    for entries in scales.values():
        yield forest(subject.texts, entries, say("page.forest", candidate=subject.names[place], base=subject.names[0]))


def _scatters(
    subject: Subject, place: int, versus: Versus, found: Sequence[tuple[Asked, Difference]]
) -> Iterator[Markup]:
    """Draw the samples of the metrics that changed most, in standard deviations of a sample's change."""
    cells = {one.name: one for one in versus.cells}
    strength = [(-abs(one.effect) if isfinite(one.effect) else 0.0, order) for order, (_, one) in enumerate(found)]
    for _, order in sorted(strength)[:_SCATTERS]:
        asked, one = found[order]
        scores = cells[one.metric].scores[:, cells[one.metric].ok]
        if not scores.shape[1]:
            continue
        ends = span([float(scores.min()), float(scores.max())], asked.range)
        labels = (f"{asked.title} · {subject.names[0]}", f"{asked.title} · {subject.names[place]}")
        title = say("page.both", metric=asked.title, base=subject.names[0], candidate=subject.names[place])
        yield bubbles(subject.texts, (scores[0], scores[1]), (ends, ends), labels, title, diagonal=True)


def _row(title: str, one: Difference) -> Row:
    return Row(
        title,
        label(dict(one.group)) if one.group else "",
        one.direction == "lower",
        number(one.base),
        number(one.candidate),
        signed(one.difference),
        interval(one),
        probability(one.p),
        probability(one.corrected),
        GLYPHS[one.outcome],
        one.outcome,
        one.wins,
        one.ties,
        one.losses,
        f"{one.scored:,} / {one.total:,}",
        excluded(one),
    )
