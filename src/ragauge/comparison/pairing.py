"""Pairing two runs: their common samples and metrics, and whether their scores may be compared."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ragauge.core.arrow import to_arrow, to_numpy
from ragauge.core.hashing import HashArray, hash_array, hash_strings, splitmix64
from ragauge.core.ragged import IntArray
from ragauge.core.sample import SCHEMA
from ragauge.core.signature import TASK
from ragauge.errors import ColumnError, DataError, UnknownNameError, UsageError, did_you_mean
from ragauge.results.result import Result

if TYPE_CHECKING:
    import pyarrow as pa

_SHOWN = 3


@dataclass(frozen=True, eq=False)
class PairedSamples:
    """Samples that both runs have, in the order of the base.

    Shapes: ``base`` and ``candidate`` (n,), the row of each sample in its run; ``names`` (n,), the ids;
    ``only_base`` and ``only_candidate``, the ids that the other run lacks.
    """

    names: pa.Array
    base: IntArray
    candidate: IntArray
    only_base: pa.Array
    only_candidate: pa.Array

    def __len__(self) -> int:
        return len(self.base)

    @property
    def keys(self) -> HashArray:
        """A hash of each pair's id, (n,)."""
        return hash_strings(self.names)


def pair_samples(base: Result, candidate: Result, on: str, runs: tuple[str, str]) -> PairedSamples:
    """Pair the samples of two runs by column ``on``.

    Raises:
        ColumnError: a run has no such column.
        DataError: the column does not tell samples apart.
        UsageError: no value is in both runs.
    """
    import pyarrow.compute as pc

    left, right = (_values(result, on, run) for result, run in zip((base, candidate), runs, strict=True))
    place = pc.index_in(left, value_set=right)
    found = to_numpy(place.is_valid())
    if not found.any():
        raise UsageError(_disjoint(left, right, on, runs))
    inverse = pc.index_in(right, value_set=left).is_null()
    return PairedSamples(
        left.filter(place.is_valid()),
        np.flatnonzero(found).astype(np.int64),
        to_numpy(place.drop_null()).astype(np.int64),
        left.filter(place.is_null()),
        right.filter(inverse),
    )


def column(result: Result, name: str) -> pa.Array:
    """Return a column of a run's data as one array."""
    import pyarrow as pa

    chunks = [batch.column(name) for batch in result.data.batches()]
    return pa.chunked_array(chunks).combine_chunks() if len(chunks) != 1 else chunks[0]


def _values(result: Result, on: str, run: str) -> pa.Array:
    import pyarrow as pa
    import pyarrow.compute as pc

    if on != "id" and on not in result.data.columns:
        message = f"{run} has no column {on!r} to pair samples by{did_you_mean(on, result.data.columns)}"
        raise ColumnError(message)
    raw = pa.chunked_array(list(result.ids)).combine_chunks() if on == "id" else column(result, on)
    values = raw.cast(pa.large_string())
    counted = pc.value_counts(values)
    repeated = [item["values"].as_py() for item in counted.filter(pc.greater(counted.field("counts"), 1))[:_SHOWN]]
    if values.null_count or repeated:
        what = f"{repeated[0]!r} is in several" if repeated else f"{values.null_count} samples have none"
        raise DataError.of(run, [f"column {on!r} does not tell samples apart: {what}; pair by another column"])
    return values


def _disjoint(left: pa.Array, right: pa.Array, on: str, runs: tuple[str, str]) -> str:
    examples = [", ".join(repr(name) for name in ids[:_SHOWN].to_pylist()) for ids in (left, right)]
    advice = (
        "give both the same ids, or pair them by a column with a value of its own for each sample, as on='question'"
    )
    has = "; ".join(f"{run} has {shown}" for run, shown in zip(runs, examples, strict=True))
    return f"the runs have no sample in common by {on!r}: {has}; {advice}"


def sample_keys(base: Result, samples: PairedSamples, cluster: str | None) -> HashArray:
    """Return the hash of each pair's cluster, or of its id where there are no clusters, (n,).

    Raises:
        ColumnError: the base has no column ``cluster``.
    """
    own = samples.keys
    return own if cluster is None else cluster_keys(own, _column(base, samples, "cluster", cluster))


def cluster_keys(own: HashArray, cluster: pa.Array) -> HashArray:
    """Return the hash of each sample's cluster, (n,); a sample without one is a cluster of its own.

    Args:
        own: (n,) the hash of each sample's id.
        cluster: a column that `plain_values` returned.
    """
    import pyarrow as pa

    alone = to_numpy(cluster.is_null())
    # An id that happens to be the name of a cluster must not join it.
    return np.where(alone, splitmix64(own), hash_strings(cluster.cast(pa.string())))


def groups(base: Result, samples: PairedSamples, by: str) -> Iterator[tuple[dict[str, Any], IntArray]]:
    """Yield each value of column ``by`` in the base, rising and none last, and the rows of its pairs.

    Raises:
        ColumnError: the base has no such column.
    """
    encoded = _column(base, samples, "by", by).dictionary_encode(null_encoding="encode")
    codes = to_numpy(encoded.indices).astype(np.int64)
    labels = encoded.dictionary.to_pylist()
    there = sorted(code for code in range(len(labels)) if labels[code] is not None)
    for code in [*sorted(there, key=lambda code: labels[code]), *(set(range(len(labels))) - set(there))]:
        yield {by: labels[code]}, np.flatnonzero(codes == code).astype(np.int64)


