"""Dense vectors, some of which may be lacking."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from ragauge.core.ragged import FloatArray, IntArray
from ragauge.errors import DataError, OptionError

NOT_FINITE = "the embedder gave NaN or an infinity"
_BLOCK = 1 << 14


@dataclass(frozen=True, eq=False)
class DenseVectors:
    """n vectors of d numbers.

    Args:
        values: (n, d) float32.
        failures: why there is no vector, by place; their rows of ``values`` mean nothing. Vectors with
            NaN or an infinity are added to them.
        windowed: in how many windows a text was read that is longer than the model reads at once, by place.

    >>> vectors = DenseVectors(np.array([[3, 4], [6, 8], [0, 0], [9, 9]], dtype=np.float32), {3: "no answer"})
    >>> vectors.cosine(np.array([0, 0, 0]), np.array([1, 2, 3]))
    array([ 1.,  0., nan])
    """

    values: npt.NDArray[np.float32]
    failures: Mapping[int, str] = field(default_factory=dict)
    windowed: Mapping[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not isinstance(self.values, np.ndarray) or not self.values.ndim:
            raise OptionError.value("DenseVectors", "values", "an array of shape (texts, dimensions)", self.values)
        lost = np.flatnonzero(~np.isfinite(self.values).all(axis=tuple(range(1, self.values.ndim)))).tolist()
        if not self.failures.keys() >= set(lost):
            object.__setattr__(self, "failures", {**dict.fromkeys(lost, NOT_FINITE), **self.failures})

    def __len__(self) -> int:
        return len(self.values)

    def cosine(self, left: IntArray, right: IntArray) -> FloatArray:
        """Return the cosine of vectors ``left[i]`` and ``right[i]``; 0 for a vector of zeros, NaN where one failed."""
        left, right = np.asarray(left, dtype=np.int64), np.asarray(right, dtype=np.int64)
        cosines = np.zeros(len(left))
        for first in range(0, len(left), _BLOCK):
            part = slice(first, first + _BLOCK)
            cosines[part] = _cosine(self.values[left[part]], self.values[right[part]])
        failed = np.zeros(len(self), dtype=bool)
        failed[list(self.failures)] = True
        cosines[failed[left] | failed[right]] = np.nan
        return cosines

    def joined(self, more: DenseVectors) -> DenseVectors:
        """Return these vectors, followed by ``more``; where all of one part failed, it fits any dimension.

        Raises:
            DataError: the two have different dimensions.
        """
        parts = (self, more)
        dimensions = sorted({part.values.shape[1] for part in parts if len(part.failures) < len(part)})
        if len(dimensions) > 1:
            one, other = dimensions
            raise DataError(
                "RG-EMB-005 the embedder gave vectors of {one} and of {other} numbers; they cannot be compared",
                one,
                other,
            )
        width = dimensions[0] if dimensions else 1
        values = [
            part.values if part.values.shape[1] == width else np.zeros((len(part), width), np.float32) for part in parts
        ]
        shifted = {len(self) + place: why for place, why in more.failures.items()}
        windowed = {len(self) + place: count for place, count in more.windowed.items()}
        return DenseVectors(np.concatenate(values), {**self.failures, **shifted}, {**self.windowed, **windowed})


def _cosine(left: npt.NDArray[np.float32], right: npt.NDArray[np.float32]) -> FloatArray:
    one, other = left.astype(np.float64), right.astype(np.float64)
    # The root of a product, not a product of roots: the root of a square is exact, so equal vectors give 1.
    scale = np.sqrt(_dots(one, one) * _dots(other, other))
    return np.divide(_dots(one, other), scale, out=np.zeros(len(one)), where=scale > 0).clip(-1.0, 1.0)


def _dots(left: FloatArray, right: FloatArray) -> FloatArray:
    return np.asarray(np.einsum("ij,ij->i", left, right), dtype=np.float64)
