"""Lists of different lengths as two arrays: flat values and offsets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NoReturn, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ragauge.core import compute as pc
from ragauge.core.arrow import filled, to_arrow, to_numpy, whole
from ragauge.core.messages import Message
from ragauge.errors import DataError, UsageError

Array: TypeAlias = npt.NDArray[Any]
FloatArray: TypeAlias = npt.NDArray[np.float64]
IntArray: TypeAlias = npt.NDArray[np.int64]
BoolArray: TypeAlias = npt.NDArray[np.bool_]


def offsets_of(lengths: npt.ArrayLike) -> IntArray:
    """Return where lists of these ``lengths``, (n,), begin and end in one flat array: (n + 1,) from 0."""
    sizes = np.asarray(lengths)
    offsets = np.zeros(len(sizes) + 1, dtype=np.int64)
    np.cumsum(sizes, dtype=np.int64, out=offsets[1:])
    return offsets


def listed(values: pa.Array, lengths: npt.ArrayLike, absent: BoolArray | None = None) -> pa.Array:
    """Return flat ``values`` (m,) as lists of these ``lengths``, (n,); null where ``absent`` (n,) is true."""
    wide = pa.types.is_large_string(values.type)
    offsets = offsets_of(lengths)
    kind = pa.LargeListArray if wide else pa.ListArray
    mask = None if absent is None else to_arrow(absent)
    return kind.from_arrays(to_arrow(offsets if wide else offsets.astype(np.int32)), values, mask=mask)


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
        """Build from flat ``values`` and the length of each list; UsageError where these do not add up to them.

        >>> Ragged.from_lengths(np.array([3, 1, 2]), [2, 0, 1]).to_lists()
        [[3, 1], [], [2]]
        """
        ragged = cls(values, offsets_of(lengths))
        if ragged.offsets[-1] != len(values):
            template = "RG-CORE-033 the lengths of lists must add up to the number of values, {n}; got {total}"
            raise UsageError(template, len(values), ragged.offsets[-1])
        return ragged

    @classmethod
    def without_values(cls, lengths: npt.ArrayLike) -> Ragged:
        """Build lists of which only `lengths`, `rows` and `positions` are asked: they have no values.

        >>> Ragged.without_values([2, 0, 1]).positions
        array([0, 1, 0])
        """
        return cls(np.empty(0), offsets_of(lengths))

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, index: int) -> Array:
        return self.values[self.offsets[index] : self.offsets[index + 1]]

    @property
    def lengths(self) -> IntArray:
        """The length of each list, (n,)."""
        return np.asarray(self.offsets[1:] - self.offsets[:-1])

    @property
    def rows(self) -> IntArray:
        """The index of the list that holds each value, (m,)."""
        return np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))

    @property
    def positions(self) -> IntArray:
        """The 0-based place of each value within its list, (m,); read from the offsets alone."""
        return np.arange(self.offsets[-1]) - np.repeat(self.offsets[:-1], self.lengths)

    def between(self, first: int, last: int) -> Ragged:
        """Return lists ``first`` to ``last``, the last one excluded."""
        offsets = self.offsets[first : last + 1]
        return Ragged(self.values[offsets[0] : offsets[-1]], offsets - offsets[0])

    def where(self, kept: BoolArray) -> Ragged:
        """Return the lists with those values only where ``kept`` (m,) is true.

        >>> Ragged.of([[1, 2], [3]]).where(np.array([False, True, True])).to_lists()
        [[2], [3]]
        """
        if kept.all():
            return self
        return Ragged(self.values[np.flatnonzero(kept)], offsets_of(kept)[self.offsets])

    def take(self, indices: npt.ArrayLike) -> Ragged:
        """Return the lists at ``indices``, in that order."""
        chosen = np.asarray(indices, dtype=np.int64)
        lengths = self.lengths[chosen]
        taken = offsets_of(lengths)
        flat = np.arange(taken[-1]) - np.repeat(taken[:-1] - self.offsets[chosen], lengths)
        return Ragged(self.values[flat], taken)

    def to_lists(self) -> list[list[Any]]:
        """Return plain Python lists; meant for small data and tests."""
        return [self[i].tolist() for i in range(len(self))]


def distinct(values: IntArray) -> IntArray:
    """Return the different integers of ``values``, rising, as `np.unique` does.

    That imports ``numpy.ma`` to see whether the array is masked, which takes longer than a small run reads its data.

    >>> distinct(np.array([3, 1, 3]))
    array([1, 3])
    """
    ordered = np.sort(values)
    first = np.ones(len(ordered), dtype=bool)
    np.not_equal(ordered[1:], ordered[:-1], out=first[1:])
    return ordered[first]


def runs(ends: IntArray, size: int) -> Iterator[tuple[int, int]]:
    """Yield runs of n neighbouring items as (first, last), last excluded; each run has a size of about ``size``.

    ``ends`` (n,) rising: the size of all items up to each. An item above ``size`` is in a run with those before it.

    >>> list(runs(np.array([2, 4, 6, 8]), 4))
    [(0, 2), (2, 4)]
    """
    marks = np.arange(size, ends[-1] if len(ends) else 0, size)
    yield from pairwise(sorted({0, *np.searchsorted(ends, marks, side="right").tolist(), len(ends)}))


@dataclass(frozen=True, slots=True, eq=False)
class Lists:
    """``n`` lists: flat Arrow ``values`` (m,) without nulls, and ``offsets`` (n + 1,) from 0 to m."""

    values: pa.Array
    offsets: IntArray

    @classmethod
    def of(cls, column: pa.Array | pa.ChunkedArray, name: str, ids: pa.Array) -> Lists:
        """Flatten the list column ``name``, null as an empty list; DataError with the ids of lists that hold a null."""
        array = whole(column)
        lengths = to_numpy(filled(pc.list_value_length(array), 0))
        lists = cls(pc.list_flatten(array), offsets_of(lengths))
        if lists.values.null_count:
            lists._refuse(to_numpy(pc.is_null(lists.values)), "a null", name, ids)
        return lists

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, row: int) -> list[Any]:
        return list(self.values[int(self.offsets[row]) : int(self.offsets[row + 1])].to_pylist())

    def rows_of(self, flat: IntArray) -> IntArray:
        """Return the rows that hold the flat indices."""
        return np.searchsorted(self.offsets, flat, side="right") - 1

    def where(self, kept: BoolArray) -> Lists:
        """Return the lists without the values that are not ``kept`` (m,)."""
        return Lists(self.values.filter(to_arrow(kept)), offsets_of(kept)[self.offsets])

    def strings(self) -> pa.Array:
        """Return the values as string or large_string, whatever text type they have."""
        plain = pa.types.is_string(self.values.type) or pa.types.is_large_string(self.values.type)
        return self.values if plain else self.values.cast(pa.large_string())

    def field(self, field: str, name: str, ids: pa.Array) -> Lists:
        """Return one field of a list of structs; DataError where it is null."""
        lists = Lists(self.values.field(field), self.offsets)
        if lists.values.null_count:
            lists._refuse(to_numpy(pc.is_null(lists.values)), Message("a null {field}", field), name, ids)
        return lists

    def numbers(self, name: str, ids: pa.Array) -> FloatArray:
        """Return the values as float64, without a copy where they are that already; DataError for NaN."""
        plain = self.values if pa.types.is_float64(self.values.type) else self.values.cast(pa.float64())
        array: FloatArray = to_numpy(plain)
        nans = np.isnan(array)
        if nans.any():
            self._refuse(nans, Message("NaN"), name, ids)
        return array

    def _refuse(self, bad: BoolArray, what: str, name: str, ids: pa.Array) -> NoReturn:
        queries = ids.take(to_arrow(np.unique(self.rows_of(np.flatnonzero(bad))))).to_pylist()
        raise DataError.of(
            name, [Message("RG-RANK-008 query {query!r} has {what} in its list", query, what) for query in queries]
        )
