"""Score a Dataset of Ray Data: tasks, or actors where models are loaded, score its rows by ``map_batches``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa

from ragauge.core.arrow import to_arrow
from ragauge.core.protocol import Metric
from ragauge.engines.part import ScoredPart
from ragauge.engines.prepare import HEAD, Options, Prepared, prepare, relaying
from ragauge.engines.task import ROWS, SUMS, arrived, merged_rows, repeated_ids, task_of, whole
from ragauge.errors import DataError, MissingExtraError, OptionError
from ragauge.evaluation.evaluator import Requested
from ragauge.results.result import Result

if TYPE_CHECKING:
    from typing import Unpack

    from ray.data import Dataset

SOURCE = "the rows of the Ray Dataset"
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
    metrics: Requested | Iterable[Requested] | Mapping[str, str | Metric] | None = None,
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
        options: ``map``, ``split``, ``lang``, ``preset``, ``embedder``, ``support``, ``relevance``, ``matcher``,
            ``judge``, ``session``, ``by``, ``cluster``, ``ci``, ``interval``, ``resamples``, ``seed``, as of
            `ragauge.evaluate`.

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
    data = _library()
    if not isinstance(dataset, data.Dataset):
        raise OptionError.value("ray.evaluate", "dataset", "a Dataset of Ray Data", type(dataset).__name__)
    prepared, part, sent = run(dataset, metrics, options, scores=scores, check_ids=check_ids, actors=actors)
    return OnRay(prepared.result(part), sent)


def run(
    dataset: Dataset,
    metrics: Requested | Iterable[Requested] | Mapping[str, str | Metric] | None,
    options: Options,
    *,
    scores: bool,
    samples: bool = False,
    check_ids: bool = True,
    actors: int | None = None,
) -> tuple[Prepared, ScoredPart, Dataset | None]:
    """Score as `evaluate` does; return what was prepared, all parts merged, and the scores if they are wanted.

    With ``samples``, the scores have a column ``sample``, a struct of the sample's own columns.
    """
    prepared = prepare(
        _head(dataset), SOURCE, metrics, options, scores=scores, samples=samples,
        distinct=lambda name: pa.table({name: to_arrow(dataset.unique(name))}),
    )  # fmt: skip
    with relaying(prepared, options.get("session"), _place) as relayed:
        return _run(dataset, relayed, check_ids=check_ids, actors=actors)


def _run(
    dataset: Dataset, prepared: Prepared, *, check_ids: bool, actors: int | None
) -> tuple[Prepared, ScoredPart, Dataset | None]:
    if prepared.id is None:
        chosen = dataset.select_columns(list(prepared.columns))
        how: dict[str, Any] = {"batch_size": ROWS, "batch_format": "pyarrow"}
        ids = chosen.map_batches(_made_ids, fn_args=(prepared.task.to_bytes(),), **how)
        _check_ids(ids, "id", has_own=False)
    elif check_ids:
        _check_ids(dataset, prepared.id)
    sent = _scored(dataset, prepared, actors).materialize()
    has_scores = prepared.task.scores is not None
    sums = sent.map_batches(_sums_of, batch_format="pyarrow") if has_scores else sent
    merged = whole(arrived(_in_tree(sums).take_all()), SOURCE)
    return prepared, merged, sent.map_batches(_scores_of, batch_format="pyarrow") if has_scores else None


def _made_ids(table: pa.Table, content: bytes) -> pa.Table:
    schema = pa.schema([("id", pa.string())])
    return pa.Table.from_batches(task_of(content).made_ids(table.to_batches()), schema=schema)


def _scored(dataset: Dataset, prepared: Prepared, actors: int | None) -> Dataset:
    """Return a Dataset of what the tasks of the rows send."""
    from ray.data import ActorPoolStrategy

    content = prepared.task.to_bytes()
    how: dict[str, Any] = {"batch_size": ROWS, "batch_format": "pyarrow"}
    if prepared.has_models or actors is not None:
        pool = ActorPoolStrategy(min_size=1, max_size=actors)
        how |= {"fn_constructor_args": (content,), "compute": pool}
        return dataset.select_columns(list(prepared.columns)).map_batches(_Actor, **how)
    return dataset.select_columns(list(prepared.columns)).map_batches(_score, fn_args=(content,), **how)


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
    import pyarrow.compute as pc

    return table.select(SUMS.names).filter(pc.or_(table["part"].is_valid(), table["error"].is_valid()))


def _scores_of(table: pa.Table) -> pa.Table:
    return table.filter(table["id"].is_valid()).drop_columns(SUMS.names)


def _head(dataset: Dataset) -> pa.Table:
    batches = dataset.limit(HEAD).iter_batches(batch_size=HEAD, batch_format="pyarrow")
    tables = [table for table in batches if table.num_rows]
    if not tables:
        raise DataError(f"{SOURCE}: has no rows; give at least one")
    return pa.concat_tables(tables, promote_options="permissive")


def _place() -> tuple[str, int]:
    """Return the address of this process as the tasks know it, and how many of them run at once."""
    import ray

    return ray.util.get_node_ip_address(), _cores()


def _cores() -> int:
    import ray

    return max(1, int(ray.cluster_resources().get("CPU", 1)))


def _check_ids(dataset: Dataset, name: str, *, has_own: bool = True) -> None:
    """Raise DataError for ids that come twice; ``has_own``: they are not made from the content of rows."""
    # By default there are 200 partitions, each a task, however few the rows.
    counts = dataset.select_columns([name]).groupby(name, num_partitions=_cores()).count()
    twice = counts.map_batches(_repeated, batch_format="pyarrow").take(DataError.shown + 1)
    if twice:
        raise repeated_ids(SOURCE, [row[name] for row in twice], name, has_own=has_own)


def _repeated(table: pa.Table) -> pa.Table:
    import pyarrow.compute as pc

    return table.filter(pc.and_(pc.greater(table["count()"], 1), table[table.column_names[0]].is_valid()))


def _library() -> Any:
    try:
        import ray.data
    except ImportError:
        raise MissingExtraError.of("engine 'ray'", "ray[data]", "ray") from None
    return ray.data
