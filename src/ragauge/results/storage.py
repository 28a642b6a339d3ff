"""A run on disk: a manifest, the samples with their scores, and the evidence if there is any."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import numpy as np

from ragauge._version import __version__
from ragauge.core.arrow import to_arrow, to_numpy
from ragauge.core.batch import Batch, Dataset
from ragauge.core.protocol import Explained
from ragauge.core.registry import parse
from ragauge.core.signature import OUTPUT, TASK, fingerprint
from ragauge.core.statistics import Status, StatusArray
from ragauge.errors import DataError, UsageError, did_you_mean
from ragauge.results.result import Result
from ragauge.results.score import Column, Score, narrowed

if TYPE_CHECKING:
    import pyarrow as pa

FORMAT = 1
"""Version of the layout; raised when an older ragauge could not read it."""

MANIFEST = "manifest.json"

_SHOWN = 3


def manifest_of(result: Result) -> str:
    """Write the manifest of ``result``."""
    plain = result.to_dict()
    plain["data"] |= {"task": fingerprint(result.data, TASK), "output": fingerprint(result.data, OUTPUT)}
    run = {
        "format": FORMAT,
        "ragauge": __version__,
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "metrics": dict(result.metrics),
    }
    return json.dumps({"run": run, **plain}, ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def read_manifest(directory: Path) -> dict[str, Any]:
    """Read ``manifest.json`` of a saved run.

    Raises:
        DataError: the directory is not a run, or one of a later ragauge.
    """
    try:
        manifest: dict[str, Any] = json.loads((directory / MANIFEST).read_text(encoding="utf-8"))
        written = manifest["run"]["format"], manifest["run"]["ragauge"]
    except (OSError, ValueError, KeyError, TypeError):
        message = f"{directory} is not a saved run; give a directory that ragauge score -o wrote{_near(directory)}"
        raise DataError(message) from None
    if written[0] > FORMAT:
        message = f"{directory} was written by ragauge {written[1]}, which is newer than {__version__}"
        raise DataError(message)
    return manifest


def examples(ids: Sequence[str]) -> str:
    """Name some ids, as those that were made of the content, which nobody knows.

    >>> examples(["a", "b", "c", "d"])
    "; its ids are 'a', 'b', 'c', ..."
    """
    more = ", ..." if len(ids) > _SHOWN else ""
    return f"; its ids are {', '.join(map(repr, ids[:_SHOWN]))}{more}"


def _near(directory: Path) -> str:
    """Say how a file becomes a run, or which run beside ``directory`` may be meant."""
    if directory.is_file():
        return f": ragauge score {directory} -o runs/today"
    beside = directory.parent.iterdir() if directory.parent.is_dir() else ()
    runs = [str(one) for one in beside if (one / MANIFEST).is_file()]
    return did_you_mean(str(directory), runs, otherwise="")


_SAMPLES, _EVIDENCE = "samples.parquet", "evidence.parquet"
_STATES = [status.name.lower() for status in Status]


def save(result: Result, directory: Path, *, force: bool) -> None:
    """Write ``result`` beside ``directory`` and rename it, so that a run is there whole or not at all."""
    check_free(directory, force=force)
    target = directory.resolve()
    beside = target.with_name(f".{target.name}.{uuid4().hex[:8]}")
    try:
        beside.mkdir(parents=True)
        _write_samples(result, beside / _SAMPLES)
        _write_evidence(result, beside / _EVIDENCE)
        (beside / MANIFEST).write_text(manifest_of(result), encoding="utf-8")
        _put(beside, target)
    except OSError as error:
        message = f"{directory} cannot be written: {error.strerror or error}"
        raise UsageError(message) from error
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def _put(beside: Path, target: Path) -> None:
    """Rename ``beside`` to ``target``; what was there is gone only when its successor is in place."""
    aside = beside.with_name(f"{beside.name}.old")
    if target.exists():
        target.rename(aside)
    try:
        beside.rename(target)
    except OSError:
        if aside.exists():
            aside.rename(target)
        raise
    shutil.rmtree(aside, ignore_errors=True)


def check_free(directory: Path, *, force: bool) -> None:
    """Raise UsageError where ``directory`` cannot be made, or exists and must not be replaced."""
    if directory.exists():
        _check_replaceable(directory, force=force)
        return
    nearest = next(parent for parent in directory.resolve().parents if parent.exists())
    if not nearest.is_dir() or not os.access(nearest, os.W_OK):
        message = f"{directory} cannot be made: {nearest} is not a directory that can be written to"
        raise UsageError(message)


def _check_replaceable(directory: Path, *, force: bool) -> None:
    if not force:
        message = f"{directory} already exists. Name another directory, or pass force=True to replace it."
        raise UsageError(message)
    names = {path.name for path in directory.iterdir()} if directory.is_dir() else {directory.name}
    foreign = sorted(names - {MANIFEST, _SAMPLES, _EVIDENCE})
    if foreign:
        message = f"{directory} is not only a saved run (it has {foreign[0]}), so force=True does not replace it"
        raise UsageError(message)


def load(directory: str | Path) -> Result:
    """Read a saved run.

    Raises:
        DataError: the directory is not a run, or one of a later ragauge, or damaged.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    manifest = read_manifest(Path(directory))
    try:
        return _result(manifest, pq.read_table(Path(directory) / _SAMPLES))
    except (OSError, pa.ArrowException, KeyError, TypeError) as error:
        message = f"{directory} is damaged: {error!r}; score the data again"
        raise DataError(message) from error


