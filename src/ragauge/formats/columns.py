"""Columns of texts, of lists and of numbers, and the lists that are written in text fields."""

from __future__ import annotations

import ast
import io
import json
import re
import tokenize
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ragauge.core.sample import SCHEMA, Kind
from ragauge.formats import fields
from ragauge.formats.fields import BadCellError
from ragauge.formats.source import Problem, Values

TEXT = pa.string()
TEXTS = pa.list_(pa.string())
NUMBERS = pa.list_(pa.float64())
_TEXTS = frozenset({TEXT, pa.large_string(), pa.string_view(), pa.binary(), pa.large_binary(), pa.null()})

Converted = tuple[pa.Array, list[Problem]]
_UNFIT = (pa.ArrowException, UnicodeEncodeError, OverflowError, TypeError, ValueError)


def texts(values: Values, column: str, convert: Callable[[Any], str] = fields.text) -> Converted:
    """Make a column of texts."""
    array = fast_texts(values)
    if array is not None:
        return array, []
    found, problems = fields.each(values, column, convert)
    return pa.array(found, TEXT), problems


def lists(
    values: Values,
    column: str,
    convert: Callable[[Any], list[Any]],
    *,
    kind: pa.DataType = TEXTS,
    one: bool = False,
) -> Converted:
    """Make a column of lists; ``one`` says that a single text is a list of one."""
    array = fast_lists(values, kind)
    if array is None and one:
        array = _wrapped(fast_texts(values))
    if array is not None:
        return array, []
    found, problems = fields.each(values, column, convert)
    return pa.array(found, kind), problems


def fast_texts(values: Values) -> pa.Array | None:
    """Return ``values`` as strings if Arrow can do it alone."""
    try:
        if not isinstance(values, pa.Array):
            return pa.array(values, TEXT)
        if values.null_count == len(values):
            return pa.nulls(len(values), TEXT)
        return _strings(values) if is_text(values.type) else None
    except _UNFIT:
        return None


def fast_lists(values: Values, kind: pa.DataType) -> pa.Array | None:
    """Return ``values`` as lists without nulls in them, if Arrow can do it alone."""
    try:
        array = _arrow_lists(values, kind) if isinstance(values, pa.Array) else _python_lists(values, kind)
    except _UNFIT:
        return None
    return array if array is not None and array.flatten().null_count == 0 else None


def is_text(kind: pa.DataType) -> bool:
    """Say whether the values of an Arrow type are texts, in any of its layouts."""
    if pa.types.is_dictionary(kind):
        return is_text(kind.value_type)
    return kind in _TEXTS


def _strings(values: pa.Array) -> pa.Array:
    if isinstance(values, pa.DictionaryArray):
        values = values.dictionary_decode()
    return values if values.type == TEXT else values.cast(TEXT)


def _python_lists(values: Values, kind: pa.DataType) -> pa.Array | None:
    # Arrow takes a text for the list of its characters, and an object for that of its keys.
    if not set(map(type, values)) <= {list, tuple, type(None)}:
        return None
    return pa.array(values, kind)


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


def _wrapped(array: pa.Array | None) -> pa.Array | None:
    """Make each text a list of one; null stays null."""
    if array is None:
        return None
    present = array.is_valid()
    lengths = pc.cast(present, pa.int32())
    offsets = pa.concat_arrays([pa.array([0], pa.int32()), pc.cumulative_sum(lengths)])
    return pa.ListArray.from_arrays(offsets, array.filter(present), mask=pc.invert(present))


_JSON = "write lists as JSON: frame[column] = frame[column].map(lambda cell: json.dumps(list(cell)))"


def python_value(text: str) -> Any:
    """Return the list or object that ``text`` writes in Python's notation.

    Raises:
        BadCellError: it is none, or the print of a NumPy array, whose texts have no comma between them.

    >>> python_value("['tea', None]")
    ['tea', None]
    """
    stripped = text.strip()
    try:
        value = ast.literal_eval(stripped)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        raise BadCellError(f"looks like a list but is not JSON; {_JSON}") from None
    if _joins_texts(stripped):
        raise BadCellError(f"looks like a NumPy array, whose items cannot be told apart; {_JSON}")
    return value


def _joins_texts(source: str) -> bool:
    """Say whether two texts stand side by side, which Python joins to one."""
    kinds = [
        token.type
        for token in tokenize.generate_tokens(io.StringIO(source).readline)
        if token.type not in (tokenize.NL, tokenize.NEWLINE, tokenize.COMMENT)
    ]
    return any(pair == (tokenize.STRING, tokenize.STRING) for pair in pairwise(kinds))


_PYTHON = re.compile(r"""\s*(\[\s*['"{].*\]|\{\s*['"].*\})\s*""", re.DOTALL)


def unwritten(values: Values, name: str, column: str) -> tuple[Values, list[Problem]]:
    """Read the cells of known column ``name``, called ``column`` in messages, from how CSV writes them."""
    read = _READERS.get(SCHEMA[name])
    if read is None:
        return values, []
    return fields.each(values, column, read)


def _texts(value: str) -> Any:
    """Return a JSON array, else one text."""
    if not value.lstrip().startswith("["):
        return [value]
    try:
        listed = json.loads(value)
    except ValueError:
        # A text may happen to start with a bracket; a list of Python's starts with a bracket and a quote.
        listed = python_value(value) if _PYTHON.fullmatch(value) else [value]
    return listed


def _numbers(value: str) -> Any:
    try:
        listed = json.loads(value)
    except ValueError:
        raise fields.BadCellError(f"must be a JSON array of numbers; got {_shortened(value)}") from None
    return listed if isinstance(listed, list) else [listed]


def _judgements(value: str) -> Any:
    if not value.lstrip().startswith(("[", "{")):
        return [value]
    try:
        return json.loads(value)
    except ValueError:
        if _PYTHON.fullmatch(value):
            return python_value(value)
        raise fields.BadCellError(f"must be a JSON object or array; got {_shortened(value)}") from None


def _shortened(value: str) -> str:
    return repr(value if len(value) <= 40 else value[:37] + "...")


_READERS: dict[Kind, Callable[[str], Any]] = {"texts": _texts, "numbers": _numbers, "judgements": _judgements}


def nulls_for_empty(values: pa.Array) -> pa.Array:
    """Return the texts with empty ones null: outside the known columns, an empty cell says nothing."""
    return pc.if_else(pc.equal(values, ""), pa.scalar(None, pa.string()), values)
