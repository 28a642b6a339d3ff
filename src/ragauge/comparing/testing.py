"""The tests that a comparison can run, by name, and which scores each fits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import nan

import numpy as np

from ragauge.comparing.cells import Cells
from ragauge.errors import OptionError
from ragauge.hashing import HashArray
from ragauge.inference.bootstrap_test import paired_bootstrap
from ragauge.inference.corrections import CORRECTIONS
from ragauge.inference.mcnemar import mcnemar
from ragauge.inference.outcome import Outcome
from ragauge.inference.paired import Paired
from ragauge.inference.randomisation import randomisation
from ragauge.inference.student import student
from ragauge.inference.units import Units
from ragauge.inference.wilcoxon import wilcoxon
from ragauge.ragged import FloatArray

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
    ) -> list[Outcome]:
        """Test each metric; those that the test does not fit, by randomisation."""
        fits = [self.test != "randomisation" and self.fits(cell, clustered=clustered) for cell in cells]
        swapped = iter(
            randomisation([p for p, fit in zip(pairs, fits, strict=True) if not fit], keys, self.trials, self.seed)
        )
        return [
            self._outcome(cell, pair, drawn) if fit else next(swapped)
            for cell, pair, drawn, fit in zip(cells, pairs, replicates, fits, strict=True)
        ]

    def _outcome(self, cell: Cells, pair: Paired, replicates: FloatArray) -> Outcome:
        if self.test == "bootstrap" and pair.units < 2:
            return Outcome("bootstrap", nan)
        if self.test == "bootstrap":
            return paired_bootstrap(replicates, pair.observed)
        if self.test == "t":
            return student(pair.left_out(), pair.observed)
        return (wilcoxon if self.test == "wilcoxon" else mcnemar)(cell.gains)

    def units(self, keys: HashArray) -> Units:
        """Make units of samples or clusters; Student's test needs no draws, so it never puts them into buckets."""
        return Units.of(keys, len(keys)) if self.test == "t" else Units.of(keys)
