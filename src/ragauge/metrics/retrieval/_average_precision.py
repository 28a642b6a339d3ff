"""Precision at each relevant document, in expectation over tied documents."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from ragauge.metrics.retrieval._view import Cutoff, View
    from ragauge.ragged import BoolArray, FloatArray, IntArray


def precisions(view: View, level: float, cutoff: Cutoff) -> FloatArray:
    """Return the precision at each relevant document, 0 at others and past the cutoff: (m,), beside the ranks.

    A relevant document in a group of n tied documents, r of them relevant, may have any rank of the group; at the
    i-th, (i - 1)(r - 1)/(n - 1) other relevant documents of the group are expected before it.

    Source: McSherry and Najork 2008, section 2.4; without ties, trec_eval's loop.
    """
    relevant = view.of.grades >= level
    last = np.minimum(view.of.tie_first + view.of.tie_size - 1, view.cutoffs(cutoff)[view.rows])
    if (view.of.tie_size == 1).all():
        inside = relevant & (last >= view.of.tie_first)
        return np.where(inside, ordinals(view, relevant) / view.of.ranks.values, 0.0)
    return np.where(relevant, _expected(view, relevant, last), 0.0)


def ordinals(view: View, relevant: BoolArray) -> IntArray:
    """Return how many relevant documents of its query stand at or above each document: (m,)."""
    counts = np.concatenate([[0], np.cumsum(relevant)])
    return np.asarray(counts[1:] - counts[view.of.ranks.offsets[:-1]][view.rows])


def _expected(view: View, relevant: BoolArray, last: IntArray) -> FloatArray:
    first, size = view.of.tie_first, view.of.tie_size
    above, within = group_counts(view, relevant)
    harmonic = np.concatenate([[0.0], np.cumsum(1.0 / np.arange(1, view.depth + 1))])
    places = np.maximum(last - first + 1, 0)
    inverse = np.where(places > 0, harmonic[np.maximum(last, 0)] - harmonic[first - 1], 0.0)
    # Over the ranks of the group up to the cutoff: the sum of 1/rank, and of (i - 1)/rank = 1 - first/rank.
    others = (within - 1) / np.maximum(size - 1, 1) * (places - first * inverse)
    return np.asarray(((above + 1) * inverse + others) / size)


def group_counts(view: View, relevant: BoolArray) -> tuple[IntArray, IntArray]:
    """Return how many relevant documents stand above the group of each document, and how many within: (m,) each."""
    first, rows = view.of.tie_first, view.rows
    starts = np.flatnonzero(np.concatenate([[True], (np.diff(first) != 0) | (np.diff(rows) != 0)]))
    group = np.repeat(np.arange(len(starts)), np.diff([*starts, len(first)]))
    within = np.add.reduceat(relevant.astype(np.int64), starts)
    before = ordinals(view, relevant) - relevant
    return before[starts][group], within[group]
