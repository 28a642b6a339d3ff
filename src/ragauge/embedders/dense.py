"""Dense vectors, some of which may be lacking."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np
import numpy.typing as npt

from ragauge.core.ragged import FloatArray, IntArray
from ragauge.errors import DataError

NO_FAILURES: Mapping[int, str] = MappingProxyType({})
NO_WINDOWS: Mapping[int, int] = MappingProxyType({})
_BLOCK = 1 << 14


@dataclass(frozen=True, eq=False)
class DenseVectors:
    """n vectors of d numbers.

    Args:
        values: (n, d) float32.
        failures: why there is no vector, by place; what stands in ``values`` there means nothing.
        windowed: in how many windows a text was read that is longer than the model reads at once, by place.

    >>> vectors = DenseVectors(np.array([[3, 4], [6, 8], [0, 0], [9, 9]], dtype=np.float32), {3: "no answer"})
    >>> vectors.cosine(np.array([0, 0, 0]), np.array([1, 2, 3]))
    array([ 1.,  0., nan])
    """

    values: npt.NDArray[np.float32]
    failures: Mapping[int, str] = field(default_factory=lambda: NO_FAILURES)
    windowed: Mapping[int, int] = field(default_factory=lambda: NO_WINDOWS)

    def __len__(self) -> int:
        return len(self.values)

    def cosine(self, left: IntArray, right: IntArray) -> FloatArray:
        """Return the cosine of vectors ``left[i]`` and ``right[i]``; 0 for a vector of zeros, NaN where one failed."""
        left, right = np.asarray(left, dtype=np.int64), np.asarray(right, dtype=np.int64)
        found = np.zeros(len(left))
        for first in range(0, len(left), _BLOCK):
            part = slice(first, first + _BLOCK)
            found[part] = _cosine(self.values[left[part]], self.values[right[part]])
        failed = np.zeros(len(self), dtype=bool)
        failed[list(self.failures)] = True
        found[failed[left] | failed[right]] = np.nan
        return found


def joined_dense(parts: Sequence[DenseVectors]) -> DenseVectors:
    """Return the vectors of all ``parts``, one after the other.

    Raises:
        DataError: they have different dimensions.
    """
    starts = np.cumsum([0, *map(len, parts)]).tolist()
    begun = list(zip(starts, parts, strict=False))
    failures = {start + place: why for start, part in begun for place, why in part.failures.items()}
    windowed = {start + place: count for start, part in begun for place, count in part.windowed.items()}
    full = [part.values for part in parts if len(part.failures) < len(part)]
    dimensions = sorted({values.shape[1] for values in full})
    if len(dimensions) > 1:
        message = (
            f"the embedder gave vectors of {' and of '.join(map(str, dimensions))} numbers; they cannot be compared"
        )
        raise DataError(message)
    width = dimensions[0] if dimensions else 1
    values = [
        part.values if part.values.shape[1] == width else np.zeros((len(part), width), np.float32) for part in parts
    ]
    rows = np.concatenate([np.empty((0, width), dtype=np.float32), *values])
    return DenseVectors(rows, failures, windowed)


def _cosine(left: npt.NDArray[np.float32], right: npt.NDArray[np.float32]) -> FloatArray:
    one, other = left.astype(np.float64), right.astype(np.float64)
    # The root of a product, not a product of roots: the root of a square is exact, so equal vectors give 1.
    scale = np.sqrt(_dots(one, one) * _dots(other, other))
    return np.divide(_dots(one, other), scale, out=np.zeros(len(one)), where=scale > 0).clip(-1.0, 1.0)


def _dots(left: FloatArray, right: FloatArray) -> FloatArray:
    return np.asarray(np.einsum("ij,ij->i", left, right), dtype=np.float64)
