"""Pairing two runs: their common samples and metrics, and whether their scores may be compared."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import pyarrow as pa

from ragauge.core import compute as pc
from ragauge.core.arrow import scalar, to_arrow, to_numpy
from ragauge.core.hashing import HashArray, hash_array, hash_strings, is_made_id
from ragauge.core.messages import Argument, Counted, Joined, Message
from ragauge.core.protocol import FAILURE, failures
from ragauge.core.ragged import IntArray
from ragauge.core.sample import SCHEMA
from ragauge.display.numbers import first_of
from ragauge.errors import ColumnError, DataError, RagaugeError, UnknownNameError, UsageError, did_you_mean
from ragauge.evaluation.evaluator import cluster_keys, plain
from ragauge.metrics.other_names import unknown_metric
from ragauge.results.fingerprint import TASK
from ragauge.results.result import Result
from ragauge.results.score import group_label

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


def pair_samples(base: Result, candidate: Result, on: str, runs: tuple[str, str]) -> PairedSamples:
    """Pair the samples of two runs by column ``on``; UsageError where no value is in both, others as `pairing_keys`."""
    left, right = (pairing_keys(result, on, run) for result, run in zip((base, candidate), runs, strict=True))
    place = pc.index_in(left, value_set=right)
    in_both = place.is_valid()
    if not pc.any(in_both).as_py():
        raise _disjoint(left, right, on, runs)
    return PairedSamples(
        left.filter(in_both),
        np.flatnonzero(to_numpy(in_both)).astype(np.int64),
        to_numpy(place.drop_null()).astype(np.int64),
        left.filter(pc.invert(in_both)),
        right.filter(pc.invert(pc.is_in(right, value_set=left))),
    )


def pairing_keys(result: Result, on: str, run: str) -> pa.Array:
    """Return what column ``on`` has for each sample, or its ids: texts that tell samples apart, (n,).

    It raises ColumnError where there is no such column, and DataError where a value is null or in several samples.
    """
    on = result.data.known(on)
    if on != "id" and on not in result.data.columns:
        raise ColumnError(
            "RG-CMP-005 {run} has no column {on!r} to pair samples by{hint}",
            run,
            on,
            did_you_mean(on, result.data.columns),
        )
    values = result.sample_ids() if on == "id" else result.column(on).cast(pa.large_string())
    counts = pc.value_counts(values)
    several = counts.filter(pc.greater(counts.field("counts"), scalar(1)))
    repeated = [item["values"].as_py() for item in several[:_SHOWN]]
    if values.null_count or repeated:
        none = Message("{samples} none", Counted(values.null_count, "sample has", "samples have"))
        template = "RG-CMP-009 column {on!r} does not tell samples apart: {reason}; pair by another column"
        raise DataError.of(
            run, [Message(template, on, Message("{name!r} is in several", repeated[0]) if repeated else none)]
        )
    return values


def with_rows(names: Sequence[str], rows: IntArray) -> str:
    """Return the first three ids in words, with their rows in the data where they were made from their content.

    >>> with_rows(["0123456789abcdef"], np.array([2])), with_rows(["q1", "q2", "q3", "q4"], np.arange(4))
    ("'0123456789abcdef' (row 3)", "'q1', 'q2', 'q3', ...")
    """
    if not all(map(is_made_id, names[:_SHOWN])):
        return first_of(names)
    shown = zip(names[:_SHOWN], (rows[:_SHOWN] + 1).tolist(), strict=True)
    each = [Message("{id!r} (row {place})", *one) for one in shown]
    return Joined([*each, *(["..."] if len(names) > _SHOWN else [])])


_NO_IDS = (
    "RG-CMP-113 the runs have no sample in common: their data have no ids, and no row is the same in both; give both "
    "the same ids, or pair rows by a column with a value of its own for each, as {question}"
)


def _disjoint(left: pa.Array, right: pa.Array, on: str, runs: tuple[str, str]) -> UsageError:
    if on == "id" and all(map(is_made_id, [*left[:_SHOWN].to_pylist(), *right[:_SHOWN].to_pylist()])):
        return UsageError(_NO_IDS, Argument("on", "question"))
    examples = [with_rows(some.to_pylist(), np.arange(len(some))) for some in (left[:_SHOWN], right[:_SHOWN])]
    has = Joined([Message("{run}: {shown}", *one) for one in zip(runs, examples, strict=True)], "; ")
    return UsageError(
        "RG-CMP-008 the runs have no sample in common by {on!r}: {has}; give both the same ids, or pair them by a"
        " column with a value of its own for each sample, as {question}",
        on,
        has,
        Argument("on", "question"),
    )


def headline(error: RagaugeError) -> str:
    """Return the first line of an error's message, which may have further lines with examples."""
    return error.message.splitlines()[0].rstrip(":") if "\n" in error.message else error.message


