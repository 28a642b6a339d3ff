"""Objects in columns, as Arrow has them or as JSON in a text, and their fields."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, TypeAlias

from ragauge.core.batch import Batch

Fields: TypeAlias = Mapping[tuple[str | int, ...], object]
"""Path of keys and places in lists -> the value there, with its type."""


def object_lists(batch: Batch, column: str) -> list[list[Any] | None]:
    """Return what each row of a column lists, n lists: the items of a list or of JSON, or one object; null is empty.

    None where a text is not valid JSON, or a value is neither a list nor an object.

    >>> import pyarrow as pa
    >>> object_lists(Batch(pa.table({"id": ["a", "b"], "calls": ['[{"name": "search"}]', "search"]})), "calls")
    [[{'name': 'search'}], None]
    """
    return [_listed(value) for value in batch.column(column).to_pylist()]


def _listed(value: Any) -> list[Any] | None:
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return None
    if isinstance(value, dict):
        return [value]
    return [] if value is None else value if isinstance(value, list) else None


def fields_of(whole: Any) -> Fields:
    """Return the value at each path of what was read from JSON, with its type.

    >>> fields_of({"a": [1, True]})
    {('a', 0): ('number', 1), ('a', 1): ('bool', True)}
    """
    fields: dict[tuple[str | int, ...], object] = {}
    left: list[tuple[tuple[str | int, ...], Any]] = [((), whole)]
    while left:
        path, value = left.pop()
        if isinstance(value, dict | list) and value:
            items = value.items() if isinstance(value, dict) else enumerate(value)
            left.extend(reversed([((*path, key), one) for key, one in items]))
        else:
            fields[path] = _typed(value)
    return fields


def _typed(value: Any) -> tuple[str, object]:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return "number", value
    return type(value).__name__, None if isinstance(value, dict | list) else value
