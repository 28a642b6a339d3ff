"""Changes from the baseline to the other runs: differences, intervals, corrected p-values, outcomes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from math import isfinite
from typing import TypeAlias

from markupsafe import Markup

from ragauge.comparison.causes import Cause
from ragauge.comparison.compare import compare_beside
from ragauge.comparison.comparison import CORRECTED, Comparison
from ragauge.comparison.difference import Difference, PairedRuns
from ragauge.comparison.every_pair import MOST_PAIRED, EveryPair, every_pair, in_order, primary_names, standing
from ragauge.comparison.primary import primary_metrics
from ragauge.comparison.rankings import ranking_likeness
from ragauge.comparison.verdict import Verdict
from ragauge.display.numbers import short_number
from ragauge.errors import RagaugeError
from ragauge.gates.check import by_rules
from ragauge.reports.charts.canvas import span
from ragauge.reports.charts.distributions import bubbles
from ragauge.reports.charts.intervals import forest, small_forest
from ragauge.reports.runs import AlignedMetric, Page
from ragauge.reports.texts import PageText, message, plural

_MOST_SCATTERS = 6
_MOST_GROUPS = 20
"""Columns with more groups are not tested by group, because the correction would leave no difference to find."""
_MOST_TESTED = 5_000
"""With more samples groups are not tested, because that takes longest; ``ragauge compare --by`` tests them."""

Change: TypeAlias = tuple[AlignedMetric, Difference]


@dataclass(frozen=True)
class Changes:
    """The candidates against the baseline; or ``problem``, the reason why they cannot be compared.

    ``pairs``: of three and more runs, each compared with each other; their p-values are corrected over all of them.
    """

    candidates: Sequence[Candidate] = ()
    method: PageText | None = None
    correction: str = ""
    alpha: float = 0.0
    level: str = ""
    notes: Sequence[str] = ()
    untested: Sequence[str] = ()
    problem: str | None = None
    pairs: EveryPair | None = None
    comparison: Comparison | None = None
    order: Sequence[int] = ()
    """The places of the candidates, what may be shipped first."""
    standing: str = ""
    """How the first of them stands to each other of three and more runs."""


@dataclass(frozen=True)
class Candidate:
    """A run against the baseline; ``lines`` name the metrics that changed."""

    name: str
    paired: PageText
    lines: Sequence[PageText]
    forests: Sequence[tuple[Markup, Markup]]  # of primary metrics, for wide windows and for phones
    more_forests: Sequence[tuple[Markup, Markup]]  # of the other metrics
    overall: Sequence[Change]
    groups: Mapping[str, Sequence[Change]]
    verdict: Verdict
    scatters: Sequence[Markup] = ()
    """Its samples beside those of the baseline; of several candidates only that of the first screen has them."""
    causes: Sequence[Cause] = ()
    """Why it is worse on a sample; of several candidates only that of the first screen has them."""
    worse: int = 0
    """On how many samples it is, if that is known."""


def changes(page: Page) -> Changes | None:
    """Compare the other runs with the first; None for one run."""
    if len(page.runs) < 2:
        return None
    metrics = {metric.names[0] or "": metric for metric in page.metrics if metric.everywhere}
    primary = primary_metrics(page.runs[0].result, metrics, page.primary)
    pairs = _pairs(page, primary)
    try:
        runs, on = [run.result for run in page.runs], page.samples.on
        compared = compare_beside(
            _known(page, pairs), *runs, metrics=list(metrics), by=_columns(page), on=on, primary=primary
        )
        comparison = by_rules(compared, page.rules)
    except RagaugeError as error:
        return Changes(problem=error.message, pairs=pairs)
    options = comparison.options
    verdicts = comparison.verdicts()
    candidates = [_candidate(page, metrics, comparison, run, one) for run, one in enumerate(verdicts, 1)]
    tested = sum(one.primary and isfinite(one.p) for one in comparison.table if one.group is None)
    correction = CORRECTED[options["correction"]]
    method = message("page.method", correction=correction, n=tested, seed=str(options["seed"]), alpha=options["alpha"])
    level = f"{100 * options['level']:g}"
    untested = [name for name in page.runs[0].result.options["by"] if name not in options["by"]]
    found = Changes(
        candidates, method, correction, options["alpha"], level, comparison.notes, untested, None, pairs, comparison
    )
    if len(candidates) > 1:
        titles = {metric.names[0]: place for place, metric in enumerate(page.metrics)}
        places = [titles[name] for name in primary_names(comparison)]
        order = in_order(comparison, pairs, places)
        found = replace(found, order=order, standing=standing(comparison, pairs, page.names, places))
    shown = found.order[0] if found.order else 0
    found_causes, worse = comparison.first_causes(comparison.candidates[shown].name)
    first, versus = candidates[shown], comparison.candidates[shown]
    scatters = list(_scatters(page, shown + 1, versus, first.overall))
    candidates[shown] = replace(first, scatters=scatters, causes=found_causes, worse=worse)
    return found


def _pairs(page: Page, primary: Sequence[str]) -> EveryPair | None:
    """Compare each two of three and more runs."""
    if not 2 < len(page.runs) <= MOST_PAIRED:
        return None
    own = [name for metric in page.metrics if metric.names[0] in primary for name in metric.names if name is not None]
    titles = [metric.names for metric in page.metrics]
    return every_pair([run.result for run in page.runs], titles, (), own, page.samples.on)


def _known(page: Page, pairs: EveryPair | None) -> Mapping[int, Mapping[str, Difference]]:
    """Return the differences of each candidate from the first run that were tested with those of all pairs."""
    if pairs is None:
        return {}
    named = [(place, metric.names[0]) for place, metric in enumerate(page.metrics) if metric.names[0] is not None]
    return {
        run - 1: {name: one for place, name in named if (one := pairs.of(0, run, place)) is not None}
        for run in range(1, len(page.runs))
    }


def _columns(page: Page) -> list[str]:
    """Return the columns by which all runs were grouped and which have few groups."""
    if len(page.samples) > _MOST_TESTED:
        return []
    base = page.runs[0].result
    shared = [name for name in base.options["by"] if all(name in run.result.options["by"] for run in page.runs)]
    first = next(iter(base.metrics))
    return [name for name in shared if len(base.groups(first, name)) <= _MOST_GROUPS]


def _candidate(
    page: Page, metrics: dict[str, AlignedMetric], comparison: Comparison, run: int, verdict: Verdict
) -> Candidate:
    versus = comparison.candidates[run - 1]
    table = [(metrics[one.metric], one) for one in comparison.of(versus.name)]
    overall = [(metric, one) for metric, one in table if one.group is None]
    by_column = groupby((item for item in table if item[1].group), key=lambda item: next(iter(item[1].group or {})))
    return Candidate(
        page.names[run],
        plural("page.paired", len(versus.samples)),
        [*_lines(overall), *_rankings(versus)],
        list(_forests(page, run, [item for item in overall if item[1].primary])),
        list(_forests(page, run, [item for item in overall if not item[1].primary])),
        overall,
        {column: list(differences) for column, differences in by_column},
        replace(verdict, run=page.names[run]),
    )


def _lines(differences: Sequence[Change]) -> Iterator[PageText]:
    """Yield the metrics that changed, and the number of those without a sample to compare."""
    for outcome in ("better", "worse"):
        if titles := [metric.title for metric, one in differences if one.outcome == outcome]:
            yield message(f"page.summary.{outcome}", metrics=", ".join(titles))
    if nothing := sum(one.outcome == "nothing" for _, one in differences):
        yield message("page.summary.nothing", n=nothing)


def _rankings(versus: PairedRuns) -> Iterator[PageText]:
    """Yield how alike the rankings are to those of the baseline, where both runs kept some."""
    if (one := ranking_likeness(versus)) is not None:
        shown = {name: short_number(getattr(one, name)) for name in ("rbo", "overlap", "tau")}
        yield message("page.rankings", **shown, n=f"{one.questions:,}")


def _forests(page: Page, run: int, differences: Sequence[Change]) -> Iterator[tuple[Markup, Markup]]:
    """Draw metrics of one range together; metrics without a range apart, because their units differ."""
    scales: dict[object, dict[str, tuple[str, Difference]]] = {}
    for metric, one in differences:
        name = metric.title + (" ↓" if metric.direction == "lower" else "")
        scales.setdefault(metric.range if metric.bounded else metric.title, {})[name] = (metric.title, one)
    for by_title in scales.values():
        title = message("page.forest", candidate=page.names[run], base=page.names[0])
        yield (
            forest(page.texts, by_title, title, page.names[run]),
            small_forest(page.texts, by_title, title, page.names[run]),
        )


def _scatters(page: Page, run: int, versus: PairedRuns, differences: Sequence[Change]) -> Iterator[Markup]:
    """Draw the samples of the metrics that changed most, in standard deviations of a sample's change."""
    pairs = {cells.name: cells for cells in versus.metrics}
    strength = [-abs(one.effect) if isfinite(one.effect) else 0.0 for _, one in differences]
    for _, place in sorted(zip(strength, range(len(strength)), strict=True))[:_MOST_SCATTERS]:
        metric, one = differences[place]
        cells = pairs[one.metric]
        scores = cells.scores[:, cells.ok]
        if not scores.shape[1]:
            continue
        ends = span([float(scores.min()), float(scores.max())], metric.range)
        labels = (f"{metric.title} · {page.names[0]}", f"{metric.title} · {page.names[run]}")
        title = message("page.both", metric=metric.title, base=page.names[0], candidate=page.names[run])
        of_axes = [(0, metric.title), (run, metric.title)]
        yield bubbles(page.texts, (scores[0], scores[1]), (ends, ends), labels, title, scores=of_axes, diagonal=True)
