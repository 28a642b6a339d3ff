"""One metric on one batch, and the sums of batches, which add up to those of all."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from ragauge.core.arrow import as_batch
from ragauge.core.batch import Batch
from ragauge.core.hashing import HashArray, splitmix64
from ragauge.core.messages import Counted
from ragauge.core.protocol import Detailed, Metric, columns_read, failures
from ragauge.core.ragged import BoolArray, FloatArray, IntArray
from ragauge.core.statistics import LEVELS, Rows, Statistics, Status, Totals, ratio
from ragauge.errors import RagaugeError, UsageError
from ragauge.evaluation.score_file import GrowingScores
from ragauge.formats.rows import Spool
from ragauge.results.score import Label, SampleScores

NOTE = "note "
"""Before the name of a count that a metric notes, among the statistics that add up."""

BUCKETS = 1 << 16
"""Above so many samples, replicates weigh buckets of their hashes instead: a random grouping, still valid."""

_DENSE = 8
"""Codes of at most so many times `BUCKETS` are numbered by counting, which is faster than sorting them."""

COVERAGE = ("scored", "undefined", "missing", "failed", "defaulted", "binary")
"""Counts kept beside each metric's statistics; ``binary`` counts scores of exactly 0 or 1."""


@dataclass(frozen=True, eq=False)
class Cells:
    """The scores of n samples under one metric, their parts, and the sums behind them.

    Shapes: ``scores`` (n,), NaN where the status is not OK; each of ``parts`` (n,); ``sums`` is what adds up.
    """

    sums: Rows
    scores: FloatArray
    parts: Mapping[str, FloatArray]


def measure_cells(metric: Metric, batch: Batch) -> Cells:
    """Measure ``batch``: rows with null are ``missing``, rows that the system failed on are ``failed``.

    With ``average=samples`` what adds up is each sample's score and a count, and the same for each part; a sample
    whose score is NaN is ``undefined``.
    """
    rows = metric.measure(batch)
    if not isinstance(rows, Rows) or len(rows) != len(batch):
        returned = Counted(len(rows), "row") if isinstance(rows, Rows) else type(rows).__name__
        template = "RG-EVAL-010 measure of {metric} must return Rows of {samples}; got {returned}"
        raise UsageError(template, metric, Counted(len(batch), "sample"), returned)
    failed, reasons = batch.derived("failures", lambda: failures(batch))
    # An answer without tool calls has null for them.
    needed = [name for name in columns_read(metric, batch.names) if name not in getattr(metric, "null_is_empty", ())]
    absent = batch.absent(*needed) & (rows.status != Status.FAILED) & ~failed
    rows = rows.excluding(absent, Status.MISSING).excluding(failed, Status.FAILED, reasons)
    scores = metric.score(rows)
    if np.shape(scores) != (len(batch),):
        shape = " x ".join(map(str, np.shape(scores))) or "a single number"
        template = "RG-EVAL-011 score of {metric} must return one score for each sample, {n} in all; got {shape}"
        raise UsageError(template, metric, len(batch), shape)
    scores = np.where(rows.ok, scores, np.nan)
    if metric.average == "samples":
        rows = rows.excluding(rows.ok & np.isnan(scores), Status.UNDEFINED)
    parts = metric.parts(rows) if isinstance(metric, Detailed) else {}
    parts = {name: np.where(rows.ok, part, np.nan) for name, part in parts.items()}
    sums = rows
    if metric.average == "samples":
        columns: dict[str, FloatArray | BoolArray] = {"value": np.where(rows.ok, scores, 0.0), "count": rows.ok}
        for name, part in parts.items():
            there = ~np.isnan(part)
            columns |= {f"part {name}": np.where(there, part, 0.0), f"part {name} count": there}
        sums = Rows.of(columns, status=rows.status, defaulted=rows.defaulted, reasons=rows.reasons)
    return Cells(_with_notes(sums, rows.noted) if rows.noted else sums, scores, parts)


def name_metric(error: Exception, metric: Metric) -> None:
    """Add a note with the name of ``metric`` to an error that it raised; errors of ragauge say enough themselves."""
    if not isinstance(error, RagaugeError):
        error.add_note(f"raised by the metric {metric}")


def corpus_score(metric: Metric, totals: Statistics) -> FloatArray:
    """Turn sums that `measure_cells` prepared into the score: of a corpus, a group or replicates."""
    if metric.average == "pooled":
        return metric.score(totals)
    return ratio(totals["value"], totals["count"])


def _with_notes(rows: Rows, noted: Mapping[str, IntArray]) -> Rows:
    """Let the counts of rows that count add up beside the statistics."""
    counts = [np.where(rows.ok, count, 0).astype(np.float64) for count in noted.values()]
    return replace(
        rows,
        names=(*rows.names, *(f"{NOTE}{name}" for name in noted)),
        values=np.column_stack([rows.values, *counts]),
        whole=np.append(rows.whole, [True] * len(counts)),
    )


