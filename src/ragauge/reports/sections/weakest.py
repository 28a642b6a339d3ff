"""The weak points of the shown run: the samples at the worst score, the weakest group, and samples to open."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf, isfinite
from typing import Any
from urllib.parse import quote

import numpy as np

from ragauge.reports.listing import in_group, listing
from ragauge.reports.runs import AlignedMetric, Page, Selection, badness
from ragauge.reports.sections.scores import group_name
from ragauge.reports.texts import PageText, message
from ragauge.results.score import Score

_MOST_SAMPLES = 3  # each is a link that keyboard users have to pass
_LEAST_SAMPLES = 5  # the interval of a smaller group says little


@dataclass(frozen=True)
class WeakestRow:
    """The weak points of a metric."""

    metric: AlignedMetric
    worst: PageText | None  # the number of samples at the worst possible score; None where there is no such score
    groups: Mapping[str, tuple[PageText | str, Score]]  # column -> its weakest group, with its score
    ties: Mapping[str, Sequence[tuple[PageText | str, str]]]  # column -> other groups as weak, each with its address
    group_addresses: Mapping[str, str]  # column -> the address that lists the samples of its weakest group
    samples: Mapping[str, str]  # id of a sample to open -> its address, which the page's script follows


def weakest(page: Page, selection: Selection) -> list[WeakestRow]:
    """Return the weak points of the shown run by metric, without metrics under which all samples are perfect."""
    columns = page.runs[page.shown].result.options["by"]
    rows = []
    for metric in page.metrics:
        if metric.names[page.shown] is not None:
            by_column = {column: some for column in columns if (some := _weakest_groups(metric, page.shown, column))}
            groups = {column: (group_name(some[0][0]), some[0][1]) for column, some in by_column.items()}
            links = {column: [_link(metric, column, name) for name, _ in some] for column, some in by_column.items()}
            ties = {column: some[1:] for column, some in links.items()}
            addresses = {column: some[0][1] for column, some in links.items()}
            samples = _worst_samples(page, selection, metric)
            rows.append(WeakestRow(metric, _at_worst(metric, page.shown), groups, ties, addresses, samples))
    return [row for row in rows if row.samples or row.groups]


def _link(metric: AlignedMetric, column: str, name: Any) -> tuple[PageText | str, str]:
    """Return a group's name, and the address that lists its samples."""
    return group_name(name), listing(in_group(column, name), ("metric", metric.title))


def _worst_and_best(metric: AlignedMetric) -> tuple[float, float]:
    return metric.range if metric.direction == "higher" else metric.range[::-1]


def _at_worst(metric: AlignedMetric, run: int) -> PageText | None:
    scores, end = metric.scores(run), _worst_and_best(metric)[0]
    if scores is None or not isfinite(end):
        return None
    return message("page.weak.of", n=f"{int((scores == end).sum()):,}", total=f"{int(np.isfinite(scores).sum()):,}")


def _weakest_groups(metric: AlignedMetric, run: int, column: str) -> list[tuple[Any, Score]]:
    """Return the groups with the worst better end of their interval, so that no small group is weakest by chance.

    They are several if their values and ends are equal, and none if all groups are.
    """
    groups = [item for item in metric.groups(run, column).items() if item[1].scored >= _LEAST_SAMPLES]
    ends = [_better_end(metric, run, item) for item in groups]
    weak = [item for item, end in zip(groups, ends, strict=True) if end == min(ends)]
    return [] if len(weak) == len(groups) or weak[0][1].value == _worst_and_best(metric)[1] else weak


def _better_end(metric: AlignedMetric, run: int, item: tuple[Any, Score]) -> tuple[float, float]:
    """Return the key that sorts groups by the better end of their interval, worst first; without one by value."""
    score = item[1]
    better, value = (-score.low, -score.value) if metric.direction == "lower" else (score.high, score.value)
    with_intervals = metric.runs[run].result.options["resamples"]
    end = better if isfinite(better) else inf if with_intervals else 0.0
    # Rounded, so that the last bit, which is not the same on every processor, decides between no equal groups.
    return float(f"{end:.12g}"), float(f"{value:.12g}")


def _worst_samples(page: Page, selection: Selection, metric: AlignedMetric) -> dict[str, str]:
    """Return the samples on the page with the worst scores, except perfect ones: id -> address."""
    bad = badness(page, metric)[selection.rows]
    best = _worst_and_best(metric)[1]
    bad[~np.isfinite(bad) | (bad == (best if metric.direction == "lower" else -best))] = -inf
    worst = [place for place in np.argsort(-bad, kind="stable")[:_MOST_SAMPLES] if bad[place] > -inf]
    ids = [page.samples.ids[int(selection.rows[place])].as_py() for place in worst]
    return {name: f"#sample={quote(name, safe='')}" for name in ids}