def plain_values(values: pa.Array, option: str, name: str) -> pa.Array:
    """Return a column as text, numbers or booleans, with null for NaN.

    Raises:
        ColumnError: it holds lists or objects.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = values.type
    if pa.types.is_floating(kind):
        return pc.if_else(pc.is_nan(values), None, values)
    if pa.types.is_integer(kind) or pa.types.is_boolean(kind):
        return values
    try:
        return values.cast(pa.string())
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        message = f"{option}={name!r}: the column must hold text, numbers or dates; it holds {kind}"
        raise ColumnError(message) from None


def _column(base: Result, samples: PairedSamples, option: str, name: str) -> pa.Array:

    if name not in base.data.columns:
        message = f"{option}={name!r}: the base has no column {name!r}{did_you_mean(name, base.data.columns)}"
        raise ColumnError(message)
    return plain_values(column(base, name).take(to_arrow(samples.base)), option, name)


class SharedMetric(NamedTuple):
    """A metric that both runs have: its name in each of them."""

    base: str
    candidate: str


def shared_metrics(
    base: Result, candidate: Result, wanted: Iterable[str], runs: tuple[str, str]
) -> tuple[list[SharedMetric], list[str]]:
    """Return the metrics that both runs have, and notes on metrics of one run only and on other versions.

    A metric that a run has under two names, as ``ndcg@5`` and ``ndcg:k=5``, is returned once.

    Args:
        base: a run.
        candidate: another.
        wanted: the metrics to compare; none for all that both have.
        runs: the names of the two runs.

    Raises:
        UnknownNameError: a run does not have a metric that is wanted.
        UsageError: the runs share no metric, or one was computed with other options or another revision.
    """
    requested = list(wanted)
    names = [base.name(name) for name in requested] or list(base.metrics)
    heads = {_head(candidate, name): name for name in candidate.metrics}
    by_identity = {_identity(candidate, name): name for name in candidate.metrics}
    shared: dict[str, SharedMetric] = {}
    only, differing = [], []
    for name in names:
        identity = _identity(base, name)
        if identity in by_identity:
            shared.setdefault(identity, SharedMetric(name, by_identity[identity]))
        elif _head(base, name) in heads:
            differing.append(_difference(name, identity, _identity(candidate, heads[_head(base, name)]), runs))
        elif requested:
            raise UnknownNameError.of(f"metric in {runs[1]}:", name, candidate.metrics)
        else:
            only.append(name)
    if differing:
        advice = "Score both runs with the same options, or choose other metrics."
        raise UsageError("\n".join([*differing, advice]))
    if not shared:
        message = f"the runs share no metric: {runs[0]} has {', '.join(base.metrics)}; {runs[1]} has "
        raise UsageError(message + ", ".join(candidate.metrics))
    rest = [name for name in candidate.metrics if _identity(candidate, name) not in shared and not requested]
    found = list(shared.values())
    return found, [*_absent(only, runs[0]), *_absent(rest, runs[1]), *_versions(base, candidate, found, runs)]


def check_task(base: Result, candidate: Result, samples: PairedSamples, runs: tuple[str, str]) -> list[str]:
    """Return notes on question, references and relevance where only one run has the column.

    Raises:
        UsageError: paired samples have different questions, references or relevance.
    """
    notes: list[str] = []
    problems: list[str] = []
    for name in TASK:
        there = [name in result.data.columns for result in (base, candidate)]
        if all(there):
            problems += _changed(name, base, candidate, samples)
        elif any(there):
            notes.append(f"only {runs[there.index(True)]} has the column {name}")
    if problems:
        advice = "Score both runs again on the same questions, references and relevance."
        heading = f"{runs[0]} and {runs[1]} were scored on different questions or references:"
        raise UsageError("\n".join([heading, *(f"  {problem}" for problem in problems), advice]))
    return notes


def _changed(name: str, base: Result, candidate: Result, samples: PairedSamples) -> Iterator[str]:
    ordered = SCHEMA[name] != "judgements"
    left = hash_array(column(base, name), ordered=ordered)[samples.base]
    right = hash_array(column(candidate, name), ordered=ordered)[samples.candidate]
    places = np.flatnonzero(left != right)
    if len(places):
        ids = ", ".join(repr(samples.names[int(place)].as_py()) for place in places[:_SHOWN])
        more = ", ..." if len(places) > _SHOWN else ""
        yield f"{name} differs in {len(places)} of {len(samples)} samples: {ids}{more}"


def _signature(result: Result, name: str) -> tuple[str, str]:
    """Return two parts of a score's signature: the metric with its options, and the versions."""
    identity, _, versions = result[name].signature.rpartition("|ragauge=")
    return identity, "ragauge=" + versions.partition(" #")[0]


def _identity(result: Result, name: str) -> str:
    return _signature(result, name)[0]


def _head(result: Result, name: str) -> str:
    """Return the metric without its options: ``ndcg@10``."""
    return str(result.metrics[name]).partition(":")[0]


def _difference(name: str, left: str, right: str, runs: tuple[str, str]) -> str:
    mine, theirs = left.split("|"), right.split("|")
    left_only = ", ".join(part for part in mine if part not in theirs) or "-"
    right_only = ", ".join(part for part in theirs if part not in mine) or "-"
    return f"{name} was computed differently: {left_only} in {runs[0]}, {right_only} in {runs[1]}"


def _absent(names: list[str], run: str) -> list[str]:
    return [f"only {run} has {', '.join(names)}"] if names else []


def _versions(base: Result, candidate: Result, found: list[SharedMetric], runs: tuple[str, str]) -> list[str]:
    pairs = {(_signature(base, match.base)[1], _signature(candidate, match.candidate)[1]) for match in found}
    return [
        f"other versions: {runs[0]} has {old.replace('|', ', ')}; {runs[1]} has {new.replace('|', ', ')}"
        for old, new in sorted(pairs)
        if old != new
    ]
