"""Arrays as JSON types."""

from __future__ import annotations

import json
from datetime import date, time, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np

from ragauge.ragged import FloatArray

if TYPE_CHECKING:
    import pyarrow as pa

_DIGITS = 9
_TINY = -13
"""Powers of ten below which values are left as they are."""


def numbers(values: FloatArray) -> list[float | None]:
    """Return ``values`` (n,) to nine significant digits; what is not finite as None.

    >>> numbers(np.array([2 / 3, 0.1, np.nan, 123456.0, 1e-40]))
    [0.666666667, 0.1, None, 123456.0, 1e-40]
    """
    finite = np.isfinite(values)
    known = np.where(finite, values, 0.0)
    sizes = np.floor(np.log10(np.where(known == 0, 1.0, np.abs(known))))
    # Beyond 22 powers of ten are no exact floats, so that rounding would add digits in place of leaving them out.
    grid = 10.0 ** np.clip(_DIGITS - 1 - sizes, 0, 22)
    rounded: list[float | None] = np.where(sizes < _TINY, known, np.rint(known * grid) / grid + 0.0).tolist()
    for place in np.flatnonzero(~finite).tolist():
        rounded[place] = None
    return rounded


def values(column: pa.Array) -> list[str | float | bool | None]:
    """Return a column of any type as texts, numbers and booleans; lists and objects as JSON in a text."""
    import pyarrow as pa

    if pa.types.is_boolean(column.type) or pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        return column.to_pylist()  # type: ignore[no-any-return]
    if pa.types.is_integer(column.type) or pa.types.is_floating(column.type):
        return _whole(column) if pa.types.is_integer(column.type) else numbers(_floats(column))  # type: ignore[return-value]
    return [None if value is None else _text(value) for value in column.to_pylist()]


def _whole(column: pa.Array) -> list[Any]:
    """Return integers; those that a browser's numbers cannot hold, such as long ids, as texts."""
    found: list[Any] = column.to_pylist()
    return [str(value) if value is not None and abs(value) > 1 << 53 else value for value in found]


def _floats(column: pa.Array) -> FloatArray:
    import pyarrow as pa

    return np.asarray(column.cast(pa.float64()).to_numpy(zero_copy_only=False), dtype=np.float64)


def _text(value: object) -> str:
    if isinstance(value, date | time | timedelta | Decimal | bytes):
        return str(value)
    return json.dumps(value, ensure_ascii=False, default=str)
