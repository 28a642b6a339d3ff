"""What a gate found."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from math import isfinite
from typing import Any, Literal, TypeAlias

Unit: TypeAlias = Literal["score", "share", "count"]
"""What a value is: of a metric, of all samples, or a number of samples."""


@dataclass(frozen=True, kw_only=True)
class Check:
    """One demand, and whether it is met."""

    demand: str
    """In words: ``ndcg@10 at least 0.42``."""
    metric: str
    """The metric it is about."""
    passed: bool
    value: float
    """The score, drop, share or count that was judged; NaN where there is none."""
    low: float
    """Lower end of its interval; NaN where none was judged."""
    high: float
    limit: float
    unit: Unit
    why: str
    """What is wrong, in words; empty where nothing is."""

    def to_dict(self) -> dict[str, Any]:
        """Return the check as JSON types; NaN as None."""
        return {
            name: None if isinstance(value, float) and not isfinite(value) else value
            for name, value in asdict(self).items()
        }


@dataclass(frozen=True)
class Gate:
    """All demands on a run, and whether it may pass."""

    run: str
    baseline: str | None
    checks: tuple[Check, ...]
    notes: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether every demand is met."""
        return all(check.passed for check in self.checks)

    @property
    def failures(self) -> tuple[Check, ...]:
        """The demands that are not met."""
        return tuple(check for check in self.checks if not check.passed)

    def to_dict(self) -> dict[str, Any]:
        """Return the gate as JSON types."""
        checks = [check.to_dict() for check in self.checks]
        head = {"run": self.run, "baseline": self.baseline, "passed": self.passed}
        return {**head, "checks": checks, "notes": list(self.notes)}

    def __str__(self) -> str:
        from ragauge.gating.wording import plain_text

        return plain_text(self)
