"""The base of judged metrics that a metric without an LLM can stand in for, where it is sure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, cast

import numpy as np
import pyarrow as pa

from ragauge.core import compute as pc
from ragauge.core.arrow import to_arrow
from ragauge.core.batch import Batch
from ragauge.core.hashing import combine, hash_strings
from ragauge.core.options import Range, Text, check
from ragauge.core.protocol import Average, Noted, signature_of
from ragauge.core.ragged import BoolArray, FloatArray
from ragauge.core.registry import lookup
from ragauge.core.statistics import Rows, Statistics, Status, ratio
from ragauge.metrics.judged._base import VARIANCE, JudgedMetric

NOT_ASKED = "samples decided without the judge"
UNCORRECTED = "uncorrected"
UNAUDITED = "not corrected: no audited sample"
AUDITED_ONCE = "corrected by one audited sample"
BEYOND = "corrected mean beyond the range"
_PLAIN = "a metric without an LLM is sure of them, and no share of such corrects the score"
_CORRECTED = (
    "a metric without an LLM is sure of them; a random share, which the judge was asked about, corrects the score"
)


_MORE = "there is no interval; raise audit, or join small groups"
_DOUBTS: Mapping[str, str] = MappingProxyType(
    {
        UNAUDITED: "the judge was asked about none of the samples that a metric without an LLM is sure of, so the mean "
        f"is wrong by what that metric errs, which is not known; {_MORE}",
        AUDITED_ONCE: f"the mean is unbiased, but how far it may be off is not known; {_MORE}",
        BEYOND: "it is unbiased, but far off, because few samples were audited; cut to the range it would be biased; "
        f"{_MORE}",
    }
)


class _Band(Text):
    """Two numbers from 0 to 1, the lower first, with two points between them."""

    def __contains__(self, value: str) -> bool:
        return _ends(value) is not None


def _ends(band: str) -> tuple[float, float] | None:
    """Return the ends of a band; None where it is none.

    >>> _ends("0.2 .. .8"), _ends("0.8..0.2")
    ((0.2, 0.8), None)
    """
    found = re.fullmatch(r"\s*(\d*\.?\d+)\s*\.\.\s*(\d*\.?\d+)\s*", band)
    low, high = map(float, found.groups()) if found else (1.0, 0.0)
    return (low, high) if low <= high <= 1 else None


def drawn(ids: pa.Array | Sequence[str], share: float) -> BoolArray:
    """Return which of n samples are in a random share of them, (n,): by the hash of each id, whatever the others are.

    >>> drawn(["a", "b", "c", "d"], 0.5)
    array([ True, False, False, False])
    """
    # Mixed with a word, so that no other draw by ids is this one.
    hashes = combine(hash_strings(ids), hash_strings(["audit"]))
    return np.asarray((hashes >> np.uint64(11)).astype(np.float64) < share * 2.0**53)


@dataclass(frozen=True, kw_only=True)
class Cascade(JudgedMetric):
    """A judged metric that asks the judge only where a metric without an LLM is unsure.

    The score of a sample is the judge's where it was asked, else that of the other metric. The score of all is their
    mean, and besides, for the samples that the judge was not asked about, the mean of judge minus other metric over
    those outside the band that it was asked about: unbiased for what the judge would say of all, because these are
    drawn at random. It is the score of sums, so that intervals and comparisons hold the correction too.

    Args:
        ask: ``LOW..HIGH``: the judge is asked about a sample whose score by the other metric is from LOW to HIGH, or
            that has none. ``0..1``: all are asked about; equal ends: none. None: all, and the other metric is not used.
        audit: the share of the samples outside that are asked about too, drawn by the hash of their ids. 0: the mean
            is not corrected.
    """

    ask: Annotated[str, _Band("two numbers from 0 to 1, as in 0.2..0.8")] | None = None
    audit: Annotated[float, Range(0, 1)] = 0.2
    average: Average = field(default="samples", init=False)  # type: ignore[assignment]  # of the class where it is one

    stand_in: ClassVar[str]
    """The name of the metric without an LLM."""
    doubts: ClassVar[Mapping[str, str]] = _DOUBTS
    """What a mean may have against it, with meanings; see `doubts_on`."""
    same_options: ClassVar[tuple[str, ...]] = ()
    """The names of the options that the metric without an LLM takes from this one."""

    def __post_init__(self) -> None:
        super().__post_init__()
        allowed = "0.2 where there is no ask=LOW..HIGH"
        check(self, "audit", allowed, holds=self.ask is not None or self.audit == type(self).audit)
        if self.ask is not None and self._band != (0, 1) and 0 < self.audit < 1:
            object.__setattr__(self, "average", "pooled")

    @property
    def resolved(self) -> Mapping[str, str]:
        """As of any judged metric, with the other metric; without the options of a cascade where there is none."""
        if self.ask is None:
            return {**super().resolved, "ask": "", "audit": "", "average": self.average}
        low, high = self._band
        return {**super().resolved, "ask": f"{low:g}..{high:g} of {self._name}", "average": self.average}

    @property
    def notes(self) -> Mapping[str, str]:
        """The notes that may accompany a score, with their meanings."""
        judged: Mapping[str, str] = getattr(super(), "notes", {})
        if self.ask is None:
            return judged
        others = self.other.notes if isinstance(self.other, Noted) else {}
        return {**others, **judged, NOT_ASKED: _PLAIN if self.average == "samples" else _CORRECTED}

    @cached_property
    def other(self) -> Any:
        """The metric without an LLM."""
        options = {name: getattr(self, name) for name in self.same_options}
        return lookup("metric", self.stand_in).cls(**options)

    @property
    def _band(self) -> tuple[float, float]:
        return cast("tuple[float, float]", _ends(cast("str", self.ask)))

    @property
    def _name(self) -> str:
        return f"{self.stand_in} #{signature_of(self.other).short}"

    def open(self, batch: Batch) -> BoolArray:
        """Return the samples that the judge may be asked about, (n,)."""
        there = super().open(batch)
        return there if self.ask is None else there & self._by_judge(batch)

    def measure(self, batch: Batch) -> Rows:
        """Return the judge's statistics of samples that it was asked about, and the other metric's of the rest."""
        judged = super().measure(batch)
        if self.ask is None:
            return judged
        asked, (rows, degrees, unsure) = self._by_judge(batch), self._without_judge(batch)
        audited = asked & ~unsure & judged.ok
        status = np.where(asked, judged.status, rows.status)
        columns: dict[str, Any] = {
            "value": np.where(asked, judged["value"], degrees),
            "count": np.ones(len(batch), dtype=np.int64),
            "left": ~asked,
            "audited": audited,
            "difference": np.where(audited, judged["value"] - degrees, 0.0),
        }
        for name in self._parts:
            there = asked & ~np.isnan(judged[name])
            columns |= {name: np.where(there, judged[name], 0.0), f"{name} count": there}
        noted = {
            name: np.where(asked, judged.noted.get(name, 0), rows.noted.get(name, 0))
            for name in {**rows.noted, **judged.noted}
        }
        reasons = {row: why for row, why in {**rows.reasons, **judged.reasons}.items() if status[row] == Status.FAILED}
        noted[NOT_ASKED] = (~asked).astype(np.int64)
        return Rows.of(columns, status=status, reasons=reasons, noted=noted)

    def score(self, totals: Statistics) -> FloatArray:
        """Return the mean of the samples' values, corrected where the metric without an LLM decided some."""
        if self.average == "samples":
            return super().score(totals)
        audited = totals["audited"]
        mean_difference = np.where(audited > 0, totals["difference"] / np.maximum(audited, 1.0), 0.0)
        return ratio(totals["value"] + totals["left"] * mean_difference, totals["count"])

    def doubts_on(self, totals: Statistics) -> Sequence[str]:
        """Return which of `doubts` the mean of these totals has; it has no interval then."""
        if self.average == "samples" or not totals["left"]:
            return []
        audited, (low, high) = float(totals["audited"]), self.range
        few = [UNAUDITED] if not audited else [AUDITED_ONCE] if audited == 1 else []
        return few if low <= float(self.score(totals)) <= high else [*few, BEYOND]

    def parts(self, totals: Statistics) -> Mapping[str, FloatArray]:
        """Return the parts of the judge's scores, over the samples that it was asked about, and the mean as it was."""
        if self.ask is None:
            return super().parts(totals)
        parts = {name: ratio(totals[name], totals[f"{name} count"]) for name in self._parts}
        return parts if self.average == "samples" else {**parts, UNCORRECTED: super().score(totals)}

    @property
    def _parts(self) -> list[str]:
        return [*self.own_parts, *([VARIANCE] if len(self.by_member) > 1 else [])]

    def explain(self, batch: Batch) -> pa.Table:
        """Return what the judge's scores rest on, then what those of the other metric do."""
        judged = super().explain(batch)
        if self.ask is None:
            return judged
        rest = self.other.explain(batch)
        asked = batch.column("id").filter(to_arrow(self._by_judge(batch))).cast(pa.string())
        by_judge, by_other = (pc.is_in(table["id"], value_set=asked) for table in (judged, rest))
        return pa.concat_tables([judged.filter(by_judge), rest.filter(pc.invert(by_other))])

    def _by_judge(self, batch: Batch) -> BoolArray:
        """Return the samples that the judge is asked about, (n,)."""
        return np.asarray(self._without_judge(batch)[2] | drawn(batch.column("id"), self.audit))

    def _without_judge(self, batch: Batch) -> tuple[Rows, FloatArray, BoolArray]:
        """Return the rows of the other metric, its scores, and in which samples it is unsure, (n,) each."""

        def measure() -> tuple[Rows, FloatArray, BoolArray]:
            rows = self.other.measure(batch)
            degrees = np.where(rows.ok, self.other.score(rows), 0.0)
            low, high = self._band
            unsure = ~rows.ok | ((degrees >= low) & (degrees <= high))
            return rows, degrees, unsure & (low < high)

        return batch.derived(("without judge", self._name, self._band), measure)
