"""Counts of the n-grams that a hypothesis shares with its references, clipped: exact, on whole numbers."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import chain

import numpy as np
import numpy.typing as npt

from ragauge.core import native
from ragauge.core.ragged import IntArray, Ragged, runs
from ragauge.metrics.text._pair_ngrams import shared_ngrams

KeyArray = npt.NDArray[np.uint64]

# Odd multipliers near 2^64 divided by the golden ratio and by the plastic number (Roberts 2018, "The unreasonable
# effectiveness of quasirandom sequences"): their products spread neighbouring keys over the whole table.
_MULTIPLIERS = tuple(map(np.uint64, (0x9E3779B97F4A7C15, 0xC13FA9A902A6328F, 0x91E10DA5C79E7B1D, 0xD1342543DE82EF95)))


def representatives(keys: KeyArray) -> IntArray:
    """Return for each of n keys the place of one key equal to it, the same place for all of them: (n,).

    So ``keys[representatives(keys)] == keys``.

    Every key writes its place into the slot of a table that it hashes to, then reads back what the last writer left
    there. Keys that read the place of another key than their own try again in a new table; what four tables cannot tell
    apart is sorted. Keys are compared in full, so the result does not depend on the hash.

    >>> keys = np.array([5, 3, 5, 9], dtype=np.uint64)
    >>> groups = representatives(keys)
    >>> bool(groups[0] == groups[2]), len(set(groups.tolist()))
    (True, 3)
    """
    return _representatives(keys, 0)


def _representatives(keys: KeyArray, attempt: int) -> IntArray:
    if attempt == len(_MULTIPLIERS):
        _, first, group = np.unique(keys, return_index=True, return_inverse=True)
        return np.asarray(first[group])
    bits = max(len(keys).bit_length() + 1, 4)
    slots = ((keys * _MULTIPLIERS[attempt]) >> np.uint64(64 - bits)).view(np.int64)
    table = np.empty(1 << bits, dtype=np.int64)
    table[slots] = np.arange(len(keys))
    places = table[slots]
    wrong = np.flatnonzero(keys[places] != keys)
    if len(wrong):
        places[wrong] = wrong[_representatives(keys[wrong], attempt + 1)]
    return places


# Tokens per block, so that its arrays stay in the processor's cache.
_BLOCK = 1 << 15
# Up to so many tokens, dicts of n-grams are faster than arrays.
_FEW = 1 << 7


def clipped_matches(hypotheses: Ragged, references: Ragged, owner: IntArray, order: int) -> IntArray:
    """Return how many n-grams each hypothesis shares with its references, for n = 1 to ``order``: (n, order).

    An n-gram counts as often as in the hypothesis, but no more often than in the reference that has the
    most of it (Papineni et al. 2002, "BLEU: a method for automatic evaluation of machine translation", section 2.1). No
    code may be negative. ``owner`` (m,) is the hypothesis of each reference, ascending.

    >>> clipped_matches(Ragged.of([[7, 7, 8]]), Ragged.of([[7, 8], [9]]), np.array([0, 0]), 3)
    array([[2, 1, 0]])
    """
    if len(hypotheses.values) + len(references.values) <= _FEW:
        return _of_few(hypotheses, references, owner, order)
    counts = native.shared_ngrams(hypotheses, references, owner, order)
    if counts is not None:
        return counts
    if len(owner) != len(hypotheses) or (owner != np.arange(len(owner))).any():
        return _grouped(hypotheses, references, owner, order)
    counts = shared_ngrams(hypotheses, references, order)
    rest = np.flatnonzero(counts[:, 0] < 0)
    if len(rest):
        counts[rest] = _grouped(hypotheses.take(rest), references.take(rest), np.arange(len(rest)), order)
    return counts


def _of_few(hypotheses: Ragged, references: Ragged, owner: IntArray, order: int) -> IntArray:
    """Return the counts of few tokens, n-grams counted in dicts."""
    counts = np.zeros((len(hypotheses), order), dtype=np.int64)
    by_sample: dict[int, list[list[int]]] = {}
    for sample, reference in zip(owner.tolist(), references.to_lists(), strict=True):
        by_sample.setdefault(sample, []).append(reference)
    codes = hypotheses.to_lists()
    for sample, texts in by_sample.items():
        most = _ngrams(texts[0], order)
        for text in texts[1:]:
            most |= _ngrams(text, order)
        own = _ngrams(codes[sample], order)
        shared = [0] * order
        for ngram in own.keys() & most.keys():
            shared[len(ngram) - 1] += min(own[ngram], most[ngram])
        counts[sample] = shared
    return counts


def _ngrams(codes: list[int], order: int) -> Counter[tuple[int, ...]]:
    """Return how often each n-gram of each length up to ``order`` is in ``codes``."""
    later = [codes[start:] for start in range(order)]
    return Counter(chain.from_iterable([zip(*later[:n], strict=False) for n in range(1, order + 1)]))


def _grouped(hypotheses: Ragged, references: Ragged, owner: IntArray, order: int) -> IntArray:
    """Return the counts with any number of references, by grouping equal n-grams of one length after the other.

    Only places whose two (n-1)-grams both matched can hold a matching n-gram, so each length has fewer places.
    """
    counts = np.zeros((len(hypotheses), order), dtype=np.int64)
    ends = np.searchsorted(owner, np.arange(len(hypotheses)), side="right")
    for first, last in runs(hypotheses.offsets[1:] + references.offsets[ends], _BLOCK):
        _count(_Block.of(hypotheses, references, owner, first, last), counts[first:last])
    return counts


def ngram_totals(lengths: IntArray, order: int) -> IntArray:
    """Return how many n-grams texts of these ``lengths`` hold, for n = 1 to ``order``: (n, order).

    >>> ngram_totals(np.array([3, 0]), 4)
    array([[3, 2, 1, 0],
           [0, 0, 0, 0]])
    """
    return np.asarray(np.maximum(lengths[:, None] - np.arange(order), 0))


@dataclass(frozen=True, slots=True, eq=False)
class _Block:
    """The texts of some samples, hypotheses first, then references: t texts of p tokens."""

    codes: IntArray
    """(p,)"""
    text: IntArray
    """(p,) which text holds the token."""
    sample: IntArray
    """(t,) the sample of each text, counted from the first of the block."""
    hypotheses: int
    """Texts before this one are hypotheses."""
    single: bool
    """No sample has more than one reference."""

    @classmethod
    def of(cls, hypotheses: Ragged, references: Ragged, owner: IntArray, first: int, last: int) -> _Block:
        start, stop = np.searchsorted(owner, [first, last])
        left, right = hypotheses.between(first, last), references.between(start, stop)
        lengths = np.concatenate([left.lengths, right.lengths])
        return cls(
            codes=np.concatenate([left.values, right.values], dtype=np.int64),
            text=np.repeat(np.arange(len(lengths)), lengths),
            sample=np.concatenate([np.arange(last - first), owner[start:stop] - first]),
            hypotheses=last - first,
            single=bool((owner[start + 1 : stop] != owner[start : stop - 1]).all()),
        )


def _count(block: _Block, counts: IntArray) -> None:
    """Fill ``counts`` (samples of the block, order)."""
    text = block.text
    place = np.arange(len(text)) + text  # one number is left out between texts, so neighbours are of one text
    keys = block.codes | (block.sample[text] << 32)
    for n in range(counts.shape[1]):
        if len(keys) == 0:
            return
        groups, clipped = _clipped(keys, text, block)
        counted = np.flatnonzero(clipped)
        owner = block.sample[text[counted]]
        counts[:, n] = np.bincount(owner, weights=clipped[counted], minlength=len(counts))
        matched = np.flatnonzero(clipped[groups])
        here, groups = place[matched], groups[matched]
        pairs = np.flatnonzero(here[1:] == here[:-1] + 1)
        place, text = here[pairs], text[matched[pairs]]
        keys = groups[pairs] | (groups[pairs + 1] << 32)


def _clipped(keys: IntArray, text: IntArray, block: _Block) -> tuple[IntArray, IntArray]:
    """Return the group of each key, named by one member, and the count of the group's n-gram, 0 for other members."""
    groups = representatives(keys.view(np.uint64))
    split = int(np.searchsorted(text, block.hypotheses))
    hypothesis = np.bincount(groups[:split], minlength=len(keys))
    if block.single:
        reference = np.bincount(groups[split:], minlength=len(keys))
    else:
        reference = _most_of_one_reference(groups[split:], text[split:], hypothesis)
    return groups, np.minimum(hypothesis, reference)


def _most_of_one_reference(groups: IntArray, text: IntArray, hypothesis: IntArray) -> IntArray:
    """Return how often each group's n-gram is in the reference that has the most of it."""
    most = np.zeros(len(hypothesis), dtype=np.int64)
    shared = np.flatnonzero(hypothesis[groups])
    groups, text = groups[shared], text[shared]
    members = np.bincount(representatives((groups | (text << 32)).view(np.uint64)))
    distinct = np.flatnonzero(members)
    distinct = distinct[np.argsort(groups[distinct], kind="stable")]
    starts = np.flatnonzero(np.diff(groups[distinct], prepend=-1))
    if len(starts):
        most[groups[distinct[starts]]] = np.maximum.reduceat(members[distinct], starts)
    return most
