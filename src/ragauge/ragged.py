"""Lists of different lengths as two arrays: flat values and offsets."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Array: TypeAlias = npt.NDArray[Any]
FloatArray: TypeAlias = npt.NDArray[np.float64]
IntArray: TypeAlias = npt.NDArray[np.int64]
BoolArray: TypeAlias = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Ragged:
    """``n`` lists in one flat array: list ``i`` is ``values[offsets[i]:offsets[i + 1]]``.

    Tokens of a text, texts of a sample, grades of a ranking. Shapes: ``values`` (m,), any dtype;
    ``offsets`` (n + 1,) int64, from 0 to m, never falling.

    >>> r = Ragged.of([[3, 1], [], [2]])
    >>> r.lengths
    array([2, 0, 1])
    >>> r[0]
    array([3, 1])
    """

    values: Array
    offsets: IntArray

    @classmethod
    def of(cls, lists: Iterable[Sequence[Any] | Array], dtype: npt.DTypeLike | None = None) -> Ragged:
        """Build from Python lists; meant for small data and tests."""
        rows = [list(row) for row in lists]
        flat = np.array([value for row in rows for value in row], dtype=dtype)
        return cls.from_lengths(flat, [len(row) for row in rows])

    @classmethod
    def from_lengths(cls, values: Array, lengths: npt.ArrayLike) -> Ragged:
        """Build from flat ``values`` and the length of each list."""
        lengths = np.asarray(lengths, dtype=np.int64)
        offsets = np.zeros(len(lengths) + 1, dtype=np.int64)
        np.cumsum(lengths, out=offsets[1:])
        return cls(values, offsets)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, index: int) -> Array:
        return self.values[self.offsets[index] : self.offsets[index + 1]]

    @property
    def lengths(self) -> IntArray:
        """The length of each list, (n,)."""
        return np.diff(self.offsets)

    @property
    def rows(self) -> IntArray:
        """The index of the list that holds each value, (m,)."""
        return np.repeat(np.arange(len(self)), self.lengths)

    @property
    def positions(self) -> IntArray:
        """The 0-based place of each value within its list, (m,)."""
        return np.arange(len(self.values)) - np.repeat(self.offsets[:-1], self.lengths)

    def take(self, indices: npt.ArrayLike) -> Ragged:
        """Return the lists at ``indices``, in that order."""
        chosen = np.asarray(indices, dtype=np.int64)
        lengths = self.lengths[chosen]
        taken = Ragged.from_lengths(np.empty(0, dtype=np.int64), lengths).offsets
        flat = np.arange(taken[-1]) - np.repeat(taken[:-1] - self.offsets[chosen], lengths)
        return Ragged(self.values[flat], taken)

    def to_lists(self) -> list[list[Any]]:
        """Return plain Python lists; meant for small data and tests."""
        return [self[i].tolist() for i in range(len(self))]
