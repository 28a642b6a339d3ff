"""Score a Dataset of Ray Data: tasks, or actors where models are loaded, score its rows by ``map_batches``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa

from ragauge.core import compute as pc
from ragauge.core.arrow import scalar, to_arrow
from ragauge.core.protocol import Metric
from ragauge.engines.prepare import HEAD, Options, Prepared, request_of, score_rows
from ragauge.engines.task import ROWS, SUMS, merged_rows, task_of
from ragauge.errors import DataError, MissingExtraError, OptionError
from ragauge.evaluation.request import Requested
from ragauge.metrics.function import Function
from ragauge.results.result import Result

if TYPE_CHECKING:
    from typing import Unpack

    from ray.data import Dataset

_IN_BATCHES: dict[str, Any] = {"batch_size": ROWS, "batch_format": "pyarrow"}
_FAN = 16
"""Parts that one task merges."""


class OnRay(NamedTuple):
    """What `evaluate` returns.

    ``result``: the scores of all rows and of groups; it holds none of single rows. ``scores``: those, a Dataset with
    ``id`` and for each metric a struct (score, status, defaulted, reason, statistics, and parts if there are any);
    None where they were not asked for.
    """

    result: Result
    scores: Dataset | None


def evaluate(
    dataset: Dataset,
    metrics: Requested | Iterable[Requested] | Mapping[str, str | Metric | Function] | None = None,
    *,
    scores: bool = False,
    check_ids: bool = True,
    actors: int | None = None,
    **options: Unpack[Options],
) -> OnRay:
    """Evaluate the rows of a Ray Dataset, with the same scores and intervals, to the last bit, as in one process.

    ragauge must be installed where the tasks run. The driver reads the first 1,000 rows, to understand the columns and
    to check the options. Then tasks score the rows; where a metric has an embedder or a model, actors do, which load it
    once. What travels to the driver is sums, merged in a tree of tasks. A task that Ray tries again counts once.

    Args:
        dataset: the rows. A column holds what `ragauge.evaluate` reads in one of its name; ``relevance`` may be a map
            ``{document: grade}``. Ids must be each their own; rows without any get ids made from their content, and
            must then differ from each other.
        metrics: as of `ragauge.evaluate`. What asks a judge asks through this process, with its key and limits.
        scores: also return the scores of each row; Ray's object store keeps them.
        check_ids: make sure first that no id comes twice, for which Ray shuffles the ids. Without it, rows with equal
            ids are counted as they come, and intervals take them for one sample.
        actors: the most actors that score. They are used where a metric has a model that is loaded, or where a number
            is given here; it must leave CPUs for the tasks that read the rows. By default Ray chooses.
        options: ``map``, ``split``, ``lang``, ``preset``, ``tokenizer``, ``embedder``, ``support``, ``relevance``,
            ``matcher``, ``duplicates``, ``judge``, ``session``, ``by``, ``cluster``, ``ci``, ``interval``,
            ``resamples``, ``seed``, as of `ragauge.evaluate`.

    Returns:
        The result, and the scores of rows as a Dataset if they were asked for.

    Raises:
        MissingExtraError: ray is not installed.
        UsageError: a metric or an option is wrong, or needs all rows in one process.
        ColumnError: the data lack a column that is needed, ids among them.
        DataError: rows are wrong, each named by its id.

    Its use::

        import ragauge.engines.ray

        result, _ = ragauge.engines.ray.evaluate(ray.data.read_parquet("answers"), ["bleu", "rouge-l"], by="language")
        print(result)
    """
    if not isinstance(dataset, _library().Dataset):
        raise OptionError.value("ray.evaluate", "dataset", "a Dataset of Ray Data", type(dataset).__name__)
    request = request_of(metrics, options)
    done = score_rows(RayRows(dataset, actors), request, scores=scores, check_ids=check_ids)
    return OnRay(done.prepared.result(done.part), done.scores)


@dataclass(frozen=True)
class RayRows:
    """The rows of a Dataset of Ray; see `ClusterRows`. ``actors``: the most that score; None: Ray chooses."""

    dataset: Dataset
    actors: int | None = None
    source: str = "the rows of the Ray Dataset"

    def head(self) -> pa.Table:
        """Return the first rows."""
        batches = self.dataset.limit(HEAD).iter_batches(batch_size=HEAD, batch_format="pyarrow")
        tables = [table for table in batches if table.num_rows]
        if not tables:
            raise DataError("RG-ENG-033 {source}: has no rows; give at least one", self.source)
        return pa.concat_tables(tables, promote_options="permissive")

    def distinct(self, name: str) -> pa.Table:
        """Return each value of a column once."""
        return pa.table({name: to_arrow(self.dataset.unique(name))})

    def place(self) -> tuple[str, int]:
        """Return the address of this process's node, and the number of tasks."""
        import ray

        return ray.util.get_node_ip_address(), _cores()

    def repeated_ids(self, prepared: Prepared) -> list[object]:
        """Return some of the ids that come twice."""
        name, ids = prepared.id or "id", self.dataset
        if prepared.id is None:
            ids = self._read(prepared).map_batches(_made_ids, fn_args=(prepared.task.to_bytes(),), **_IN_BATCHES)
        # By default there are 200 partitions, each a task, however few the rows.
        counts = ids.select_columns([name]).groupby(name, num_partitions=_cores()).count()
        twice = counts.map_batches(_repeated, batch_format="pyarrow").take(DataError.shown + 1)
        return [row[name] for row in twice]

    def scored(self, prepared: Prepared) -> tuple[list[dict[str, Any]], Dataset | None]:
        """Return the merged sums, and the scores of samples where these are wanted."""
        sent = self._sent(prepared).materialize()
        if prepared.task.scores is None:
            return _in_tree(sent).take_all(), None
        sums = _in_tree(sent.map_batches(_sums_of, batch_format="pyarrow"))
        return sums.take_all(), sent.map_batches(_scores_of, batch_format="pyarrow")

    def _read(self, prepared: Prepared) -> Dataset:
        return self.dataset.select_columns(list(prepared.columns))

    def _sent(self, prepared: Prepared) -> Dataset:
        """Return a Dataset of what the tasks of the rows send."""
        from ray.data import ActorPoolStrategy

        content, rows = prepared.task.to_bytes(), self._read(prepared)
        if not prepared.has_models and self.actors is None:
            return rows.map_batches(_score, fn_args=(content,), **_IN_BATCHES)
        pool = ActorPoolStrategy(min_size=1, max_size=self.actors)
        return rows.map_batches(_Actor, fn_constructor_args=(content,), compute=pool, **_IN_BATCHES)


