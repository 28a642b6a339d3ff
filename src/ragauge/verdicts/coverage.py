"""How much of a claim stands in its evidence, weighed by how rare it is, and how near together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ragauge.embedders._sparse import SparseVectors
from ragauge.ragged import FloatArray, IntArray, Ragged
from ragauge.verdicts.crossed import Crossed
from ragauge.verdicts.hits import Sought
from ragauge.verdicts.terms import Terms

# N-grams of evidence times claims that are compared at once: temporaries of at most some hundred megabytes.
_BLOCK = 1 << 21


@dataclass(frozen=True, eq=False)
class Evidence:
    """What claims of n samples are looked for in.

    Args:
        vectors: of all texts.
        pieces: n lists of numbers of vectors, e in all: sentences.
        runs: (e,) rising: the run of each piece; of one run are the sentences of one passage.
        granted: n lists of numbers of vectors: what these texts say counts as said by every piece; None: there are
            none.
    """

    vectors: SparseVectors
    pieces: Ragged
    runs: IntArray
    granted: Ragged | None = None

    def part(self, first: int, last: int) -> Evidence:
        """Return the evidence of the samples from ``first`` to before ``last``."""
        start, end = self.pieces.offsets[first], self.pieces.offsets[last]
        granted = None if self.granted is None else _part(self.granted, first, last)
        return Evidence(self.vectors, _part(self.pieces, first, last), self.runs[start:end], granted)


def coverage(terms: Terms, claims: IntArray, evidence: Evidence, window: int) -> FloatArray:
    """Return the share of each claim's n-grams, by what they are worth, that stand in or near each piece of evidence.

    An n-gram counts fully in the piece itself; in a piece of the same run that is d away, 1 - d / ``window``; the
    nearest piece that has it counts. Sums are of whole numbers, so a share is the same bits on every machine and
    among any other samples.

    Args:
        terms: of c claims.
        claims: (n + 1,) where each sample's claims begin.
        evidence: of the n samples.
        window: how far evidence reaches, from 1: the piece itself.

    Returns:
        (p,) from 0 to 1, of the pairs that `Crossed` describes; 0 where a claim has no n-grams.
    """
    found = [np.empty(0)]
    offsets = evidence.pieces.offsets
    entries = np.concatenate([[0], np.cumsum(np.diff(evidence.vectors.offsets)[evidence.pieces.values])])[offsets]
    for first, last in _blocks(np.diff(entries) * np.maximum(np.diff(claims), 1)):
        part = evidence.part(first, last)
        for start, end in _shares(claims[first : last + 1], int(entries[last] - entries[first])):
            edges = claims[first : last + 1].clip(start, end) - start
            found.append(_coverage(Sought(_some(terms, start, end), edges), part, window))
    return np.concatenate(found)


def _coverage(sought: Sought, evidence: Evidence, window: int) -> FloatArray:
    terms, pairs = sought.terms, Crossed(sought.claims, evidence.pieces.offsets)
    entry, piece = sought.found(evidence.vectors, evidence.pieces)
    sums = np.zeros(len(terms.totals), dtype=np.int64)
    if evidence.granted is not None:
        granted = np.zeros(len(terms.weights), dtype=bool)
        granted[sought.found(evidence.vectors, evidence.granted)[0]] = True
        sums = terms.sums(np.where(granted, terms.weights, 0))
        entry, piece = entry[~granted[entry]], piece[~granted[entry]]
    near = _reached(terms, pairs, entry, piece, evidence.runs, window)
    lengths = np.diff(pairs.offsets)
    whole = np.repeat(np.maximum(terms.totals * window, 1), lengths)
    return np.asarray((near + np.repeat(sums * window, lengths)) / whole)


def _reached(terms: Terms, pairs: Crossed, entry: IntArray, piece: IntArray, runs: IntArray, window: int) -> FloatArray:
    """Return ``window`` times what each piece has or has near, (p,), given hits, pieces rising.

    From a hit, what an n-gram is worth falls on both sides by the same step, up to the end of the run, or half-way to
    the next hit. Slopes and levels are added where a side begins and taken away where it ends.
    """
    claim, weight = np.repeat(np.arange(len(terms.offsets) - 1), np.diff(terms.offsets)), terms.weights
    # Places are counted from each sample's first piece: sums stay small enough to be exact.
    zero = np.repeat(pairs.evidence[:-1], np.diff(pairs.evidence))
    size = int(pairs.offsets[-1]) + 1
    if window == 1:
        sums = np.bincount(pairs.offsets[claim[entry]] + (piece - zero[piece]), weight[entry], size)[:-1]
        return sums.astype(np.float64)
    order = np.argsort(entry, kind="stable")
    entry, piece = entry[order], piece[order]
    row, weight = pairs.offsets[claim[entry]], weight[entry]
    place, begin = piece - zero[piece], (np.searchsorted(runs, runs) - zero)[piece]
    end = (np.searchsorted(runs, runs, side="right") - 1 - zero)[piece]
    together = (np.diff(entry) == 0) & (np.diff(begin) == 0)
    middle = (place[:-1] + place[1:]) // 2
    left, right = np.maximum(begin, place - window + 1), np.minimum(end, place + window - 1)
    left[1:][together] = np.maximum(left[1:], middle + 1)[together]
    right[:-1][together] = np.minimum(right[:-1], middle)[together]
    starts = np.concatenate([row + left, row + place])
    stops = np.concatenate([row + place, row + right + 1])
    levels = np.concatenate([weight * (window - place), weight * (window + place)])
    slopes = np.concatenate([weight, -weight])
    level, slope = (
        np.cumsum(np.bincount(starts, steps, size) - np.bincount(stops, steps, size))[:-1] for steps in (levels, slopes)
    )
    return np.asarray(level + slope * (pairs.piece - zero[pairs.piece]))


def _part(lists: Ragged, first: int, last: int) -> Ragged:
    start, end = lists.offsets[first], lists.offsets[last]
    return Ragged(lists.values[start:end], lists.offsets[first : last + 1] - start)


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
