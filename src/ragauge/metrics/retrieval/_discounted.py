"""Gains discounted by the logarithm of the rank, of a ranking and of the best order there could be."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ragauge.metrics.retrieval._gains import Gain, gains

if TYPE_CHECKING:
    from ragauge.metrics.retrieval._view import View
    from ragauge.ragged import BoolArray, FloatArray, IntArray


def discounted(view: View, gain: Gain, k: int | None) -> FloatArray:
    """Add gain / log2(rank + 1) over the documents up to rank k of each ranking; expected, over ties: (n,)."""
    worth = gains(view.of.grades, gain)
    if (view.of.tie_size == 1).all():
        ranks = view.of.ranks.values
        return view.sums(_cut(worth / view.logs[ranks], ranks, k))
    ranks = np.arange(view.depth + 1)
    return view.sums(worth * view.expected(_cut(1.0 / np.maximum(view.logs, 1.0), ranks, k)))


def ideal(view: View, gain: Gain, k: int | None, *, judged: bool) -> FloatArray:
    """Add the discounted gains of the best order of all judgements, or of the retrieved documents, up to k: (n,)."""
    if judged:
        lists, rows, positions = view.of.judged, view.judged_rows, view.judged_positions
        worth = gains(lists.values, gain)
    else:
        lists, rows, positions = view.of.ranks, view.rows, view.of.ranks.positions
        worth = gains(view.of.grades, gain)
    if not judged or isinstance(gain, tuple):
        worth = worth[np.lexsort((-worth, rows))]
    values = _cut(worth / view.logs[positions + 1], positions + 1, k)
    return np.asarray(np.bincount(rows, weights=values, minlength=len(view)), dtype=np.float64)


def gainful(view: View, gain: Gain) -> BoolArray:
    """Say which queries have a judgement with a gain: (n,)."""
    rows = view.judged_rows[gains(view.of.judged.values, gain) > 0]
    return np.bincount(rows, minlength=len(view)) > 0


def _cut(values: FloatArray, ranks: IntArray, k: int | None) -> FloatArray:
    return values if k is None else np.where(ranks <= k, values, 0.0)