def _made_ids(table: pa.Table, content: bytes) -> pa.Table:
    schema = pa.schema([("id", pa.string())])
    return pa.Table.from_batches(task_of(content).made_ids(table.to_batches()), schema=schema)


def _score(table: pa.Table, content: bytes) -> Iterator[pa.Table]:
    for batch in task_of(content).rows(table.to_batches()):
        yield pa.Table.from_batches([batch])


class _Actor:
    """A process that loads the task, with its models, once."""

    def __init__(self, content: bytes) -> None:
        self._content = content

    def __call__(self, table: pa.Table) -> Iterator[pa.Table]:
        yield from _score(table, self._content)


def _in_tree(sums: Dataset) -> Dataset:
    """Return rows of `SUMS` merged by tasks into one, so that the driver receives no more than one part."""
    sums = sums.materialize()
    count, before = sums.count(), 0
    while count > 1:
        # Ray joins small blocks for a batch; where it does not, one task merges all.
        joined = sums.repartition(1) if count == before else sums
        sums = joined.map_batches(_merged, batch_size=_FAN, batch_format="pyarrow").materialize()
        count, before = sums.count(), count
    return sums


def _merged(table: pa.Table) -> pa.Table:
    return pa.Table.from_batches(merged_rows(table.to_batches()), schema=SUMS)


def _sums_of(table: pa.Table) -> pa.Table:
    return table.select(SUMS.names).filter(pc.or_(table["part"].is_valid(), table["error"].is_valid()))


def _scores_of(table: pa.Table) -> pa.Table:
    return table.filter(table["id"].is_valid()).drop_columns(SUMS.names)


def _cores() -> int:
    import ray

    return max(1, int(ray.cluster_resources().get("CPU", 1)))


def _repeated(table: pa.Table) -> pa.Table:
    return table.filter(pc.and_(pc.greater(table["count()"], scalar(1)), table[table.column_names[0]].is_valid()))


def _library() -> Any:
    try:
        import ray.data
    except ImportError:
        raise MissingExtraError.of("engine 'ray'", "ray[data]", "ray") from None
    return ray.data
