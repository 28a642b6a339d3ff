"""Human labels: columns of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ragauge.comparing.pairs import column
from ragauge.errors import ColumnError, DataError, did_you_mean
from ragauge.ragged import FloatArray
from ragauge.result import Result

if TYPE_CHECKING:
    import pyarrow as pa


def labels_of(result: Result, names: Sequence[str], option: str) -> FloatArray:
    """Read the columns of one annotator each, (annotators, n); NaN where a label is missing.

    Raises:
        ColumnError: there is no such column.
        DataError: a column does not hold numbers or booleans, holds infinities, or is empty.
    """
    return np.stack([_numbers(known(result, name, option), name, option) for name in names])


def known(result: Result, name: str, option: str) -> pa.Array:
    """Return column ``name``.

    Raises:
        ColumnError: there is none.
    """
    if name not in result.data.columns:
        message = f"{option}={name}: the data have no column {name!r}{did_you_mean(name, result.data.columns)}"
        raise ColumnError(message)
    return column(result, name)


def _numbers(values: pa.Array, name: str, option: str) -> FloatArray:
    import pyarrow as pa

    try:
        cast = values.cast(pa.int8() if pa.types.is_boolean(values.type) else pa.float64())
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        message = f"{option}={name}: labels must be numbers, or words mapped to 0 and 1; it holds {values.type}"
        raise DataError(message) from None
    numbers: FloatArray = np.asarray(cast.to_numpy(zero_copy_only=False), dtype=np.float64)
    if np.isinf(numbers).any():
        message = f"{option}={name}: the column holds an infinity; set it to null or to a finite label"
        raise DataError(message)
    if np.isnan(numbers).all():
        message = f"{option}={name}: no sample has a label"
        raise DataError(message)
    return numbers
