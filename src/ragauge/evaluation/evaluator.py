"""Running metrics over data: measure batches, add what they give, finish with a result."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from math import nan
from sys import intern
from types import MappingProxyType
from typing import Any, TypeAlias, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ragauge.core.arrow import to_arrow, to_numpy
from ragauge.core.batch import Batch, Dataset
from ragauge.core.hashing import HashArray, hash_strings, splitmix64
from ragauge.core.protocol import Explained, Metric, columns_read, signature_of
from ragauge.core.ragged import IntArray
from ragauge.core.statistics import Status, split
from ragauge.errors import ColumnError, DataError, OptionError, UsageError, did_you_mean
from ragauge.evaluation.ingredients import with_shared
from ragauge.evaluation.partial import BUCKETS, COVERAGE, Partial, Sums, added, corpus_score, measure_cells, name_metric
from ragauge.evaluation.summarize import Inference, Slice, groups_of, replicates_of, sentences_on, sums_by_unit
from ragauge.inference.intervals import NO_INTERVAL
from ragauge.inference.resampling import ResamplingUnits
from ragauge.metrics.parse import parse, parse_all
from ragauge.results.result import Result
from ragauge.results.score import Label, SampleScores, Score, narrowed
from ragauge.results.storage import StoredEvidence

Progress: TypeAlias = Callable[[int, int], None]
"""Is called with the number of samples done and their total."""

Requested: TypeAlias = str | Metric | type[Metric]
"""A metric as a call asks for it: its spec, the object, or its class with the default options."""

_AS_IN = ", as in {'bleu': ragauge.parse('bleu')}"


@dataclass(frozen=True)
class Evaluator:
    """Metrics, and how sure one wants to be of them.

    ``measure`` is pure and can run anywhere; partials add, in any order and grouping, to the same scores.

    Args:
        metrics: by their names in the result.
        by: columns to group by, each on its own.
        cluster: the column that says which samples belong together; intervals then draw clusters, not samples.
        inference: level, method, resamples and seed of the intervals.
        evidence: whether to keep what the scores rest on.
    """

    metrics: Mapping[str, Metric]
    by: tuple[str, ...] = ()
    cluster: str | None = None
    inference: Inference = field(default_factory=Inference)
    evidence: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.metrics, Mapping):
            raise OptionError.value("Evaluator", "metrics", f"metrics by their names{_AS_IN}", self.metrics)
        for name, metric in self.metrics.items():
            if not isinstance(name, str) or isinstance(metric, type) or not hasattr(metric, "measure"):
                raise OptionError.value("Evaluator", f"metrics[{name}]", f"a metric object{_AS_IN}", metric)
        object.__setattr__(self, "by", grouping_columns("Evaluator", self.by))
        if not isinstance(self.inference, Inference):
            allowed = "an Inference, as in Inference(level=0.9)"
            raise OptionError.value("Evaluator", "inference", allowed, self.inference)
        if self.cluster is not None and not (isinstance(self.cluster, str) and self.cluster):
            raise OptionError.value("Evaluator", "cluster", "the name of a column", self.cluster)

    def check(self, columns: Iterable[str]) -> None:
        """Raise ColumnError for the first thing that needs a column not among ``columns``."""
        names = tuple(columns)
        for metric in self.metrics.values():
            columns_read(metric, names)
        for argument, column in [*[("by", name) for name in self.by], ("cluster", self.cluster)]:
            if column is not None and column not in names:
                hint = did_you_mean(column, names)
                raise ColumnError(f"{argument}={column!r}: the data have no column {column!r}{hint}")

    def measure(self, batch: Batch) -> Partial:
        """Measure one batch."""
        names, parts, coverage, columns = {}, {}, {}, {}
        for name, metric in self.metrics.items():
            try:
                cells = measure_cells(metric, batch)
            except Exception as error:
                name_metric(error, metric)
                raise
            sums, scores = cells.sums, cells.scores
            try:
                levels = enumerate(split(sums.values, sums.whole))
                # Most are zero; a view would keep the memory of all.
                parts[name] = {level: part.copy() for level, part in levels if part.any()}
            except DataError as error:
                raise DataError(f"{name}: {error}") from None
            # In the order of `ragauge.evaluation.partial.COVERAGE`.
            states = [*[sums.status == state for state in Status], sums.defaulted, (scores == 0.0) | (scores == 1.0)]
            coverage[name] = np.column_stack(states).astype(np.int64)
            names[name] = sums.names
            statistics = {column: narrowed(sums.values[:, place]) for place, column in enumerate(sums.names)}
            # A million equal reasons are one text.
            reasons = {row: intern(why) for row, why in sums.reasons.items()}
            columns[name] = SampleScores(scores, sums.status, sums.defaulted, cells.parts, statistics, reasons)
        codes, labels = _groups(batch, self.by)
        ids = batch.column("id")
        keys = hash_strings(ids)
        if self.cluster is not None:
            keys = cluster_keys(keys, plain(batch.column(self.cluster), "cluster", self.cluster))
        # After all scores, while the batch holds the vectors that they were made from.
        evidence = tuple(_evidence(self.metrics, batch)) if self.evidence else ()
        # A slice would keep the whole table that it is of.
        own = pa.concat_arrays([ids])
        return Partial(Sums(len(batch), keys, codes, labels, names, parts, coverage), (own,), columns, evidence)

    def finish(self, partial: Partial, data: Dataset) -> Result:
        """Turn the sum of all partials into scores with intervals and coverage."""
        scores: list[Score] = []
        sums, signatures = partial.sums, {name: str(signature_of(metric)) for name, metric in self.metrics.items()}
        for group, rows in groups_of(sums, self.by):
            units = ResamplingUnits.of(sums.keys[rows], BUCKETS)
            replicates = replicates_of(sums, rows, self.inference)
            for name, metric in self.metrics.items():
                totals, counts = sums.totals(name, rows), rows.astype(np.int64) @ sums.coverage[name]
                coverage = dict(zip(COVERAGE, counts.tolist(), strict=True))
                labels = {"metric": name, "group": group, "signature": signatures[name]}
                try:
                    value = float(corpus_score(metric, totals)) if coverage["scored"] else nan
                    group_slice = Slice(metric, totals, coverage, value)
                    interval = NO_INTERVAL
                    if self.inference.resamples:
                        by_unit, drawn = sums_by_unit(sums, name, rows, units), replicates.get(name)
                        clustered = self.cluster is not None
                        interval = group_slice.interval(by_unit, drawn, self.inference.level, clustered=clustered)
                    scores.append(group_slice.score(interval, list(partial.columns[name].parts), **labels))
                except Exception as error:
                    name_metric(error, metric)
                    raise
        data = replace(data, notes=(*data.notes, *sentences_on(scores, self.metrics)))
        options = {"by": list(self.by), "cluster": self.cluster, **asdict(self.inference)}
        evidence = StoredEvidence(partial.evidence) if partial.evidence else None
        return Result(tuple(scores), self.metrics, partial.ids, partial.columns, data, options, evidence)

    def __call__(self, data: Dataset, progress: Progress | None = None) -> Result:
        """Measure all of ``data``; ``progress`` takes the samples done and their total, first 0."""
        if not isinstance(data, Dataset):
            allowed = "a Dataset, as ragauge.formats.read returns"
            raise OptionError.value("Evaluator", "data", allowed, type(data).__name__)
        if progress is not None and not callable(progress):
            raise OptionError.value("evaluate", "progress", "a function of two numbers, or None", progress)
        cluster = None if self.cluster is None else data.known(self.cluster)
        evaluator = replace(self, by=tuple(dict.fromkeys(map(data.known, self.by))), cluster=cluster)
        evaluator.check(data.columns)
        partial = added(_measured(evaluator, data, progress or _unheard))
        if partial is None or partial.sums.samples == 0:
            raise DataError.of(data.source, ["there are no samples in it"])
        return evaluator.finish(partial, data)


def named(
    metrics: Requested | Iterable[Requested] | Mapping[str, str | Metric],
    shared: Mapping[str, Any] = MappingProxyType({}),
) -> dict[str, Metric]:
    """Return metric objects by their names in the call, equal ones once; UsageError for none, or what is no metric.

    ``shared``: ingredients for the metrics that take them and name none of their own.
    """
    if isinstance(metrics, Mapping) and metrics:
        built_by_name = {
            name: parse(one, shared) if isinstance(one, str) else with_shared(one, shared)
            for name, one in metrics.items()
        }
        return dict(Evaluator(built_by_name).metrics)
    several = isinstance(metrics, Iterable) and not isinstance(metrics, str)
    requested: dict[str, Metric] = {}
    by_spec: dict[str, list[Metric]] = {}
    for item in cast("Iterable[Requested]", metrics if several else [metrics]):
        if not isinstance(item, str) and not hasattr(item, "measure"):
            raise UsageError(f"a metric must be a spec such as 'ndcg@10', or a metric object; got {item!r}")
        built: Any = item
        if isinstance(item, type):
            try:
                built = item()
            except TypeError as error:
                name = item.__name__
                message = f"the metric class {name} must be given its options, as in {name}(...); {error}"
                raise UsageError(message) from error
        own = parse_all(built, shared) if isinstance(built, str) else {str(built): with_shared(built, shared)}
        for name, metric in own.items():
            same = by_spec.setdefault(str(metric), [])
            if metric not in same:
                same.append(metric)
                requested[name] = metric
    if not requested:
        raise UsageError("metrics must name at least one metric; leave it out to score all whose columns are there")
    return requested


def _measured(evaluator: Evaluator, data: Dataset, progress: Progress) -> Iterator[Partial]:
    done = 0
    progress(0, data.rows)
    for batch in data.batches():
        yield evaluator.measure(batch)
        done += len(batch)
        progress(done, data.rows)


def _unheard(_done: int, _total: int) -> None: ...


def grouping_columns(call: str, by: object) -> tuple[str, ...]:
    """Return the columns to group by, each once; OptionError where ``by`` of ``call`` is neither a name nor names.

    >>> grouping_columns("evaluate", "language"), grouping_columns("evaluate", ["a", "b", "a"])
    (('language',), ('a', 'b'))
    """
    names = [by] if isinstance(by, str) else list(by) if isinstance(by, Iterable) else [by]
    for name in names:
        if not isinstance(name, str) or not name:
            raise OptionError.value(call, "by", "the name of a column, or a list of names", by)
    return tuple(dict.fromkeys(cast("list[str]", names)))


def cluster_keys(own: HashArray, cluster: pa.Array) -> HashArray:
    """Return the hash of each sample's cluster, (n,); a sample without one is a cluster of its ``own`` hash alone."""
    alone = to_numpy(cluster.is_null())
    # An id that happens to be the name of a cluster must not join it.
    return np.where(alone, splitmix64(own), hash_strings(cluster.cast(pa.string())))


