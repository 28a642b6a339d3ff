"""Human labels beside scores, and the agreement of metrics with them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import nan
from types import MappingProxyType
from typing import TypeAlias

import numpy as np
import pyarrow as pa

from ragauge.comparison.pairing import known_column, plain_column
from ragauge.core.arrow import to_arrow, to_numpy
from ragauge.core.hashing import HashArray, hash_strings
from ragauge.core.messages import Argument, Counted, Message
from ragauge.core.ragged import BoolArray, FloatArray, IntArray
from ragauge.core.statistics import ratio
from ragauge.display.numbers import printable
from ragauge.errors import DataError
from ragauge.evaluation.evaluator import cluster_keys
from ragauge.formats.grade_words import grades_of_words
from ragauge.inference.agreement import (
    cross_fitted,
    kendall,
    pairwise_accuracy,
    pearson,
    selective_accuracy,
    spearman,
    weighted_kappa,
)
from ragauge.inference.resampling import poisson_weights
from ragauge.results.result import Result


def labels_of(result: Result, names: Sequence[str], option: str) -> FloatArray:
    """Return the labels of each annotator, (annotators, n); NaN where a label is missing.

    A column that is not there raises ColumnError; one without labels, with infinities or with text, DataError.
    """
    return np.stack([numbers_of(known_column(result, option, name), name, option) for name in names])


def numbers_of(values: pa.Array, name: str, option: str) -> FloatArray:
    """Return a column of labels as numbers, (n,), NaN where one is missing; DataError where they are not numbers.

    Words such as yes and no, or high and low, in any language, are their grades.
    """
    if pa.types.is_string(values.type) and (grades := grades_of_words(values.unique().drop_null().to_pylist())):
        values = to_arrow([grades.get(word) for word in values.to_pylist()], pa.float64())
    try:
        rounded = pa.types.is_integer(values.type)
        cast = values.cast(pa.int8() if pa.types.is_boolean(values.type) else pa.float64(), safe=not rounded)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        raise DataError(
            "RG-VALID-006 {argument}: labels must be numbers; got {type}. Write yes as 1 and no as 0.",
            Argument(option, name),
            values.type,
        ) from None
    numbers: FloatArray = np.asarray(to_numpy(cast), dtype=np.float64)
    if np.isinf(numbers).any():
        raise DataError(
            "RG-VALID-004 {argument}: the column holds an infinity; set it to null or to a finite label",
            Argument(option, name),
        )
    if np.isnan(numbers).all():
        raise DataError("RG-VALID-005 {argument}: no sample has a label", Argument(option, name))
    return numbers


@dataclass(frozen=True, eq=False)
class LabelledSamples:
    """Samples with a label and scores, in the order of their keys, so that the order of the data does not matter.

    Shapes: ``scores`` (metrics, n), higher being better; ``label`` (n,); ``binary`` (n,), or None where labels are not
    binary; ``keys`` (n,), the hash of each sample's resampling unit; ``group`` and ``system`` (n,) numbers, or None.
    """

    metrics: tuple[str, ...]
    scores: FloatArray
    label: FloatArray
    binary: BoolArray | None
    keys: HashArray
    group: IntArray | None
    system: IntArray | None

    def __len__(self) -> int:
        return len(self.label)


def labelled_samples(
    result: Result,
    label: FloatArray,
    positive: float | None,
    *,
    cluster: str | None,
    group: str | None,
    system: str | None,
) -> tuple[LabelledSamples, list[str]]:
    """Return the samples that have a label and a score under every metric, and notes on those that have not.

    ``label`` (n,) is NaN where there is none; ``positive`` is the least positive one; None: labels are binary only
    where all of them are 0 or 1. ``cluster``, ``group`` and ``system`` are columns.
    """
    names = tuple(result.metrics)
    signs = np.array([1.0 if result[name].direction == "higher" else -1.0 for name in names])
    scores = np.stack([result.columns[name].scores for name in names]) * signs[:, None]
    has_label = ~np.isnan(label)
    keys, order = keyed(result, cluster, group)
    ready = has_label & ~np.isnan(scores).any(axis=0)
    kept = order[ready[order]]
    if positive is None and set(np.unique(label[has_label]).tolist()) == {0.0, 1.0}:
        positive = 1.0
    binary = None if positive is None else label >= positive
    groups, systems = (
        None if name is None else _codes(plain_column(result, option, name))[kept]
        for name, option in ((group, "group"), (system, "system"))
    )
    samples = LabelledSamples(
        names, scores[:, kept], label[kept], None if binary is None else binary[kept], keys[kept], groups, systems
    )
    return samples, [*_left_out(names, scores, has_label), *_constant(samples)]


def keyed(result: Result, cluster: str | None, group: str | None = None) -> tuple[HashArray, IntArray]:
    """Return the hash of each sample's resampling unit, (n,), and the order of samples by it and by id, (n,)."""
    own = hash_strings(result.sample_ids())
    option, name = ("cluster", cluster) if cluster else ("group", group)
    keys = cluster_keys(own, plain_column(result, option, name)) if name else own
    return keys, np.lexsort((own, keys)).astype(np.int64)


