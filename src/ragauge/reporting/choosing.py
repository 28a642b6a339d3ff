"""Which samples the page holds: all, or the worst by one metric and a random part of the rest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ragauge.errors import OptionError, UnknownNameError, UsageError
from ragauge.hashing import hash_strings, splitmix64
from ragauge.ragged import FloatArray, IntArray
from ragauge.reporting.alignment import Aligned
from ragauge.reporting.asked import Asked
from ragauge.statistics import Status

SEED = 0


@dataclass(frozen=True, eq=False)
class Chosen:
    """``rows`` (m,): places among the aligned samples, rising; ``worst`` of them by ``by``, ``drawn`` of the rest."""

    rows: IntArray
    by: str
    worst: int
    drawn: int
    everything: bool


def choose(found: Aligned, asked: Sequence[Asked], limit: int, metric: str | None = None) -> Chosen:
    """Choose at most ``limit`` samples: half of them the worst in the last run, half drawn by a hash of their ids.

    Args:
        found: the samples of all runs.
        asked: the metrics of all runs.
        limit: at least 1.
        metric: what they are worst by; the first metric that the last run has, unless said otherwise.

    Raises:
        OptionError: the limit is below 1.
        UnknownNameError: the last run has no such metric.
    """
    if limit < 1:
        raise OptionError.value("the report", "limit", "a whole number from 1", limit)
    by = _ordering(asked, metric)
    if len(found) <= limit:
        return Chosen(np.arange(len(found)), by.title, len(found), 0, everything=True)
    keys = splitmix64(hash_strings(found.ids) ^ np.uint64(SEED))
    worst = np.lexsort((keys, -badness(by, found)))[: (limit + 1) // 2]
    rest = np.setdiff1d(np.arange(len(found)), worst, assume_unique=True)
    drawn = rest[np.argsort(keys[rest], kind="stable")][: limit // 2]
    return Chosen(np.sort(np.concatenate([worst, drawn])), by.title, len(worst), len(drawn), everything=False)


def badness(by: Asked, found: Aligned) -> FloatArray:
    """Say how bad each sample is in the last run, (n,): failed is the worst, no score for another reason the best."""
    name = by.names[-1]
    column = by.runs[-1].result.columns[name or ""]
    scores, status = column.scores[found.places[-1]], column.status[found.places[-1]]
    signed = scores if by.direction == "lower" else -scores
    return np.where(status == Status.FAILED, np.inf, np.where(np.isnan(scores), -np.inf, signed))


def _ordering(asked: Sequence[Asked], metric: str | None) -> Asked:
    there = [one for one in asked if one.names[-1] is not None]
    if metric is None:
        return there[0]
    result = there[0].runs[-1].result
    try:
        name = result.name(metric)
    except UnknownNameError:
        raise
    except UsageError:
        raise UnknownNameError.of("metric of this run:", metric, result.metrics) from None
    return next(one for one in there if one.names[-1] == name)
