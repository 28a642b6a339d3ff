"""Which tokens of a hypothesis stand for which of its reference, one to one: the alignment that METEOR scores."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

import numpy as np

from ragauge.core.ragged import BoolArray, IntArray, Ragged


@dataclass(frozen=True, slots=True, eq=False)
class Alignment:
    """For each hypothesis token of n pairs the place of its partner among all reference tokens, or -1.

    Shapes: ``partner`` (h,), ``free`` (r,): the reference tokens that have no partner yet.
    """

    partner: IntArray
    free: BoolArray

    @classmethod
    def empty(cls, hypotheses: Ragged, references: Ragged) -> Alignment:
        """Return an alignment of nothing."""
        return cls(np.full(len(hypotheses.values), -1), np.ones(len(references.values), dtype=bool))

    def extended(self, hypotheses: Ragged, references: Ragged) -> Alignment:
        """Align equal codes among tokens still free: last with last, last but one with last but one.

        Source: nltk 3.10.4, meteor_score.py, whose greedy walk from the end comes to the same.
        """
        open_tokens = np.flatnonzero(self.partner < 0)
        left = _nth_last(hypotheses, open_tokens)
        free = np.flatnonzero(self.free)
        right = _nth_last(references, free)
        keys, group = np.unique(np.concatenate([left, right]), axis=0, return_inverse=True)
        place = np.full(len(keys), -1)
        place[group.reshape(-1)[len(left) :]] = free
        found = place[group.reshape(-1)[: len(left)]]
        partner = self.partner.copy()
        partner[open_tokens] = found
        still = self.free.copy()
        still[found[found >= 0]] = False
        return Alignment(partner, still)

    def chunks(self, hypotheses: Ragged, n: int) -> IntArray:
        """Count per pair the runs of aligned tokens that are adjacent on both sides, (n,)."""
        aligned = np.flatnonzero(self.partner >= 0)
        rows = hypotheses.rows[aligned]
        partner = self.partner[aligned]
        joined = (np.diff(aligned) == 1) & (np.diff(partner) == 1) & (np.diff(rows) == 0)
        return np.bincount(rows[np.concatenate([[True], ~joined])[: len(rows)]], minlength=n)

    def matches(self, hypotheses: Ragged, n: int) -> IntArray:
        """Count aligned tokens per pair, (n,)."""
        return np.bincount(hypotheses.rows[self.partner >= 0], minlength=n)


def _nth_last(texts: Ragged, chosen: IntArray) -> IntArray:
    """Return (pair, code, how many equal chosen tokens follow in the pair) of the tokens at ``chosen``: (c, 3)."""
    keys = np.stack([texts.rows[chosen], texts.values[chosen].astype(np.int64)], axis=1)
    group = np.unique(keys, axis=0, return_inverse=True)[1].reshape(-1)
    order = np.argsort(group, kind="stable")
    ends = np.cumsum(np.bincount(group))
    following = np.empty(len(chosen), dtype=np.int64)
    following[order] = ends[group[order]] - 1 - np.arange(len(order))
    return np.column_stack([keys, following])


Synonyms = Callable[[str], Collection[str]]


def aligned_synonyms(
    alignment: Alignment, hypotheses: Ragged, references: Ragged, words: Sequence[str], synonyms: Synonyms
) -> Alignment:
    """Align, from the last hypothesis word that is free to the first, each with the last free synonym.

    Words are looked at one by one: only those that neither stage before has aligned come here.

    Args:
        alignment: what is aligned already.
        hypotheses: n lists of codes.
        references: n lists of codes.
        words: the word of each code.
        synonyms: of a word.

    Source: nltk 3.10.4, meteor_score.py.
    """
    partner, free = alignment.partner.copy(), alignment.free.copy()
    places: dict[tuple[int, str], list[int]] = defaultdict(list)
    open_references = np.flatnonzero(free)
    for place, row in zip(open_references.tolist(), references.rows[open_references].tolist(), strict=True):
        places[row, words[references.values[place]]].append(place)
    open_hypotheses = np.flatnonzero(partner < 0)[::-1]
    for token, row in zip(open_hypotheses.tolist(), hypotheses.rows[open_hypotheses].tolist(), strict=True):
        candidates = [
            places[row, word] for word in synonyms(words[hypotheses.values[token]]) if places.get((row, word))
        ]
        if candidates:
            partner[token] = max(candidates, key=lambda several: several[-1]).pop()
            free[partner[token]] = False
    return Alignment(partner, free)
