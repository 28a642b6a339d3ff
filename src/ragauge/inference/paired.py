"""Two runs on the same units: their statistics side by side, and the difference of their scores."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from ragauge.hashing import HashArray
from ragauge.inference.replicates import replicate_sums
from ragauge.ragged import BoolArray, FloatArray, IntArray
from ragauge.statistics import Totals

Scorer: TypeAlias = Callable[[Totals], FloatArray]
"""Turns totals with any leading axes into scores of those axes."""


@dataclass(frozen=True, eq=False)
class Paired:
    """Statistics of a base and a candidate run, by unit.

    Shapes: ``base`` and ``candidate`` (levels, u, k), parts as `ragauge.statistics.split` returns them, with columns
    ``names``; ``counted`` (u,): how many samples of each unit count.
    """

    names: tuple[str, ...]
    base: FloatArray
    candidate: FloatArray
    counted: IntArray
    score: Scorer

    @property
    def units(self) -> int:
        """How many units have a sample that counts."""
        return int(np.count_nonzero(self.counted))

    @property
    def differing(self) -> BoolArray:
        """Which units have different statistics in the two runs, (u,)."""
        return np.asarray((self.base != self.candidate).any(axis=(0, 2)))

    def totals(self) -> tuple[FloatArray, FloatArray]:
        """Return the sums of both runs, each (levels, k)."""
        return self.base.sum(axis=1), self.candidate.sum(axis=1)

    def scores(self, base: FloatArray, candidate: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Score sums of both runs, each (levels, ..., k)."""
        return self.score(Totals(self.names, base)), self.score(Totals(self.names, candidate))

    def difference(self, base: FloatArray, candidate: FloatArray) -> FloatArray:
        """Return candidate minus base of sums (levels, ..., k)."""
        old, new = self.scores(base, candidate)
        return np.asarray(new - old)

    @property
    def observed(self) -> float:
        """The difference of the two runs; NaN where nothing counts."""
        return float(self.difference(*self.totals())) if self.units else float("nan")

    def left_out(self) -> FloatArray:
        """Return the difference without each of the units that count, (units,): the jackknife."""
        counts = self.counted > 0
        base, candidate = self.totals()
        return self.difference(
            base[:, None, :] - self.base[:, counts], candidate[:, None, :] - self.candidate[:, counts]
        )


def replicated(pairs: Sequence[Paired], keys: HashArray, resamples: int, seed: int) -> list[FloatArray]:
    """Return the difference in each bootstrap replicate, (resamples,), for each pair; all share the weights.

    Args:
        pairs: of the same u units.
        keys: (u,) hashes that replicates are drawn by.
        resamples: how many replicates.
        seed: changes all the draws.
    """
    together = np.concatenate([part for pair in pairs for part in (pair.base, pair.candidate)], axis=2)
    drawn = replicate_sums(together, keys, resamples, seed)
    ends = np.cumsum([len(pair.names) for pair in pairs for _ in range(2)])
    pieces = np.split(drawn, ends[:-1], axis=2)
    return [
        pair.difference(base, candidate) for pair, base, candidate in zip(pairs, pieces[::2], pieces[1::2], strict=True)
    ]
