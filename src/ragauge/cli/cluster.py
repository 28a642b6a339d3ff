"""``--engine`` and ``--master`` of ``ragauge score``: a table that Spark or Ray reads, scored by their tasks."""

from __future__ import annotations

import logging
import os
import shutil
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from ragauge.cli.output import say
from ragauge.engines.prepare import Options
from ragauge.errors import DataError, MissingExtraError, UsageError
from ragauge.results.result import Result

_JAVA = "Spark needs Java 17 or newer, and there is none: install it (Debian: openjdk-17-jre-headless) or set JAVA_HOME"
_OF_ONE_PROCESS = {
    "run": "--run", "qrels": "--qrels", "workers": "--workers", "resume": "--resume", "limit": "--limit",
    "encoding": "--encoding", "embedding_cache": "--embedding-cache",
}  # fmt: skip


def score_on_cluster(
    options: Mapping[str, Any], engine: str | None, master: str | None, *, saved: Path | None, per_sample: Path | None
) -> Result:
    """Score a Parquet file or a folder of them by ``engine``, ``spark`` or ``ray``, at ``master``.

    ``options``: the arguments of `ragauge.evaluate` that the command was given. ``saved``: the directory of -o.
    ``per_sample``: where the scores of samples are written as Parquet.

    Raises:
        MissingExtraError: the library of the engine is not installed.
        UsageError: an option works in one process only, there is no Java, or the cluster failed.
        DataError: the file is not found, or rows are wrong.
    """
    if engine is None:
        raise UsageError("--master is the address of a cluster: it needs --engine spark or --engine ray. Pass both.")
    _check(options, engine, saved, per_sample)
    data = str(options["data"])
    taken: Options = {name: options[name] for name in Options.__annotations__ if name in options}  # type: ignore[assignment]
    rows = _spark if engine == "spark" else _ray
    with rows(data, master, per_sample) as scored:
        result: Result = scored(options["metrics"], taken)
    if per_sample is not None:
        say(f"scores of samples are in {per_sample}")
    return replace(result, data=replace(result.data, source=data))


def _check(options: Mapping[str, Any], engine: str, saved: Path | None, per_sample: Path | None) -> None:
    """Raise UsageError for what works in one process only, and DataError where there is nothing to read."""
    if saved is not None:
        message = (
            "-o saves a run with its samples, which stay on the cluster: for their scores, --per-sample FILE.parquet"
        )
        raise UsageError(f"--engine {engine}: {message}")
    for name, flag in _OF_ONE_PROCESS.items():
        if options.get(name):
            why = "is of one machine" if name in ("workers", "resume") else "works in one process only"
            raise UsageError(f"{flag} {why}; leave it out, or leave out --engine {engine}")
    if options.get("judge") is not None:
        raise UsageError(f"a judge is asked in one process only; leave out --engine {engine}")
    if per_sample is not None and per_sample.suffix != ".parquet":
        raise UsageError(f"--engine {engine} writes the scores of samples as Parquet: name --per-sample scores.parquet")
    data = options["data"]
    if data is None:
        raise UsageError("nothing to score. Name DATA, a Parquet file or a folder of them.")
    remote = "://" in data
    if not remote and not Path(data).exists():
        raise DataError(f"{data}: file not found")
    is_parquet = options["format"] == "parquet" or (options["format"] is None and data.endswith(".parquet"))
    if not (is_parquet or (not remote and Path(data).is_dir())):
        message = "reads Parquet; write DATA as Parquet, or give a table to ragauge.engines"
        raise UsageError(f"{data}: --engine {engine} {message}.{engine}.evaluate")


@contextmanager
def _spark(data: str, master: str | None, per_sample: Path | None) -> Iterator[Any]:
    """Yield what scores the Parquet files of ``data`` in a session of Spark, which ends thereafter."""
    try:
        from py4j.protocol import Py4JError
        from pyspark.errors import PySparkException
        from pyspark.sql import SparkSession
    except ImportError:
        raise MissingExtraError.of("engine 'spark'", "pyspark", "spark") from None
    from ragauge.engines.spark import evaluate

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

            def scored(metrics: Any, options: Options) -> Result:
                frame = session.read.parquet(data)
                result, scores = evaluate(frame, metrics, scores=per_sample is not None, **options)
                if scores is not None:
                    scores.write.parquet(str(per_sample))
                return result

            yield scored
        finally:
            session.stop()
    except (PySparkException, Py4JError) as error:
        raise _stopped("Spark", error) from error


@contextmanager
def _ray(data: str, master: str | None, per_sample: Path | None) -> Iterator[Any]:
    """Yield what scores the Parquet files of ``data`` on a cluster of Ray, by default one that lives meanwhile."""
    try:
        import ray
        import ray.data
    except ImportError:
        raise MissingExtraError.of("engine 'ray'", "ray[data]", "ray") from None
    from ragauge.engines.ray import evaluate

    logging.getLogger("ray.data").setLevel(logging.ERROR)
    try:
        local = {} if master else {"include_dashboard": False}
        ray.init(address=master, logging_level="ERROR", ignore_reinit_error=True, **local)
        ray.data.DataContext.get_current().enable_progress_bars = sys.stderr.isatty()
        try:

            def scored(metrics: Any, options: Options) -> Result:
                rows = ray.data.read_parquet(data)
                result, scores = evaluate(rows, metrics, scores=per_sample is not None, **options)
                if scores is not None:
                    scores.write_parquet(str(per_sample))
                return result

            yield scored
        finally:
            ray.shutdown()
    except (ray.exceptions.RayError, ConnectionError) as error:
        raise _stopped("Ray", error) from error


def _stopped(name: str, error: Exception) -> UsageError:
    """Return the error of a cluster that failed, with the first line of its own."""
    first = next((line for line in str(error).splitlines() if line.strip()), type(error).__name__)
    return UsageError(f"{name} stopped: {first}")
