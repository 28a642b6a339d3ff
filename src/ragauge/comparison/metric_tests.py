"""One metric on paired samples, and the tests by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from math import nan
from typing import Annotated, Literal

import numpy as np

from ragauge.comparison.pairing import PairedSamples
from ragauge.core.hashing import HashArray
from ragauge.core.options import Range, checked
from ragauge.core.protocol import Direction
from ragauge.core.ragged import BoolArray, FloatArray, IntArray
from ragauge.core.statistics import Status, StatusArray, Totals, ratio, split_by_level
from ragauge.evaluation.summarize import Level, Replicates, Seed
from ragauge.inference.resampling import PackedUnits, PairedUnits, ResamplingUnits, Scorer
from ragauge.inference.tests import PValue, mcnemar, paired_bootstrap, randomisation, student, wilcoxon
from ragauge.results.result import Result


@dataclass(frozen=True, eq=False)
class PairedMetric:
    """The scores of two runs under one metric, on the samples that both have.

    Shapes: ``base`` and ``candidate`` (n, k) statistics, ``scores`` (2, n), ``status`` (2, n).
    """

    name: str
    direction: Direction
    names: tuple[str, ...]
    score: Scorer
    """Turns sums of the statistics into the score."""
    pooled: bool
    width: float
    """Of the metric's range."""
    base: FloatArray
    candidate: FloatArray
    scores: FloatArray
    status: StatusArray

    @classmethod
    def of(cls, names: tuple[str, str], base: Result, candidate: Result, samples: PairedSamples) -> PairedMetric:
        """Return the scores of a metric, by its names in the two runs, in the order of the paired samples."""
        name, score = names[0], base[names[0]]
        pooled = score.average == "pooled"
        columns = [(base.columns[name], samples.base), (candidate.columns[names[1]], samples.candidate)]
        summed = tuple(columns[0][0].statistics) if pooled else ("value", "count")
        left, right = (
            np.stack([column.statistics[name][rows].astype(np.float64) for name in summed]).T
            for column, rows in columns
        )
        scores = np.stack([column.scores[rows] for column, rows in columns])
        status = np.stack([column.status[rows] for column, rows in columns])
        scorer = base.metric(name).score if pooled else _mean
        least, most = base.range(name)
        return cls(name, score.direction, summed, scorer, pooled, most - least, left, right, scores, status)

    @cached_property
    def ok(self) -> BoolArray:
        """Mask of the samples that are scored in both runs, (n,)."""
        return np.asarray((self.status == Status.OK).all(axis=0))

    @property
    def gains(self) -> FloatArray:
        """Candidate minus base of the m samples that are scored in both runs, (m,); positive is better."""
        return self.gain[self.ok]

    @property
    def gain(self) -> FloatArray:
        """Candidate minus base of every sample, (n,); positive is better, NaN where one of them has no score."""
        change = self.scores[1] - self.scores[0]
        # Differences this small are rounding.
        change = np.where(np.abs(change) < 1e-12, 0.0, change)
        change[~self.ok] = np.nan
        return change if self.direction == "higher" else -change

    def take(self, rows: IntArray) -> PairedMetric:
        """Return the same for the samples at ``rows`` alone."""
        return replace(
            self,
            base=self.base[rows],
            candidate=self.candidate[rows],
            scores=self.scores[:, rows],
            status=self.status[:, rows],
        )

    def by_unit(self, sums: SumsByUnit) -> PairedUnits:
        """Return the statistics of both runs, summed by resampling unit."""
        ok = self.ok
        both = [np.where(ok[:, None], run, 0.0) for run in (self.base, self.candidate)]
        whole = np.all([np.all(run == np.rint(run), axis=0) for run in both], axis=0)
        base, candidate = sums.of(both, whole)
        scored = np.bincount(sums.units.place, weights=ok, minlength=len(sums.units)).astype(np.int64)
        return PairedUnits(self.names, base, candidate, scored, self.score)

    def excluded(self) -> Mapping[str, int]:
        """Return how many samples are left out, by their status in both runs."""
        if self.ok.all():
            return {}
        left, right = self.status[:, ~self.ok].astype(np.int64)
        counts = np.bincount(left * len(Status) + right, minlength=len(Status) ** 2)
        both = {code: divmod(code, len(Status)) for code in np.flatnonzero(counts).tolist()}
        return {_reason(Status(one), Status(other)): int(counts[code]) for code, (one, other) in both.items()}


