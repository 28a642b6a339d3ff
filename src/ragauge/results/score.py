"""One number with everything that it takes to trust it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from math import isfinite
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ragauge.core.protocol import Average, Direction, Stage
from ragauge.core.ragged import FloatArray
from ragauge.core.statistics import StatusArray

Label: TypeAlias = Any
"""The value of a grouping column: text, a number, a boolean or None."""


@dataclass(frozen=True, kw_only=True)
class Score:
    """A metric over a corpus or one group of it.

    ``total = scored + undefined + missing + failed``.
    """

    metric: str
    """Its name in the call."""
    value: float
    """NaN where no sample was scored."""
    low: float
    """Lower end of the confidence interval; NaN where there is none."""
    high: float
    parts: Mapping[str, float]
    """Precision and recall beside F, BLEU's brevity penalty."""
    group: Mapping[str, Any] | None
    """Grouping column and value; None for the whole."""
    scored: int
    total: int
    undefined: int
    """Samples on which the metric has no value, for a reason on the side of the reference."""
    missing: int
    """Samples with null where the metric needs a value."""
    failed: int
    """Samples for which the judge, the embedder or the system under test did not answer."""
    undefined_scored: int
    """Scored samples that have no value, and count as 0 by ``undefined=zero``."""
    bounds: tuple[float, float] | None
    """The values if all failed samples had scored the worst, and the best; None where that is not finite or pooled."""
    average: Average
    stage: Stage
    direction: Direction
    signature: str
    notes: tuple[str, ...] = ()
    """Words that must be read beside the value, as ``lexical``."""
    noted: Mapping[str, int] = field(default_factory=dict)
    """Counts that must be read beside it, as that of texts that were cut."""

    def to_dict(self) -> dict[str, Any]:
        """Return the score as JSON types; NaN as None, ``notes`` and ``noted`` where there is something to say."""
        plain = asdict(self)
        remarks = {"notes": list(plain.pop("notes")), "noted": plain.pop("noted")}
        plain["bounds"] = None if self.bounds is None else [_number(bound) for bound in self.bounds]
        plain["parts"] = {name: _number(part) for name, part in self.parts.items()}
        numbers = {name: _number(plain[name]) for name in ("value", "low", "high")}
        return {**plain, **numbers, **{name: value for name, value in remarks.items() if value}}

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Score:
        """Undo `to_dict`."""
        numbers = {name: _from_number(plain[name]) for name in ("value", "low", "high")}
        parts = {name: _from_number(part) for name, part in plain["parts"].items()}
        bounds = None if plain["bounds"] is None else tuple(_from_number(bound) for bound in plain["bounds"])
        notes = tuple(plain.get("notes", ()))
        return cls(**{**plain, **numbers, "parts": parts, "bounds": bounds, "notes": notes})


def _number(value: float) -> float | None:
    return value if isfinite(value) else None


def _from_number(value: float | None) -> float:
    return float("nan") if value is None else value


@dataclass(frozen=True, eq=False)
class Column:
    """Per-sample results of one metric. Shapes: all (n,).

    ``statistics`` are those that add up, by name, each in the narrowest type that holds it exactly: see `narrowed`.
    """

    scores: FloatArray
    status: StatusArray
    defaulted: npt.NDArray[np.bool_]
    parts: Mapping[str, FloatArray]
    statistics: Mapping[str, npt.NDArray[Any]]
    reasons: Mapping[int, str] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the statistics."""
        return tuple(self.statistics)


def narrowed(values: FloatArray) -> npt.NDArray[Any]:
    """Return ``values`` (n,) in the narrowest of uint8, uint16 and float64 that holds each of them exactly.

    Most statistics are small counts; kept for each of a million samples, eight bytes each would be most of the memory.

    >>> [narrowed(np.array(values)).dtype.name for values in ([0.0, 9.0], [0.0, 300.0], [0.5, 1.0], [-1.0, 1.0])]
    ['uint8', 'uint16', 'float64', 'float64']
    """
    if len(values) == 0 or not 0 <= values.min() <= values.max() < 1 << 16:
        return np.ascontiguousarray(values)
    narrow = values.astype(np.uint8 if values.max() < 1 << 8 else np.uint16)
    return narrow if np.array_equal(narrow, values) else np.ascontiguousarray(values)
