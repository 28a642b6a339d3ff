"""``--engine`` and ``--master`` of ``ragauge score``: data that the tasks of Spark or Ray score."""

from __future__ import annotations

import logging
import os
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import pyarrow as pa

from ragauge.cli.output import say
from ragauge.core.batch import Dataset
from ragauge.core.messages import Message, is_of
from ragauge.engines.evaluate import samples_of
from ragauge.engines.prepare import UNDERSTOOD, score_rows
from ragauge.engines.task import SAMPLE
from ragauge.errors import DataError, MissingExtraError, UsageError, excerpt
from ragauge.evaluation.kept_samples import on_kept_run
from ragauge.evaluation.request import RunRequest
from ragauge.judges.relay import UNREACHED
from ragauge.results.kept_run import is_kept_run
from ragauge.results.result import Result

_JAVA = (
    "RG-CLI-044 Spark needs Java 17 or newer, and there is none: install it (Debian: openjdk-17-jre-headless) or set "
    "JAVA_HOME"
)
_ARE_FEW = (
    "{count:,} rows are few for a cluster: one process often scores them before {name} has started; to try that, leave "
    "out --engine {engine}"
)
_OF_ONE_PROCESS = {"run": "--run", "qrels": "--qrels", "embedding_cache": "--embedding-cache"}
_OF_FILES = {"limit": "--limit", "encoding": "--encoding"}
_BLOCK = 1 << 14
"""Rows of a block that the driver gives to a cluster."""
_FEW = 200_000
"""Rows that one process scores by text metrics in seconds, in which a cluster starts (docs/scale.md)."""


class Target(NamedTuple):
    """Where a run and the scores of its samples are written; ``force``: in place of what is there."""

    directory: Path | None
    per_sample: Path | None
    force: bool
    tag: str | None


def score_on_cluster(options: Mapping[str, Any], engine: str | None, master: str | None, outputs: Target) -> Result:
    """Score data by ``engine``, ``spark`` or ``ray``, at ``master``.

    The cluster reads Parquet; other data are read by this process and given to it. ``options``: the arguments of
    `ragauge.evaluate` that the command was given.

    Raises:
        MissingExtraError: the library of the engine is not installed.
        UsageError: an option works in one process only, there is no Java, or the cluster failed.
        DataError: the file is not found, or rows are wrong.
    """
    if engine is None:
        raise UsageError(
            "RG-CLI-004 --master is the address of a cluster: it needs --engine spark or --engine ray. Pass both."
        )
    is_parquet = _check(options, engine, outputs.per_sample)
    path = str(options["data"])
    request = on_kept_run(RunRequest(**options))
    data = None if is_parquet else samples_of(request)
    if data is not None:
        # The columns have their known names now.
        by, cluster = tuple(map(data.known, request.by)), request.cluster and data.known(request.cluster)
        names = {name: name for name in data.columns}
        request = replace(request, map=names, split=None, by=by, cluster=cluster)
    count = _row_count(path, data)
    if count is not None and count < _FEW:
        say(Message(_ARE_FEW, count, engine.capitalize(), engine))
    scores, samples = outputs.per_sample is not None, outputs.directory is not None
    on_cluster = _spark if engine == "spark" else _ray
    with on_cluster(master) as (opened, write, without_samples), ExitStack() as stack:
        rows = opened(path if data is None else _table(data))
        done = score_rows(rows, request, scores=scores, samples=samples, check_ids=data is None)
        result = done.prepared.result(done.part)
        if outputs.per_sample is not None:
            _remove(outputs.per_sample)
            write(without_samples(done.scores) if samples else done.scores, outputs.per_sample)
            say(Message("scores of samples are in {file}", outputs.per_sample))
        if outputs.directory is not None:
            folder = stack.enter_context(_beside(outputs.directory))
            write(done.scores, folder / "parts")
            result = done.prepared.with_samples(done.part, lambda names: _tables(folder / "parts", names))
            result = _described(result, path, data)
            result.save(outputs.directory, force=outputs.force, tag=outputs.tag)
            say(Message("saved to {folder}", outputs.directory))
    return _described(result, path, data)


def _check(options: Mapping[str, Any], engine: str, per_sample: Path | None) -> bool:
    """Return whether the cluster reads the data, which are Parquet then.

    Raises:
        UsageError: something works in one process only.
        DataError: there is nothing to read.
    """
    for name, flag in {**_OF_ONE_PROCESS, "workers": "--workers", "resume": "--resume"}.items():
        if options.get(name):
            why = (
                Message("is of one machine") if name in ("workers", "resume") else Message("works in one process only")
            )
            raise UsageError("RG-CLI-011 {flag} {why}; leave it out, or leave out --engine {engine}", flag, why, engine)
    session = options.get("session")
    if session is not None and session.dry_run:
        raise UsageError("RG-CLI-005 --dry-run counts requests in one process; leave out --engine {engine}", engine)
    if per_sample is not None and per_sample.suffix != ".parquet":
        raise UsageError(
            "RG-CLI-006 --engine {engine} writes the scores of samples as Parquet: name --per-sample scores.parquet",
            engine,
        )
    data = options["data"]
    if data is None:
        raise UsageError("RG-CLI-007 nothing to score. Name DATA, a file or a folder of Parquet files.")
    remote = "://" in data
    is_folder = not remote and Path(data).is_dir() and not is_kept_run(data)
    if not remote and data != "-" and not Path(data).exists():
        raise DataError("RG-CLI-008 {data}: file not found", data)
    is_parquet = options["format"] == "parquet" or (
        options["format"] is None and (is_folder or data.endswith(".parquet"))
    )
    if remote and not is_parquet:
        raise UsageError(
            "RG-CLI-009 {data}: only Parquet is read at an address; write DATA as Parquet, or give a table to "
            "ragauge.engines.{engine}.evaluate",
            data,
            engine,
        )
    for name, flag in _OF_FILES.items():
        if is_parquet and options.get(name):
            raise UsageError(
                "RG-CLI-012 {flag} has no effect on Parquet that a cluster reads; leave it out, or --engine {engine}",
                flag,
                engine,
            )
    return is_parquet


