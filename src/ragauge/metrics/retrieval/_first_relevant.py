"""Where the first relevant document stands, in expectation over tied documents."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ragauge.metrics.retrieval._average_precision import group_counts

if TYPE_CHECKING:
    from ragauge.metrics.retrieval._view import View
    from ragauge.ragged import FloatArray, IntArray


def first_relevant(view: View, level: float, worth: FloatArray) -> FloatArray:
    """Return what the first relevant document of each ranking is worth, 0 where there is none: (n,).

    Args:
        view: the rankings.
        level: the grade from which a document is relevant.
        worth: by rank, from 0 to ``view.depth``.
    """
    relevant = view.of.grades >= level
    first = np.flatnonzero(relevant)
    rows, place = np.unique(view.rows[first], return_index=True)
    first = first[place]
    value = np.zeros(len(view))
    if (view.of.tie_size == 1).all():
        value[rows] = worth[view.of.ranks.values[first]]
    else:
        within = group_counts(view, relevant)[1][first]
        value[rows] = _expected(view.of.tie_first[first], view.of.tie_size[first], within, worth)
    return value


def _expected(start: IntArray, size: IntArray, relevant: IntArray, worth: FloatArray) -> FloatArray:
    """Average over the ranks that the first of ``relevant`` documents may have in a group of ``size``.

    It is the i-th of the group if none of the first i - 1 is relevant and the i-th is: drawing without replacement.
    """
    value, none_yet = np.zeros(len(start)), np.ones(len(start))
    for before in range(int(size.max(initial=0))):
        left = np.maximum(size - before, 1)
        value += none_yet * np.minimum(relevant / left, 1.0) * worth[np.minimum(start + before, len(worth) - 1)]
        none_yet *= np.maximum(left - relevant, 0) / left
    return value
