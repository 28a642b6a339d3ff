"""The weak points of the last run: the samples at the worst score, the weakest group, and samples to open."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf, isfinite
from typing import Any
from urllib.parse import quote

import numpy as np

from ragauge.reports.listing import in_group, listing
from ragauge.reports.runs import AlignedMetric, Page, Selection, badness
from ragauge.reports.sections.scores import group_name
from ragauge.reports.texts import Message, message
from ragauge.results.score import Score

_MOST_SAMPLES = 3  # each is a link that keyboard users have to pass
_LEAST_SAMPLES = 5  # the interval of a smaller group says little


@dataclass(frozen=True)
class WeakestRow:
    """The weak points of a metric."""

    metric: AlignedMetric
    worst: Message | None  # the number of samples at the worst possible score; None where there is no such score
    groups: Mapping[str, tuple[Message | str, Score]]  # column -> its weakest group, with its score
    group_addresses: Mapping[str, str]  # column -> the address that lists the samples of its weakest group
    samples: Mapping[str, str]  # id of a sample to open -> its address, which the page's script follows


def weakest(page: Page, selection: Selection) -> list[WeakestRow]:
    """Return the weak points of the last run by metric, without metrics under which all samples are perfect."""
    columns = page.runs[-1].result.options["by"]
    rows = []
    for metric in page.metrics:
        if metric.names[-1] is not None:
            by_column = {column: group for column in columns if (group := _weakest_group(metric, column)) is not None}
            groups = {column: (group_name(name), score) for column, (name, score) in by_column.items()}
            links = {
                column: listing(in_group(column, name), ("metric", metric.title))
                for column, (name, _) in by_column.items()
            }
            rows.append(WeakestRow(metric, _at_worst(metric), groups, links, _worst_samples(page, selection, metric)))
    return [row for row in rows if row.samples or row.groups]


def _worst_and_best(metric: AlignedMetric) -> tuple[float, float]:
    return metric.range if metric.direction == "higher" else metric.range[::-1]


def _at_worst(metric: AlignedMetric) -> Message | None:
    scores, end = metric.scores(-1), _worst_and_best(metric)[0]
    if scores is None or not isfinite(end):
        return None
    return message("page.weak.of", n=f"{int((scores == end).sum()):,}", total=f"{int(np.isfinite(scores).sum()):,}")


def _weakest_group(metric: AlignedMetric, column: str) -> tuple[Any, Score] | None:
    """Return the group with the worst better end of its interval, so that no small group is weakest by chance."""
    groups = [item for item in metric.groups(-1, column).items() if item[1].scored >= _LEAST_SAMPLES]
    if len(groups) < 2:
        return None
    name, score = min(groups, key=lambda item: _better_end(metric, item))
    return None if score.value == _worst_and_best(metric)[1] else (name, score)


def _better_end(metric: AlignedMetric, item: tuple[Any, Score]) -> tuple[float, float]:
    """Return the key that sorts groups by the better end of their interval, worst first; without one by value."""
    score, sign = item[1], -1.0 if metric.direction == "lower" else 1.0
    better = score.low if metric.direction == "lower" else score.high
    with_intervals = metric.runs[-1].result.options["resamples"]
    end = sign * better if isfinite(better) else inf if with_intervals else 0.0
    # Rounded, so that the last bit, which is not the same on every processor, decides between no equal groups.
    return float(f"{end:.12g}"), float(f"{sign * score.value:.12g}")


def _worst_samples(page: Page, selection: Selection, metric: AlignedMetric) -> dict[str, str]:
    """Return the samples on the page with the worst scores, except perfect ones: id -> address."""
    bad = badness(page, metric)[selection.rows]
    best = _worst_and_best(metric)[1]
    bad[~np.isfinite(bad) | (bad == (best if metric.direction == "lower" else -best))] = -inf
    worst = [place for place in np.argsort(-bad, kind="stable")[:_MOST_SAMPLES] if bad[place] > -inf]
    ids = [page.samples.ids[int(selection.rows[place])].as_py() for place in worst]
    return {name: f"#sample={quote(name, safe='')}" for name in ids}
