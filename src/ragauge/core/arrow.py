"""Conversions between Arrow arrays, numpy arrays and Python values that never load pandas.

pyarrow imports pandas, where it is installed, for ``pa.array``, ``pa.scalar`` and ``to_numpy``: a quarter of a second
at every start. The functions here build the buffers themselves. Values of other kinds than text, numbers, booleans and
lists of these are left to pyarrow.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import pyarrow as pa
from pyarrow import types

from ragauge.core import compute as pc

if TYPE_CHECKING:
    import numpy.typing as npt

Arrow: TypeAlias = pa.Array | pa.ChunkedArray

# On Linux, glibc returns the memory of freed arrays to the system at once, and to take it again costs a fifth of the
# time of an evaluation. It keeps twice the size of the largest array that it saw freed: this one, whose pages are never
# touched. Elsewhere this does nothing.
np.empty(1 << 23, dtype=np.uint8)

# Not every integer above 2^53 is exact as a float64, so pyarrow refuses to convert those.
_EXACT = 1 << 53
_TEXTS = 1024
"""Texts encoded at a time: enough to be fast, and so few that their copy is small."""


def to_numpy(array: Arrow) -> npt.NDArray[Any]:
    """Return ``array`` (n,) as numpy: a view where it holds numbers without nulls.

    Nulls become NaN among numbers; booleans with nulls and all other types become Python objects.

    >>> import pyarrow as pa
    >>> to_numpy(pa.array([1, None, 3])), to_numpy(pa.array([True, False]))
    (array([ 1., nan,  3.]), array([ True, False]))
    """
    array = whole(array)
    if types.is_boolean(array.type) and not array.null_count:
        return _bits(array)
    if not types.is_integer(array.type) and not types.is_floating(array.type):
        objects = np.empty(len(array), dtype=object)
        objects[:] = array.to_pylist()
        return objects
    dtype = np.dtype(f"float{array.type.bit_width}" if types.is_floating(array.type) else str(array.type))
    content = array.buffers()[1]
    offset = array.offset * dtype.itemsize
    values = np.frombuffer(content, dtype, len(array), offset) if content else np.empty(0, dtype)
    if not array.null_count:
        return values
    floats = values.astype(dtype if dtype.kind == "f" else np.float64)
    floats[_bits(pc.is_null(array))] = np.nan
    return floats


def to_arrow(
    values: Iterable[Any] | npt.NDArray[Any],
    kind: pa.DataType | None = None,
    mask: npt.NDArray[np.bool_] | None = None,
    *,
    strict: bool = False,
) -> pa.Array:
    """Return numpy or Python ``values`` (n,) as ``pa.array`` does; of their own type where ``kind`` is None.

    The result is null for None and, for numpy arrays, where ``mask`` (n,) is true. With ``strict``, Python values of
    another type are a TypeError; pyarrow takes bytes as text, for example.

    >>> to_arrow(["a", None]).to_pylist(), str(to_arrow([[1], []]).type)
    (['a', None], 'list<item: int64>')
    """
    built = None
    if isinstance(values, np.ndarray) and values.dtype.kind != "O":
        if values.dtype.kind in "biuf" and values.ndim == 1 and values.dtype.isnative:
            present = None if mask is None else pa.py_buffer(np.packbits(~mask, bitorder="little"))
            built = _from_numpy(values, present)
    else:
        values = values if isinstance(values, list) else list(values)
        built = _from_values(values, kind) if mask is None else None
    if built is None and strict:
        raise TypeError(f"a value is not of type {kind}")
    if built is None:
        return pa.array(values, kind, mask=mask)
    return built if kind is None else pc.cast(built, kind)


def scalar(value: Any, kind: pa.DataType | None = None) -> pa.Scalar:
    """Return ``value`` as an Arrow scalar of ``kind``."""
    return to_arrow([value], kind)[0]


def filled(array: Arrow, value: Any) -> Arrow:
    """Return ``array`` with ``value`` in place of null."""
    return pc.coalesce(array, scalar(value, array.type)) if array.null_count else array


def whole(column: Arrow) -> pa.Array:
    """Return a column as one array."""
    if not isinstance(column, pa.ChunkedArray):
        return column
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()


def as_batch(table: pa.Table) -> pa.RecordBatch:
    """Return a table as one batch of rows."""
    return pa.RecordBatch.from_arrays(list(map(whole, table.columns)), schema=table.schema)


def utf8(strings: Arrow | Sequence[str]) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int64]]:
    """Return the UTF-8 bytes of n strings, and (n + 1,) where in them each begins and ends; null as empty."""
    array = whole(strings) if isinstance(strings, pa.Array | pa.ChunkedArray) else to_arrow(strings, pa.large_string())
    array = filled(pc.cast(array, pa.large_string()), "")
    if len(array) == 0:
        return np.empty(0, dtype=np.uint8), np.zeros(1, dtype=np.int64)
    _, starts, content = array.buffers()
    offsets = np.frombuffer(starts, dtype=np.int64)[array.offset : array.offset + len(array) + 1]
    # Buffers that came in a message of another program may lie anywhere.
    return np.frombuffer(content if content is not None else b"", dtype=np.uint8), np.require(offsets, requirements="A")


def _bits(array: pa.Array) -> npt.NDArray[np.bool_]:
    content = array.buffers()[1] or b""
    bits = np.unpackbits(np.frombuffer(content, np.uint8), count=array.offset + len(array), bitorder="little")
    return bits[array.offset :].view(np.bool_)


def _from_numpy(values: npt.NDArray[Any], present: pa.Buffer | None) -> pa.Array:
    content = np.packbits(values, bitorder="little") if values.dtype.kind == "b" else np.ascontiguousarray(values)
    kind = pa.from_numpy_dtype(values.dtype)
    return pa.Array.from_buffers(kind, len(values), [present, pa.py_buffer(content)])


def _from_values(values: Sequence[Any], kind: pa.DataType | None) -> pa.Array | None:
    """Return None where the values are of other or of several types, or do not fit ``kind``: pyarrow decides those."""
    if (texts := _texts(values, kind)) is not None:
        return texts
    classes = set(map(type, values))
    # A bit for each value, unset where it is None; no bits at all where none is.
    present = None
    if type(None) in classes:
        classes.remove(type(None))
        present = pa.py_buffer(np.packbits([value is not None for value in values], bitorder="little"))
        if classes <= {str, bool, int, float}:
            empty = "" if classes == {str} else 0
            values = [empty if value is None else value for value in values]
    if not classes:
        return pa.nulls(len(values), kind)
    if classes == {str} and present is not None:
        return _texts(values, kind, present)
    if classes <= {list, tuple} and (kind is None or types.is_list(kind) or types.is_large_list(kind)):
        # One array of all items, converted like a column, and the places where each list begins.
        lists = [value or () for value in values]
        items = _from_values(list(chain.from_iterable(lists)), kind.value_type if kind else None)
        offsets = pa.py_buffer(np.cumsum([0, *map(len, lists)], dtype=np.int32))
        if items is not None:
            items = pa.Array.from_buffers(pa.list_(items.type), len(lists), [present, offsets], children=[items])
        return items
    if classes == {dict} and kind is None:
        return _objects(values)
    return _from_numbers(values, classes, kind, present)


def _from_numbers(
    values: Sequence[Any], classes: set[type], kind: pa.DataType | None, present: pa.Buffer | None
) -> pa.Array | None:
    # Numbers that would overflow or be rounded are left to pyarrow.
    numbers: npt.NDArray[Any] | None = None
    if classes == {bool} and (kind is None or types.is_boolean(kind)):
        numbers = np.array(values, dtype=np.bool_)
    elif classes == {int} and (kind is None or types.is_integer(kind)):
        numbers = np.array(values)
        numbers = numbers.astype(np.int64) if numbers.dtype.kind == "i" else None
    elif classes <= {int, float} and (kind is None or types.is_float64(kind)):
        integers = [value for value in values if type(value) is int] if int in classes else [0]
        exact = min(integers) >= -_EXACT and max(integers) <= _EXACT
        numbers = np.fromiter(values, np.float64, len(values)) if exact else None
    return None if numbers is None else _from_numpy(numbers, present)


def _texts(values: Iterable[Any], kind: pa.DataType | None, present: pa.Buffer | None = None) -> pa.Array | None:
    """Encode texts, some at a time, each while it is in cache; None where there are none, or other values too."""
    if kind is not None and not types.is_string(kind) and not types.is_large_string(kind):
        return None
    content, sizes, rest = bytearray(), [np.zeros(1, dtype=np.int32)], iter(values)
    while some := list(islice(rest, _TEXTS)):
        try:
            joined = "".join(some)
        except TypeError:
            return None
        content += joined.encode()
        sizes.append(np.fromiter(map(len, some if joined.isascii() else map(str.encode, some)), np.int32, len(some)))
    if len(sizes) == 1 or len(content) > np.iinfo(np.int32).max:
        return None
    offsets = np.cumsum(np.concatenate(sizes), dtype=np.int32)
    buffers = [present, pa.py_buffer(offsets), pa.py_buffer(content)]
    return pa.Array.from_buffers(pa.string(), len(offsets) - 1, buffers)


def _objects(values: Sequence[Any]) -> pa.Array | None:
    names = dict.fromkeys(chain.from_iterable(filter(None, values)))
    if set(map(type, names)) != {str}:
        return None
    fields = [to_arrow([None if value is None else value.get(name) for value in values]) for name in names]
    absent = to_arrow(np.array([value is None for value in values]))
    return pa.StructArray.from_arrays(fields, names=list(names), mask=absent)
