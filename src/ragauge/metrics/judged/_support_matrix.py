"""Which passages support which claims, and what the metrics compute from it: pure functions of a judge's verdicts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ragauge.core.ragged import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class SupportMatrix:
    """Which passages support which claims of n samples, sample after sample, claim by claim.

    Shapes: ``claims`` and ``passages`` (n + 1,): where each sample's claims and passages begin, c and p in all;
    ``supports`` (sum of c_i * p_i,).

    >>> matrix = SupportMatrix(np.array([0, 2]), np.array([0, 2]), np.array([True, False, False, False]))
    >>> matrix.by_claim(), matrix.by_passage()
    (array([ True, False]), array([ True, False]))
    """

    claims: IntArray
    passages: IntArray
    supports: BoolArray

    @cached_property
    def widths(self) -> IntArray:
        """The number of passages beside each claim, (c,)."""
        return np.repeat(np.diff(self.passages), np.diff(self.claims))

    @cached_property
    def claim(self) -> IntArray:
        """The claim of each value, among all claims."""
        return np.repeat(np.arange(self.claims[-1]), self.widths)

    @cached_property
    def passage(self) -> IntArray:
        """The passage of each value, among all passages."""
        first = np.repeat(self.passages[:-1], np.diff(self.claims))
        before = np.repeat(np.cumsum(self.widths) - self.widths, self.widths)
        return np.repeat(first, self.widths) + np.arange(len(self.supports)) - before

    def by_claim(self, of_passages: BoolArray | None = None) -> BoolArray:
        """Return which claims some passage supports, (c,); only those ``of_passages`` (p,), where they are given."""
        supports = self.supports if of_passages is None else self.supports & of_passages[self.passage]
        return _any(self.claim[supports], int(self.claims[-1]))

    def by_passage(self) -> BoolArray:
        """Return which passages support some claim, (p,)."""
        return _any(self.passage[self.supports], int(self.passages[-1]))

    def shares_by_passage(self) -> FloatArray:
        """Return for each passage the share of its sample's claims that it supports, (p,); 0 without claims."""
        counts = np.bincount(self.passage, self.supports, int(self.passages[-1]))
        return np.asarray(counts / np.maximum(np.repeat(np.diff(self.claims), np.diff(self.passages)), 1))

    def first_passage(self) -> IntArray:
        """Return the first passage that supports each claim, (c,), among all passages; -1 where none does."""
        first = np.full(int(self.claims[-1]), -1, dtype=np.int64)
        # Later values overwrite earlier ones, so the first passage is written last.
        first[self.claim[self.supports][::-1]] = self.passage[self.supports][::-1]
        return first


def noise(answer: SupportMatrix, reference: SupportMatrix, right: BoolArray, *, relevant: bool) -> BoolArray:
    """Return which claims of the answers are wrong, and follow from a relevant passage, or from irrelevant ones only.

    A passage is relevant if it supports a claim of the reference.

    Args:
        answer: claims of the answers by passages.
        reference: claims of the references by the same passages.
        right: (c,) which of the answers' claims the references support.
        relevant: claims from relevant passages; else those from irrelevant passages alone.

    >>> offsets = np.array([0, 2])
    >>> answer = SupportMatrix(offsets, offsets, np.array([True, False, False, True]))
    >>> reference = SupportMatrix(np.array([0, 1]), offsets, np.array([True, False]))
    >>> noise(answer, reference, np.array([False, False]), relevant=True)
    array([ True, False])

    Source: ragas 0.4.3 ``NoiseSensitivity``.
    """
    useful = reference.by_passage()
    from_useful = answer.by_claim(useful)
    blamed = from_useful if relevant else answer.by_claim(~useful) & ~from_useful
    return np.asarray(blamed & ~right)


def _any(places: IntArray, count: int) -> BoolArray:
    there = np.zeros(count, dtype=bool)
    there[places] = True
    return there
