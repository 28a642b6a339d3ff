"""What a grade is worth."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from ragauge.ragged import FloatArray

Gain: TypeAlias = Literal["linear", "exp"] | tuple[tuple[float, float], ...]
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
