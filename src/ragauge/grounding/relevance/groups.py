"""Sentences by passage, as arrays."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ragauge.core.ragged import Array, FloatArray, IntArray
from ragauge.core.texts import Segments


@dataclass(frozen=True, eq=False)
class Groups:
    """The g passages of n samples that have a sentence; s sentences in all.

    Shapes: ``first`` (g,): the first sentence of each passage; ``source`` (g,): its place among all passages;
    ``offsets`` (n + 1,): where the passages of each sample begin; ``size``: s;
    ``passages``: how many there are, those without a sentence among them.
    """

    first: IntArray
    source: IntArray
    offsets: IntArray
    size: int
    passages: int

    @classmethod
    def of(cls, sentences: Segments) -> Groups:
        """Return the passages of ``sentences``."""
        first = np.flatnonzero(np.diff(sentences.source, prepend=-1))
        return cls(
            first,
            sentences.source[first],
            np.searchsorted(first, sentences.offsets),
            len(sentences),
            len(sentences.texts),
        )

    @cached_property
    def rows(self) -> IntArray:
        """The sample of each passage, (g,)."""
        return np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))

    @cached_property
    def of_sentence(self) -> IntArray:
        """The passage of each sentence, (s,), among the g."""
        return np.repeat(np.arange(len(self.first)), np.diff(self.first, append=self.size))

    def scattered(self, values: Array, otherwise: Any) -> Array:
        """Return ``values`` (g,) at the places of their passages among all, (m,), ``otherwise`` at other places."""
        every = np.full(self.passages, otherwise, dtype=values.dtype)
        every[self.source] = values
        return every

    def highest(self, values: FloatArray) -> FloatArray:
        """Return the highest of ``values`` (s,) of each passage, (g,); NaN where one of them is."""
        return np.maximum.reduceat(values, self.first) if len(self.first) else np.zeros(0)

    def place_of_highest(self, values: FloatArray) -> IntArray:
        """Return which sentence of each passage has the highest of ``values`` (s,), (g,), the first among equals."""
        known = np.nan_to_num(values, nan=-np.inf)
        at = np.where(known == self.highest(known)[self.of_sentence], np.arange(self.size), self.size)
        return np.minimum.reduceat(at, self.first) if len(self.first) else np.zeros(0, dtype=np.int64)
