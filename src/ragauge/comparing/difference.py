"""The difference of two runs under one metric, with everything that it takes to trust it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from math import isfinite
from typing import Any, Literal, TypeAlias

from ragauge.inference.spread import needed
from ragauge.protocol import Direction

Verdict: TypeAlias = Literal["better", "worse", "unclear", "equal", "nothing"]


@dataclass(frozen=True, kw_only=True)
class Difference:
    """A candidate against the base, over all paired samples or one group of them."""

    metric: str
    """As it was asked for in the base run."""
    run: str
    """The candidate."""
    group: Mapping[str, Any] | None
    """Grouping column and value; None for the whole."""
    base: float
    """The base's value on the samples that count in both; NaN where there are none."""
    candidate: float
    difference: float
    """Candidate minus base."""
    low: float
    """Lower end of the difference's interval; NaN with fewer than two samples or clusters."""
    high: float
    test: str
    p: float
    """Two-sided; NaN where nothing counts."""
    corrected: float
    """The p-value corrected for all that were tested with it."""
    verdict: Verdict
    """``better`` or ``worse`` where the corrected p says so, in the metric's own direction; ``equal`` where no sample
    differs; ``unclear`` otherwise; ``nothing`` where no sample counts."""
    wins: int
    """Samples on which the candidate is better."""
    ties: int
    losses: int
    effect: float
    """The difference in standard deviations of one sample's difference."""
    error: float
    """The difference's standard error, by the jackknife."""
    detectable: float
    """The smallest true difference that these samples would have shown in 80 % of cases at the 5 % level."""
    counted: int
    """Samples that are ok in both runs."""
    total: int
    """Samples that are in both runs."""
    units: int
    """What is drawn and swapped as a whole: samples, clusters, or 4096 buckets of them."""
    excluded: Mapping[str, int]
    """Why the others do not count, as in ``failed in candidate``."""
    direction: Direction

    @property
    def gain(self) -> float:
        """The difference, positive where the candidate is better."""
        return self.difference if self.direction == "higher" else -self.difference

    def samples_for(self, difference: float) -> float:
        """Return how many such samples a true ``difference`` needs to be shown in 80 % of cases at the 5 % level.

        Infinite for a difference of 0; NaN where the samples at hand say nothing about their spread.
        """
        return needed(difference, self.error, self.counted)

    def to_dict(self) -> dict[str, Any]:
        """Return the difference as JSON types; NaN as None."""
        plain = asdict(self)
        return {
            name: None if isinstance(value, float) and not isfinite(value) else value for name, value in plain.items()
        }


def verdict(difference: float, corrected: float, direction: Direction, alpha: float, *, equal: bool) -> Verdict:
    """Say what a corrected p-value means.

    >>> verdict(-0.1, 0.01, "lower", 0.05, equal=False)
    'better'
    """
    if equal or not isfinite(difference):
        return "equal" if equal else "nothing"
    if not corrected <= alpha or difference == 0:
        return "unclear"
    return "better" if (difference > 0) == (direction == "higher") else "worse"
