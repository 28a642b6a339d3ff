"""What a worker sends back: statistics of some of the samples, which add to those of all."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ragauge.hashing import HashArray, splitmix64
from ragauge.ragged import FloatArray, IntArray
from ragauge.statistics import StatusArray, Totals

Label: TypeAlias = Any
"""The value of a grouping column: text, a number, a boolean or None."""

BUCKETS = 1 << 16
"""Above so many samples, replicates weigh buckets of their hashes instead: a random grouping, still valid."""

COVERAGE = ("counted", "undefined", "missing", "failed", "defaulted", "binary")
"""What is counted beside each metric's statistics; ``binary`` counts scores of exactly 0 or 1."""


@dataclass(frozen=True, eq=False)
class Sums:
    """Statistics of m rows, a sample or a bucket of samples each, ready to be weighed and added exactly.

    Shapes: ``keys`` (m,): what replicates are drawn by; ``groups`` (m, b): for each grouping column the place of the
    row's value in ``labels``; ``parts[metric]`` (6, m, k) with columns ``names[metric]``; ``coverage[metric]`` (m, 6)
    counts of `COVERAGE`.
    """

    samples: int
    keys: HashArray
    groups: IntArray
    labels: tuple[tuple[Label, ...], ...]
    names: Mapping[str, tuple[str, ...]]
    parts: Mapping[str, FloatArray]
    coverage: Mapping[str, IntArray]

    def totals(self, metric: str, rows: npt.NDArray[Any] | slice = slice(None)) -> Totals:
        """Sum the ``rows`` of ``metric``."""
        every = isinstance(rows, np.ndarray) and rows.dtype == bool and rows.all()
        parts = self.parts[metric] if every else self.parts[metric][:, rows]
        return Totals(self.names[metric], np.ones(parts.shape[1]) @ parts)

    def emptied(self) -> Sums:
        """Return the same without any row."""
        return Sums(
            0,
            self.keys[:0],
            self.groups[:0],
            self.labels,
            self.names,
            {name: part[:, :0] for name, part in self.parts.items()},
            {name: counts[:0] for name, counts in self.coverage.items()},
        )


@dataclass(frozen=True, eq=False)
class Column:
    """Per-sample results of one metric. Shapes: all (n,), but ``statistics`` (n, k) with columns ``names``."""

    scores: FloatArray
    status: StatusArray
    defaulted: npt.NDArray[np.bool_]
    parts: Mapping[str, FloatArray]
    names: tuple[str, ...]
    statistics: FloatArray
    reasons: Mapping[int, str] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Partial:
    """Sums, and the per-sample results in input order. Adding keeps the order: left before right."""

    sums: Sums
    ids: tuple[Any, ...]
    """Arrow arrays of sample ids, one per batch."""
    columns: Mapping[str, Column]

    def __add__(self, other: Partial) -> Partial:
        return merged([self, other])


def merged(partials: Sequence[Partial]) -> Partial:
    """Add partials, all of the same metrics and grouping columns."""
    if len(partials) == 1:
        return partials[0]
    first = partials[0]
    columns = {name: _joined([partial.columns[name] for partial in partials]) for name in first.columns}
    ids = tuple(chunk for partial in partials for chunk in partial.ids)
    return Partial(merged_sums([partial.sums for partial in partials]), ids, columns)


def added(partials: Iterable[Partial]) -> Partial | None:
    """Add a stream of partials without keeping more sums than `BUCKETS` calls for; None where there are none."""
    sums: list[Sums] = []
    rest: list[Partial] = []
    for partial in partials:
        sums.append(partial.sums)
        rest.append(replace(partial, sums=partial.sums.emptied()))
        if sum(len(some.keys) for some in sums) > 2 * BUCKETS:
            sums = [merged_sums(sums)]
    return replace(merged(rest), sums=merged_sums(sums)) if rest else None


def merged_sums(many: Sequence[Sums]) -> Sums:
    """Add sums; past `BUCKETS` samples they are kept by bucket, so that they stop growing."""
    first = many[0]
    if len(many) == 1 and first.samples <= BUCKETS:
        return first
    labels = tuple(_union([sums.labels[by] for sums in many]) for by in range(len(first.labels)))
    joined = Sums(
        sum(sums.samples for sums in many),
        np.concatenate([sums.keys for sums in many]),
        np.concatenate([_relabelled(sums, labels) for sums in many]),
        labels,
        first.names,
        {name: np.concatenate([sums.parts[name] for sums in many], axis=1) for name in first.parts},
        {name: np.concatenate([sums.coverage[name] for sums in many]) for name in first.parts},
    )
    return bucketed(joined) if joined.samples > BUCKETS else joined


def bucketed(sums: Sums) -> Sums:
    """Add up the rows that fall into the same bucket and the same groups."""
    bucket = sums.keys & np.uint64(BUCKETS - 1)
    rows = np.column_stack([bucket.astype(np.int64), sums.groups])
    distinct, place = np.unique(rows, axis=0, return_inverse=True)
    order = np.argsort(place.ravel(), kind="stable")
    starts = np.searchsorted(place.ravel()[order], np.arange(len(distinct)))
    parts = {name: np.add.reduceat(part[:, order], starts, axis=1) for name, part in sums.parts.items()}
    coverage = {name: np.add.reduceat(counts[order], starts) for name, counts in sums.coverage.items()}
    return Sums(sums.samples, bucket_keys(distinct[:, 0]), distinct[:, 1:], sums.labels, sums.names, parts, coverage)


def bucket_keys(buckets: IntArray) -> HashArray:
    """Return a key per bucket that falls into that same bucket again.

    >>> bucket_keys(np.array([3]))[0] & np.uint64(BUCKETS - 1)
    np.uint64(3)
    """
    low = buckets.astype(np.uint64)
    return np.asarray((splitmix64(low) & ~np.uint64(BUCKETS - 1)) | low, dtype=np.uint64)


def _union(labels: Sequence[tuple[Label, ...]]) -> tuple[Label, ...]:
    return tuple({_identity(label): label for some in labels for label in some}.values())


def _relabelled(sums: Sums, labels: tuple[tuple[Label, ...], ...]) -> IntArray:
    columns = [np.empty((len(sums.keys), 0), dtype=np.int64)]
    for by, (old, new) in enumerate(zip(sums.labels, labels, strict=True)):
        places = {_identity(label): place for place, label in enumerate(new)}
        recode = np.array([places[_identity(label)] for label in old], dtype=np.int64)
        columns.append(recode[sums.groups[:, by]][:, None])
    return np.concatenate(columns, axis=1)


def _identity(label: Label) -> tuple[type, Label]:
    """Keep 1, 1.0 and True apart."""
    return type(label), label


def _joined(columns: Sequence[Column]) -> Column:
    first = columns[0]
    starts = np.cumsum([0, *(len(column.scores) for column in columns)])
    return Column(
        np.concatenate([column.scores for column in columns]),
        np.concatenate([column.status for column in columns]),
        np.concatenate([column.defaulted for column in columns]),
        {name: np.concatenate([column.parts[name] for column in columns]) for name in first.parts},
        first.names,
        np.concatenate([column.statistics for column in columns]),
        {
            int(start) + row: why
            for start, column in zip(starts, columns, strict=False)
            for row, why in column.reasons.items()
        },
    )
