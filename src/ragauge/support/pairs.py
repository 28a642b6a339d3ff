"""Pairs of each claim of a sample with each segment of its evidence, as flat arrays."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ragauge.core.ragged import BoolArray, FloatArray, IntArray, Ragged


@dataclass(frozen=True, eq=False)
class ClaimPairs:
    """The pairs of n samples, p in all: those of a sample row by row, c_i claims by e_i segments of evidence.

    Shapes: ``claims`` and ``evidence`` (n + 1,): offsets of the samples' segments in flat arrays.

    >>> pairs = ClaimPairs(np.array([0, 2, 3]), np.array([0, 2, 3]))
    >>> pairs.claim, pairs.segment
    (array([0, 0, 1, 1, 2]), array([0, 1, 0, 1, 2]))
    """

    claims: IntArray
    evidence: IntArray

    @cached_property
    def offsets(self) -> IntArray:
        """Where each claim's pairs begin, (c + 1,): those of one claim stand together, its evidence in order."""
        wide = np.repeat(np.diff(self.evidence), np.diff(self.claims))
        return np.concatenate([[0], np.cumsum(wide)])

    @property
    def claim(self) -> IntArray:
        """The claim of each pair, (p,)."""
        return np.repeat(np.arange(self.claims[-1]), np.diff(self.offsets))

    @property
    def segment(self) -> IntArray:
        """The segment of evidence of each pair, (p,)."""
        first = np.repeat(self.evidence[:-1], np.diff(self.claims))
        pairs = Ragged(np.empty(0), self.offsets)
        return np.repeat(first, pairs.lengths) + pairs.positions

    def by_claim(self, values: FloatArray) -> Best:
        """Return the best segment of evidence of each claim; ``values`` (p,)."""
        return _best(values, Ragged(self.segment, self.offsets))

    def by_segment(self, values: FloatArray) -> Best:
        """Return the best claim of each segment of evidence; ``values`` (p,)."""
        segment = self.segment
        order = np.argsort(segment, kind="stable")
        lengths = np.bincount(segment, minlength=int(self.evidence[-1]))
        return _best(values[order], Ragged.from_lengths(self.claim[order], lengths))


@dataclass(frozen=True, eq=False)
class Best:
    """The best counterpart of each of s segments.

    Shapes: all (s,). ``place``: the number of the segment on the other side, the first among equals; -1: there is none.
    ``value``: its degree, 0 where there is none. ``failed``: a pair that could have been better has no degree.
    """

    place: IntArray
    value: FloatArray
    failed: BoolArray

    def reaches(self, threshold: float) -> BoolArray:
        """Return a mask of the segments whose best counterpart reaches ``threshold``, (s,)."""
        return np.asarray((self.place >= 0) & (self.value >= threshold))

    def unknown(self, threshold: float) -> BoolArray:
        """Return a mask of the segments that a failed pair could have made reach ``threshold``, (s,)."""
        return self.failed & ~self.reaches(threshold)


def _best(values: FloatArray, others: Ragged) -> Best:
    """Return the highest of each list of values; ``others`` are the numbers of their counterparts."""
    place = np.full(len(others), -1, dtype=np.int64)
    value = np.zeros(len(others))
    failed = np.zeros(len(others), dtype=bool)
    full = np.flatnonzero(others.lengths)
    if not len(full):
        return Best(place, value, failed)
    starts = others.offsets[full]
    lost = np.isnan(values)
    known = np.where(lost, -np.inf, values)
    highest = np.maximum.reduceat(known, starts)
    at = np.where(known == np.repeat(highest, others.lengths[full]), np.arange(len(known)), len(known))
    place[full] = np.where(np.isfinite(highest), others.values[np.minimum.reduceat(at, starts)], -1)
    value[full] = np.where(np.isfinite(highest), highest, 0.0)
    failed[full] = np.logical_or.reduceat(lost, starts)
    return Best(place, value, failed)
