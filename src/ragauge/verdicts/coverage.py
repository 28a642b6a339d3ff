"""How much of a claim stands in its evidence, weighed by how rare it is."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from ragauge.embedders._sparse import SparseVectors
from ragauge.ragged import FloatArray, IntArray, Ragged
from ragauge.verdicts.crossed import Crossed
from ragauge.verdicts.terms import Terms

_SAMPLE = np.uint64(32)
# N-grams of evidence times claims that are compared at once: temporaries of at most some hundred megabytes.
_BLOCK = 1 << 21


def coverage(
    terms: Terms, claims: IntArray, vectors: SparseVectors, evidence: Ragged, runs: IntArray, window: int
) -> FloatArray:
    """Return the share of each claim's n-grams, by what they are worth, that each window of evidence has.

    A window is ``window`` neighbouring pieces of evidence of one run, or fewer at its end. Sums are of whole numbers,
    so a share is the same bits on every machine and among any other samples.

    Args:
        terms: of c claims.
        claims: (n + 1,) where each sample's claims begin.
        vectors: of all evidence.
        evidence: n lists of numbers of vectors, e in all.
        runs: (e,) rising: the run of each piece; of one run are the sentences of one passage.
        window: pieces per window, from 1.

    Returns:
        (p,) from 0 to 1, of the pairs that `Crossed` describes, the evidence being windows by their first piece; 0
        where a claim has no n-grams.
    """
    found = [np.empty(0)]
    entries = np.concatenate([[0], np.cumsum(np.diff(vectors.offsets)[evidence.values])])[evidence.offsets]
    for first, last in _blocks(np.diff(entries) * np.maximum(np.diff(claims), 1)):
        inside = slice(evidence.offsets[first], evidence.offsets[last])
        for start, end in _shares(claims[first : last + 1], int(entries[last] - entries[first])):
            edges = claims[first : last + 1].clip(start, end) - start
            pairs = Crossed(edges, evidence.offsets[first : last + 1] - inside.start)
            some = _some(terms, start, end)
            found.append(_coverage(some, pairs, vectors, evidence.values[inside], runs[inside], window))
    return np.concatenate(found)


def _coverage(
    terms: Terms, pairs: Crossed, vectors: SparseVectors, pieces: IntArray, runs: IntArray, window: int
) -> FloatArray:
    entry, piece = _hits(terms, pairs, vectors, pieces)
    order = np.lexsort((piece, entry))
    entry, piece = entry[order], piece[order]
    claim = np.searchsorted(terms.offsets, entry, side="right") - 1
    before = np.concatenate([[-1], piece[:-1]])
    before[np.diff(entry, prepend=-1) != 0] = -1
    # A piece adds to the windows that begin where no earlier piece with the same n-gram was within reach.
    begin = np.maximum(np.maximum(piece - window + 1, np.searchsorted(runs, runs)[piece]), before + 1)
    sample = np.searchsorted(pairs.claims, claim, side="right") - 1
    base = pairs.offsets[claim] - pairs.evidence[sample]
    weights, size = terms.weights[entry], int(pairs.offsets[-1]) + 1
    steps = np.bincount(base + begin, weights, size) - np.bincount(base + piece + 1, weights, size)
    return np.cumsum(steps)[:-1] / np.maximum(np.repeat(terms.totals, np.diff(pairs.offsets)), 1)


def _hits(terms: Terms, pairs: Crossed, vectors: SparseVectors, pieces: IntArray) -> tuple[IntArray, IntArray]:
    """Return which n-gram of a claim is in which piece of evidence of the same sample."""
    sample = np.repeat(np.arange(len(pairs.claims) - 1), np.diff(terms.offsets[pairs.claims])).astype(np.uint64)
    keys = terms.keys | sample << _SAMPLE
    order = np.argsort(keys, kind="stable")
    distinct, first, count = np.unique(keys[order], return_index=True, return_counts=True)
    entries, piece = _entries(vectors, pieces)
    owner = np.repeat(np.arange(len(pairs.evidence) - 1), np.diff(pairs.evidence)).astype(np.uint64)
    wanted = vectors.keys[entries] | owner[piece] << _SAMPLE
    if not len(distinct):
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    at = np.minimum(np.searchsorted(distinct, wanted), len(distinct) - 1)
    found = np.flatnonzero(distinct[at] == wanted)
    several = Ragged.from_lengths(np.empty(0), count[at[found]])
    return order[np.repeat(first[at[found]], several.lengths) + _positions(several)], np.repeat(
        piece[found], several.lengths
    )


def _entries(vectors: SparseVectors, chosen: IntArray) -> tuple[IntArray, IntArray]:
    """Return where the entries of the ``chosen`` vectors are, and which of them each belongs to."""
    lists = Ragged.from_lengths(np.empty(0), np.diff(vectors.offsets)[chosen])
    owner = np.repeat(np.arange(len(chosen)), lists.lengths)
    return vectors.offsets[chosen][owner] + _positions(lists), owner


def _positions(lists: Ragged) -> IntArray:
    return np.arange(lists.offsets[-1]) - np.repeat(lists.offsets[:-1], lists.lengths)


def _some(terms: Terms, first: int, last: int) -> Terms:
    start, end = terms.offsets[first], terms.offsets[last]
    return Terms(terms.keys[start:end], terms.weights[start:end], terms.offsets[first : last + 1] - start)


def _blocks(sizes: IntArray) -> Iterator[tuple[int, int]]:
    """Cut the samples into runs of about a block; a larger sample is one of its own."""
    ends = np.concatenate([[0], np.cumsum(sizes)])
    marks = np.searchsorted(ends, np.arange(_BLOCK, ends[-1], _BLOCK))
    large = np.flatnonzero(sizes > _BLOCK)
    edges = np.unique(np.concatenate([[0], marks, large, large + 1, [len(sizes)]])).tolist()
    yield from pairwise(edges)


def _shares(claims: IntArray, entries: int) -> Iterator[tuple[int, int]]:
    """Cut the claims of one sample that is larger than a block; those of several samples stay together."""
    first, last = int(claims[0]), int(claims[-1])
    step = max(_BLOCK // max(entries, 1), 1) if len(claims) == 2 else last - first
    yield from ((start, min(start + step, last)) for start in range(first, last, max(step, 1)))
