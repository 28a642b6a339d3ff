"""What a step of reading has found in the characters of texts, as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ragauge.core.hashing import HashArray, splitmix64
from ragauge.core.ragged import Array, BoolArray, FloatArray, IntArray, Ragged, offsets_of


@dataclass(frozen=True, eq=False)
class Found:
    """Typed units: kind, place of the first character and behind the last, (u,) each, values, and scaled values."""

    kind: IntArray
    start: IntArray
    end: IntArray
    values: Ragged
    scaled: Ragged

    @classmethod
    def of(cls, kind: int | IntArray, start: IntArray, end: IntArray, *values: FloatArray) -> Found:
        """Return units with up to one value from each of the arrays ``values`` (u,); NaN is none."""
        kinds = np.full(len(start), kind) if isinstance(kind, int) else kind
        return cls(
            kinds, start, end, stacked(*values), Ragged(np.empty(0, np.uint64), offsets_of(np.zeros(len(start))))
        )

    @classmethod
    def joined(cls, parts: Sequence[Found]) -> Found:
        """Return the units of all parts, one after the other."""
        kind, start, end = (
            np.concatenate([getattr(part, name) for part in parts]) for name in ("kind", "start", "end")
        )
        values, scaled = (_joined([getattr(part, name) for part in parts]) for name in ("values", "scaled"))
        return cls(kind, start, end, values, scaled)

    def where(self, kept: BoolArray | IntArray) -> Found:
        """Return the units that a mask or indices choose."""
        chosen = np.flatnonzero(kept) if kept.dtype == bool else kept
        kind, start, end = self.kind[chosen], self.start[chosen], self.end[chosen]
        return Found(kind, start, end, self.values.take(chosen), self.scaled.take(chosen))


def _joined(lists: Sequence[Ragged]) -> Ragged:
    lengths = [one.lengths for one in lists]
    return Ragged.from_lengths(np.concatenate([one.values for one in lists]), np.concatenate(lengths))


def stacked(*values: Array) -> Ragged:
    """Return for each of u rows its values that are no NaN."""
    table = np.stack(values, axis=1)
    there = ~np.isnan(table)
    return Ragged.from_lengths(table[there], there.sum(axis=1))


def value_bits(values: FloatArray) -> HashArray:
    """Return the bits of numbers, -0.0 as 0.0."""
    return np.asarray((values + 0.0).view(np.uint64))


def scaled_hash(measure: IntArray, values: FloatArray) -> HashArray:
    """Return a hash of a measure's number and a value in its base."""
    return splitmix64(splitmix64(measure.astype(np.uint64) + np.uint64(1)) ^ value_bits(rounded(values)))


def rounded(values: FloatArray) -> FloatArray:
    """Return numbers without the last bits that a product may differ in: 84.6 million is 84600000."""
    return np.asarray(np.where(np.abs(values) < 1e9, np.round(values, 6), np.round(values)))


def overwrite(points: Array, starts: IntArray, ends: IntArray, fill: int) -> None:
    """Write ``fill`` over the characters from ``starts`` to before ``ends``."""
    points[spans(starts, ends)] = fill


def spans(starts: IntArray, ends: IntArray) -> IntArray:
    """Return all places from each start to before its end."""
    lengths = np.maximum(ends - starts, 0)
    firsts = offsets_of(lengths)
    return np.asarray(np.arange(firsts[-1]) + np.repeat(starts - firsts[:-1], lengths))


def leftmost(starts: IntArray, ends: IntArray) -> BoolArray:
    """Return a mask of spans that do not overlap: from the left, the first that begins; spans come by their starts.

    >>> leftmost(np.array([0, 1, 2, 5]), np.array([2, 4, 4, 6]))
    array([ True, False,  True,  True])
    """
    kept = np.ones(len(starts), dtype=bool)
    if not len(starts):
        return kept
    reach = np.maximum.accumulate(ends)
    apart = np.ones(len(starts), dtype=bool)
    apart[1:] = starts[1:] >= reach[:-1]
    heads = np.flatnonzero(apart)
    sizes = np.diff(heads, append=len(starts))
    end = 0
    for place in spans(heads[sizes > 1], heads[sizes > 1] + sizes[sizes > 1]).tolist():
        if apart[place] or starts[place] >= end:
            end = int(ends[place])
        else:
            kept[place] = False
    return kept
