"""Gains: what a grade is worth, and how the rank discounts it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

import numpy as np

from ragauge.core.options import Cutoff, Range, check
from ragauge.metrics.retrieval._ranked import Averaged

if TYPE_CHECKING:
    from ragauge.core.ragged import BoolArray, FloatArray, IntArray
    from ragauge.metrics.retrieval._rank_sums import View

_Worth: TypeAlias = Annotated[float, Range(0, 1_000_000)]
Gain: TypeAlias = Literal["linear", "exp"] | tuple[tuple[_Worth, _Worth], ...]
"""``linear``: the grade; ``exp``: 2^grade - 1; or pairs (grade, gain), other grades being linear."""


def gains(grades: FloatArray, gain: Gain) -> FloatArray:
    """Return the gain of each grade; a negative grade gains 0.

    Shapes: any, the same as ``grades``.

    >>> gains(np.array([-1.0, 0.0, 1.0, 3.0]), "exp")
    array([0., 0., 1., 7.])
    >>> gains(np.array([1.0, 2.0, 3.0]), ((1, 3), (2, 9)))
    array([3., 9., 3.])
    """
    linear = np.maximum(grades, 0.0)
    if gain == "linear":
        return linear
    if gain == "exp":
        return powers_of_two(linear) - 1.0
    for grade, worth in gain:
        linear = np.where(grades == grade, worth, linear)
    return linear


def powers_of_two(grades: FloatArray) -> FloatArray:
    """Return 2^grade, without rounding where the grade is whole.

    >>> powers_of_two(np.array([3.0, 0.5]))
    array([8.        , 1.41421356])
    """
    whole = np.floor(grades)
    return np.ldexp(np.exp2(grades - whole), whole.astype(np.int64))


@dataclass(frozen=True, kw_only=True)
class Graded(Averaged):
    """A metric of the discounted gains of a ranking.

    Args:
        gain: ``linear``: the grade; ``exp``: 2^grade - 1; or pairs grade:gain joined by ``/``, other grades being
            linear. A negative grade gains 0.
        k: the cutoff; None: there is none.
    """

    gain: Gain = "linear"
    k: Cutoff = None

    def __post_init__(self) -> None:
        once = isinstance(self.gain, str) or len(dict(self.gain)) == len(self.gain)
        check(self, "gain", "linear or exp or pairs grade:gain joined by '/', each grade once", holds=once)


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


def has_gain(view: View, gain: Gain) -> BoolArray:
    """Return a mask of the queries with a judgement of positive gain: (n,)."""
    rows = view.judged_rows[gains(view.of.judged.values, gain) > 0]
    return np.bincount(rows, minlength=len(view)) > 0


def _cut(values: FloatArray, ranks: IntArray, k: int | None) -> FloatArray:
    return values if k is None else np.where(ranks <= k, values, 0.0)