class SumsByUnit:
    """Sums of runs by the same resampling ``units``: those of a run that is in several pairs are made once.

    >>> sums = SumsByUnit(ResamplingUnits.of(np.array([7, 5, 7], dtype=np.uint64)))
    >>> base, candidate = np.array([[1.0], [0.0], [1.0]]), np.array([[0.0], [0.0], [1.0]])
    >>> [run.tolist() for run in sums.of([base, candidate], np.array([True]))]
    [[[[0.0], [2.0]]], [[[0.0], [1.0]]]]
    """

    def __init__(self, units: ResamplingUnits) -> None:
        self.units = units
        self._runs: dict[bytes, tuple[tuple[int, ...], FloatArray]] = {}
        self._levels: dict[tuple[bytes, tuple[int, ...]], FloatArray] = {}

    def of(self, runs: Sequence[FloatArray], whole: BoolArray) -> list[FloatArray]:
        """Return the sums of statistics (n, k) of each of ``runs``, (levels, u, k), at the levels that one of them has.

        ``whole`` (k,): as of `ragauge.core.statistics.split`. Equal statistics have the same array.
        """
        keys = [sha256(np.ascontiguousarray(run.T).data).digest() + whole.tobytes() for run in runs]
        for key, run in zip(keys, runs, strict=True):
            if key not in self._runs:
                parts = split_by_level(run, whole)
                levels = sorted(parts)
                self._runs[key] = tuple(levels), self._stacked([self.units.sums(parts[one]) for one in levels], run)
        # There is always a level to add up.
        used = tuple(sorted({level for key in keys for level in self._runs[key][0]})) or (0,)
        return [self._at(key, used, run) for key, run in zip(keys, runs, strict=True)]

    def _at(self, key: bytes, used: tuple[int, ...], run: FloatArray) -> FloatArray:
        """Return the sums of a run that are known, at the levels that are ``used``."""
        own, sums = self._runs[key]
        if own == used:
            return sums
        if (key, used) not in self._levels:
            zero = np.zeros((len(self.units), run.shape[1]))
            at_levels = dict(zip(own, sums, strict=True))
            self._levels[key, used] = self._stacked([at_levels.get(level, zero) for level in used], run)
        return self._levels[key, used]

    def _stacked(self, sums: Sequence[FloatArray], run: FloatArray) -> FloatArray:
        """Return sums (u, k) of some levels as one array (levels, u, k), whose columns each lie together."""
        columns = np.empty((len(sums), run.shape[1], len(self.units)))
        for level, own in enumerate(sums):
            columns[level] = own.T
        return columns.swapaxes(1, 2)


def _mean(totals: Totals) -> FloatArray:
    return ratio(totals["value"], totals["count"])


def _reason(left: Status, right: Status) -> str:
    if left == right:
        return f"{left.name.lower()} in both"
    states = {"base": left, "candidate": right}
    return " and ".join(f"{state.name.lower()} in {run}" for run, state in states.items() if state != Status.OK)


@checked("compare")
@dataclass(frozen=True)
class Testing:
    """The options of testing differences.

    Args:
        test: ``randomisation``, ``bootstrap``, ``wilcoxon``, ``mcnemar`` or ``t``. ``wilcoxon`` and ``mcnemar`` need
            scores of single samples without clusters, and ``mcnemar`` needs scores that are 0 or 1; other metrics are
            tested by randomisation.
        correction: ``holm``, ``bonferroni``, ``bh`` or ``none``.
        interval: ``percentile``, expanded for few resampling units, or ``bca``.
        level: level of the intervals, for instance 0.95: together, over the tests that ``correction`` counts.
        alpha: a corrected p-value up to ``alpha`` makes a difference better or worse.
        trials: number of trials of the randomisation test.
        resamples: number of bootstrap replicates.
        seed: seed of trials and replicates.

    Raises:
        OptionError: a value is not allowed.
    """

    __test__ = False

    test: Literal["randomisation", "bootstrap", "wilcoxon", "mcnemar", "t"] = "randomisation"
    correction: Literal["holm", "bonferroni", "bh", "none"] = "holm"
    interval: Literal["percentile", "bca"] = "percentile"
    level: Level = 0.95
    alpha: Annotated[float, Range(0, 1, above=True, below=True)] = 0.05
    trials: Replicates = 10_000
    resamples: Replicates = 2000
    seed: Seed = 0

    def fits(self, paired: PairedMetric, *, clustered: bool) -> bool:
        """Return whether the test can be used for this metric."""
        if self.test not in ("wilcoxon", "mcnemar"):
            return True
        binary = bool(np.isin(paired.scores[:, paired.ok], (0, 1)).all())
        return not paired.pooled and not clustered and (self.test == "wilcoxon" or binary)

    def p_values(
        self,
        metrics: Sequence[PairedMetric],
        runs: Sequence[PairedUnits],
        replicates: Sequence[FloatArray],
        keys: HashArray,
        packed: PackedUnits | None = None,
        *,
        clustered: bool,
    ) -> list[PValue]:
        """Return the p-value of each metric; those that the test does not fit are tested by randomisation.

        ``packed``: ``runs``, if they are packed already.
        """
        fits = [self.test != "randomisation" and self.fits(metric, clustered=clustered) for metric in metrics]
        unfit = [place for place, fit in enumerate(fits) if not fit]
        own = None if packed is None else packed.some_pairs(unfit)
        randomised = iter(randomisation([runs[place] for place in unfit], keys, self.trials, self.seed, own))
        return [
            self._p_value(metric, run, drawn) if fit else next(randomised)
            for metric, run, drawn, fit in zip(metrics, runs, replicates, fits, strict=True)
        ]

    def _p_value(self, metric: PairedMetric, runs: PairedUnits, replicates: FloatArray) -> PValue:
        if self.test == "bootstrap":
            return paired_bootstrap(replicates, runs.observed) if runs.units > 1 else PValue("bootstrap", nan)
        if self.test == "t":
            return student(runs.left_out, runs.observed)
        return (wilcoxon if self.test == "wilcoxon" else mcnemar)(metric.gains)

    def units(self, keys: HashArray) -> ResamplingUnits:
        """Return resampling units; Student's test draws nothing, so its units are never put into buckets."""
        return ResamplingUnits.of(keys, len(keys)) if self.test == "t" else ResamplingUnits.of(keys)
