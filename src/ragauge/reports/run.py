"""A run as the page shows it: its result, what it is called, and what is known of when and how it was scored."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, time, timedelta
from decimal import Decimal
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np

from ragauge.core.batch import Batch
from ragauge.core.measure import FAILURE
from ragauge.core.ragged import FloatArray, IntArray
from ragauge.core.sample import SCHEMA
from ragauge.errors import UsageError
from ragauge.results.result import Result
from ragauge.results.storage import load, read_manifest

if TYPE_CHECKING:
    import pyarrow as pa

Given: TypeAlias = Result | str | PathLike[str]
"""A result, or the directory of a saved one."""


@dataclass(frozen=True, eq=False)
class Run:
    """``directory`` and ``manifest`` are None and empty where the result was not read from disk."""

    name: str
    result: Result
    directory: Path | None
    manifest: Mapping[str, Any]

    @property
    def created(self) -> str | None:
        """When it was scored, in UTC."""
        return cast("str | None", self.manifest.get("run", {}).get("created"))

    @property
    def version(self) -> str | None:
        """Of the ragauge that scored it."""
        return cast("str | None", self.manifest.get("run", {}).get("ragauge"))


def runs_of(given: Given | Iterable[Given], names: Sequence[str] = ()) -> tuple[Run, ...]:
    """Read what was given.

    Args:
        given: results or directories; one, or several, the baseline first.
        names: what to call them; by default directories by as much of their ends as tells them apart.

    Raises:
        UsageError: there is no run, as many names as runs are not given, or two names are equal.
        DataError: a directory is no saved run.
    """
    runs = [given] if isinstance(given, Result | str | PathLike) else list(given)
    if not runs:
        message = "there is nothing to report; give a saved run or a result"
        raise UsageError(message)
    called = list(names) or default_names([None if isinstance(run, Result) else Path(fspath(run)) for run in runs])
    if len(called) != len(runs) or len(set(called)) != len(called):
        message = f"give each run a name of its own: {len(runs)} runs, and the names {', '.join(map(repr, called))}"
        raise UsageError(message)
    return tuple(_run(name, run) for name, run in zip(called, runs, strict=True))


def _run(name: str, given: Given) -> Run:
    if isinstance(given, Result):
        return Run(name, given, None, {})
    directory = Path(fspath(given))
    return Run(name, load(directory), directory, read_manifest(directory))


def default_names(directories: Sequence[Path | None]) -> list[str]:
    """Call directories by as much of their ends as tells them apart, results by their place.

    >>> default_names([Path("runs/today")]), default_names([Path("a/today"), Path("b/today"), None])
    (['today'], ['a/today', 'b/today', 'run 3'])
    >>> default_names([Path("today"), Path("today")])
    ['today (1)', 'today (2)']
    """
    parts = [
        (f"run {place}",) if directory is None else directory.resolve().parts
        for place, directory in enumerate(directories, 1)
    ]
    names = [part[-1] for part in parts]
    for depth in range(2, 4):
        twice = {name for name, count in Counter(names).items() if count > 1}
        several = [name in twice and parts.count(part) == 1 for part, name in zip(parts, names, strict=True)]
        names = [
            "/".join(part[-depth:]) if longer else name
            for part, name, longer in zip(parts, names, several, strict=True)
        ]
    counts = Counter(names)
    return [f"{name} ({place})" if counts[name] > 1 else name for place, name in enumerate(names, 1)]


@dataclass(frozen=True, eq=False)
class Aligned:
    """Samples in all runs, in the order of the first.

    Shapes: ``ids`` n texts; ``places`` (r, n): where each sample stands in each run; ``left_out`` (r,): how many
    samples of each run another one lacks.
    """

    ids: pa.Array
    places: IntArray
    left_out: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.ids)


def aligned(runs: Sequence[Run]) -> Aligned:
    """Find the samples that all ``runs`` have; there may be none."""
    import pyarrow as pa
    import pyarrow.compute as pc

    ids = [pa.chunked_array(list(run.result.ids)).cast(pa.large_string()).combine_chunks() for run in runs]
    shared = ids[0]
    for other in ids[1:]:
        shared = shared.filter(pc.is_in(shared, value_set=other))
    places = [np.asarray(pc.index_in(shared, value_set=own), dtype=np.int64) for own in ids]
    return Aligned(shared, np.stack(places), tuple(len(own) - len(shared) for own in ids))


_DIGITS = 9
_TINY = -13
"""Powers of ten below which values are left as they are."""


def numbers(values: FloatArray) -> list[float | None]:
    """Return ``values`` (n,) to nine significant digits; what is not finite as None.

    >>> numbers(np.array([2 / 3, 0.1, np.nan, 123456.0, 1e-40]))
    [0.666666667, 0.1, None, 123456.0, 1e-40]
    """
    finite = np.isfinite(values)
    known = np.where(finite, values, 0.0)
    sizes = np.floor(np.log10(np.where(known == 0, 1.0, np.abs(known))))
    # Beyond 22 powers of ten are no exact floats, so that rounding would add digits in place of leaving them out.
    grid = 10.0 ** np.clip(_DIGITS - 1 - sizes, 0, 22)
    rounded: list[float | None] = np.where(sizes < _TINY, known, np.rint(known * grid) / grid + 0.0).tolist()
    for place in np.flatnonzero(~finite).tolist():
        rounded[place] = None
    return rounded


def values(column: pa.Array) -> list[str | float | bool | None]:
    """Return a column of any type as texts, numbers and booleans; lists and objects as JSON in a text."""
    import pyarrow as pa

    if pa.types.is_boolean(column.type) or pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        return column.to_pylist()  # type: ignore[no-any-return]
    if pa.types.is_integer(column.type) or pa.types.is_floating(column.type):
        return _whole(column) if pa.types.is_integer(column.type) else numbers(_floats(column))  # type: ignore[return-value]
    return [None if value is None else _text(value) for value in column.to_pylist()]


def _whole(column: pa.Array) -> list[Any]:
    """Return integers; those that a browser's numbers cannot hold, such as long ids, as texts."""
    found: list[Any] = column.to_pylist()
    return [str(value) if value is not None and abs(value) > 1 << 53 else value for value in found]


