"""A scored part of the samples: sums that travel and merge, and scores that stay where they were computed."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ragauge.core.arrow import to_arrow, to_numpy
from ragauge.core.batch import Batch, Dataset
from ragauge.core.statistics import LEVELS
from ragauge.engines.plan import Plan
from ragauge.errors import DataError, UsageError, excerpt
from ragauge.evaluation.partial import BUCKETS, COVERAGE, Partial, Sums, added, merged_sums
from ragauge.results.result import Result
from ragauge.results.score import SampleScores
from ragauge.results.storage import score_tables_of

if TYPE_CHECKING:
    from ragauge.embedders.store import Store

VERSION = 1
"""Of the serialised form; raised when it changes."""
_ABOUT = b"ragauge"


@dataclass(frozen=True, eq=False)
class ScoredPart:
    """The sums of some samples, and, where they were just scored, the scores of each.

    ``numbers``: which shares of the samples are in it, as (first, last) of runs of whole numbers. ``plan``: the
    identity of the plan. What travels, by `to_bytes` or pickle, is the sums alone.
    """

    plan: str
    numbers: tuple[tuple[int, int], ...]
    partial: Partial

    @property
    def samples(self) -> int:
        """How many samples it sums."""
        return self.partial.sums.samples

    def scores(self) -> pa.Table:
        """Return one row per sample: ``id``, and for each metric a struct as in ``scores.parquet`` of a saved run.

        Fields of the struct: score, status, defaulted, reason, parts if there are any, statistics.
        UsageError where the scores stayed elsewhere.
        """
        partial = self.partial
        if sum(map(len, partial.ids)) != self.samples:
            raise UsageError("RG-ENG-014 this part holds sums alone: the scores of its samples stayed with the worker")
        table = pa.concat_tables(score_tables_of(partial.columns, self.samples), promote_options="permissive")
        return table.add_column(0, "id", pa.chunked_array(list(partial.ids), pa.string()))

    def sums_alone(self) -> ScoredPart:
        """Return the part without the scores of samples."""
        columns = {name: _no_scores(one.parts) for name, one in self.partial.columns.items()}
        return replace(self, partial=Partial(self.partial.sums, (), columns))

    def to_bytes(self) -> bytes:
        """Return the sums as an Arrow IPC stream with its version."""
        return _to_bytes(self, "lz4")

    @classmethod
    def from_bytes(cls, content: bytes) -> ScoredPart:
        """Undo `to_bytes`; DataError for damage, or another version."""
        return _from_bytes(content)

    def __reduce__(self) -> tuple[Any, tuple[bytes]]:
        # From one process to another of the same machine, compressing takes longer than the bytes that it saves.
        return _from_bytes, (_to_bytes(self),)


def score_part(batches: Batch | Iterable[Batch], plan: Plan, number: int = 0, store: Store | None = None) -> ScoredPart:
    """Score a share of the samples.

    Args:
        batches: a batch or batches with the columns that the plan needs, ``id`` among them; at least one sample.
        plan: the same for all parts.
        number: of the share, each its own: a part that arrives twice counts once.
        store: of `Plan.store`, which keeps vectors for all parts of a process; None: one for this part.

    Raises:
        DataError: there are no samples.

    >>> import pyarrow as pa
    >>> from ragauge.engines.plan import plan
    >>> from ragauge.evaluation.request import RunRequest
    >>> made = plan(RunRequest(metrics="exact-match"), ["id", "answer", "references"])
    >>> rows = {"id": ["a", "b"], "answer": ["tea", "tee"], "references": [["tea"], ["tea"]]}
    >>> part = score_part(Batch(pa.table(rows)), made)
    >>> part.scores()["exact-match"].combine_chunks().field("score").to_pylist()
    [1.0, 0.0]
    """
    several = [batches] if isinstance(batches, Batch) else batches
    return summed(plan.measure(several, store or plan.store()), plan, number)


def summed(partials: Iterable[Partial], plan: Plan, number: int) -> ScoredPart:
    """Return the part of samples that are measured; DataError where there are none."""
    partial = added(partials)
    if partial is None:
        raise DataError("RG-ENG-009 part {number} has no samples; leave out empty parts", number)
    sums = merged_sums([partial.sums], plan.samples or 0)
    return ScoredPart(plan.identity, ((number, number),), replace(partial, sums=sums))


def merge(parts: Iterable[ScoredPart]) -> ScoredPart:
    """Add the sums of parts; the order and the grouping change nothing. Scores of samples are left out.

    A part that comes twice, as from a task that was tried again, counts once.

    Raises:
        DataError: there are no parts, or parts of different plans, or some samples in two of them.

    >>> import pyarrow as pa
    >>> from ragauge.engines.plan import plan
    >>> from ragauge.evaluation.request import RunRequest
    >>> made = plan(RunRequest(metrics="exact-match"), ["id", "answer", "references"])
    >>> one, two = (Batch(pa.table({"id": [x], "answer": [x], "references": [["a"]]})) for x in "ab")
    >>> merged = merge([score_part(one, made, 0), score_part(two, made, 1), score_part(one, made, 0)])
    >>> merged.samples, merged.numbers
    (2, ((0, 1),))
    """
    sums = GrowingSums()
    for part in parts:
        sums.add(part)
    total = sums.total()
    if total is None:
        raise DataError("RG-ENG-010 there are no parts to merge; score at least one sample")
    return total


class GrowingSums:
    """The sums of parts that come one by one, as `merge` adds them; no more are kept than buckets call for."""

    def __init__(self) -> None:
        self._first: ScoredPart | None = None
        self._done: set[tuple[tuple[int, int], ...]] = set()
        self._sums: list[Sums] = []

    def add(self, part: ScoredPart) -> None:
        """Add the sums of a part; DataError where it is of another plan than those before it."""
        self._first = self._first or part.sums_alone()
        if part.plan != self._first.plan:
            raise DataError(
                "RG-ENG-015 parts of different plans cannot be merged: score all with the same metrics and options"
            )
        if part.numbers not in self._done:
            self._done.add(part.numbers)
            self._sums.append(part.partial.sums)
        if sum([len(one.keys) for one in self._sums]) > 2 * BUCKETS:
            self._sums = [merged_sums(self._sums)]

    def total(self) -> ScoredPart | None:
        """Return the sum of all parts; None where there are none. DataError where some samples are in two of them."""
        if self._first is None:
            return None
        partial = replace(self._first.partial, sums=merged_sums(self._sums))
        return ScoredPart(self._first.plan, _joined(self._done), partial)


def finish(plan: Plan, part: ScoredPart, data: Dataset, partial: Partial | None = None) -> Result:
    """Turn the merged part of all samples into a result.

    Args:
        plan: that of the parts.
        part: all parts, merged.
        data: what was scored: its source, number of rows, columns and notes are in the result.
        partial: ids, scores and evidence of the samples, where the result should hold them.

    Raises:
        DataError: the part is of another plan, or does not hold as many samples as ``data`` has rows.

    Without ``partial``, the result has the scores of the whole and of its groups, and none of samples.
    """
    if part.plan != plan.identity:
        raise DataError("RG-ENG-011 the part is of another plan: score all with the same metrics and options")
    if part.samples != data.rows or (plan.samples is not None and plan.samples != data.rows):
        raise DataError(
            "RG-ENG-012 {source}: the data have {rows} samples, the parts {scored}, the plan {planned}",
            data.source,
            data.rows,
            part.samples,
            plan.samples,
        )
    whole = part.partial if partial is None else replace(partial, sums=part.partial.sums)
    return plan.evaluator.finish(whole, data)


def _joined(numbers: Iterable[tuple[tuple[int, int], ...]]) -> tuple[tuple[int, int], ...]:
    """Return runs of numbers as few as possible; DataError where two of them overlap."""
    joined: list[tuple[int, int]] = []
    for first, last in sorted(run for runs in numbers for run in runs):
        if joined and first <= joined[-1][1]:
            raise DataError(
                "RG-ENG-016 part {first} is in two of the parts to merge: its samples would count twice", first
            )
        if joined and first == joined[-1][1] + 1:
            joined[-1] = (joined[-1][0], last)
        else:
            joined.append((first, last))
    return tuple(joined)


def _to_bytes(part: ScoredPart, compression: str | None = None) -> bytes:
    sums = part.partial.sums
    columns: dict[str, pa.Array] = {"key": to_arrow(sums.keys)}
    columns |= {f"group {place}": to_arrow(np.ascontiguousarray(codes)) for place, codes in enumerate(sums.groups.T)}
    # Most sums are zero in most levels: those columns are left out.
    for place, (parts, coverage) in enumerate(zip(sums.parts.values(), sums.coverage.values(), strict=True)):
        for level, rows in parts.items():
            columns |= _columns_of(f"sum {place} {level}", rows)
        columns |= _columns_of(f"count {place}", coverage)
    about = {
        "version": VERSION,
        "plan": part.plan,
        "numbers": part.numbers,
        "samples": sums.samples,
        "labels": sums.labels,
        "metrics": {name: [list(sums.names[name]), list(one.parts)] for name, one in part.partial.columns.items()},
    }
    table = pa.table(columns).replace_schema_metadata({_ABOUT: json.dumps(about).encode()})
    return stream_of(table, compression)


def stream_of(table: pa.Table, compression: str | None = None) -> bytes:
    """Return ``table`` as an Arrow IPC stream."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema, options=pa.ipc.IpcWriteOptions(compression=compression)) as writer:
        writer.write_table(table)
    content: bytes = sink.getvalue().to_pybytes()
    return content


