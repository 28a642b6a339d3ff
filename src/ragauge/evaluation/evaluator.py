"""Running metrics over data: measure batches, add up their partials, finish with a result."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from math import nan
from types import MappingProxyType
from typing import Annotated, TypeAlias, cast

import numpy as np
import pyarrow as pa

from ragauge.core import compute as pc
from ragauge.core.arrow import scalar, to_arrow, to_numpy
from ragauge.core.batch import Batch, Dataset, concatenated
from ragauge.core.hashing import HashArray, hash_strings, splitmix64
from ragauge.core.messages import Argument, Message
from ragauge.core.options import checked, checked_value
from ragauge.core.protocol import Explained, Metric, columns_read, signature_of
from ragauge.core.ragged import BoolArray, FloatArray, IntArray
from ragauge.core.sample import ColumnNames, OneColumn
from ragauge.core.statistics import Status, split_by_level
from ragauge.errors import ColumnError, DataError, OptionError, did_you_mean, worded
from ragauge.evaluation.partial import BUCKETS, COVERAGE, Partial, Sums, added, corpus_score, measure_cells, name_metric
from ragauge.evaluation.summarize import Inference, Slice, groups_of, replicates_of, sentences_on, sums_by_unit
from ragauge.inference.intervals import NO_INTERVAL
from ragauge.inference.resampling import ResamplingUnits
from ragauge.results.evidence import StoredEvidence
from ragauge.results.result import Result
from ragauge.results.score import Label, SampleScores, Score, narrowed

Progress: TypeAlias = Callable[[int, int], None]
"""Is called with the number of samples done and their total."""
AnyProgress: TypeAlias = Annotated[Progress | None, "a function of two numbers, or None"]

_Metrics: TypeAlias = Annotated[Mapping[str, Metric], "metrics by their names, as in {'bleu': ragauge.parse('bleu')}"]
_AS_IN = ", as in {'bleu': ragauge.parse('bleu')}"
# Intervals of clusters are right where there are many; "few" begins at 20 to 50 (Cameron and Miller 2015, "A
# practitioner's guide to cluster-robust inference"), but those of 8 clusters still cover what they should here.
_FEW_CLUSTERS = 10
_ON_FEW = "RG-NOTE-301 intervals rest on as few as {n} values of {cluster!r}: so few may cover less than they say"


@checked("Evaluator")
@dataclass(frozen=True)
class Evaluator:
    """Metrics with their groups and intervals.

    ``measure`` is pure and can run anywhere; partials add, in any order and grouping, to the same scores.

    Args:
        metrics: by their names in the result.
        by: columns to group by, each on its own.
        cluster: the column that says which samples belong together; intervals then draw clusters, not samples.
        inference: level, method, resamples and seed of the intervals.
        evidence: whether to keep the evidence of each score.
    """

    metrics: _Metrics
    by: ColumnNames = ()
    cluster: OneColumn = None
    inference: Annotated[Inference, "an Inference, as in Inference(level=0.9)"] = field(default_factory=Inference)
    evidence: bool = False

    def __post_init__(self) -> None:
        for name, metric in self.metrics.items():
            if not isinstance(name, str) or isinstance(metric, type) or not hasattr(metric, "measure"):
                raise OptionError.value("Evaluator", f"metrics[{name}]", worded(f"a metric object{_AS_IN}"), metric)

    def check(self, columns: Iterable[str]) -> None:
        """Raise ColumnError for the first thing that needs a column not among ``columns``.

        ``columns`` may be a mapping, known column -> its name in the data, which errors then give too.
        """
        names = columns if isinstance(columns, Mapping) else tuple(columns)
        for metric in self.metrics.values():
            columns_read(metric, names)
        for argument, column in [*[("by", name) for name in self.by], ("cluster", self.cluster)]:
            if column is not None and column not in names:
                hint = did_you_mean(column, names)
                raise ColumnError(
                    "RG-EVAL-002 {given}: the data have no column {column!r}{hint}",
                    Argument(argument, column),
                    column,
                    hint,
                )

    def on(self, data: Dataset) -> Evaluator:
        """Return the same with the columns as ``data`` know them; ColumnError where one is not there."""
        cluster = None if self.cluster is None else data.known(self.cluster)
        evaluator = replace(self, by=tuple(map(data.known, self.by)), cluster=cluster)
        evaluator.check({name: data.mapping.get(name, name) for name in data.columns})
        return evaluator

    def measure(self, batch: Batch) -> Partial:
        """Measure one batch."""
        names, parts, columns = {}, {}, {}
        distinct_reasons: dict[str, str] = {}
        for name, metric in self.metrics.items():
            try:
                cells = measure_cells(metric, batch)
            except Exception as error:
                name_metric(error, metric)
                raise
            sums = cells.sums
            parts[name] = _levels(name, sums.values, sums.whole)
            names[name] = sums.names
            statistics = {column: narrowed(sums.values[:, place]) for place, column in enumerate(sums.names)}
            # Equal reasons of a batch are one text.
            reasons = {row: distinct_reasons.setdefault(why, why) for row, why in sums.reasons.items()}
            columns[name] = SampleScores(cells.scores, sums.status, sums.defaulted, cells.parts, statistics, reasons)
        # After all scores, while the batch holds the vectors that they were made from.
        evidence = tuple(_evidence(self.metrics, batch)) if self.evidence else ()
        return replace(self._partial(batch, names, parts, columns), evidence=evidence)

    def of_scores(
        self,
        data: Dataset,
        columns: Mapping[str, SampleScores],
        evidence: Iterable[pa.Table] = (),
        signatures: Mapping[str, str] = MappingProxyType({}),
    ) -> Result:
        """Return the result of samples whose scores are known, as `run` returned it when they were scored.

        Args:
            data: the samples, with the columns of `on`.
            columns: the scores of each sample, by the names of the metrics.
            evidence: the evidence of the scores, in tables.
            signatures: those of scores that were kept, by metric; the others have that of the metric here.
        """
        batch = concatenated(data.batches())
        names, parts = {}, {}
        for name in self.metrics:
            statistics = columns[name].statistics
            # Whole numbers are exact in one part as in six.
            whole = np.array([numbers.dtype.kind in "biu" for numbers in statistics.values()])
            values = np.column_stack([numbers.astype(np.float64) for numbers in statistics.values()])
            names[name], parts[name] = tuple(statistics), _levels(name, values, whole)
        own = {name: columns[name] for name in self.metrics}
        partial = cast(Partial, added([self._partial(batch, names, parts, own)]))
        return self.finish(replace(partial, evidence=tuple(evidence)), data, signatures)

    def _partial(
        self,
        batch: Batch,
        names: Mapping[str, tuple[str, ...]],
        parts: Mapping[str, Mapping[int, FloatArray]],
        columns: Mapping[str, SampleScores],
    ) -> Partial:
        """Return the scores of a batch with the sums of their statistics, under the keys and groups of the samples."""
        coverage = {name: _states(column) for name, column in columns.items()}
        codes, labels = _groups(batch, self.by)
        ids = batch.column("id")
        keys = hash_strings(ids)
        if self.cluster is not None:
            keys = cluster_keys(keys, plain(batch.column(self.cluster), "cluster", self.cluster))
        # A slice would keep the whole table that it is of.
        own = pa.concat_arrays([ids])
        return Partial(Sums(len(batch), keys, codes, labels, names, parts, coverage), (own,), columns)

    def finish(self, partial: Partial, data: Dataset, signatures: Mapping[str, str] = MappingProxyType({})) -> Result:
        """Turn the sum of all partials into scores with intervals and coverage.

        ``signatures``: as of `of_scores`.
        """
        scores: list[Score] = []
        clusters: list[int] = []
        own = {name: str(signature_of(metric)) for name, metric in self.metrics.items() if name not in signatures}
        sums, signatures = partial.sums, {**own, **signatures}
        for group, rows in groups_of(sums, self.by):
            units = ResamplingUnits.of(sums.keys[rows], BUCKETS)
            clusters.append(len(units))
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
        few = [n for n in clusters if 1 < n < _FEW_CLUSTERS]
        if self.cluster is not None and self.inference.resamples and few:
            data = replace(data, notes=(*data.notes, Message(_ON_FEW, min(few), self.cluster)))
        options = {"by": list(self.by), "cluster": self.cluster, **asdict(self.inference)}
        evidence = StoredEvidence(partial.evidence) if partial.evidence else None
        return Result(tuple(scores), self.metrics, partial.ids, partial.columns, data, options, evidence)

    def __call__(self, data: Dataset, progress: Progress | None = None) -> Result:
        """Measure all of ``data``; ``progress`` takes the samples done and their total, first 0."""
        if not isinstance(data, Dataset):
            allowed = "a Dataset, as ragauge.formats.read returns"
            raise OptionError.value("Evaluator", "data", allowed, type(data).__name__)
        progress = checked_value("evaluate", "progress", progress, AnyProgress)
        return self.on(data).run(data, progress)

    def run(self, data: Dataset, progress: Progress | None = None) -> Result:
        """Measure all of ``data``, as calling does, where the columns are already those of `on`."""

        def measured() -> Iterator[Partial]:
            done = 0
            for batch in data.batches():
                yield self.measure(batch)
                done += len(batch)
                if progress is not None:
                    progress(done, data.rows)

        if progress is not None:
            progress(0, data.rows)
        partial = added(measured())
        if partial is None or partial.sums.samples == 0:
            raise DataError.of(data.source, [Message("RG-EVAL-023 there are no samples in it")])
        return self.finish(partial, data)


def _levels(name: str, values: FloatArray, whole: BoolArray) -> dict[int, FloatArray]:
    """Return what `split_by_level` does of the statistics (n, k) of a metric."""
    try:
        return split_by_level(values, whole)
    except DataError as error:
        raise DataError("RG-EVAL-003 {name}: {problem}", name, error.message) from None


def _states(column: SampleScores) -> IntArray:
    """Return the counts of each sample, (n, 6), in the order of `ragauge.evaluation.partial.COVERAGE`."""
    binary = (column.scores == 0.0) | (column.scores == 1.0)
    states = [*[column.status == state for state in Status], column.defaulted, binary]
    return np.column_stack(states).astype(np.int64)


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
        return pc.if_else(pc.is_nan(column), scalar(None, column.type), column)
    if pa.types.is_integer(column.type) or pa.types.is_boolean(column.type):
        return column
    try:
        return column.cast(pa.string())
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        raise ColumnError(
            "RG-EVAL-001 {given}: the column must hold text, numbers or dates; it holds {type}",
            Argument(option, name),
            column.type,
        ) from None


def _evidence(metrics: Mapping[str, Metric], batch: Batch) -> Iterator[pa.Table]:
    """Yield the evidence of each metric that explains its scores, under the name of the metric.

    Its rows are in the order of the samples, so that it is the same wherever a batch is cut for several processes.
    """
    for name, metric in metrics.items():
        if isinstance(metric, Explained):
            table = metric.explain(batch)
            ids = batch.column("id")
            place = to_numpy(pc.index_in(pc.cast(table["id"], ids.type), value_set=ids))
            if (np.diff(place) < 0).any():
                table = table.take(np.argsort(place, kind="stable"))
            yield table.add_column(0, "metric", to_arrow([name] * len(table), pa.string()))
