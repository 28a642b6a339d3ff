"""One metric on paired samples, and the tests by name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import nan

import numpy as np

from ragauge.comparison.pairing import Match, Pairs
from ragauge.core.hashing import HashArray
from ragauge.core.protocol import Direction
from ragauge.core.ragged import BoolArray, FloatArray, IntArray
from ragauge.core.statistics import Status, StatusArray, Totals, ratio, split
from ragauge.errors import OptionError
from ragauge.inference.corrections import CORRECTIONS
from ragauge.inference.resampling import Paired, Scorer, Units
from ragauge.inference.tests import PValue, mcnemar, paired_bootstrap, randomisation, student, wilcoxon
from ragauge.results.result import Result
from ragauge.results.score import Column


@dataclass(frozen=True, eq=False)
class Cells:
    """Shapes: ``base`` and ``candidate`` (n, k) statistics, ``scores`` (2, n), ``status`` (2, n)."""

    name: str
    direction: Direction
    names: tuple[str, ...]
    score: Scorer
    """Turns sums of the statistics into the score."""
    pooled: bool
    base: FloatArray
    candidate: FloatArray
    scores: FloatArray
    status: StatusArray

    @classmethod
    def of(cls, match: Match, base: Result, candidate: Result, pairs: Pairs) -> Cells:
        """Line up the columns of ``match`` in two runs."""
        found = base[match.base]
        pooled = found.average == "pooled"
        columns = (base.columns[match.base], candidate.columns[match.candidate])
        names = columns[0].names if pooled else ("value", "count")
        rows = (pairs.base, pairs.candidate)
        left, right = (_statistics(column, names, places) for column, places in zip(columns, rows, strict=True))
        scores = np.stack([column.scores[places] for column, places in zip(columns, rows, strict=True)])
        status = np.stack([column.status[places] for column, places in zip(columns, rows, strict=True)])
        score = base.metric(match.base).score if pooled else _mean
        return cls(match.base, found.direction, names, score, pooled, left, right, scores, status)

    @property
    def ok(self) -> BoolArray:
        """Which samples count in both runs, (n,)."""
        return np.asarray((self.status == Status.OK).all(axis=0))

    @property
    def gains(self) -> FloatArray:
        """Candidate minus base of samples that count in both, (m,), higher being better; rounding is no gain."""
        return self.gain[self.ok]

    @property
    def gain(self) -> FloatArray:
        """Candidate minus base of every sample, (n,), higher being better; NaN where one does not count."""
        change = self.scores[1] - self.scores[0]
        change = np.where(np.abs(change) < 1e-12, 0.0, change)
        change[~self.ok] = np.nan
        return change if self.direction == "higher" else -change

    def take(self, rows: IntArray) -> Cells:
        """Return the samples at ``rows``."""
        return replace(
            self,
            base=self.base[rows],
            candidate=self.candidate[rows],
            scores=self.scores[:, rows],
            status=self.status[:, rows],
        )

    def paired(self, units: Units) -> Paired:
        """Add up both runs by unit."""
        ok = self.ok
        both = [np.where(ok[:, None], run, 0.0) for run in (self.base, self.candidate)]
        whole = np.all([np.all(run == np.rint(run), axis=0) for run in both], axis=0)
        base, candidate = (units.sums(split(run, whole)) for run in both)
        counted = np.bincount(units.place, weights=ok, minlength=len(units)).astype(np.int64)
        return Paired(self.names, base, candidate, counted, self.score)

    def excluded(self) -> Mapping[str, int]:
        """Count the samples that do not count, by what they are in which run."""
        codes = Counter(zip(*(states.tolist() for states in self.status[:, ~self.ok]), strict=True))
        counts: Counter[str] = Counter()
        for (left, right), count in sorted(codes.items()):
            counts[_reason(Status(left), Status(right))] += count
        return dict(counts)


def _statistics(column: Column, names: tuple[str, ...], places: IntArray) -> FloatArray:
    return np.column_stack([column.statistics[name][places].astype(np.float64) for name in names])


def _mean(totals: Totals) -> FloatArray:
    return ratio(totals["value"], totals["count"])


def _reason(left: Status, right: Status) -> str:
    base, candidate = left.name.lower(), right.name.lower()
    if left == right:
        return f"{base} in both"
    said = [f"{base} in base"] if left != Status.OK else []
    return " and ".join([*said, f"{candidate} in candidate"] if right != Status.OK else said)


TESTS = ("randomisation", "bootstrap", "wilcoxon", "mcnemar", "t")
INTERVALS = ("percentile", "bca")


@dataclass(frozen=True)
class Testing:
    """How differences are judged.

    Args:
        test: one of `TESTS`. ``wilcoxon`` and ``mcnemar`` look at samples one by one: where they do not fit (pooled
            scores, clusters, for ``mcnemar`` scores other than 0 and 1) the randomisation test takes their place.
        correction: ``holm``, ``bonferroni``, ``bh`` or ``none``.
        interval: ``percentile``, expanded for few units, or ``bca``.
        level: of the intervals.
        alpha: up to which corrected p a difference is called one.
        trials: of the randomisation test.
        resamples: bootstrap replicates.
        seed: of both.

    Raises:
        OptionError: a value is not allowed.
    """

    __test__ = False

    test: str = "randomisation"
    correction: str = "holm"
    interval: str = "percentile"
    level: float = 0.95
    alpha: float = 0.05
    trials: int = 10_000
    resamples: int = 2000
    seed: int = 0

    def __post_init__(self) -> None:
        for option, allowed in (("test", TESTS), ("correction", tuple(CORRECTIONS)), ("interval", INTERVALS)):
            if getattr(self, option) not in allowed:
                raise OptionError.value("compare", option, " or ".join(allowed), getattr(self, option))
        for option, between in (("level", self.level), ("alpha", self.alpha)):
            if not 0 < between < 1:
                raise OptionError.value("compare", option, "a number between 0 and 1", between)
        for option, number in (("trials", self.trials), ("resamples", self.resamples)):
            if not 1 <= number <= 10_000_000:
                raise OptionError.value("compare", option, "a whole number from 1 to 10,000,000", number)
        if not -(2**63) <= self.seed < 2**63:
            raise OptionError.value("compare", "seed", "a whole number of at most 63 bits", self.seed)

    def fits(self, cells: Cells, *, clustered: bool) -> bool:
        """Say whether the test can judge this metric."""
        if self.test == "mcnemar":
            scores = cells.scores[:, cells.ok]
            binary = bool(np.all((scores == 0) | (scores == 1)))
            return not cells.pooled and not clustered and binary
        if self.test == "wilcoxon":
            return not cells.pooled and not clustered
        return True

    def outcomes(
        self,
        cells: Sequence[Cells],
        pairs: Sequence[Paired],
        replicates: Sequence[FloatArray],
        keys: HashArray,
        *,
        clustered: bool,
    ) -> list[PValue]:
        """Test each metric; those that the test does not fit, by randomisation."""
        fits = [self.test != "randomisation" and self.fits(cell, clustered=clustered) for cell in cells]
        swapped = iter(
            randomisation([p for p, fit in zip(pairs, fits, strict=True) if not fit], keys, self.trials, self.seed)
        )
        return [
            self._outcome(cell, pair, drawn) if fit else next(swapped)
            for cell, pair, drawn, fit in zip(cells, pairs, replicates, fits, strict=True)
        ]

    def _outcome(self, cell: Cells, pair: Paired, replicates: FloatArray) -> PValue:
        if self.test == "bootstrap" and pair.units < 2:
            return PValue("bootstrap", nan)
        if self.test == "bootstrap":
            return paired_bootstrap(replicates, pair.observed)
        if self.test == "t":
            return student(pair.left_out(), pair.observed)
        return (wilcoxon if self.test == "wilcoxon" else mcnemar)(cell.gains)

    def units(self, keys: HashArray) -> Units:
        """Make units of samples or clusters; Student's test needs no draws, so it never puts them into buckets."""
        return Units.of(keys, len(keys)) if self.test == "t" else Units.of(keys)
