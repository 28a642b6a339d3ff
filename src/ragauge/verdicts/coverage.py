"""How much of a claim stands in its evidence, weighed by how rare it is."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from ragauge.embedders._sparse import SparseVectors
from ragauge.ragged import FloatArray, IntArray, Ragged
from ragauge.verdicts.crossed import Crossed

_SAMPLE = np.uint64(32)
# Entries of evidence looked up at once: temporaries of some tens of megabytes.
_BLOCK = 1 << 19


def coverage(vectors: SparseVectors, claims: Ragged, evidence: Ragged, runs: IntArray, window: int) -> FloatArray:
    """Return the share of each claim's n-grams, by weight, that each window of evidence has.

    A window is ``window`` neighbouring pieces of evidence of one run, or fewer at its end. Sums are of whole numbers,
    so a share is the same bits on every machine and among any other samples.

    Args:
        vectors: of all texts.
        claims: n lists of numbers of vectors.
        evidence: n lists of numbers of vectors.
        runs: (e,) rising: the run of each piece; of one run are the sentences of one passage.
        window: pieces per window, from 1.

    Returns:
        (p,) from 0 to 1, of the pairs that `Crossed` describes, the evidence being windows by their first piece; 0
        where a claim has no n-grams.
    """
    found = [np.empty(0)]
    for first, last in _blocks(vectors, evidence):
        inside = slice(evidence.offsets[first], evidence.offsets[last])
        found.append(_coverage(vectors, _part(claims, first, last), _part(evidence, first, last), runs[inside], window))
    return np.concatenate(found)


def _coverage(vectors: SparseVectors, claims: Ragged, evidence: Ragged, runs: IntArray, window: int) -> FloatArray:
    pairs = Crossed(claims.offsets, evidence.offsets)
    feature, piece = _hits(vectors, claims, evidence)
    entries, claim = _entries(vectors, claims.values)
    order = np.lexsort((piece, feature))
    feature, piece = feature[order], piece[order]
    first_of_run = np.searchsorted(runs, runs)
    before = np.concatenate([[-1], piece[:-1]])
    before[np.diff(feature, prepend=-1) != 0] = -1
    # A piece adds to the windows that begin where no earlier piece with the same n-gram was within reach.
    begin = np.maximum(np.maximum(piece - window + 1, first_of_run[piece]), before + 1)
    base = _base(pairs, claim[feature])
    weights = vectors.weights[entries[feature]].astype(np.float64)
    steps = np.bincount(base + begin, weights, pairs.offsets[-1] + 1)
    steps -= np.bincount(base + piece + 1, weights, pairs.offsets[-1] + 1)
    totals = np.bincount(claim, vectors.weights[entries], len(claims.values))
    return np.cumsum(steps)[:-1] / np.maximum(np.repeat(totals, np.diff(pairs.offsets)), 1.0)


def _base(pairs: Crossed, claim: IntArray) -> IntArray:
    """Return what to add to a piece's number for the number of its pair with each ``claim``."""
    sample = np.searchsorted(pairs.claims, claim, side="right") - 1
    return np.asarray(pairs.offsets[claim] - pairs.evidence[sample])


def _hits(vectors: SparseVectors, claims: Ragged, evidence: Ragged) -> tuple[IntArray, IntArray]:
    """Return which entry of a claim is in which piece of evidence of the same sample."""
    entries, claim = _entries(vectors, claims.values)
    keys = vectors.keys[entries] | claims.rows[claim].astype(np.uint64) << _SAMPLE
    order = np.argsort(keys, kind="stable")
    distinct, first, count = np.unique(keys[order], return_index=True, return_counts=True)
    other_entries, piece = _entries(vectors, evidence.values)
    wanted = vectors.keys[other_entries] | evidence.rows[piece].astype(np.uint64) << _SAMPLE
    if not len(distinct):
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    at = np.minimum(np.searchsorted(distinct, wanted), len(distinct) - 1)
    found = np.flatnonzero(distinct[at] == wanted)
    several = Ragged.from_lengths(np.empty(0), count[at[found]])
    features = order[np.repeat(first[at[found]], several.lengths) + _positions(several)]
    return features, np.repeat(piece[found], several.lengths)


def _positions(lists: Ragged) -> IntArray:
    return np.arange(lists.offsets[-1]) - np.repeat(lists.offsets[:-1], lists.lengths)


def _entries(vectors: SparseVectors, chosen: IntArray) -> tuple[IntArray, IntArray]:
    """Return where the entries of the ``chosen`` vectors are, and which of them each belongs to."""
    lists = Ragged.from_lengths(np.empty(0), np.diff(vectors.offsets)[chosen])
    owner = np.repeat(np.arange(len(chosen)), lists.lengths)
    return vectors.offsets[chosen][owner] + _positions(lists), owner


def _part(lists: Ragged, first: int, last: int) -> Ragged:
    start, end = lists.offsets[first], lists.offsets[last]
    return Ragged(lists.values[start:end], lists.offsets[first : last + 1] - start)


def _blocks(vectors: SparseVectors, evidence: Ragged) -> Iterator[tuple[int, int]]:
    """Cut the samples into runs with about a block of entries of evidence; a larger sample is one of its own."""
    sizes = np.concatenate([[0], np.cumsum(np.diff(vectors.offsets)[evidence.values])])[evidence.offsets]
    marks = np.searchsorted(sizes, np.arange(_BLOCK, sizes[-1], _BLOCK))
    edges = np.unique(np.concatenate([[0], marks, [len(evidence)]])).tolist()
    yield from pairwise(edges)
