"""Metrics whose score is the mean of a value of each sample: their base, their rows, and sums by sample."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from ragauge.core.protocol import Direction
from ragauge.core.ragged import BoolArray, FloatArray, IntArray, Ragged
from ragauge.core.statistics import Rows, Statistics, Status, ratio


class SampleMean:
    """Base of the metrics whose score is the mean of the samples' values, and better when higher."""

    direction: ClassVar[Direction] = "higher"
    revision: ClassVar[int] = 1

    def score(self, totals: Statistics) -> FloatArray:
        """Return the mean of the samples' values."""
        return ratio(totals["value"], totals["count"])


def rows_of(
    value: FloatArray,
    undefined: BoolArray,
    reasons: Mapping[int, str],
    noted: Mapping[str, IntArray] = MappingProxyType({}),
    **whole: npt.ArrayLike,
) -> Rows:
    """Return rows of one value a sample, (n,), and of the columns ``whole``; the samples of ``reasons`` failed."""
    status = np.where(undefined, np.uint8(Status.UNDEFINED), np.uint8(Status.OK))
    kept = {row: why for row, why in reasons.items() if not undefined[row]}
    status[list(kept)] = Status.FAILED
    columns = {"value": value, "count": np.ones(len(value), dtype=np.int64), **whole}
    return Rows.of(columns, status=status, reasons=kept, noted=noted)


def shares(counts: FloatArray, offsets: IntArray) -> FloatArray:
    """Return the mean of each list, 0 where it is empty: (n,) of values (u,) cut at offsets (n + 1,).

    Each list is summed by itself, so that a sample's share does not depend on what comes before it.

    >>> shares(np.array([1.0, 0.0, 1.0]), np.array([0, 2, 2, 3]))
    array([0.5, 0. , 1. ])
    """
    return sums(counts, offsets) / np.maximum(np.diff(offsets), 1)


def shares_of(counts: FloatArray, kept: BoolArray, offsets: IntArray) -> FloatArray:
    """Return the mean of the ``kept`` values (u,) of each list, 0 where there is none: (n,).

    >>> shares_of(np.array([1.0, 0.0, 1.0]), np.array([True, False, False]), np.array([0, 2, 3]))
    array([1., 0.])
    """
    return sums(np.where(kept, counts, 0.0), offsets) / np.maximum(sums(kept, offsets), 1.0)


def best_share(counts: Ragged, texts: IntArray) -> FloatArray:
    """Return the highest mean among the lists of each sample's texts, (n,); 0 where all are empty.

    Shapes: ``counts``: m lists, one for each text; ``texts`` (n + 1,): where each sample's texts begin.

    >>> best_share(Ragged.of([[True, False], [True], []], bool), np.array([0, 2, 3]))
    array([1., 0.])
    """
    best = np.zeros(len(texts) - 1)
    owners = np.repeat(np.arange(len(best)), np.diff(texts))
    np.maximum.at(best, owners, shares(counts.values, counts.offsets))
    return best


def sums(counts: FloatArray | BoolArray, offsets: IntArray) -> FloatArray:
    """Return the sum of each list, 0 where it is empty."""
    rows = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    return np.bincount(rows, counts, len(offsets) - 1).astype(np.float64)


def taken(values: FloatArray, best: IntArray) -> FloatArray:
    """Return the value at each of the places ``best`` (n,) as of `best_of`, 0 where a sample has none."""
    return np.where(best >= 0, np.append(values, 0.0)[best], 0.0)


def best_of(values: FloatArray, owner: IntArray, n: int) -> IntArray:
    """Return the place of each sample's highest value, the first among equals; -1 where it has none."""
    best = np.full(n, -1, dtype=np.int64)
    order = np.lexsort((-np.arange(len(values)), values))
    best[owner[order]] = order
    return best
