"""Pairs of each claim of a sample with each segment of its evidence, as flat arrays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from ragauge.core.ragged import BoolArray, FloatArray, IntArray, Ragged

# Pairs, and n-grams found in them, that are compared at once: temporaries of some hundred megabytes.
BLOCK = 1 << 20


def blocks(sizes: IntArray, most: int | None = None) -> Iterator[tuple[int, int]]:
    """Yield runs of items of about ``most`` together, as first and last, last excluded; a larger item is one run.

    ``most``: None: `BLOCK`.
    """
    most = BLOCK if most is None else most
    ends = np.concatenate([[0], np.cumsum(sizes)])
    marks = np.searchsorted(ends, np.arange(most, ends[-1], most))
    large = np.flatnonzero(sizes > most)
    edges = np.unique(np.concatenate([[0], marks, large, large + 1, [len(sizes)]])).tolist()
    yield from pairwise(edges)


@dataclass(frozen=True, eq=False)
class Distinct:
    """The distinct ones of the segments of n samples, in the order in which they first occur in their sample.

    Shapes: ``of`` (s,): the number of each segment among the d distinct ones; ``first`` (d,): the segment that has it
    first; ``offsets`` (n + 1,): where the distinct segments of each sample begin.
    """

    of: IntArray
    first: IntArray
    offsets: IntArray

    @property
    def lengths(self) -> IntArray:
        """How many distinct segments each sample has, (n,)."""
        return np.diff(self.offsets)

    @classmethod
    def by(cls, keys: IntArray, offsets: IntArray) -> Distinct:
        """Return the segments with distinct ``keys`` (s,), which are whole numbers from 0 on, cut at ``offsets``.

        >>> Distinct.by(np.array([7, 8, 7, 7]), np.array([0, 3, 4]))
        Distinct(of=array([0, 1, 0, 2]), first=array([0, 1, 3]), offsets=array([0, 2, 3]))
        """
        rows = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
        _, first, of = np.unique(rows * (keys.max(initial=0) + 1) + keys, return_index=True, return_inverse=True)
        order = np.argsort(first)
        number = np.empty_like(order)
        number[order] = np.arange(len(order))
        return cls(number[of], first[order], np.searchsorted(first[order], offsets))

    @classmethod
    def of_texts(cls, texts: Ragged) -> Distinct:
        """Return the distinct texts of n lists of str."""
        known: dict[str, int] = {}
        keys = np.fromiter((known.setdefault(text, len(known)) for text in texts.values), np.int64, len(texts.values))
        return cls.by(keys, texts.offsets)

    @classmethod
    def all_of(cls, offsets: IntArray) -> Distinct:
        """Return all segments, each as a distinct one."""
        numbers = np.arange(offsets[-1])
        return cls(numbers, numbers, offsets)


@dataclass(frozen=True, eq=False)
class ClaimPairs:
    """The pairs of n samples, p in all: those of a sample row by row, c_i claims by e_i segments of evidence.

    Shapes: ``claims`` and ``evidence`` (n + 1,): offsets of the samples' segments in flat arrays. ``left_out`` (n,):
    which samples have no pairs, though they have segments.

    >>> ClaimPairs.of(np.array([0, 2, 3]), np.array([0, 2, 3])).part(0, 3)
    (array([0, 0, 1, 1, 2]), array([0, 1, 0, 1, 2]))
    """

    claims: IntArray
    evidence: IntArray
    left_out: BoolArray

    @classmethod
    def of(cls, claims: IntArray, evidence: IntArray) -> ClaimPairs:
        """Return all pairs."""
        return cls(claims, evidence, np.zeros(len(claims) - 1, dtype=bool))

    @classmethod
    def up_to(cls, most: int, claims: Distinct, evidence: Distinct, more: IntArray | int = 0) -> ClaimPairs:
        """Return the pairs of samples that take at most ``most`` steps: one a pair, and ``more`` a claim, (c,)."""
        steps = np.repeat(evidence.lengths, claims.lengths) + more
        sums = np.concatenate([[0], np.cumsum(steps)])[claims.offsets]
        return cls(claims.offsets, evidence.offsets, np.diff(sums) > most)

    @cached_property
    def offsets(self) -> IntArray:
        """Where each claim's pairs begin, (c + 1,): those of one claim stand together, its evidence in order."""
        wide = np.where(self.left_out, 0, np.diff(self.evidence))
        return np.concatenate([[0], np.cumsum(np.repeat(wide, np.diff(self.claims)))])

    def part(self, first: int, last: int) -> tuple[IntArray, IntArray]:
        """Return claim and segment of the pairs of the claims from ``first`` to before ``last``."""
        own = Ragged(np.empty(self.offsets[last] - self.offsets[first]), self._offsets_of(first, last))
        return first + own.rows, self.first_segment[first:last][own.rows] + own.positions

    @cached_property
    def first_segment(self) -> IntArray:
        """The first segment of each claim's sample, (c,)."""
        return np.asarray(np.repeat(self.evidence[:-1], np.diff(self.claims)))

    def blocks(self, cost: int = 1) -> Iterator[tuple[int, int]]:
        """Yield runs of claims whose pairs, ``cost`` numbers each, are about a block; as first and last, excluded."""
        yield from blocks(np.diff(self.offsets) * cost)

    def by_claim(self, first: int, last: int, values: FloatArray) -> Best:
        """Return the best segment of evidence of each claim from ``first`` on; ``values`` are those of their pairs."""
        return _best(values, Ragged(self.part(first, last)[1], self._offsets_of(first, last)))

    def by_segment(self, first: int, last: int, values: FloatArray) -> Best:
        """Return the best of these claims for each segment of evidence; ``values`` are those of their pairs."""
        claim, segment = self.part(first, last)
        order = np.argsort(segment, kind="stable")
        lengths = np.bincount(segment, minlength=int(self.evidence[-1]))
        return _best(values[order], Ragged.from_lengths(claim[order], lengths))

    def _offsets_of(self, first: int, last: int) -> IntArray:
        return np.asarray(self.offsets[first : last + 1] - self.offsets[first])


@dataclass(frozen=True, eq=False)
class Best:
    """The best counterpart of each of s segments.

    Shapes: all (s,). ``place``: the number of the segment on the other side, the first among equals; -1: there is none.
    ``value``: its degree, 0 where there is none. ``failed``: a pair that could have been better has no degree.
    """

    place: IntArray
    value: FloatArray
    failed: BoolArray

    @classmethod
    def joined(cls, parts: Sequence[Best]) -> Best:
        """Return the counterparts of all segments of ``parts``."""
        columns = ([getattr(part, name) for part in parts] for name in ("place", "value", "failed"))
        return cls(*map(np.concatenate, columns))

    def or_better(self, other: Best) -> Best:
        """Return for each segment the better of two counterparts, this one among equals."""
        better = (other.place >= 0) & ((self.place < 0) | (other.value > self.value))
        place, value = np.where(better, other.place, self.place), np.where(better, other.value, self.value)
        return Best(place, value, self.failed | other.failed)

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
