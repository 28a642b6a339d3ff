"""Conversions between Arrow arrays, numpy arrays and Python values that never load pandas.

pyarrow imports pandas, where it is installed, for ``pa.array``, ``pa.scalar`` and ``to_numpy``: a quarter of a second
at every start. The functions here build the buffers themselves. Values of other kinds than text, numbers, booleans and
lists of these are left to pyarrow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import pyarrow as pa
from pyarrow import types

if TYPE_CHECKING:
    import numpy.typing as npt

Arrow: TypeAlias = pa.Array | pa.ChunkedArray
_Mask: TypeAlias = "npt.NDArray[np.bool_] | None"

# Integers beyond it have no exact float64: pyarrow refuses them.
_EXACT = 1 << 53


def to_numpy(array: Arrow) -> npt.NDArray[Any]:
    """Return ``array`` (n,) as numpy: a view where it holds numbers without nulls.

    Nulls become NaN among numbers; booleans with nulls and all other types become Python objects.

    >>> import pyarrow as pa
    >>> to_numpy(pa.array([1, None, 3])), to_numpy(pa.array([True, False]))
    (array([ 1., nan,  3.]), array([ True, False]))
    """
    array = whole(array)
    dtype = _dtype(array.type)
    if dtype is None or (dtype.kind == "b" and array.null_count):
        return _objects(array)
    values = _bits(array) if dtype.kind == "b" else _view(array, dtype)
    if not array.null_count:
        return values
    floats = values.astype(dtype if dtype.kind == "f" else np.float64)
    floats[_bits(array.is_null())] = np.nan
    return floats


def to_arrow(values: Iterable[Any] | npt.NDArray[Any], kind: pa.DataType | None = None, mask: _Mask = None) -> pa.Array:
    """Return ``values`` (n,) as an Arrow array of ``kind``; what ``pa.array`` returns, with None as null.

    Args:
        values: a numpy array or Python values.
        kind: the type; None takes that of the values.
        mask: (n,), true where the result is null; for numpy arrays.

    >>> to_arrow(["a", None]).to_pylist(), str(to_arrow([[1], []]).type)
    (['a', None], 'list<item: int64>')
    """
    if isinstance(values, np.ndarray) and values.dtype.kind != "O":
        built = _of_numpy(values, mask)
    else:
        values = values.tolist() if isinstance(values, np.ndarray) else list(values)
        built = _of_values(values, kind) if mask is None else None
    if built is None:
        return pa.array(values, kind, mask=mask)
    return built if kind is None or built.type == kind else built.cast(kind)


def scalar(value: Any, kind: pa.DataType | None = None) -> pa.Scalar:
    """Return ``value`` as an Arrow scalar of ``kind``."""
    return to_arrow([value], kind)[0]


def filled(array: Arrow, value: Any) -> Arrow:
    """Return ``array`` with ``value`` in place of null."""
    return array.fill_null(scalar(value, array.type)) if array.null_count else array


def whole(column: Arrow) -> pa.Array:
    """Return a column as one array."""
    if not isinstance(column, pa.ChunkedArray):
        return column
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()


def _dtype(kind: pa.DataType) -> np.dtype[Any] | None:
    if types.is_boolean(kind) or types.is_integer(kind):
        return np.dtype(str(kind))
    return np.dtype(f"float{kind.bit_width}") if types.is_floating(kind) else None


def _objects(array: pa.Array) -> npt.NDArray[Any]:
    objects = np.empty(len(array), dtype=object)
    objects[:] = array.to_pylist()
    return objects


def _view(array: pa.Array, dtype: np.dtype[Any]) -> npt.NDArray[Any]:
    content = array.buffers()[1]
    return np.frombuffer(content, dtype, len(array), array.offset * dtype.itemsize) if content else np.empty(0, dtype)


def _bits(array: pa.Array) -> npt.NDArray[np.bool_]:
    content = array.buffers()[1] or b""
    bits = np.unpackbits(np.frombuffer(content, np.uint8), count=array.offset + len(array), bitorder="little")
    return bits[array.offset :].view(np.bool_)


def _of_numpy(values: npt.NDArray[Any], mask: _Mask) -> pa.Array | None:
    if values.ndim != 1 or values.dtype.kind not in "biuf" or not values.dtype.isnative:
        return None
    kind = pa.from_numpy_dtype(values.dtype)
    content = _packed(values) if values.dtype.kind == "b" else pa.py_buffer(np.ascontiguousarray(values))
    present = None if mask is None or not mask.any() else _packed(~mask)
    return pa.Array.from_buffers(kind, len(values), [present, content])


def _packed(values: npt.NDArray[np.bool_]) -> pa.Buffer:
    return pa.py_buffer(np.packbits(values, bitorder="little"))


def _of_values(values: Sequence[Any], kind: pa.DataType | None) -> pa.Array | None:
    """Return None where the values are of other or of several types, or do not fit ``kind``: pyarrow decides those."""
    found = set(map(type, values))
    absent = np.array([value is None for value in values]) if type(None) in found else None
    found.discard(type(None))
    if not found:
        return pa.nulls(len(values), kind)
    for of, accepts, build in _BUILDERS:
        if found <= of and (kind is None or any(accept(kind) for accept in accepts)):
            return build(values, absent, kind)
    return None


def _texts(values: Sequence[str | None], absent: _Mask, _: pa.DataType | None) -> pa.Array | None:
    texts = [value or "" for value in values]
    joined = "".join(texts)
    content = joined.encode()
    if len(content) > np.iinfo(np.int32).max:
        return None
    lengths = map(len, texts) if joined.isascii() else (len(text.encode()) for text in texts)
    offsets = _offsets(lengths, len(texts))
    present = None if absent is None else _packed(~absent)
    return pa.Array.from_buffers(pa.string(), len(texts), [present, offsets, pa.py_buffer(content)])


def _booleans(values: Sequence[bool | None], absent: _Mask, _: pa.DataType | None) -> pa.Array | None:
    return _of_numpy(np.array(values, dtype=np.bool_), absent)


def _integers(values: Sequence[int | None], absent: _Mask, _: pa.DataType | None) -> pa.Array | None:
    try:
        return _of_numpy(np.array([value or 0 for value in values], dtype=np.int64), absent)
    except OverflowError:
        return None


def _floats(values: Sequence[float | None], absent: _Mask, _: pa.DataType | None) -> pa.Array | None:
    if any(isinstance(value, int) and abs(value) > _EXACT for value in values):
        return None
    return _of_numpy(np.array([0.0 if value is None else value for value in values], dtype=np.float64), absent)


def _lists(values: Sequence[Any], absent: _Mask, kind: pa.DataType | None) -> pa.Array | None:
    lists = [value or () for value in values]
    items = _of_values(list(chain.from_iterable(lists)), kind.value_type if kind else None)
    if items is None:
        return None
    present = None if absent is None else _packed(~absent)
    offsets = _offsets(map(len, lists), len(lists))
    return pa.Array.from_buffers(pa.list_(items.type), len(lists), [present, offsets], children=[items])


def _offsets(lengths: Iterable[int], count: int) -> pa.Buffer:
    offsets = np.zeros(count + 1, dtype=np.int32)
    np.cumsum(np.fromiter(lengths, np.int32, count), out=offsets[1:])
    return pa.py_buffer(offsets)


_BUILDERS: tuple[tuple[set[type], tuple[Callable[[pa.DataType], bool], ...], Callable[..., pa.Array | None]], ...] = (
    ({str}, (types.is_string, types.is_large_string), _texts),
    ({bool}, (types.is_boolean,), _booleans),
    ({int}, (types.is_integer,), _integers),
    ({int, float}, (types.is_float64,), _floats),
    ({list, tuple}, (types.is_list, types.is_large_list), _lists),
)