def _codes(values: pa.Array) -> IntArray:
    """Return a number for each value, from its hash, so that the order of the data does not matter; null is -1."""
    hashes = (hash_strings(values.cast(pa.string())) >> np.uint64(1)).astype(np.int64)
    return np.where(to_numpy(values.is_null()), np.int64(-1), hashes)


def _constant(samples: LabelledSamples) -> list[str]:
    if not len(samples):
        return []
    names = [name for name, scores in zip(samples.metrics, samples.scores, strict=True) if np.ptp(scores) == 0]
    problem = "the same for all samples, so there is no agreement to measure"
    notes: list[str] = [Message(f"the label is {problem}")] if np.ptp(samples.label) == 0 else []
    if names:
        of = "the scores of {names} are " if names[1:] else "the score of {names} is "
        notes.append(Message(of + problem, ", ".join(names)))
    return notes


def _left_out(names: tuple[str, ...], scores: FloatArray, labelled: BoolArray) -> list[str]:
    without = np.isnan(scores[:, labelled])
    counts = {name: int(row.sum()) for name, row in zip(names, without, strict=True)}
    notes = [
        Message("{name} has no score for {samples}", name, Counted(count, "labelled sample"))
        for name, count in counts.items()
        if count
    ]
    lost = int(without.any(axis=0).sum())
    return (
        [*notes, Message("{lost} of {int} labelled samples are left out for all metrics", lost, int(labelled.sum()))]
        if lost
        else []
    )


AgreementMeasure: TypeAlias = Callable[[FloatArray, FloatArray, FloatArray], FloatArray]

ORDERED: Mapping[str, AgreementMeasure] = MappingProxyType(
    {"pearson": pearson, "spearman": spearman, "kendall": kendall, "pairwise accuracy": pairwise_accuracy}
)
"""Measures for all labels; those that ask who is right are for binary labels only, ``kappa`` for equal scales."""
# More distinct labels are ratings on a continuous scale, of which hardly two are equal.
_MOST_CATEGORIES = 20


def agreements(samples: LabelledSamples, metric: int, weights: FloatArray) -> dict[tuple[str, str], FloatArray]:
    """Return each measure in each scope, by (scope, measure), (r,) each.

    ``metric`` is a place among ``samples.metrics``; ``weights`` (r, n) say how often each replicate has each sample.
    """
    x = samples.scores[metric]
    scopes = {"pooled": {name: measure(x, samples.label, weights) for name, measure in ORDERED.items()}}
    if samples.binary is not None:
        scopes["pooled"]["auc"] = pairwise_accuracy(x, samples.binary.astype(np.float64), weights)
        scopes["pooled"]["selective accuracy"] = selective_accuracy(x, samples.binary.astype(np.float64), weights)
        scopes["pooled"]["balanced accuracy"] = cross_fitted(x, samples.binary, samples.keys, weights)
    if _on_one_scale(x, samples.label):
        scopes["pooled"]["kappa"] = weighted_kappa(x, samples.label, weights)
    if samples.group is not None:
        scopes["by group"] = _by_group(samples, samples.group, metric, weights)
    if samples.system is not None:
        scopes["systems"] = _systems(samples, samples.system, metric, weights)
    return {(scope, name): value for scope, values in scopes.items() for name, value in values.items()}


