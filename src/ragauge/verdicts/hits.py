"""Which n-gram of a claim stands in which text of the same sample."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ragauge.embedders._sparse import KeyArray, SparseVectors
from ragauge.ragged import BoolArray, IntArray, Ragged
from ragauge.verdicts.terms import Terms

_SAMPLE = np.uint64(32)
# Most n-grams of evidence are in no claim: a look at a table of so many bits says so, before any search.
_BITS = np.uint64(22)
_MIX = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True, eq=False)
class Sought:
    """The n-grams of the claims of n samples; ``claims`` (n + 1,): where each sample's claims begin."""

    terms: Terms
    claims: IntArray

    def found(self, vectors: SparseVectors, texts: Ragged) -> tuple[IntArray, IntArray]:
        """Return pairs of an n-gram's place in ``terms`` and of the place of a text that has it, texts rising.

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
        likely = np.flatnonzero(self._seen[_slots(wanted)])
        at = np.minimum(np.searchsorted(keys, wanted[likely]), len(keys) - 1)
        hits = np.flatnonzero(keys[at] == wanted[likely])
        several = Ragged.from_lengths(np.empty(0), count[at[hits]])
        places = order[np.repeat(first[at[hits]], several.lengths) + _positions(several)]
        return places, np.repeat(owner[likely[hits]], several.lengths)

    @cached_property
    def _seen(self) -> BoolArray:
        seen = np.zeros(1 << int(_BITS), dtype=bool)
        seen[_slots(self._distinct[0])] = True
        return seen

    @cached_property
    def _distinct(self) -> tuple[KeyArray, IntArray, IntArray, IntArray]:
        """Return the distinct n-grams of a sample: key with sample, where in ``order`` its places are, how many."""
        sample = np.repeat(np.arange(len(self.claims) - 1), np.diff(self.terms.offsets[self.claims])).astype(np.uint64)
        keys = self.terms.keys | sample << _SAMPLE
        order = np.argsort(keys, kind="stable")
        distinct, first, count = np.unique(keys[order], return_index=True, return_counts=True)
        return distinct, first, count, order


def _slots(keys: KeyArray) -> KeyArray:
    return np.asarray(keys * _MIX >> (np.uint64(64) - _BITS))


def _positions(lists: Ragged) -> IntArray:
    return np.arange(lists.offsets[-1]) - np.repeat(lists.offsets[:-1], lists.lengths)
