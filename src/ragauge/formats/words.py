"""How a value is called in a message."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np


def kind_of(value: object) -> str:
    """Name the kind of ``value`` in the words of JSON.

    >>> kind_of([]), kind_of({}), kind_of(1.5), kind_of(None)
    ('a list', 'an object', 'the number 1.5', 'null')
    """
    if value is None:
        return "null"
    if isinstance(value, bool | np.bool_):
        return str(bool(value)).lower()
    if isinstance(value, int | float | np.number):
        return f"the number {value}"
    if isinstance(value, str):
        return "a text"
    if isinstance(value, Mapping):
        return "an object"
    if isinstance(value, list | tuple | np.ndarray):
        return "a list"
    return f"a {type(value).__name__}"


def label(name: str, source: str) -> str:
    """Name a column, and what it is called in the source where that differs.

    >>> label("answer", "response")
    'answer (from response)'
    """
    return name if name == source else f"{name} (from {source})"