@dataclass(frozen=True, eq=False)
class Sums:
    """Statistics of m rows, a sample or a bucket of samples each, ready to be weighed and added exactly.

    Shapes: ``keys`` (m,): what replicates are drawn by; ``groups`` (m, b): for each grouping column the place of the
    row's value in ``labels``; ``parts[metric][level]`` (m, k) with columns ``names[metric]``: those of the six levels
    of `ragauge.core.statistics.split` that are not zero in all rows; ``coverage[metric]`` (m, 6) counts of `COVERAGE`.
    """

    samples: int
    keys: HashArray
    groups: IntArray
    labels: tuple[tuple[Label, ...], ...]
    names: Mapping[str, tuple[str, ...]]
    parts: Mapping[str, Mapping[int, FloatArray]]
    coverage: Mapping[str, IntArray]

    def totals(self, metric: str, rows: npt.NDArray[Any] | slice = slice(None)) -> Totals:
        """Sum the ``rows`` of ``metric``."""
        total = np.zeros((LEVELS, len(self.names[metric])))
        every = isinstance(rows, np.ndarray) and rows.dtype == bool and rows.all()
        for level, part in self.parts[metric].items():
            own = part if every else part[rows]
            total[level] = np.ones(len(own)) @ own
        return Totals(self.names[metric], total)


@dataclass(frozen=True, eq=False)
class Partial:
    """Sums, and the per-sample results in input order. Adding keeps the order: left before right."""

    sums: Sums
    ids: tuple[Any, ...]
    """Arrow arrays of sample ids, one per batch."""
    columns: Mapping[str, SampleScores]
    evidence: Sequence[Any] = ()
    """Arrow tables of the evidence of scores: one per batch and metric that has any."""

    def __add__(self, other: Partial) -> Partial:
        return cast("Partial", added([self, other]))


def added(partials: Iterable[Partial]) -> Partial | None:
    """Add partials without keeping more sums than `BUCKETS` calls for; None where there are none."""
    sums: list[Sums] = []
    ids: list[Any] = []
    columns = GrowingScores()
    evidence = Spool()
    with columns:
        for partial in partials:
            sums.append(partial.sums)
            ids += partial.ids
            columns.add(partial.columns)
            for table in partial.evidence:
                evidence.add(as_batch(table))
            if sum([len(some.keys) for some in sums]) > 2 * BUCKETS:
                sums = [merged_sums(sums)]
        return Partial(merged_sums(sums), tuple(ids), columns.joined(), evidence.tables()) if sums else None


def merged_sums(many: Sequence[Sums], whole_run: int = 0) -> Sums:
    """Add sums; past `BUCKETS` samples, here or in the ``whole_run``, they are kept by bucket and stop growing."""
    first = many[0]
    if len(many) == 1 and max(first.samples, whole_run) <= BUCKETS:
        return first
    samples = sum(sums.samples for sums in many)
    labels = tuple(_union([sums.labels[by] for sums in many]) for by in range(len(first.labels)))
    keys = np.concatenate([sums.keys for sums in many])
    groups = np.concatenate([_relabelled(sums, labels) for sums in many])
    places = None
    if max(samples, whole_run) > BUCKETS:
        keys, groups, places = _in_buckets(keys, groups)

    def joined(rows: list[npt.NDArray[Any]]) -> npt.NDArray[Any]:
        together = np.concatenate(rows)
        return together if places is None else _sums_by_place(together, places, len(keys))

    levels = {name: sorted({level for sums in many for level in sums.parts[name]}) for name in first.parts}
    parts = {
        name: {level: joined([_level(sums, name, level) for sums in many]) for level in own}
        for name, own in levels.items()
    }
    coverage = {name: joined([sums.coverage[name] for sums in many]) for name in first.parts}
    return Sums(samples, keys, groups, labels, first.names, parts, coverage)


def _level(sums: Sums, name: str, level: int) -> FloatArray:
    """Return a level of a metric's sums, (m, k), also where it is absent because it is zero."""
    rows = sums.parts[name].get(level)
    return np.zeros((len(sums.keys), len(sums.names[name]))) if rows is None else rows


def _in_buckets(keys: HashArray, groups: IntArray) -> tuple[HashArray, IntArray, IntArray]:
    """Put n rows into buckets by their ``keys``, (n,), and their ``groups``, (n, b).

    Returns:
        The keys (m,) and groups (m, b) of the buckets, and the bucket of each row (n,).
    """
    bucket = (keys & np.uint64(BUCKETS - 1)).astype(np.int64)
    rows, places = _numbered(bucket)
    for group in groups.T:
        rows, places = _numbered(places * (int(group.max(initial=0)) + 1) + group)
    return bucket_keys(bucket[rows]), groups[rows], places


def _sums_by_place(rows: npt.NDArray[Any], places: IntArray, count: int) -> npt.NDArray[Any]:
    """Return the sums of ``rows`` (n, k) with the same place, (count, k), of their type."""
    out = np.empty((count, rows.shape[1]), rows.dtype)
    for column in range(rows.shape[1]):
        out[:, column] = np.bincount(places, rows[:, column], count)
    return out


def _numbered(codes: IntArray) -> tuple[IntArray, IntArray]:
    """Return a row of each distinct code, (m,) by rising code, and the place of each row's code among them, (n,)."""
    most = int(codes.max(initial=0)) + 1
    if most > _DENSE * BUCKETS:
        _, rows, places = np.unique(codes, return_index=True, return_inverse=True)
        return rows, places.ravel()
    row = np.full(most, -1)
    row[codes] = np.arange(len(codes))
    there = row >= 0
    return row[there], (np.cumsum(there) - 1)[codes]


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