def _floats(column: pa.Array) -> FloatArray:
    import pyarrow as pa

    return np.asarray(column.cast(pa.float64()).to_numpy(zero_copy_only=False), dtype=np.float64)


def _text(value: object) -> str:
    if isinstance(value, date | time | timedelta | Decimal | bytes):
        return str(value)
    return json.dumps(value, ensure_ascii=False, default=str)


# What a run and its qrels are joined by; says nothing to a reader of the samples.
_JOINING = "in_run"


def samples_at(run: Run, rows: IntArray) -> pa.Table:
    """Return the columns of the data of the samples at ``rows`` (m,); the data are read once."""
    import pyarrow as pa

    tables = (batch.table() for batch in run.result.data.batches())
    parts, start = [], 0
    order = np.argsort(rows, kind="stable")
    for table in tables:
        inside = rows[order][(rows[order] >= start) & (rows[order] < start + len(table))] - start
        start += len(table)
        parts.append(table.take(pa.array(inside)))
    return pa.concat_tables(parts, promote_options="permissive").take(pa.array(np.argsort(order))).combine_chunks()


@dataclass(frozen=True, eq=False)
class Columns:
    """The same m samples of r runs: ``tables`` holds the columns of each."""

    runs: Sequence[Run]
    tables: Sequence[pa.Table]

    def of(self, place: int, name: str) -> pa.Array | None:
        """Return column ``name`` of the run at ``place``, m values; None where it has none."""
        table = self.tables[place]
        return Batch(table).column(name) if name in table.column_names else None

    def shared(self, name: str) -> list[Any] | None:
        """Return column ``name`` of the first run that has it, as Python values."""
        found = (self.of(place, name) for place in range(len(self.runs)))
        column = next((column for column in found if column is not None), None)
        return None if column is None else column.to_pylist()

    def others(self) -> dict[str, list[Any]]:
        """Return the columns that have no known meaning; one for each run where they differ, named after it."""
        there = (name for table in self.tables for name in table.column_names)
        names = [name for name in dict.fromkeys(there) if name not in SCHEMA and name not in (FAILURE, _JOINING)]
        found: dict[str, list[Any]] = {}
        for name in names:
            columns = {run.name: self.of(place, name) for place, run in enumerate(self.runs)}
            given = {run: values(column) for run, column in columns.items() if column is not None}
            same = all(one == next(iter(given.values())) for one in given.values())
            found |= (
                {name: next(iter(given.values()))} if same else {f"{name} ({run})": one for run, one in given.items()}
            )
        return found