def _groups(batch: Batch, by: tuple[str, ...]) -> tuple[IntArray, tuple[tuple[Label, ...], ...]]:
    """Number the values of each grouping column in order of appearance, null among them."""
    codes, labels = [np.empty((len(batch), 0), dtype=np.int64)], []
    for name in by:
        encoded = plain(batch.column(name), "by", name).dictionary_encode(null_encoding="encode")
        codes.append(to_numpy(encoded.indices).astype(np.int64)[:, None])
        labels.append(tuple(encoded.dictionary.to_pylist()))
    return np.concatenate(codes, axis=1), tuple(labels)


def plain(column: pa.Array, option: str, name: str) -> pa.Array:
    """Return the column that an option names as text, numbers or booleans, NaN as null; ColumnError for any other."""
    if pa.types.is_floating(column.type):
        return pc.if_else(pc.is_nan(column), None, column)
    if pa.types.is_integer(column.type) or pa.types.is_boolean(column.type):
        return column
    try:
        return column.cast(pa.string())
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        message = f"{option}={name!r}: the column must hold text, numbers or dates; it holds {column.type}"
        raise ColumnError(message) from None


def _evidence(metrics: Mapping[str, Metric], batch: Batch) -> Iterator[pa.Table]:
    """Yield what each metric's scores rest on, where it can say so, under the name of the metric."""
    for name, metric in metrics.items():
        if isinstance(metric, Explained):
            table = metric.explain(batch)
            yield table.add_column(0, "metric", to_arrow([name] * len(table), pa.string()))
