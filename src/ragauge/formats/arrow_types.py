"""Arrow types of columns: texts and lists without a step per value, and types that are found in the values."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ragauge.core.arrow import scalar, to_arrow
from ragauge.formats.fields import plain
from ragauge.formats.source import Values

TEXT = pa.string()
TEXTS = pa.list_(TEXT)
NUMBERS = pa.list_(pa.float64())
JUDGEMENT = pa.struct([("id", TEXT), ("grade", pa.float64())])
JUDGEMENTS = pa.list_(JUDGEMENT)
UNFIT = (pa.ArrowException, UnicodeEncodeError, OverflowError, TypeError, ValueError)
"""What pyarrow raises for values that do not have the type."""

_TEXT_TYPES = frozenset({TEXT, pa.large_string(), pa.string_view(), pa.binary(), pa.large_binary(), pa.null()})


def fast_texts(values: Values) -> pa.Array | None:
    """Return ``values`` as strings without a step per value; None where a value is not text."""
    try:
        if not isinstance(values, pa.Array):
            return to_arrow(values, TEXT)
        if values.null_count == len(values):
            return pa.nulls(len(values), TEXT)
        return _strings(values) if is_text(values.type) else None
    except UNFIT:
        return None


def fast_lists(values: Values, kind: pa.DataType) -> pa.Array | None:
    """Return ``values`` as lists without a step per value; None where one does not fit or holds a null."""
    try:
        array = _arrow_lists(values, kind) if isinstance(values, pa.Array) else _python_lists(values, kind)
    except UNFIT:
        return None
    return array if array is not None and array.flatten().null_count == 0 else None


def is_text(kind: pa.DataType) -> bool:
    """Return whether values of this Arrow type are texts, in any of Arrow's layouts."""
    if pa.types.is_dictionary(kind):
        return is_text(kind.value_type)
    return kind in _TEXT_TYPES


def _strings(values: pa.Array) -> pa.Array:
    if isinstance(values, pa.DictionaryArray):
        values = values.dictionary_decode()
    return values if values.type == TEXT else values.cast(TEXT)


def _python_lists(values: Values, kind: pa.DataType) -> pa.Array | None:
    # Arrow reads a text as the list of its characters, and an object as the list of its keys.
    if not set(map(type, values)) <= {list, tuple, type(None)}:
        return None
    return to_arrow(values, kind)


def _arrow_lists(values: pa.Array, kind: pa.DataType) -> pa.Array | None:
    if values.null_count == len(values):
        return pa.nulls(len(values), kind)
    if values.type == kind:
        return values
    if not _is_list(values.type) or not _fits(values.type.value_type, kind.value_type):
        return None
    return values.cast(kind)


def _is_list(kind: pa.DataType) -> bool:
    return any((pa.types.is_list(kind), pa.types.is_large_list(kind), pa.types.is_fixed_size_list(kind)))


def _fits(value: pa.DataType, wanted: pa.DataType) -> bool:
    if wanted == TEXT:
        return is_text(value)
    return any((pa.types.is_floating(value), pa.types.is_integer(value), pa.types.is_null(value)))


def lists_of_one(array: pa.Array) -> pa.Array:
    """Return each value as a list of one; null stays null."""
    present = array.is_valid()
    lengths = pc.cast(present, pa.int32())
    offsets = pa.concat_arrays([to_arrow([0], pa.int32()), pc.cumulative_sum(lengths)])
    return pa.ListArray.from_arrays(offsets, array.filter(present), mask=pc.invert(present))


_MOST_KEYS = 64
"""Keys of objects: each becomes an Arrow column, which suits records and is ruinous for maps with ids as keys."""


def inferred(values: Values) -> pa.Array:
    """Return ``values`` as the type that Arrow infers; values of several kinds become JSON text.

    >>> inferred([1, 2.5]).type, inferred([1, "a"]).to_pylist()
    (DataType(double), ['1', 'a'])
    """
    if isinstance(values, pa.Array):
        return _plain_layout(values)
    try:
        array = to_arrow(values) if _few_keys(values) and not _mixes_truth(values) else None
    except UNFIT:
        array = None
    if array is None or not _storable(array.type):
        return as_json(values)
    return array


def _plain_layout(array: pa.Array) -> pa.Array:
    """Return texts as plain strings; other types as they are."""
    if isinstance(array, pa.DictionaryArray):
        array = array.dictionary_decode()
    if is_text(array.type) and not _is_binary(array.type) and not pa.types.is_null(array.type):
        return array.cast(TEXT)
    return array


