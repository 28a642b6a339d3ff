"""The call that compares runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from math import nan
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from ragauge.comparison.comparison import Comparison, Versus
from ragauge.comparison.difference import Difference, outcome
from ragauge.comparison.metric_tests import Cells, Testing
from ragauge.comparison.pairing import Pairs, check_task, groups, matched, pairs_of, sample_keys
from ragauge.core.hashing import HashArray
from ragauge.core.ragged import FloatArray
from ragauge.errors import UsageError
from ragauge.evaluation.evaluator import grouping_columns
from ragauge.inference.corrections import CORRECTIONS
from ragauge.inference.intervals import NO_INTERVAL, Interval, bca, detectable, effect_size, percentile, standard_error
from ragauge.inference.resampling import Paired, replicated
from ragauge.inference.tests import PValue
from ragauge.results.result import Result, load


def differences(
    cells: Sequence[Cells],
    keys: HashArray,
    testing: Testing,
    run: str,
    group: Mapping[str, Any] | None,
    *,
    clustered: bool,
) -> list[Difference]:
    """Compare every metric of ``cells`` on n paired samples; p-values are not corrected yet.

    Args:
        cells: one per metric.
        keys: (n,) hash of each sample's id or cluster.
        testing: how.
        run: what the candidate is called.
        group: what the samples are a group of.
        clustered: whether keys are of clusters.
    """
    units = testing.units(keys)
    pairs = [cell.paired(units) for cell in cells]
    replicates = replicated(pairs, units.keys, testing.resamples, testing.seed)
    outcomes = testing.outcomes(cells, pairs, replicates, units.keys, clustered=clustered)
    return [
        _difference(cell, pair, _interval(pair, drawn, testing), outcome, run, group)
        for cell, pair, drawn, outcome in zip(cells, pairs, replicates, outcomes, strict=True)
    ]


def corrected(found: Sequence[Difference], testing: Testing) -> list[Difference]:
    """Correct the p-values of ``found`` for each other, and say what they mean."""
    p = CORRECTIONS[testing.correction](np.array([difference.p for difference in found], dtype=np.float64))
    return [
        replace(
            one,
            corrected=float(value),
            outcome=outcome(one.difference, float(value), one.direction, testing.alpha, equal=one.outcome == "equal"),
        )
        for one, value in zip(found, p, strict=True)
    ]


def _interval(pair: Paired, replicates: FloatArray, testing: Testing) -> Interval:
    if pair.units < 2:
        return NO_INTERVAL
    if testing.interval == "bca":
        return bca(replicates, pair.observed, pair.left_out(), testing.level)
    return percentile(replicates, testing.level, pair.units)


def _difference(
    cell: Cells, pair: Paired, interval: Interval, outcome: PValue, run: str, group: Mapping[str, Any] | None
) -> Difference:
    scored = int(cell.ok.sum())
    base, candidate = (float(value) for value in pair.scores(*pair.totals())) if scored else (nan, nan)
    gains = cell.gains
    error = standard_error(pair.left_out()) if scored else nan
    return Difference(
        metric=cell.name,
        run=run,
        group=group,
        base=base,
        candidate=candidate,
        difference=candidate - base,
        low=interval[0],
        high=interval[1],
        test=outcome.test,
        p=outcome.p,
        corrected=nan,
        outcome="equal" if scored and not pair.differing.any() else "nothing",
        wins=int(np.sum(gains > 0)),
        ties=int(np.sum(gains == 0)),
        losses=int(np.sum(gains < 0)),
        effect=effect_size(candidate - base, error, scored) if scored > 1 else nan,
        error=error,
        detectable=detectable(error, pair.units),
        scored=scored,
        total=len(cell.ok),
        units=pair.units,
        excluded=cell.excluded(),
        direction=cell.direction,
    )


Run: TypeAlias = Result | str | Path
"""A result, or the directory of a saved one."""


def compare(
    base: Run,
    *candidates: Run,
    metrics: str | Iterable[str] = (),
    by: str | Iterable[str] = (),
    cluster: str | None = None,
    on: str = "id",
    **options: Any,
) -> Comparison:
    """Compare runs with a base, sample by sample.

    Samples are paired by id, and those that are ``ok`` in both count; nothing is scored again. p-values are corrected
    over all metrics and candidates; those of groups over all groups.

    Args:
        base: a result or the directory of a saved run.
        candidates: one or more of the same.
        metrics: which to compare; by default all that both runs have.
        by: columns to group by, each on its own.
        cluster: the column of samples that belong together; by default that of the base run.
        on: the column to pair by, where ids do not say it.
        options: those of `ragauge.comparison.metric_tests.Testing`: test, correction, interval, level, alpha, trials,
            resamples, seed.

    Raises:
        UsageError: the runs cannot be compared: no common sample or metric, other options or revisions, another task.
        DataError: a directory is no saved run.

    >>> import ragauge
    >>> rows = [{"id": f"q{i}", "relevance": {"a": 1}} for i in range(12)]
    >>> old = ragauge.evaluate([row | {"retrieved": ["b", "a"]} for row in rows], "mrr", resamples=0)
    >>> new = ragauge.evaluate([row | {"retrieved": ["a", "b"]} for row in rows], "mrr", resamples=0)
    >>> difference = compare(old, new)["mrr"]
    >>> difference.difference, difference.test, round(difference.p, 6), difference.outcome
    (0.5, 'exact randomisation', 0.000488, 'better')
    """
    if not candidates:
        message = "there is nothing to compare with: give a base and at least one candidate"
        raise UsageError(message)
    testing = _testing(options)
    names = _names([base, *candidates])
    results = [run if isinstance(run, Result) else load(run) for run in (base, *candidates)]
    wanted = (metrics,) if isinstance(metrics, str) else tuple(metrics)
    columns = grouping_columns("compare", by)
    cluster = cluster if cluster is not None else results[0].options.get("cluster")
    whole: list[Difference] = []
    grouped: list[Difference] = []
    notes: list[str] = []
    versus: list[Versus] = []
    for name, result in zip(names[1:], results[1:], strict=True):
        one, said = _versus(results[0], result, wanted, on, (names[0], name))
        keys = sample_keys(one.base, one.pairs, cluster)
        notes += [*said, *_replaced(one, testing, clustered=cluster is not None)]
        versus.append(one)
        whole += differences(one.cells, keys, testing, name, None, clustered=cluster is not None)
        for column in columns:
            for group, rows in groups(one.base, one.pairs, column):
                some = [cells.take(rows) for cells in one.cells]
                grouped += differences(some, keys[rows], testing, name, group, clustered=cluster is not None)
    found = (*corrected(whole, testing), *corrected(grouped, testing))
    asked = {**asdict(testing), "by": list(columns), "cluster": cluster, "on": on}
    return Comparison(names[0], found, tuple(versus), tuple(dict.fromkeys(notes)), asked)


def _testing(options: dict[str, Any]) -> Testing:
    from ragauge.errors import OptionError

    known = list(Testing.__dataclass_fields__)
    for option in options:
        if option not in known:
            raise OptionError.unknown("compare", option, known)
    return Testing(**options)


def _names(runs: list[Run]) -> list[str]:
    """Call saved runs by their directories, others by their part; keep equal ones apart."""
    roles = ["base", "candidate", *(f"candidate {place}" for place in range(2, len(runs)))]
    names = [role if isinstance(run, Result) else str(run) for run, role in zip(runs, roles, strict=True)]
    return [name if names.count(name) == 1 else f"{name} ({role})" for name, role in zip(names, roles, strict=True)]


def _versus(
    base: Result, candidate: Result, wanted: tuple[str, ...], on: str, runs: tuple[str, str]
) -> tuple[Versus, list[str]]:
    found, notes = matched(base, candidate, wanted, runs)
    pairs = pairs_of(base, candidate, on, runs)
    notes += [*check_task(base, candidate, pairs, runs), *_unpaired(pairs, runs)]
    cells = tuple(Cells.of(match, base, candidate, pairs) for match in found)
    return Versus(runs[1], base, candidate, pairs, cells), notes


def _unpaired(pairs: Pairs, runs: tuple[str, str]) -> list[str]:
    """Say how many samples have no counterpart, and which, so that a wrong file is seen at once."""
    notes = []
    for run, names in zip(runs, (pairs.only_base, pairs.only_candidate), strict=True):
        if len(names):
            shown = ", ".join(repr(name) for name in names[:3].to_pylist())
            more = ", ..." if len(names) > 3 else ""
            are = "sample is" if len(names) == 1 else "samples are"
            notes.append(f"{len(names)} {are} only in {run}: {shown}{more}")
    return notes


def _replaced(versus: Versus, testing: Testing, *, clustered: bool) -> list[str]:
    unfit = [cells.name for cells in versus.cells if not testing.fits(cells, clustered=clustered)]
    if not unfit:
        return []
    needs = "scores of single samples, 0 or 1" if testing.test == "mcnemar" else "scores of single samples"
    return [f"{testing.test} needs {needs}, without clusters; tested by randomisation: {', '.join(unfit)}"]
