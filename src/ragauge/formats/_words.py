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
    return next((words for kinds, words in _KINDS if isinstance(value, kinds)), f"a {type(value).__name__}")


_KINDS: tuple[tuple[tuple[type, ...], str], ...] = (
    ((str,), "a text"),
    ((Mapping,), "an object"),
    ((list, tuple, np.ndarray), "a list"),
)


def label(name: str, source: str) -> str:
    """Name a column, and what it is called in the source where that differs.

    >>> label("answer", "response")
    'answer (from response)'
    """
    return name if name == source else f"{name} (from {source})"


def counted(number: int, one: str, many: str) -> str:
    """Write a number of things.

    >>> counted(1, "row is", "rows are"), counted(2, "row is", "rows are")
    ('1 row is', '2 rows are')
    """
    return f"{number} {one if number == 1 else many}"
