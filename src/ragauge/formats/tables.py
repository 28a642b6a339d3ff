"""Parquet and Arrow files, and the types of columns without a known meaning."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ragauge.formats.columns import TEXT, is_text, nulls_for_empty
from ragauge.formats.fields import plain
from ragauge.formats.objects import from_batches
from ragauge.formats.opening import Opened
from ragauge.formats.source import Chunk, Values

PARQUET = b"PAR1"
ARROW = b"ARROW1"
_ROWS = 1 << 14


def parquet(file: Opened) -> Iterator[Chunk]:
    """Read a Parquet file, some rows at a time."""
    with _in_any_order(file) as whole, pq.ParquetFile(whole) as table:
        yield from from_batches(table.iter_batches(batch_size=_ROWS))


def arrow(file: Opened) -> Iterator[Chunk]:
    """Read an Arrow IPC file (Feather) or stream."""
    if not file.head.startswith(ARROW):
        yield from from_batches(pa.ipc.open_stream(file.stream))
        return
    with _in_any_order(file) as whole, pa.ipc.open_file(whole) as table:
        yield from from_batches(table.get_batch(number) for number in range(table.num_record_batches))


@contextmanager
def _in_any_order(file: Opened) -> Iterator[pa.NativeFile]:
    """Yield the bytes as a file of Arrow's own, a temporary one if need be: these formats are read from their end."""
    if file.path is not None:
        with pa.OSFile(file.path) as whole:
            yield whole
        return
    with tempfile.TemporaryDirectory(prefix="ragauge-") as folder:
        copy = Path(folder, "copy")
        with copy.open("wb") as sink:
            shutil.copyfileobj(file.stream, sink)
        with pa.OSFile(str(copy)) as whole:
            yield whole


# An object column becomes one Arrow column per key: fine for records, ruinous for maps with ids as keys.
_MOST_KEYS = 64


def inferred(values: Values) -> pa.Array:
    """Return ``values`` with the type that Arrow infers; values of several kinds become JSON text.

    >>> inferred([1, 2.5]).type, inferred([1, "a"]).to_pylist()
    (DataType(double), ['1', 'a'])
    """
    if isinstance(values, pa.Array):
        return _plain_layout(values)
    try:
        array = pa.array(values) if _few_keys(values) and not _mixes_truth(values) else None
    except (pa.ArrowException, UnicodeEncodeError, OverflowError, TypeError, ValueError):
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
    """Say whether true or false stands among numbers: Arrow takes it for one or not by the order of the values."""
    kinds = set(map(type, values))
    if bool in kinds and kinds & {int, float}:
        return True
    nested = [value for value in values if isinstance(value, list)] if list in kinds else []
    objects = [value for value in values if isinstance(value, dict)] if dict in kinds else []
    names = set(chain.from_iterable(objects))
    fields = ([one.get(name) for one in objects] for name in names)
    return any(map(_mixes_truth, [list(chain.from_iterable(nested)), *fields])) if nested or names else False


def _storable(kind: pa.DataType) -> bool:
    """Say whether files can hold it: Parquet has no object without keys."""
    return not pa.types.is_struct(kind) or 0 < kind.num_fields <= _MOST_KEYS


def as_json(values: Values) -> pa.Array:
    """Return texts as they are and everything else as JSON text."""
    return pa.array([_json(value) for value in plain(values)], TEXT)


def _json(value: Any) -> str | None:
    if value is None:
        return None
    written = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return written.encode("utf-8", "backslashreplace").decode()


def wider(left: pa.DataType, right: pa.DataType) -> pa.DataType:
    """Return the type that holds the values of both.

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
    """Return ``array`` as a type that is `wider` than its own, or that its texts were found to hold."""
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

    Digits after a leading zero are a code, not a number.

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
