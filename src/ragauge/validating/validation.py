"""What a validation found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from math import isfinite
from typing import Any

from ragauge.errors import UnknownNameError


@dataclass(frozen=True)
class Agreement:
    """How far one metric agrees with people, by one measure in one scope."""

    metric: str
    scope: str
    """``pooled`` over all samples, ``by group``: the mean over groups, ``systems``: of their means."""
    measure: str
    value: float
    """NaN where labels or scores are all equal."""
    low: float
    high: float


@dataclass(frozen=True)
class Contest:
    """Whether two metrics differ in how far they agree with people, on the same samples."""

    better: str
    other: str
    scope: str
    measure: str
    difference: float
    low: float
    high: float
    p: float
    corrected: float
    """Corrected by Holm over all pairs of metrics in this measure and scope."""


@dataclass(frozen=True)
class Ceiling:
    """How far annotators agree with each other; no metric can be expected to agree more."""

    annotators: int
    scale: str
    alpha: float
    low: float
    high: float
    kappa: float


@dataclass(frozen=True)
class Estimate:
    """The mean that labels of all samples would have, by prediction-powered inference."""

    metric: str
    value: float
    low: float
    high: float
    weight: float
    """How far the metric is trusted, 0 to 1."""
    alone: float
    """The mean of the labels alone."""
    alone_low: float
    alone_high: float
    labelled: int
    samples: int

    @property
    def worth(self) -> float:
        """How many labels alone would give an interval as short."""
        narrow, wide = self.high - self.low, self.alone_high - self.alone_low
        return self.labelled * (wide / narrow) ** 2 if narrow > 0 else float("nan")


@dataclass(frozen=True, eq=False)
class Validation:
    """Agreement of metrics with human labels, or what the labels say of all samples."""

    agreements: tuple[Agreement, ...]
    contests: tuple[Contest, ...]
    ceiling: Ceiling | None
    estimates: tuple[Estimate, ...]
    samples: int
    """Samples with a label and a score under every metric."""
    notes: tuple[str, ...]
    options: Mapping[str, Any]

    def __getitem__(self, key: tuple[str, str]) -> Agreement:
        """Return the pooled agreement of (metric, measure)."""
        metric, measure = key
        for agreement in self.agreements:
            if (agreement.metric, agreement.measure, agreement.scope) == (metric, measure, "pooled"):
                return agreement
        there = [f"{one.metric}, {one.measure}" for one in self.agreements if one.scope == "pooled"]
        raise UnknownNameError.of("agreement", f"{metric}, {measure}", there)

    def to_dict(self) -> dict[str, Any]:
        """Return all as JSON types; NaN as None."""
        return {
            "agreements": [_plain(one) for one in self.agreements],
            "contests": [_plain(one) for one in self.contests],
            "ceiling": None if self.ceiling is None else _plain(self.ceiling),
            "estimates": [_plain(one) | {"worth": _number(one.worth)} for one in self.estimates],
            "samples": self.samples,
            "notes": list(self.notes),
            "options": dict(self.options),
        }

    def __str__(self) -> str:
        from ragauge.validating.wording import plain_text

        return plain_text(self)


def _plain(one: Any) -> dict[str, Any]:
    return {name: _number(value) if isinstance(value, float) else value for name, value in asdict(one).items()}


def _number(value: float) -> float | None:
    return value if isfinite(value) else None