def _columns_of(name: str, rows: npt.NDArray[Any]) -> dict[str, pa.Array]:
    """Return those of the columns of ``rows`` (n, k) that are not all zero, by ``name`` and their places."""
    if not rows.any():
        return {}
    columns = np.ascontiguousarray(rows.T)
    return {f"{name} {place}": to_arrow(column) for place, column in enumerate(columns) if column.any()}


def _from_bytes(content: bytes) -> ScoredPart:
    try:
        table = pa.ipc.open_stream(content).read_all().combine_chunks()
        table.validate(full=True)
        about = json.loads((table.schema.metadata or {})[_ABOUT])
        version = about["version"]
    except (pa.ArrowException, OSError, LookupError, TypeError, ValueError) as error:
        raise DataError("RG-ENG-017 the part is damaged: {why}; score it again", excerpt(str(error))) from None
    if version != VERSION:
        raise DataError(
            "RG-ENG-013 the part has the form {version}, and this version reads {own}; score it again",
            version,
            VERSION,
        )
    metrics, rows = about["metrics"], table.num_rows
    groups = [to_numpy(table[f"group {place}"]) for place in range(len(about["labels"]))]
    parts, coverage = {}, {}
    for place, (name, (names, _)) in enumerate(metrics.items()):
        parts[name] = {
            level: _filled(table, f"sum {place} {level} ", np.zeros((rows, len(names))))
            for level in range(LEVELS)
            if any(column.startswith(f"sum {place} {level} ") for column in table.column_names)
        }
        coverage[name] = _filled(table, f"count {place} ", np.zeros((rows, len(COVERAGE)), np.int64))
    sums = Sums(
        about["samples"],
        to_numpy(table["key"]),
        np.stack(groups, axis=1) if groups else np.empty((rows, 0), np.int64),
        tuple(map(tuple, about["labels"])),
        {name: tuple(names) for name, (names, _) in metrics.items()},
        parts,
        coverage,
    )
    columns = {name: _no_scores(parts) for name, (_, parts) in metrics.items()}
    return ScoredPart(
        about["plan"], tuple((first, last) for first, last in about["numbers"]), Partial(sums, (), columns)
    )


def _filled(table: pa.Table, prefix: str, numbers: Any) -> Any:
    """Return zeros with the columns of ``table`` in their places, which follow ``prefix`` in their names."""
    for name in table.column_names:
        if name.startswith(prefix):
            numbers[:, int(name.removeprefix(prefix))] = to_numpy(table[name])
    return numbers


def _no_scores(parts: Iterable[str]) -> SampleScores:
    """Return the scores of no samples, with the names of their parts."""
    none = np.empty(0)
    return SampleScores(none, np.empty(0, np.uint8), np.empty(0, np.bool_), dict.fromkeys(parts, none), {})