def _result(manifest: dict[str, Any], table: pa.Table) -> Result:
    described = manifest["data"]
    columns = tuple(described["columns"])
    own = table.select(columns)
    data = Dataset(
        described["source"],
        table.num_rows,
        columns,
        lambda: iter([Batch(own)]),
        described["mapping"],
        tuple(described["notes"]),
    )
    return Result(
        tuple(Score.from_dict(score) for score in manifest["metrics"]),
        manifest["run"]["metrics"],
        (Batch(own).column("id"),),
        {name: _read_column(table, name, columns) for name in manifest["run"]["metrics"]},
        data,
        manifest["options"],
    )


def _write_samples(result: Result, path: Path) -> None:
    import pyarrow.parquet as pq

    writer = None
    try:
        for batch, rows in _batches(result):
            table = batch.table()
            for name, column in result.columns.items():
                for title, values in _column_arrays(result, name, column, rows):
                    table = table.append_column(title, values)
            writer = writer or pq.ParquetWriter(path, table.schema, compression="zstd")
            writer.write_table(table.cast(writer.schema))
    finally:
        if writer is not None:
            writer.close()


def _write_evidence(result: Result, path: Path) -> None:
    """Write what each score rests on, a batch at a time; nothing where no metric says so."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    explained = _explained(result)
    writer = None
    try:
        for batch in result.data.batches() if explained else ():
            for name, metric in explained.items():
                table = metric.explain(batch)
                table = table.add_column(0, "metric", to_arrow([name] * len(table), pa.string()))
                writer = writer or pq.ParquetWriter(path, table.schema, compression="zstd")
                writer.write_table(table)
    finally:
        if writer is not None:
            writer.close()


def _explained(result: Result) -> dict[str, Explained]:
    """Return the metrics that say what their scores rest on; a function made a metric is not known by name any more."""
    found: dict[str, Explained] = {}
    for name, spec in result.metrics.items():
        try:
            metric = parse(spec)
        except UsageError:
            continue
        if isinstance(metric, Explained):
            found[name] = metric
    return found


def read_evidence(directory: str | Path, sample: str) -> pa.Table:
    """Read what the scores of the sample with the id ``sample`` rest on.

    Returns:
        Columns ``metric``, ``id``, ``what``, ``text``, ``best``, ``similarity`` and ``supported``; no row of a sample
        whose scores rest on nothing, as that of an empty answer.

    Raises:
        DataError: the directory is not a run.
        UsageError: the run has no evidence, or no such sample.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = _evidence_of(directory)
    table = pq.read_table(path, filters=[("id", "=", sample)])
    if not len(table):
        known = pq.read_table(Path(directory) / _SAMPLES, columns=["id"])["id"].cast(pa.string()).to_pylist()
        if sample not in known:
            message = (
                f"{directory} holds no sample {sample!r}{did_you_mean(sample, known, otherwise='') or examples(known)}"
            )
            raise UsageError(message)
    return table