def unanswered(result: Result) -> int:
    """Return on how many samples of a run the system under test failed."""
    if FAILURE not in result.data.columns:
        return 0
    return sum(len(failures(batch)[1]) for batch in result.data.batches())


def sample_keys(base: Result, samples: PairedSamples, cluster: str | None) -> HashArray:
    """Return the hash of each pair's cluster, or of its id where there are no clusters, (n,)."""
    own = hash_strings(samples.names)
    if cluster is None:
        return own
    values = plain_column(base, "cluster", cluster, "the base has")
    return cluster_keys(own, values.take(to_arrow(samples.base)))


def groups(base: Result, samples: PairedSamples, by: str) -> Iterator[tuple[dict[str, Any], IntArray]]:
    """Yield each value of column ``by`` in the base, rising and none last, and the rows of its pairs."""
    values = plain_column(base, "by", by, "the base has").take(to_arrow(samples.base))
    encoded = values.dictionary_encode(null_encoding="encode")
    codes = to_numpy(encoded.indices).astype(np.int64)
    labels = encoded.dictionary.to_pylist()
    for code in sorted(range(len(labels)), key=lambda code: (labels[code] is None, labels[code])):
        yield {by: group_label(labels[code])}, np.flatnonzero(codes == code).astype(np.int64)


def known_column(result: Result, option: str, name: str, owner: str = "the data have") -> pa.Array:
    """Return the column that an option names, also by its name in the source, or raise ColumnError."""
    known = result.data.known(name)
    if known not in result.data.columns:
        raise ColumnError(
            "RG-CMP-006 {argument}: {owner} no column {name!r}{hint}",
            Argument(option, name),
            Message(owner),
            name,
            did_you_mean(name, result.data.columns),
        )
    return result.column(known)


def plain_column(result: Result, option: str, name: str, owner: str = "the data have") -> pa.Array:
    """Return the column that an option names as `plain` values, or raise ColumnError."""
    return plain(known_column(result, option, name, owner), option, name)


def shared_metrics(
    base: Result, candidate: Result, requested: Sequence[str], runs: tuple[str, str]
) -> tuple[list[tuple[str, str]], list[str]]:
    """Return the names, in base and candidate, of the metrics that both have, and notes on all others and on versions.

    A metric that a run has under two names, as ``ndcg@5`` and ``ndcg:k=5``, is returned once. ``requested`` are the
    metrics to compare; none for all that both have. One that a run lacks raises UnknownNameError. Runs that share no
    metric, or one of other options or another revision, raise UsageError.
    """
    unknown = [_unknown(runs[0], name, base.metrics).message for name in requested if name not in base]
    if unknown:
        raise UnknownNameError(Joined(unknown, "\n"))
    names = [base.name(name) for name in requested] or list(base.metrics)
    identities = {name: _signature(candidate, name)[0] for name in candidate.metrics}
    of_base = {_signature(base, name)[0] for name in base.metrics}
    # A metric that the base has as well is compared with that one: it is no other form of a further one.
    by_head = {_head(candidate, name): one for name, one in identities.items() if requested or one not in of_base}
    by_identity = {identity: name for name, identity in identities.items()}
    shared: dict[str, tuple[str, str]] = {}
    only, differing = [], []
    for name in names:
        identity = _signature(base, name)[0]
        if identity in by_identity:
            shared.setdefault(identity, (name, by_identity[identity]))
        elif _head(base, name) in by_head:
            differing.append(_difference(name, identity, by_head[_head(base, name)], runs))
        elif requested:
            raise _unknown(runs[1], name, candidate.metrics)
        else:
            only.append(name)
    if differing:
        advice = Message(
            "Score both runs with the same options, or choose other metrics. Where revisions differ, another version "
            "of ragauge computed one of them: score its samples again."
        )
        raise UsageError(Joined([*differing, advice], "\n"))
    if not shared:
        own, others = ", ".join(base.metrics), ", ".join(candidate.metrics)
        raise UsageError(
            "RG-CMP-007 the runs share no metric: {run} has {own}; {run2} has {others}", runs[0], own, runs[1], others
        )
    rest = [name for name, identity in identities.items() if identity not in shared and not requested]
    notes: list[str] = [
        Message("RG-CMP-012 only {run} has {some}", run, ", ".join(some))
        for run, some in zip(runs, (only, rest), strict=True)
        if some
    ]
    pairs = list(shared.values())
    return pairs, [*notes, *_versions(base, candidate, pairs, runs)]


