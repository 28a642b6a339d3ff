"""One metric on one batch, and the sums of batches, which add to those of all."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from math import inf
from pathlib import Path
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from ragauge.core.arrow import as_batch
from ragauge.core.batch import Batch
from ragauge.core.hashing import HashArray, splitmix64
from ragauge.core.protocol import Detailed, Metric, columns_read, failures
from ragauge.core.ragged import BoolArray, FloatArray, IntArray
from ragauge.core.statistics import LEVELS, Rows, Statistics, Status, Totals, ratio
from ragauge.core.temporary import temporary_folder
from ragauge.errors import RagaugeError, UsageError
from ragauge.evaluation.score_file import ScoreFiles, WrittenScores
from ragauge.formats.rows import Spool, no_room
from ragauge.results.score import Label, SampleScores

NOTE = "note "
"""Before the name of a count that a metric notes, among the statistics that add up."""

BUCKETS = 1 << 16
"""Above so many samples, replicates weigh buckets of their hashes instead: a random grouping, still valid."""

HELD = 1 << 17
"""Samples whose scores are held in memory; those of more are in temporary files."""

_MANY = "the scores of so many samples are kept in temporary files, not in memory"

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
        returned = f"{len(rows)} rows" if isinstance(rows, Rows) else type(rows).__name__
        template = "RG-EVAL-010 measure of {metric} must return Rows of {n} samples; got {returned}"
        raise UsageError(template, metric, len(batch), returned)
    failed, reasons = failures(batch)
    absent = batch.absent(*columns_read(metric, batch.names)) & (rows.status != Status.FAILED) & ~failed
    rows = rows.excluding(absent, Status.MISSING).excluding(failed, Status.FAILED, reasons)
    scores = metric.score(rows)
    if np.shape(scores) != (len(batch),):
        shape = " x ".join(map(str, np.shape(scores))) or "a single number"
        template = "RG-EVAL-011 score of {metric} must return one score for each of {n} samples; got {shape}"
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
    """Arrow tables of what scores rest on, one per metric that has some and batch."""

    def __add__(self, other: Partial) -> Partial:
        return cast("Partial", added([self, other]))


def added(partials: Iterable[Partial]) -> Partial | None:
    """Add partials without keeping more sums than `BUCKETS` calls for; None where there are none."""
    sums: list[Sums] = []
    ids: list[Any] = []
    columns = _GrowingScores()
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


class _GrowingScores(ExitStack):
    """The scores of samples that come one after the other; those of more than `HELD` go to files."""

    def __init__(self) -> None:
        super().__init__()
        self._blocks: dict[str, list[SampleScores]] = {}
        self._held, self._most = 0, float(HELD)
        self._files: ScoreFiles | None = None
        self._written: list[WrittenScores] = []

    def add(self, columns: Mapping[str, SampleScores]) -> None:
        """Add samples after those that are here."""
        for name, column in columns.items():
            # Joined with those before it that are no longer: few blocks, each copied few times. Many small arrays,
            # freed late, would leave gaps in memory that are not given back.
            blocks = self._blocks.setdefault(name, [])
            while blocks and len(blocks[-1].scores) <= len(column.scores):
                column = _joined([blocks.pop(), column])  # noqa: PLW2901 - it grows
            blocks.append(column)
        self._held = sum([len(block.scores) for block in next(iter(self._blocks.values()), [])])
        if self._held >= self._most:
            self._to_files()

    def joined(self) -> dict[str, SampleScores]:
        """Return the scores of all samples, by metric."""
        if self._written:
            self._to_files()
        if self._files is not None:
            return self._files.read(self._written)
        return self._in_memory()

    def _in_memory(self) -> dict[str, SampleScores]:
        # One at a time: memory need not hold all columns twice.
        blocks = self._blocks
        return {name: _joined(own) if len(own := blocks.pop(name)) > 1 else own[0] for name in list(blocks)}

    def _to_files(self) -> None:
        """Move what is held to files; where no folder holds temporary files, it stays in memory."""
        try:
            folder = tempfile.gettempdir()
        except FileNotFoundError:
            self._most = inf
            return
        try:
            self._files = self._files or ScoreFiles(Path(self.enter_context(temporary_folder())))
            if self._held:
                first = self._written[-1].last if self._written else 0
                self._written.append(self._files.write(first, self._in_memory()))
                self._held = 0
        except OSError as error:
            raise no_room(_MANY, folder, error) from error


def merged_sums(many: Sequence[Sums], whole_run: int = 0) -> Sums:
    """Add sums; past `BUCKETS` samples, here or in the ``whole_run``, they are kept by bucket and stop growing."""
    first = many[0]
    if len(many) == 1 and max(first.samples, whole_run) <= BUCKETS:
        return first
    samples = sum(sums.samples for sums in many)
    labels = tuple(_union([sums.labels[by] for sums in many]) for by in range(len(first.labels)))
    keys = np.concatenate([sums.keys for sums in many])
    groups = np.concatenate([_relabelled(sums, labels) for sums in many])
    buckets = _Buckets.of(keys, groups) if max(samples, whole_run) > BUCKETS else None
    if buckets is not None:
        keys, groups = buckets.keys, buckets.groups
    parts = {name: _merged_levels(many, name, buckets) for name in first.parts}
    coverage = {name: _merged_rows([sums.coverage[name] for sums in many], buckets) for name in first.parts}
    return Sums(samples, keys, groups, labels, first.names, parts, coverage)


def _merged_levels(many: Sequence[Sums], name: str, buckets: _Buckets | None) -> Mapping[int, FloatArray]:
    """Join the levels of one metric; one that is zero in all of them stays absent."""
    k = len(many[0].names[name])
    merged = {}
    for level in sorted({level for sums in many for level in sums.parts[name]}):
        parts = [sums.parts[name].get(level) for sums in many]
        filled = [np.zeros((len(sums.keys), k)) if one is None else one for sums, one in zip(many, parts, strict=True)]
        merged[level] = _merged_rows(filled, buckets)
    return merged


def _merged_rows(many: Sequence[npt.NDArray[Any]], buckets: _Buckets | None) -> npt.NDArray[Any]:
    """Join arrays of (n, k), and add up the rows of each bucket if there are buckets."""
    rows = np.concatenate(many)
    return rows if buckets is None else buckets.sums(rows)


@dataclass(frozen=True, eq=False)
class _Buckets:
    """Which of n rows fall into the same bucket and the same groups.

    Shapes: ``keys`` (m,) and ``groups`` (m, b) of each bucket; ``place`` (n,) the bucket of each row.
    """

    keys: HashArray
    groups: IntArray
    place: IntArray

    @classmethod
    def of(cls, keys: HashArray, groups: IntArray) -> _Buckets:
        """Put n rows into buckets by their ``keys``, (n,), and their ``groups``, (n, b)."""
        bucket = (keys & np.uint64(BUCKETS - 1)).astype(np.int64)
        rows, place = _numbered(bucket)
        for group in groups.T:
            rows, place = _numbered(place * (int(group.max(initial=0)) + 1) + group)
        return cls(bucket_keys(bucket[rows]), groups[rows], place)

    def sums(self, rows: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return the sums of ``rows`` (n, k) by bucket, (m, k), of their type; exact, as sums of parts are."""
        out = np.empty((len(self.keys), rows.shape[1]), rows.dtype)
        for column in range(rows.shape[1]):
            out[:, column] = np.bincount(self.place, rows[:, column], len(self.keys))
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


def _joined(columns: Sequence[SampleScores]) -> SampleScores:
    first = columns[0]
    starts = np.cumsum([0, *(len(column.scores) for column in columns)])
    return SampleScores(
        np.concatenate([column.scores for column in columns]),
        np.concatenate([column.status for column in columns]),
        np.concatenate([column.defaulted for column in columns]),
        {name: np.concatenate([column.parts[name] for column in columns]) for name in first.parts},
        {name: np.concatenate([column.statistics[name] for column in columns]) for name in first.statistics},
        {
            int(start) + row: why
            for start, column in zip(starts, columns, strict=False)
            for row, why in column.reasons.items()
        },
    )
