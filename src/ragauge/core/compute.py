"""The functions of ``pyarrow.compute``, the most common ones without importing it.

That import makes and documents three hundred functions, which takes an eighth of the processor time of a short command.
The functions here call Arrow as it does; each other name is that of ``pyarrow.compute`` itself. Methods of arrays such
as ``cast``, ``take``, ``filter``, ``flatten`` of lists and ``is_null`` import it too: use the functions here where ten
rows pass.
"""

from __future__ import annotations

from functools import partial
from typing import Any, TypeAlias

import pyarrow as pa

# `pyarrow.compute` imports them from there.
from pyarrow._compute import (
    CastOptions,
    MatchSubstringOptions,
    ReplaceSubstringOptions,
    SetLookupOptions,
    StructFieldOptions,
    call_function,
)

Arrow: TypeAlias = pa.Array | pa.ChunkedArray

_WITHOUT_OPTIONS = frozenset(
    {
        *("all", "any", "sum", "equal", "not_equal", "invert", "is_null", "is_valid", "is_finite", "is_nan"),
        *(
            "filter",
            "take",
            "drop_null",
            "dictionary_encode",
            "unique",
            "coalesce",
            "if_else",
            "utf8_length",
            "utf8_lower",
            "utf8_rtrim_whitespace",
        ),
        *("binary_length", "string_is_ascii", "list_flatten", "list_parent_indices", "list_value_length"),
    }
)
"""Functions that are called here on arrays, or on arrays and a scalar, as long as no option is named."""


def cast(array: Arrow, kind: pa.DataType, *, safe: bool = True) -> Arrow:
    """Return ``array`` as ``kind``; ArrowInvalid where a value has none of that type.

    >>> cast(pa.array([1, None]), pa.string()).to_pylist()
    ['1', None]
    """
    if array.type == kind:
        return array
    return call_function("cast", [array], CastOptions.safe(kind) if safe else CastOptions.unsafe(kind))


def is_in(array: Arrow, *, value_set: Arrow) -> Arrow:
    """Return a mask of the values that are among ``value_set``."""
    return call_function("is_in", [array], SetLookupOptions(value_set))


def match_substring(texts: Arrow, pattern: str) -> Arrow:
    """Return a mask of the texts that hold ``pattern``; null where the text is."""
    return call_function("match_substring", [texts], MatchSubstringOptions(pattern))


def match_substring_regex(texts: Arrow, pattern: str) -> Arrow:
    """Return whether each text holds a match of ``pattern``; null for null."""
    return call_function("match_substring_regex", [texts], MatchSubstringOptions(pattern))


def replace_substring_regex(texts: Arrow, pattern: str, replacement: str) -> Arrow:
    """Return the texts with each match of ``pattern`` replaced; null for null."""
    return call_function("replace_substring_regex", [texts], ReplaceSubstringOptions(pattern, replacement))


def struct_field(array: Arrow, place: str | list[int]) -> Arrow:
    """Return the field of each object, by its name or its place.

    >>> struct_field(pa.array([{"id": "a", "grade": 2}]), "grade").to_pylist()
    [2]
    """
    return call_function("struct_field", [array], StructFieldOptions(place))


def __getattr__(name: str) -> Any:
    if name in _WITHOUT_OPTIONS:
        return partial(_called, name)
    from pyarrow import compute

    return getattr(compute, name)


def _called(name: str, *arrays: Arrow, **options: Any) -> Any:
    if options:
        from pyarrow import compute

        return getattr(compute, name)(*arrays, **options)
    return call_function(name, list(arrays))