def check_task(base: Result, candidate: Result, samples: PairedSamples, runs: tuple[str, str]) -> list[str]:
    """Return notes on question, references and relevance where only one run has the column.

    Where paired samples differ in one of them, UsageError is raised.
    """
    notes: list[str] = []
    problems: list[str] = []
    for name in TASK:
        there = [name in result.data.columns for result in (base, candidate)]
        if all(there):
            problems += _changed(name, base, candidate, samples)
        elif any(there):
            notes.append(Message("RG-CMP-013 only {run} has the column {name}", runs[there.index(True)], name))
    if problems:
        advice = Message("Score both runs again on the same questions, references and relevance.")
        heading = Message("RG-CMP-031 {base} and {run} were scored on different questions or references:", *runs)
        lines = [Message("  {problem}", problem) for problem in problems]
        raise UsageError(Joined([heading, *lines, advice], "\n"))
    return notes


def _changed(name: str, base: Result, candidate: Result, samples: PairedSamples) -> Iterator[str]:
    left, right = _hashes(base, name)[samples.base], _hashes(candidate, name)[samples.candidate]
    places = np.flatnonzero(left != right)
    if len(places):
        ids = first_of(samples.names.take(to_arrow(places)).to_pylist())
        yield Message("{name} differs in {n} of {total} samples: {ids}", name, len(places), len(samples), ids)


_KNOWN: WeakKeyDictionary[Result, dict[str, HashArray]] = WeakKeyDictionary()


def _hashes(result: Result, name: str) -> HashArray:
    """Return the hash of each value of a column, which is computed once for all pairs that a run is in."""
    known = _KNOWN.setdefault(result, {})
    if name not in known:
        known[name] = hash_array(result.column(name), ordered=SCHEMA[name] != "judgements")
    return known[name]


def _signature(result: Result, name: str) -> tuple[str, str]:
    """Return two parts of a score's signature: the metric with its options, and the versions."""
    identity, _, versions = result[name].signature.rpartition("|ragauge=")
    return identity, "ragauge=" + versions.partition(" #")[0]


def _head(result: Result, name: str) -> str:
    """Return the metric without its options: ``ndcg@10``."""
    return str(result.metrics[name]).partition(":")[0]


def _difference(name: str, left: str, right: str, runs: tuple[str, str]) -> str:
    mine, theirs = left.split("|"), right.split("|")
    left_only = ", ".join(part for part in mine if part not in theirs) or "-"
    right_only = ", ".join(part for part in theirs if part not in mine) or "-"
    template = "RG-CMP-030 {name} was computed differently: {own} in {base}, {other} in {run}"
    return Message(template, name, left_only, runs[0], right_only, runs[1])


def _unknown(run: str, name: str, there: Iterable[str]) -> UnknownNameError:
    return unknown_metric(Message("in {run}", run), name, there)


_OTHER_VERSIONS = "RG-CMP-014 other versions: {base} has {old}; {candidate} has {new}"


def _versions(base: Result, candidate: Result, pairs: list[tuple[str, str]], runs: tuple[str, str]) -> list[str]:
    versions = {(_signature(base, ours)[1], _signature(candidate, theirs)[1]) for ours, theirs in pairs}
    return [
        Message(_OTHER_VERSIONS, runs[0], old.replace("|", ", "), runs[1], new.replace("|", ", "))
        for old, new in sorted(versions)
        if old != new
    ]
