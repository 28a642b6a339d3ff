"""Differences of all metrics on the same paired samples: they share units, draws and swaps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import nan
from typing import Any

import numpy as np

from ragauge.comparing.cells import Cells
from ragauge.comparing.difference import Difference, verdict
from ragauge.comparing.testing import Testing
from ragauge.hashing import HashArray
from ragauge.inference.corrections import CORRECTIONS
from ragauge.inference.interval import NO_INTERVAL, Interval, bca, percentile
from ragauge.inference.outcome import Outcome
from ragauge.inference.paired import Paired, replicated
from ragauge.inference.spread import detectable, effect_size, standard_error
from ragauge.ragged import FloatArray


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
            verdict=verdict(one.difference, float(value), one.direction, testing.alpha, equal=one.verdict == "equal"),
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
    cell: Cells, pair: Paired, interval: Interval, outcome: Outcome, run: str, group: Mapping[str, Any] | None
) -> Difference:
    counted = int(cell.ok.sum())
    base, candidate = (float(value) for value in pair.scores(*pair.totals())) if counted else (nan, nan)
    gains = cell.gains
    error = standard_error(pair.left_out()) if counted else nan
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
        verdict="equal" if counted and not pair.differing.any() else "nothing",
        wins=int(np.sum(gains > 0)),
        ties=int(np.sum(gains == 0)),
        losses=int(np.sum(gains < 0)),
        effect=effect_size(candidate - base, error, counted) if counted > 1 else nan,
        error=error,
        detectable=detectable(error, pair.units),
        counted=counted,
        total=len(cell.ok),
        units=pair.units,
        excluded=cell.excluded(),
        direction=cell.direction,
    )
