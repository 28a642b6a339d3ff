"""What a gate demands."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import isfinite
from numbers import Real
from types import MappingProxyType
from typing import Any

from ragauge.errors import OptionError, UsageError

_NOTHING: Mapping[str, float] = MappingProxyType({})


@dataclass(frozen=True, kw_only=True)
class Rules:
    """Demands on a run.

    Args:
        min: metric -> the least value it must have.
        max: metric -> the greatest value it may have, for metrics of which lower is better.
        max_drop: metric -> how much worse than the baseline it may be, in the metric's own unit and direction.
        max_failed: the share of samples that may have failed, under each metric.
        min_counted: how many samples must count, under each metric.
        confident: judge intervals instead of values: ``min`` and ``max`` must hold for the whole interval, and a drop
            is too great only if the whole interval of the difference lies beyond it.

    Raises:
        OptionError: a value is not allowed.
    """

    min: Mapping[str, float] = field(default_factory=lambda: _NOTHING)
    max: Mapping[str, float] = field(default_factory=lambda: _NOTHING)
    max_drop: Mapping[str, float] = field(default_factory=lambda: _NOTHING)
    max_failed: float | None = None
    min_counted: int | None = None
    confident: bool = False

    def __post_init__(self) -> None:
        for option in ("min", "max", "max_drop"):
            for metric, value in getattr(self, option).items():
                if not _is_number(value) or (option == "max_drop" and value < 0):
                    allowed = "a number from 0" if option == "max_drop" else "a number"
                    raise OptionError.value(f"the gate for {metric}", option, allowed, value)
        if self.max_failed is not None and not (_is_number(self.max_failed) and 0 <= self.max_failed <= 1):
            raise OptionError.value("the gate", "max_failed", "a share from 0 to 1, or as in 1%", self.max_failed)
        if self.min_counted is not None and not (_is_number(self.min_counted) and self.min_counted >= 0):
            raise OptionError.value("the gate", "min_counted", "a whole number from 0", self.min_counted)

    def __bool__(self) -> bool:
        return bool(self.min or self.max or self.max_drop) or (self.max_failed, self.min_counted) != (None, None)


def _is_number(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool) and isfinite(value)


def limits(texts: Iterable[str], option: str) -> dict[str, float]:
    """Read limits such as ``ndcg@10=0.42``; the metric is what stands before the last ``=``.

    Raises:
        UsageError: there is no number.

    >>> limits(["ndcg@10=0.42", "column:name=latency=2"], "--max")
    {'ndcg@10': 0.42, 'column:name=latency': 2.0}
    """
    found = {}
    for text in texts:
        metric, equals, limit = text.rpartition("=")
        try:
            found[metric] = float(limit)
        except ValueError:
            equals = ""
        if not equals or not metric:
            message = f"{option} takes METRIC=NUMBER, as in {option} ndcg@10=0.42; got {text!r}"
            raise UsageError(message)
    return found


def share(value: Any, option: str) -> float:
    """Read a share: a number from 0 to 1, or text such as ``1%``.

    Raises:
        OptionError: it is neither.

    >>> share("1%", "max_failed"), share("0.01", "max_failed"), share(0.01, "max_failed")
    (0.01, 0.01, 0.01)
    """
    text = str(value).strip()
    try:
        number = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        number = float("nan")
    if not 0 <= number <= 1:
        raise OptionError.value("the gate", option, "a share from 0 to 1, or as in 1%", value)
    return number
