"""Score a DataFrame of Spark: tasks score its rows by ``mapInArrow``, and their sums are merged in a tree."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from math import ceil, sqrt
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa

from ragauge.core.protocol import Metric
from ragauge.engines.prepare import HEAD, MOST_LANGUAGES, Options, Prepared, request_of, score_rows
from ragauge.engines.task import SUMS, merged_rows, task_of
from ragauge.errors import DataError, MissingExtraError, OptionError, UsageError
from ragauge.evaluation.request import Requested
from ragauge.metrics.function import Function
from ragauge.results.result import Result

if TYPE_CHECKING:
    from typing import Unpack

    from pyspark.sql import DataFrame

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
    metrics: Requested | Iterable[Requested] | Mapping[str, str | Metric | Function] | None = None,
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
        options: ``map``, ``split``, ``lang``, ``preset``, ``tokenizer``, ``embedder``, ``support``, ``relevance``,
            ``matcher``, ``duplicates``, ``judge``, ``session``, ``by``, ``cluster``, ``ci``, ``interval``,
            ``resamples``, ``seed``, as of `ragauge.evaluate`.

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
    done = score_rows(SparkRows(df), request_of(metrics, options), scores=scores, check_ids=check_ids)
    return OnSpark(done.prepared.result(done.part), done.scores)


@dataclass(frozen=True)
class SparkRows:
    """The rows of a DataFrame of Spark; see `ClusterRows`."""

    df: DataFrame
    source: str = "the rows of the Spark DataFrame"

    def head(self) -> pa.Table:
        """Return the first rows."""
        return self.df.limit(HEAD).toArrow()

    def distinct(self, name: str) -> pa.Table:
        """Return each value of a column once, a few more than there may be languages at most."""
        return self.df.select(_quoted(name)).distinct().limit(MOST_LANGUAGES + 1).toArrow()

    def place(self) -> tuple[str, int]:
        """Return the address of this process, and the number of tasks; UsageError where tasks do not know it."""
        from pyspark.sql.utils import is_remote

        if is_remote():
            raise UsageError(
                "RG-ENG-034 with Spark Connect, tasks cannot reach this process, which asks the judge for them; run it "
                "where the driver runs, or ask in one process: ragauge score --judge"
            )
        return str(self.df.sparkSession.conf.get("spark.driver.host")), _cores(self.df)

    def repeated_ids(self, prepared: Prepared) -> list[object]:
        """Return some of the ids that come twice."""
        ids = self.df
        if prepared.id is None:
            ids = self._read(prepared).mapInArrow(partial(_made_ids, prepared.task.to_bytes()), "id string")
        column = _quoted(prepared.id or "id")
        twice = ids.groupBy(column).count().where(f"count > 1 and {column} is not null")
        return [row[0] for row in twice.limit(DataError.shown + 1).collect()]

    def scored(self, prepared: Prepared) -> tuple[list[dict[str, Any]], DataFrame | None]:
        """Return the merged sums, and the scores of samples where these are wanted."""
        task = prepared.task
        schema: Any = _SUMS
        if task.scores is not None:
            from pyspark.sql.pandas.types import from_arrow_schema

            schema = from_arrow_schema(task.schema)
        sent = self._read(prepared).mapInArrow(partial(_scored, task.to_bytes()), schema)
        if task.scores is not None:
            sent = sent.persist()
        sums = sent.where("part is not null or error is not null").select(*SUMS.names)
        merged = [row.asDict() for row in _in_tree(sums, _cores(self.df)).collect()]
        return merged, None if task.scores is None else sent.where("id is not null").drop(*SUMS.names)

    def _read(self, prepared: Prepared) -> DataFrame:
        return self.df.select(*map(_quoted, prepared.columns))


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


def _quoted(name: str) -> str:
    """Return the name of a column as Spark reads it in expressions, with dots and signs as they are."""
    return f"`{name.replace('`', '``')}`"


def _library() -> Any:
    try:
        import pyspark.sql
    except ImportError:
        raise MissingExtraError.of("engine 'spark'", "pyspark", "spark") from None
    return pyspark.sql
