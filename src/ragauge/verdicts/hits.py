"""Which n-gram of a claim stands in which text of the same sample."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ragauge.embedders._sparse import KeyArray, SparseVectors
from ragauge.ragged import IntArray, Ragged
from ragauge.verdicts.terms import Terms

_SAMPLE = np.uint64(32)


@dataclass(frozen=True, eq=False)
class Sought:
    """The n-grams of the claims of n samples; ``claims`` (n + 1,): where each sample's claims begin."""

    terms: Terms
    claims: IntArray

    def found(self, vectors: SparseVectors, texts: Ragged) -> tuple[IntArray, IntArray]:
        """Return pairs of an n-gram's place in ``terms`` and of the place of a text that has it, in no order.

        Args:
            vectors: of all texts.
            texts: n lists of numbers of vectors.
        """
        keys, first, count, order = self._distinct
        if not len(keys):
            return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
        lists = Ragged.from_lengths(np.empty(0), np.diff(vectors.offsets)[texts.values])
        owner = np.repeat(np.arange(len(texts.values)), lists.lengths)
        entries = vectors.offsets[texts.values][owner] + _positions(lists)
        wanted = vectors.keys[entries] | texts.rows.astype(np.uint64)[owner] << _SAMPLE
        at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        hits = np.flatnonzero(keys[at] == wanted)
        several = Ragged.from_lengths(np.empty(0), count[at[hits]])
        places = order[np.repeat(first[at[hits]], several.lengths) + _positions(several)]
        return places, np.repeat(owner[hits], several.lengths)

    @cached_property
    def _distinct(self) -> tuple[KeyArray, IntArray, IntArray, IntArray]:
        """Return the distinct n-grams of a sample: key with sample, where in ``order`` its places are, how many."""
        sample = np.repeat(np.arange(len(self.claims) - 1), np.diff(self.terms.offsets[self.claims])).astype(np.uint64)
        keys = self.terms.keys | sample << _SAMPLE
        order = np.argsort(keys, kind="stable")
        distinct, first, count = np.unique(keys[order], return_index=True, return_counts=True)
        return distinct, first, count, order


def _positions(lists: Ragged) -> IntArray:
    return np.arange(lists.offsets[-1]) - np.repeat(lists.offsets[:-1], lists.lengths)