def _row_count(path: str, data: Dataset | None) -> int | None:
    """Return the number of rows; None where they lie on another machine, or the files cannot be read."""
    import pyarrow.parquet as pq

    if data is not None:
        return data.rows
    place = Path(path)
    files = [one for one in place.rglob("*.parquet") if one.is_file()] if place.is_dir() else [place]
    try:
        return sum([int(pq.read_metadata(one).num_rows) for one in files])
    except (OSError, pa.ArrowException):
        return None


def _table(data: Dataset) -> pa.Table:
    """Return all rows; they lie in a file that is mapped where they are many."""
    return pa.concat_tables([batch.table() for batch in data.batches()], promote_options="permissive")


def _remove(path: Path) -> None:
    """Remove what is to be replaced, as --force allows: an engine writes a folder of files."""
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _described(result: Result, path: str, data: Dataset | None) -> Result:
    """Return ``result`` with where its rows are from, and with what is known of reading them."""
    if data is None:
        return replace(result, data=replace(result.data, source=path))
    notes = (*data.notes, *[note for note in result.data.notes if not is_of(note, UNDERSTOOD)])
    return replace(result, data=replace(result.data, source=data.source, mapping=data.mapping, notes=notes))


@contextmanager
def _beside(directory: Path) -> Iterator[Path]:
    """Yield a new folder beside ``directory``, where tasks write and this process reads; remove it in the end."""
    parent = directory.resolve().parent
    parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix=f".{directory.name}.", dir=parent, ignore_cleanup_errors=True) as folder:
        yield Path(folder)


def _tables(folder: Path, names: Sequence[str]) -> Iterator[pa.Table]:
    """Yield columns of the Parquet files that tasks wrote, a row group at a time."""
    import pyarrow.parquet as pq

    paths = sorted(folder.rglob("*.parquet"))
    if not paths:
        raise UsageError(
            "RG-CLI-010 the tasks wrote no file into {folder} of this machine: name with -o a folder that all "
            "machines share",
            folder,
        )
    for path in paths:
        with pq.ParquetFile(path) as file:
            for group in range(file.num_row_groups):
                yield file.read_row_group(group, columns=list(names)).select(names)


@contextmanager
def _spark(master: str | None) -> Iterator[Any]:
    """Yield functions that open data and write scores in a session of Spark, which ends thereafter."""
    try:
        from py4j.protocol import Py4JError
        from pyspark.errors import PySparkException
        from pyspark.sql import SparkSession
    except ImportError:
        raise MissingExtraError.of("engine 'spark'", "pyspark", "spark") from None
    from ragauge.engines.spark import SparkRows

    address = master or "local[*]"
    if not address.startswith("sc://") and not os.environ.get("JAVA_HOME") and shutil.which("java") is None:
        raise UsageError(_JAVA)
    builder = SparkSession.builder.appName("ragauge").config("spark.log.level", "ERROR")
    if address.startswith("local"):
        # Otherwise the tasks would run in the first Python of the path.
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        builder = builder.config("spark.driver.bindAddress", "127.0.0.1").config("spark.driver.host", "127.0.0.1")
    try:
        remote = address.startswith("sc://")
        session = (builder.remote(address) if remote else builder.master(address)).getOrCreate()
        try:

            def opened(data: Any) -> Any:
                return SparkRows(session.read.parquet(data) if isinstance(data, str) else session.createDataFrame(data))

            def write(scores: Any, path: Path) -> None:
                scores.write.parquet(str(path))

            yield opened, write, lambda scores: scores.drop(SAMPLE)
        finally:
            session.stop()
    except (PySparkException, Py4JError) as error:
        raise _stopped("Spark", error) from error


@contextmanager
def _ray(master: str | None) -> Iterator[Any]:
    """Yield functions that open data and write scores on a cluster of Ray, by default one that lives meanwhile."""
    try:
        import ray
        import ray.data
    except ImportError:
        raise MissingExtraError.of("engine 'ray'", "ray[data]", "ray") from None
    from ragauge.engines.ray import RayRows

    logging.getLogger("ray.data").setLevel(logging.ERROR)
    try:
        local = {} if master else {"include_dashboard": False}
        ray.init(address=master, logging_level="ERROR", ignore_reinit_error=True, **local)
        ray.data.DataContext.get_current().enable_progress_bars = sys.stderr.isatty()
        try:

            def opened(data: Any) -> Any:
                if isinstance(data, str):
                    return RayRows(ray.data.read_parquet(data))
                blocks = [data.slice(start, _BLOCK) for start in range(0, data.num_rows, _BLOCK)]
                return RayRows(ray.data.from_arrow(blocks))

            yield (
                opened,
                lambda scores, path: scores.write_parquet(str(path)),
                lambda scores: scores.drop_columns([SAMPLE]),
            )
        finally:
            ray.shutdown()
    except (ray.exceptions.RayError, ConnectionError) as error:
        raise _stopped("Ray", error) from error


def _stopped(name: str, error: Exception) -> UsageError:
    """Return the error of a cluster that failed, with the first line of its own, or why a task reached no judge."""
    lines = [line for line in str(error).splitlines() if line.strip()] or [type(error).__name__]
    unreached = [line.partition(f"{UNREACHED} ")[2] for line in lines if UNREACHED in line]
    return UsageError("RG-CLI-003 {name} stopped: {unreached}", name, excerpt((unreached or lines)[0], 400))
