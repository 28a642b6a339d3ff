"""The samples that the page holds: all, or the worst by one metric and a random part of the rest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ragauge.core.hashing import hash_strings, splitmix64
from ragauge.core.ragged import FloatArray, IntArray
from ragauge.core.statistics import Status
from ragauge.errors import OptionError, UnknownNameError, UsageError
from ragauge.reports.runs import AlignedMetric, Page

SEED = 0


@dataclass(frozen=True, eq=False)
class Selection:
    """``rows`` (m,): rising places among the aligned samples; ``worst`` of them by ``by``, ``drawn`` of the rest."""

    rows: IntArray
    by: str
    worst: int
    drawn: int
    everything: bool


def select(page: Page, limit: int, metric: str | None = None) -> Selection:
    """Return at most ``limit`` samples: half of them the worst in the last run, half drawn by a hash of their ids.

    Args:
        page: its runs and their samples.
        limit: at least 1.
        metric: by which samples are the worst; by default the first metric of the last run.

    Raises:
        OptionError: the limit is below 1.
        UnknownNameError: the last run has no such metric.
    """
    if limit < 1:
        raise OptionError.value("the report", "limit", "a whole number from 1", limit)
    by, count = _ordering(page.metrics, metric), len(page.samples)
    if count <= limit:
        return Selection(np.arange(count), by.title, count, 0, everything=True)
    keys = splitmix64(hash_strings(page.samples.ids) ^ np.uint64(SEED))
    worst = np.lexsort((keys, -badness(page, by)))[: (limit + 1) // 2]
    rest = np.setdiff1d(np.arange(count), worst, assume_unique=True)
    drawn = rest[np.argsort(keys[rest], kind="stable")][: limit // 2]
    return Selection(np.sort(np.concatenate([worst, drawn])), by.title, len(worst), len(drawn), everything=False)


def badness(page: Page, by: AlignedMetric) -> FloatArray:
    """Return how bad each sample is in the last run, (n,); inf if it failed, -inf if it has no score otherwise."""
    column, rows = by.runs[-1].result.columns[by.names[-1] or ""], page.samples.places[-1]
    scores, status = column.scores[rows], column.status[rows]
    signed = scores if by.direction == "lower" else -scores
    return np.where(status == Status.FAILED, np.inf, np.where(np.isnan(scores), -np.inf, signed))


def _ordering(metrics: Sequence[AlignedMetric], metric: str | None) -> AlignedMetric:
    in_last = [one for one in metrics if one.names[-1] is not None]
    if metric is None:
        return in_last[0]
    result = in_last[0].runs[-1].result
    try:
        name = result.name(metric)
    except UnknownNameError:
        raise
    except UsageError:
        raise UnknownNameError.of("metric of this run:", metric, result.metrics) from None
    return next(one for one in in_last if one.names[-1] == name)
