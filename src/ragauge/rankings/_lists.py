"""Arrow columns of lists as flat values and offsets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ragauge.errors import DataError
from ragauge.ragged import Ragged

if TYPE_CHECKING:
    import pyarrow as pa

    from ragauge.ragged import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, slots=True, eq=False)
class Lists:
    """``n`` lists: flat Arrow ``values`` (m,) without nulls, and ``offsets`` (n + 1,) from 0 to m."""

    values: pa.Array
    offsets: IntArray

    @classmethod
    def of(cls, column: pa.Array | pa.ChunkedArray, name: str, ids: pa.Array) -> Lists:
        """Flatten a list column; a null list is empty.

        Raises:
            DataError: some list of the column ``name`` holds a null; the message has its query's id.
        """
        import pyarrow.compute as pc

        array = whole(column)
        lengths = pc.list_value_length(array).fill_null(0).to_numpy(zero_copy_only=False)
        lists = cls(array.flatten(), Ragged.from_lengths(np.empty(0), lengths).offsets)
        lists._refuse(lists.values.is_null() if lists.values.null_count else None, "a null", name, ids)
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
        import pyarrow as pa

        counts = np.concatenate([[0], np.cumsum(kept)])
        return Lists(self.values.filter(pa.array(kept)), counts[self.offsets])

    def strings(self) -> pa.Array:
        """Return the values as string or large_string, whatever text type they have."""
        import pyarrow as pa

        plain = pa.types.is_string(self.values.type) or pa.types.is_large_string(self.values.type)
        return self.values if plain else self.values.cast(pa.large_string())

    def field(self, field: str, name: str, ids: pa.Array) -> Lists:
        """Return one field of a list of structs.

        Raises:
            DataError: the field is null somewhere.
        """
        lists = Lists(self.values.field(field), self.offsets)
        nulls = lists.values.is_null() if lists.values.null_count else None
        lists._refuse(nulls, f"a null {field}", name, ids)
        return lists

    def numbers(self, name: str, ids: pa.Array) -> FloatArray:
        """Return the values as float64, without a copy where they are that already.

        Raises:
            DataError: some value is NaN.
        """
        import pyarrow as pa

        plain = self.values if pa.types.is_float64(self.values.type) else self.values.cast(pa.float64())
        array: FloatArray = plain.to_numpy(zero_copy_only=False)
        nans = np.isnan(array)
        self._refuse(nans if nans.any() else None, "NaN", name, ids)
        return array

    def _refuse(self, bad: Any, what: str, name: str, ids: pa.Array) -> None:
        if bad is None:
            return
        rows = np.unique(self.rows_of(np.flatnonzero(np.asarray(bad))))
        raise DataError.of(name, [f"query {query!r} has {what} in its list" for query in ids.take(rows).to_pylist()])


def whole(column: pa.Array | pa.ChunkedArray) -> pa.Array:
    """Return a column as one array."""
    import pyarrow as pa

    if not isinstance(column, pa.ChunkedArray):
        return column
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