def with_evidence(directory: str | Path) -> list[str]:
    """Return the metrics of a saved run that say what their scores rest on."""
    import pyarrow.parquet as pq

    names: list[str] = pq.read_table(_evidence_of(directory), columns=["metric"])["metric"].unique().to_pylist()
    return names


def evidence_of_samples(directory: str | Path, samples: pa.Array) -> pa.Table | None:
    """Read what the scores of ``samples``, which are ids, rest on, as `read_evidence` does; None without evidence."""
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    path = Path(directory) / _EVIDENCE
    return pq.read_table(path, filters=pc.field("id").isin(samples)) if path.exists() else None


def _evidence_of(directory: str | Path) -> Path:
    read_manifest(Path(directory))
    path = Path(directory) / _EVIDENCE
    if not path.exists():
        message = f"{directory} holds no evidence; score and save a metric that has some, such as groundedness"
        raise UsageError(message)
    return path


def _batches(result: Result) -> Iterator[tuple[Batch, slice]]:
    start = 0
    for batch in result.data.batches():
        yield batch, slice(start, start + len(batch))
        start += len(batch)


def _column_arrays(result: Result, name: str, column: Column, rows: slice) -> Iterator[tuple[str, pa.Array]]:
    import pyarrow as pa

    yield result.title(name), to_arrow(column.scores[rows], mask=np.isnan(column.scores[rows]))
    yield f"{name}|status", to_arrow(_STATES).take(to_arrow(column.status[rows]))
    yield f"{name}|defaulted", to_arrow(column.defaulted[rows])
    if column.reasons:
        yield f"{name}|reason", to_arrow([column.reasons.get(i) for i in range(rows.start, rows.stop)], pa.string())
    for part, values in column.parts.items():
        yield f"{name}|part {part}", to_arrow(values[rows], mask=np.isnan(values[rows]))
    for statistic, numbers in column.statistics.items():
        yield f"{name}|sum {statistic}", to_arrow(numbers[rows].astype(np.float64))


def _read_column(table: pa.Table, name: str, own: tuple[str, ...]) -> Column:
    def titled(kind: str) -> dict[str, Any]:
        head = f"{name}|{kind} "
        found = [title for title in table.column_names if title.startswith(head)]
        return {title.removeprefix(head): _floats(table, title) for title in found}

    reasons = table[f"{name}|reason"].to_pylist() if f"{name}|reason" in table.column_names else []
    return Column(
        _floats(table, f"{name}|score" if name in own else name),
        _statuses(table, name),
        np.asarray(to_numpy(table[f"{name}|defaulted"]), dtype=bool),
        titled("part"),
        {statistic: narrowed(numbers) for statistic, numbers in titled("sum").items()},
        {place: why for place, why in enumerate(reasons) if why is not None},
    )


def _statuses(table: pa.Table, name: str) -> StatusArray:
    import pyarrow.compute as pc

    places = pc.index_in(table[f"{name}|status"], to_arrow(_STATES))
    if places.null_count:
        raise KeyError(f"{name}|status")
    return np.asarray(to_numpy(places), dtype=np.uint8)


def _floats(table: pa.Table, title: str) -> np.ndarray[Any, np.dtype[np.float64]]:
    return np.asarray(to_numpy(table[title]), dtype=np.float64)
