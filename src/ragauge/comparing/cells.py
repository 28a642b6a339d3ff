"""One metric on paired samples: what counts in both runs, and the statistics of those."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from ragauge.comparing.agreement import Match
from ragauge.comparing.pairs import Pairs
from ragauge.inference.paired import Paired, Scorer
from ragauge.inference.units import Units
from ragauge.partial import Column
from ragauge.protocol import Direction
from ragauge.ragged import BoolArray, FloatArray, IntArray
from ragauge.registry import parse
from ragauge.result import Result
from ragauge.statistics import Status, StatusArray, Totals, ratio, split


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
        score = parse(base.metrics[match.base]).score if pooled else _mean
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