def _is_binary(kind: pa.DataType) -> bool:
    return bool(pa.types.is_binary(kind) or pa.types.is_large_binary(kind))


def _few_keys(values: Values) -> bool:
    objects = [value for value in values if isinstance(value, dict)]
    return len(set(chain.from_iterable(objects))) <= _MOST_KEYS


def _mixes_truth(values: Iterable[Any]) -> bool:
    """Return whether booleans stand among numbers: Arrow reads them as numbers or not by the order of the values."""
    kinds = set(map(type, values))
    if bool in kinds and kinds & {int, float}:
        return True
    nested = [value for value in values if isinstance(value, list)] if list in kinds else []
    objects = [value for value in values if isinstance(value, dict)] if dict in kinds else []
    names = set(chain.from_iterable(objects))
    fields = ([one.get(name) for one in objects] for name in names)
    return any(map(_mixes_truth, [list(chain.from_iterable(nested)), *fields])) if nested or names else False


def _storable(kind: pa.DataType) -> bool:
    """Return whether Parquet can hold the type: it has no object without keys."""
    return not pa.types.is_struct(kind) or 0 < kind.num_fields <= _MOST_KEYS


def as_json(values: Values) -> pa.Array:
    """Return texts as they are and everything else as JSON text."""
    return to_arrow([_json(value) for value in plain(values)], TEXT)


def _json(value: Any) -> str | None:
    if value is None:
        return None
    written = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return written.encode("utf-8", "backslashreplace").decode()


def wider(left: pa.DataType, right: pa.DataType) -> pa.DataType:
    """Return the type that holds the values of both types; string where there is no other.

    >>> wider(pa.int64(), pa.float64()), wider(pa.int64(), pa.string()), wider(pa.null(), pa.bool_())
    (DataType(double), DataType(string), DataType(bool))
    """
    try:
        both = [pa.schema([("values", kind)]) for kind in (left, right)]
        kind = pa.unify_schemas(both, promote_options="permissive").field(0).type
    except pa.ArrowException:
        return TEXT
    return kind if _storable(kind) else TEXT


def cast(array: pa.Array | pa.ChunkedArray, kind: pa.DataType) -> pa.Array | pa.ChunkedArray:
    """Return ``array`` as a type that is `wider` than its own, or that `narrowest` returned for its texts."""
    if array.type == kind:
        return array
    if pa.types.is_null(kind):
        return pa.nulls(len(array))
    if is_text(array.type) and kind != TEXT:
        return nulls_for_empty(array).cast(kind)
    if kind != TEXT or pa.types.is_null(array.type):
        return array.cast(kind)
    return as_json(array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array)


def narrowest(texts: pa.Array) -> pa.DataType:
    """Return the type that all ``texts`` of a CSV column can be read as: int64, double, bool, else string.

    Digits after a leading zero are a code and no number. An empty text is null.

    >>> [str(narrowest(pa.array(texts))) for texts in (["1", ""], ["1.5", "2"], ["true"], ["007"], [""])]
    ['int64', 'double', 'bool', 'string', 'null']
    """
    filled = nulls_for_empty(texts).drop_null()
    if len(filled) == 0:
        return pa.null()
    if pc.any(pc.match_substring_regex(filled, r"^[-+]?0\d")).as_py():
        return TEXT
    return next((kind for kind in (pa.int64(), pa.float64(), pa.bool_()) if _reads_as(filled, kind)), TEXT)


def _reads_as(texts: pa.Array, kind: pa.DataType) -> bool:
    try:
        texts.cast(kind)
    except pa.ArrowInvalid:
        return False
    return True


def nulls_for_empty(values: pa.Array) -> pa.Array:
    """Return the texts with null for empty ones: outside the known columns an empty field means nothing."""
    return pc.if_else(pc.equal(values, ""), scalar(None, pa.string()), values)


def conformed(table: pa.Table, types: Mapping[str, pa.DataType]) -> pa.Table:
    """Return a table or batch with the columns ``types`` and no others; one that it lacks is null."""
    columns = [
        cast(table.column(name), kind) if name in table.schema.names else pa.nulls(table.num_rows, kind)
        for name, kind in types.items()
    ]
    return type(table).from_arrays(columns, names=list(types))
