"""Score a DataFrame of Spark: tasks score its rows by ``mapInArrow``, and their sums are merged in a tree."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from math import ceil, sqrt
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa

from ragauge.core.protocol import Metric
from ragauge.engines.part import ScoredPart
from ragauge.engines.prepare import HEAD, MOST_LANGUAGES, Options, Prepared, prepare, relaying
from ragauge.engines.task import SUMS, arrived, merged_rows, repeated_ids, task_of, whole
from ragauge.errors import DataError, MissingExtraError, OptionError, UsageError
from ragauge.evaluation.evaluator import Requested
from ragauge.results.result import Result

if TYPE_CHECKING:
    from typing import Unpack

    from pyspark.sql import DataFrame

SOURCE = "the rows of the Spark DataFrame"
_SUMS = "part binary, problems array<string>, error string"
_FAN = 8
"""Parts that one task merges, after the first tasks."""
_ALONE = 4
"""Cores up to which one task merges all: more tasks would take longer to start."""
_UNKNOWN = 64
"""Cores that are assumed where Spark Connect does not tell."""


class OnSpark(NamedTuple):
    """What `evaluate` returns.

    ``result``: the scores of all rows and of groups; it holds none of single rows. ``scores``: those, a DataFrame with
    ``id`` and for each metric a struct (score, status, defaulted, reason, statistics, and parts if there are any);
    None where they were not asked for.
    """

    result: Result
    scores: DataFrame | None


def evaluate(
    df: DataFrame,
    metrics: Requested | Iterable[Requested] | Mapping[str, str | Metric] | None = None,
    *,
    scores: bool = False,
    check_ids: bool = True,
    **options: Unpack[Options],
) -> OnSpark:
    """Evaluate the rows of a Spark DataFrame, with the same scores and intervals, to the last bit, as in one process.

    ragauge must be installed where the tasks run. The driver reads the first 1,000 rows, to understand the columns and
    to check the options. Then each task scores its rows; what travels to the driver is sums, merged in a tree of tasks.
    A task that Spark tries again counts once. Embedders and models are loaded once per Python process.

    Args:
        df: the rows. A column holds what `ragauge.evaluate` reads in one of its name; ``relevance`` may be a map
            ``{document: grade}``. Ids must be each their own; rows without any get ids made from their content, and
            must then differ from each other.
        metrics: as of `ragauge.evaluate`. What asks a judge asks through this process, with its key and limits.
        scores: also return the scores of each row. The rows that tasks made are then kept by Spark (``persist``) until
            the session ends.
        check_ids: make sure first that no id comes twice, for which Spark shuffles the ids. Without it, rows with equal
            ids are counted as they come, and intervals take them for one sample.
        options: ``map``, ``split``, ``lang``, ``preset``, ``embedder``, ``support``, ``relevance``, ``matcher``,
            ``judge``, ``session``, ``by``, ``cluster``, ``ci``, ``interval``, ``resamples``, ``seed``, as of
            `ragauge.evaluate`.

    Returns:
        The result, and the scores of rows as a DataFrame if they were asked for.

    Raises:
        MissingExtraError: pyspark is not installed.
        UsageError: a metric or an option is wrong, or needs all rows in one process.
        ColumnError: the data lack a column that is needed, ids among them.
        DataError: rows are wrong, each named by its id.

    A session and its use::

        import ragauge.engines.spark

        spark = SparkSession.builder.getOrCreate()
        result, _ = ragauge.engines.spark.evaluate(spark.read.parquet("answers"), ["bleu", "rouge-l"], by="language")
        print(result)
    """
    data_frame = _library().DataFrame
    if not isinstance(df, data_frame):
        raise OptionError.value("spark.evaluate", "df", "a DataFrame of Spark", type(df).__name__)
    prepared, part, sent = run(df, metrics, options, scores=scores, check_ids=check_ids)
    return OnSpark(prepared.result(part), sent)


def run(
    df: DataFrame,
    metrics: Requested | Iterable[Requested] | Mapping[str, str | Metric] | None,
    options: Options,
    *,
    scores: bool,
    samples: bool = False,
    check_ids: bool = True,
) -> tuple[Prepared, ScoredPart, DataFrame | None]:
    """Score as `evaluate` does; return what was prepared, all parts merged, and the scores if they are wanted.

    With ``samples``, the scores have a column ``sample``, a struct of the sample's own columns.
    """
    prepared = prepare(
        df.limit(HEAD).toArrow(), SOURCE, metrics, options, scores=scores, samples=samples,
        distinct=lambda name: df.select(_quoted(name)).distinct().limit(MOST_LANGUAGES + 1).toArrow(),
    )  # fmt: skip
    with relaying(prepared, options.get("session"), lambda: _place(df)) as relayed:
        return _run(df, relayed, check_ids=check_ids)


def _run(df: DataFrame, prepared: Prepared, *, check_ids: bool) -> tuple[Prepared, ScoredPart, DataFrame | None]:
    task = prepared.task
    chosen = df.select(*map(_quoted, prepared.columns))
    if prepared.id is None:
        _check_ids(chosen.mapInArrow(partial(_made_ids, task.to_bytes()), "id string"), "id", has_own=False)
    elif check_ids:
        _check_ids(df, prepared.id)
    schema: Any = _SUMS
    if task.scores is not None:
        from pyspark.sql.pandas.types import from_arrow_schema

        schema = from_arrow_schema(task.schema)
    sent = chosen.mapInArrow(partial(_scored, task.to_bytes()), schema)
    if task.scores is not None:
        sent = sent.persist()
    sums = sent.where("part is not null or error is not null").select(*SUMS.names)
    merged = whole(arrived(map(_as_dict, _in_tree(sums, _cores(df)).collect())), SOURCE)
    return prepared, merged, None if task.scores is None else sent.where("id is not null").drop(*SUMS.names)


def _made_ids(content: bytes, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    yield from task_of(content).made_ids(batches)


def _scored(content: bytes, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    from pyspark import TaskContext

    context = TaskContext.get()
    yield from task_of(content).rows(batches, None if context is None else context.partitionId())


def _in_tree(sums: DataFrame, cores: int) -> DataFrame:
    """Return rows of `SUMS` merged by tasks into one, so that the driver receives no more than one part.

    At first the root of the number of ``cores`` is how many tasks merge, each its parts as they come. How many
    partitions there are is not asked, because to know it Spark may compute them.
    """
    tasks = ceil(sqrt(cores)) if cores > _ALONE else 1
    while True:
        sums = sums.repartition(tasks).mapInArrow(merged_rows, _SUMS)
        if tasks == 1:
            return sums
        tasks = ceil(tasks / _FAN)


def _cores(df: DataFrame) -> int:
    from pyspark.sql.utils import is_remote

    return _UNKNOWN if is_remote() else int(df.sparkSession.sparkContext.defaultParallelism)


def _place(df: DataFrame) -> tuple[str, int]:
    """Return the address of this process as the tasks know it, and how many of them run at once."""
    from pyspark.sql.utils import is_remote

    if is_remote():
        what = "Spark Connect tells tasks no address of this process, which asks the judge for them"
        raise UsageError(f"{what}; run it where the driver runs, or ask in one process: ragauge score --judge")
    return str(df.sparkSession.conf.get("spark.driver.host")), _cores(df)


def _check_ids(df: DataFrame, name: str, *, has_own: bool = True) -> None:
    """Raise DataError for ids that come twice; ``has_own``: they are not made from the content of rows."""
    column = _quoted(name)
    twice = df.groupBy(column).count().where(f"count > 1 and {column} is not null")
    ids = [row[0] for row in twice.limit(DataError.shown + 1).collect()]
    if ids:
        raise repeated_ids(SOURCE, ids, name, has_own=has_own)


def _quoted(name: str) -> str:
    """Return the name of a column as Spark reads it in expressions, with dots and signs as they are."""
    return f"`{name.replace('`', '``')}`"


def _as_dict(row: Any) -> dict[str, Any]:
    fields: dict[str, Any] = row.asDict()
    return fields


def _library() -> Any:
    try:
        import pyspark.sql
    except ImportError:
        raise MissingExtraError.of("engine 'spark'", "pyspark", "spark") from None
    return pyspark.sql
