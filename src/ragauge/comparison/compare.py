"""The call that compares runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from math import nan
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from ragauge.comparison._doubts import notes_on_doubts
from ragauge.comparison.comparison import Comparison
from ragauge.comparison.corrected import corrected
from ragauge.comparison.difference import Difference, PairedRuns
from ragauge.comparison.metric_tests import PairedMetric, SumsByUnit, Testing
from ragauge.comparison.pairing import (
    PairedSamples,
    check_task,
    groups,
    pair_samples,
    sample_keys,
    shared_metrics,
    with_rows,
)
from ragauge.comparison.primary import price_metrics, primary_metrics
from ragauge.core import compute as pc
from ragauge.core.hashing import MADE_ID, HashArray
from ragauge.core.messages import Argument, Counted, Message
from ragauge.core.options import checked_value
from ragauge.core.ragged import BoolArray, FloatArray, IntArray
from ragauge.core.sample import ColumnNames
from ragauge.errors import OptionError, UsageError
from ragauge.inference.intervals import NO_INTERVAL, Interval, bca, percentile, standard_error
from ragauge.inference.resampling import PackedUnits, PairedUnits, replicated
from ragauge.inference.tests import PValue, detectable, effect_size
from ragauge.results.left_out import left_out_in
from ragauge.results.result import Result, loaded

Run: TypeAlias = Result | str | Path
"""A result, or the directory of a saved one."""


def compare(
    base: Run,
    *candidates: Run,
    metrics: str | Iterable[str] = (),
    by: str | Iterable[str] = (),
    cluster: str | None = None,
    on: str = "id",
    primary: str | Iterable[str] = (),
    **options: Any,
) -> Comparison:
    """Compare runs with a base, sample by sample.

    Samples are paired by id. A sample is used where it is ``ok`` in both runs; nothing is scored again. A few metrics
    are primary: the verdict rests on them, and their p-values are corrected over them and the candidates alone. The
    other metrics are exploratory, and corrected among themselves; so are the groups of each kind.

    Args:
        base: a result or the directory of a saved run.
        candidates: one or more of the same.
        metrics: the metrics to compare; by default all that both runs have.
        by: columns to group by, each on its own.
        cluster: the column of samples that belong together; by default that of the base run.
        on: the column to pair samples by, where their ids differ.
        primary: the metrics that the verdict rests on, at most five; by default those of ``metrics``, and without
            these what `ragauge.comparison.primary.primary_metrics` takes.
        options: those of `ragauge.comparison.metric_tests.Testing`: test, correction, interval, level, alpha, trials,
            resamples, seed.

    Raises:
        UsageError: the runs have no common sample or metric, or their options, revisions, questions or references
            differ.
        DataError: a directory does not hold a saved run.

    >>> import ragauge
    >>> rows = [{"id": f"q{i}", "relevance": {"a": 1}} for i in range(12)]
    >>> old = ragauge.evaluate([row | {"retrieved": ["b", "a"]} for row in rows], "mrr", resamples=0)
    >>> new = ragauge.evaluate([row | {"retrieved": ["a", "b"]} for row in rows], "mrr", resamples=0)
    >>> difference = compare(old, new)["mrr"]
    >>> difference.difference, difference.test, round(difference.p, 6), difference.outcome
    (0.5, 'exact randomisation', 0.000488, 'better')
    """
    return compare_beside(
        {}, base, *candidates, metrics=metrics, by=by, cluster=cluster, on=on, primary=primary, **options
    )


def compare_beside(
    tested: Mapping[int, Mapping[str, Difference]],
    base: Run,
    *candidates: Run,
    metrics: str | Iterable[str] = (),
    by: str | Iterable[str] = (),
    cluster: str | None = None,
    on: str = "id",
    primary: str | Iterable[str] = (),
    **options: Any,
) -> Comparison:
    """Compare as `compare` does, but for the differences that are ``tested``: place of a candidate -> metric -> it."""
    if not candidates:
        raise UsageError(
            "RG-CMP-001 compare must get at least one candidate; got only a base. Pass a base and one or more "
            "candidates."
        )
    testing = Testing(**options)
    results = [loaded(base, "compare", "base"), *[loaded(run, "compare", "candidates") for run in candidates]]
    names = _names([base, *candidates])
    requested, wanted = listed("compare", "metrics", metrics), listed("compare", "primary", primary)
    if not isinstance(on, str):
        raise OptionError.value("compare", "on", "the name of a column", on)
    known = results[0].data.known
    columns = tuple(dict.fromkeys(map(known, checked_value("compare", "by", by, ColumnNames))))
    cluster = known(cluster) if cluster is not None else results[0].options.get("cluster")
    of_all: list[Difference] = []
    of_groups: list[Difference] = []
    notes = [note for name, one in zip(names, results, strict=True) for note in left_out_in(one.data.notes, name)]
    paired: list[PairedRuns] = []
    together: list[tuple[Sequence[PairedMetric], HashArray, str]] = []
    for name, result in zip(names[1:], results[1:], strict=True):
        runs, messages = paired_runs(results[0], result, requested, on, (names[0], name))
        keys = sample_keys(runs.base, runs.samples, cluster)
        notes += [*messages, *_randomised(runs, testing, clustered=cluster is not None)]
        paired.append(runs)
        compared: list[tuple[Mapping[str, Any] | None, Sequence[PairedMetric]]] = [(None, runs.metrics)]
        own = tested.get(len(paired) - 1, {})
        together.append(([metric for metric in runs.metrics if metric.name not in own], keys, name))
        for column in columns:
            for group, rows in groups(runs.base, runs.samples, column):
                some = [metric.take(rows) for metric in runs.metrics]
                compared.append((group, some))
                of_groups += _differences(some, keys[rows], testing, name, group, clustered=cluster is not None)
        notes += notes_on_doubts(results[0], (names[0], name), compared)
    anew = differences_together(together, testing, clustered=cluster is not None)
    for place, (runs, found) in enumerate(zip(paired, anew, strict=True)):
        of_run = {**tested.get(place, {}), **{one.metric: one for one in found}}
        of_all += [replace(of_run[metric.name], run=runs.name) for metric in runs.metrics]
    names_of_metrics = list(dict.fromkeys(one.metric for one in of_all))
    named = {results[0].name(metric) for metric in requested} & set(names_of_metrics)
    chosen = named if named and not wanted else primary_metrics(results[0], names_of_metrics, wanted)
    prices = price_metrics(results[0])
    table = (*corrected(of_all, testing, chosen, prices), *corrected(of_groups, testing, chosen, prices))
    used = {**asdict(testing), "by": list(columns), "cluster": cluster, "on": on}
    return Comparison(names[0], table, tuple(paired), tuple(dict.fromkeys(notes)), used)


def listed(owner: str, option: str, given: Any) -> tuple[Any, ...]:
    """Return the metrics that an option names; OptionError, by ``owner``, where one of them is no metric."""
    metrics = tuple(given) if isinstance(given, Iterable) and not isinstance(given, str) else (given,)
    for metric in metrics:
        if not isinstance(metric, str) and not hasattr(metric, "measure"):
            raise OptionError.value(owner, option, "a metric's name in both runs, or a list of names", metric)
    return metrics


def _names(runs: list[Run]) -> list[str]:
    """Return a name for each run: its directory, or else its role; equal names get the role as well."""
    roles = ["base", "candidate", *(f"candidate {place}" for place in range(2, len(runs)))]
    names = [role if isinstance(run, Result) else str(run) for run, role in zip(runs, roles, strict=True)]
    return [name if names.count(name) == 1 else f"{name} ({role})" for name, role in zip(names, roles, strict=True)]


def paired_runs(
    base: Result, candidate: Result, requested: tuple[str, ...], on: str, names: tuple[str, str]
) -> tuple[PairedRuns, list[str]]:
    """Return the samples and metrics that two runs share, and notes on the rest; errors as of `compare`."""
    shared, notes = shared_metrics(base, candidate, requested, names)
    samples = pair_samples(base, candidate, on, names)
    notes += [*check_task(base, candidate, samples, names), *_unpaired(base, candidate, samples, names)]
    metrics = tuple(PairedMetric.of(pair, base, candidate, samples) for pair in shared)
    return PairedRuns(names[1], base, candidate, samples, metrics), notes


def _unpaired(base: Result, candidate: Result, samples: PairedSamples, runs: tuple[str, str]) -> list[str]:
    """Return a note per run on samples without a counterpart, with examples, so that a wrong file is seen at once."""
    notes: list[str] = []
    own = ((base, samples.only_base, samples.base), (candidate, samples.only_candidate, samples.candidate))
    for run, (result, names, paired) in zip(runs, own, strict=True):
        if len(names):
            rows = np.setdiff1d(np.arange(len(result.sample_ids())), paired)
            count = Counted(len(names), "sample is", "samples are")
            notes.append(
                Message("RG-CMP-015 {samples} only in {run}: {ids}", count, run, with_rows(names.to_pylist(), rows))
            )
    unpaired = (samples.only_base, samples.only_candidate)
    if all(len(names) and pc.all(pc.match_substring_regex(names, f"^{MADE_ID}$")).as_py() for names in unpaired):
        template = (
            "RG-CMP-020 the ids of these samples are made from their content, so another answer makes another sample;"
            " give samples ids, or compare by a column, as {question}"
        )
        notes.append(Message(template, Argument("on", "question")))
    return notes


def _randomised(runs: PairedRuns, testing: Testing, *, clustered: bool) -> list[str]:
    """Return a note on the metrics that the test does not fit."""
    unfit = [metric.name for metric in runs.metrics if not testing.fits(metric, clustered=clustered)]
    if not unfit:
        return []
    needs = Message("scores of single samples" + (", 0 or 1" if testing.test == "mcnemar" else ""))
    template = "RG-CMP-016 {test} needs {needs}, without clusters; tested by randomisation: {metrics}"
    return [Message(template, testing.test, needs, ", ".join(unfit))]


def _differences(
    metrics: Sequence[PairedMetric],
    keys: HashArray,
    testing: Testing,
    run: str,
    group: Mapping[str, Any] | None,
    *,
    clustered: bool,
) -> list[Difference]:
    """Return the difference under each metric on n paired samples; p-values are not corrected yet.

    ``keys`` (n,) are hashes of the samples' ids, or of their clusters; ``run`` is the candidate's name.
    """
    return differences_together([(metrics, keys, run)], testing, group, clustered=clustered)[0]


def differences_together(
    pairs: Sequence[tuple[Sequence[PairedMetric], HashArray, str]],
    testing: Testing,
    group: Mapping[str, Any] | None = None,
    *,
    clustered: bool,
) -> list[list[Difference]]:
    """Return the differences of several pairs of runs, each as if it were alone.

    Trials and replicates depend on the keys of resampling units only, so pairs with the same units share them: drawing
    is most of the work. A pair: its metrics, the keys of its samples, and the candidate's name.
    """
    units = [testing.units(keys) for _, keys, _ in pairs]
    alike: dict[bytes, list[int]] = {}
    for place, one in enumerate(units):
        alike.setdefault(one.keys.tobytes(), []).append(place)
    differences: list[list[Difference]] = [[] for _ in pairs]
    for places in alike.values():
        of_pair = [(place, metric) for place in places for metric in pairs[place][0]]
        metrics = [metric for _, metric in of_pair]
        sums: dict[bytes, SumsByUnit] = {}
        own = {place: sums.setdefault(units[place].place.tobytes(), SumsByUnit(units[place])) for place in places}
        by_unit = [metric.by_unit(own[place]) for place, metric in of_pair]
        keys = units[places[0]].keys
        packed = PackedUnits.of_pairs(by_unit, keys, _apart(metrics, by_unit))
        replicates = replicated(by_unit, keys, testing.resamples, testing.seed, packed)
        p_values = testing.p_values(metrics, by_unit, replicates, keys, packed, clustered=clustered)
        for (place, metric), runs, drawn, p_value in zip(of_pair, by_unit, replicates, p_values, strict=True):
            interval = _interval(runs, drawn, testing)
            differences[place].append(_difference(metric, runs, interval, p_value, pairs[place][2], group))
    return differences


def _apart(metrics: Sequence[PairedMetric], runs: Sequence[PairedUnits]) -> BoolArray:
    """Return a mask of the units in which pairs of runs do not have as many samples under a metric, (u,)."""
    first: dict[str, IntArray] = {}
    differing = [
        one.scored != first.setdefault(metric.name, one.scored) for metric, one in zip(metrics, runs, strict=True)
    ]
    return np.asarray(np.logical_or.reduce(differing), dtype=bool)


def _interval(runs: PairedUnits, replicates: FloatArray, testing: Testing) -> Interval:
    if runs.units < 2:
        return NO_INTERVAL
    if testing.interval == "bca":
        return bca(replicates, runs.observed, runs.left_out, testing.level)
    return percentile(replicates, testing.level, runs.units, runs.freedom)


def _difference(
    metric: PairedMetric,
    runs: PairedUnits,
    interval: Interval,
    p_value: PValue,
    run: str,
    group: Mapping[str, Any] | None,
) -> Difference:
    scored = int(metric.ok.sum())
    base, candidate = (float(value) for value in runs.scores(*runs.totals)) if scored else (nan, nan)
    gains = metric.gains
    left_out = runs.left_out if scored else np.empty(0)
    error = standard_error(left_out) if scored else nan
    return Difference(
        metric=metric.name,
        primary=False,
        run=run,
        group=group,
        base=base,
        candidate=candidate,
        difference=candidate - base,
        low=nan,
        high=nan,
        alone_low=interval[0],
        alone_high=interval[1],
        test=p_value.test,
        p=p_value.p,
        corrected=nan,
        outcome="equal" if scored and not runs.differing.any() else "nothing",
        wins=int(np.sum(gains > 0)),
        ties=int(np.sum(gains == 0)),
        losses=int(np.sum(gains < 0)),
        effect=effect_size(candidate - base, error, scored) if scored > 1 else nan,
        error=error,
        freedom=runs.freedom if runs.units > 1 and scored else nan,
        detectable=detectable(error, runs.units),
        scored=scored,
        total=len(metric.ok),
        units=runs.units,
        excluded=metric.excluded(),
        direction=metric.direction,
        width=metric.width,
    )
