"""Cells of a CSV file: texts, in which lists are written as JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ragauge.formats import _cells
from ragauge.formats._chunk import Problem, Values
from ragauge.formats._python_lists import python_value
from ragauge.sample import SCHEMA, Kind

_PYTHON = re.compile(r"""\s*(\[\s*['"{].*\]|\{\s*['"].*\})\s*""", re.DOTALL)


def unwritten(values: Values, name: str, column: str) -> tuple[Values, list[Problem]]:
    """Read the cells of known column ``name``, called ``column`` in messages, from how CSV writes them."""
    read = _READERS.get(SCHEMA[name])
    if read is None:
        return values, []
    return _cells.each(values, column, read)


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
        raise _cells.BadCellError(f"must be a JSON array of numbers; got {_shortened(value)}") from None
    return listed if isinstance(listed, list) else [listed]


def _judgements(value: str) -> Any:
    if not value.lstrip().startswith(("[", "{")):
        return [value]
    try:
        return json.loads(value)
    except ValueError:
        if _PYTHON.fullmatch(value):
            return python_value(value)
        raise _cells.BadCellError(f"must be a JSON object or array; got {_shortened(value)}") from None


def _shortened(value: str) -> str:
    return repr(value if len(value) <= 40 else value[:37] + "...")


_READERS: dict[Kind, Callable[[str], Any]] = {"texts": _texts, "numbers": _numbers, "judgements": _judgements}


def nulls_for_empty(values: pa.Array) -> pa.Array:
    """Return the texts with empty ones null: outside the known columns, an empty cell says nothing."""
    return pc.if_else(pc.equal(values, ""), pa.scalar(None, pa.string()), values)