def _on_one_scale(scores: FloatArray, label: FloatArray) -> bool:
    """Return whether all scores are labels that people gave, or whole numbers between these: a judge's grades, say."""
    categories = np.unique(label)
    if len(categories) > _MOST_CATEGORIES:
        return False
    inside = (scores >= categories[0]) & (scores <= categories[-1]) & (scores == np.rint(scores))
    return bool(np.all(inside | np.isin(scores, categories)))


def resampling_units(
    samples: LabelledSamples, metric: int, keys: Iterable[tuple[str, str]]
) -> dict[tuple[str, str], int]:
    """Return the number of resampling units, samples or clusters, behind each (scope, measure) of ``keys``."""
    counts = dict.fromkeys(keys, len(np.unique(samples.keys)))
    if samples.group is not None:
        for name, firsts, _ in _values(samples, samples.group, metric):
            counts["by group", name] = len(np.unique(samples.keys[firsts]))
    return counts


def _by_group(samples: LabelledSamples, group: IntArray, metric: int, weights: FloatArray) -> dict[str, FloatArray]:
    """Return the mean of each measure over groups, (r,).

    A replicate draws whole groups, so that it averages the same values with other weights.
    """
    drawn = [(name, weights[:, firsts], values) for name, firsts, values in _values(samples, group, metric)]
    return {name: ratio(some @ values, some.sum(axis=1)) for name, some, values in drawn}


def _values(samples: LabelledSamples, group: IntArray, metric: int) -> Iterator[tuple[str, IntArray, FloatArray]]:
    """Yield each measure, the place of the first sample of each of g groups, (g,), and its value there, (g,).

    Groups whose labels or scores are all equal are left out.
    """
    members = [np.flatnonzero(group == code) for code in np.unique(group[group >= 0])]
    firsts = np.array([rows[0] for rows in members], dtype=np.int64)
    for name, measure in ORDERED.items():
        values = np.array([_one(measure, samples.scores[metric, rows], samples.label[rows]) for rows in members])
        defined = ~np.isnan(values)
        yield name, firsts[defined], values[defined]


def _systems(samples: LabelledSamples, system: IntArray, metric: int, weights: FloatArray) -> dict[str, FloatArray]:
    """Return the agreement between the systems' means under a metric and their mean labels, by measure, each (r,)."""
    codes = np.unique(system[system >= 0])
    member = (system[:, None] == codes[None, :]).astype(np.float64)
    total = weights @ member
    x, y = (ratio((weights * column) @ member, total) for column in (samples.scores[metric], samples.label))
    pairs = list(zip(x, y, strict=True))
    return {name: np.array([_one(measure, *pair) for pair in pairs]) for name, measure in ORDERED.items()}


def _one(measure: AgreementMeasure, x: FloatArray, y: FloatArray) -> float:
    """Return a measure of two columns, each value once; NaN where there is one value or one is NaN."""
    return nan if len(x) < 2 or np.isnan(x).any() else float(measure(x, y, np.ones((1, len(x))))[0])


def why_failed(result: Result, *names: str) -> str:
    """Return how many samples failed under metrics, by default all, for the most frequent reason; empty: none did."""
    reasons = Counter(reason for name in names or result.columns for reason in result.reasons(name).values())
    most = [Message("; {samples} failed: {reason}", Counted(count, "sample"), printable(reason))
            for reason, count in reasons.most_common(1)]  # fmt: skip
    return most[0] if most else ""


# Samples times replicates of one pass: each temporary array of that size takes 8 MB.
_AT_ONCE = 1_000_000


def replicate_weights(keys: HashArray, resamples: int, seed: int) -> Iterator[FloatArray]:
    """Yield the weights of n samples in some replicates at a time, (r, n); samples of one key have the same."""
    # Four draws come from one hash, so that a block begins with a multiple of four.
    some = 4 * max(1, _AT_ONCE // (4 * max(1, len(keys))))
    for first in range(0, resamples, some):
        yield np.ascontiguousarray(poisson_weights(keys, min(some, resamples - first), seed, first).T)
