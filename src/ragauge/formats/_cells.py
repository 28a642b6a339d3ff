"""One cell that is not already of its column's type: what is accepted, and what is said otherwise.

Nothing here is called for cells that Arrow takes as they are.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa

from ragauge.formats._chunk import Problem, Values
from ragauge.formats._words import kind_of

Cell = TypeVar("Cell")


class BadCellError(ValueError):
    """A cell cannot be what its column should hold; the message is a clause about the column."""


def each(values: Values, column: str, convert: Callable[[Any], Cell]) -> tuple[list[Cell | None], list[Problem]]:
    """Convert every cell; null stays null, and a cell that cannot be converted is null and a problem.

    Args:
        values: n cells.
        column: its name in messages.
        convert: raises BadCellError.

    Returns:
        n cells, and the problems, whose places are indices from 0.
    """
    cells: list[Cell | None] = []
    problems = []
    for index, value in enumerate(plain(values)):
        try:
            cells.append(None if is_missing(value) else convert(value))
        except BadCellError as error:
            cells.append(None)
            problems.append(Problem(index, f"{column} {error}"))
    return cells, problems


def plain(values: Values) -> Sequence[Any]:
    """Return the cells as Python values."""
    return values.to_pylist() if isinstance(values, pa.Array) else values


def is_missing(value: object) -> bool:
    """Say whether ``value`` is null; pandas writes NaN for it."""
    return value is None or (isinstance(value, float) and math.isnan(value))


def text(value: object) -> str:
    """Return a text as it is.

    Raises:
        BadCellError: it is no text, or no Unicode text.
    """
    if isinstance(value, bytes):
        return _decoded(value)
    if not isinstance(value, str):
        raise BadCellError(f"must be text; got {kind_of(value)}")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        half = f"\\u{ord(value[error.start]):04x}"
        raise BadCellError(f"must be text; got half a character ({half} without its pair)") from None
    return value


def _decoded(value: bytes) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError as error:
        raise BadCellError(f"must be text in UTF-8; got byte 0x{value[error.start]:02x}") from None


def identifier(value: object) -> str:
    """Return an id as text; a whole number is one too.

    Raises:
        BadCellError: it is neither.
    """
    if isinstance(value, int | np.integer) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, str | bytes):
        return text(value)
    raise BadCellError(f"must be text or a whole number; got {kind_of(value)}")


def question(value: object) -> str:
    """Return a text, or the last message of the user in a conversation (ragas, inspect_ai).

    Raises:
        BadCellError: it is no text, or a list with no such message.
    """
    messages = [one for one in items(value) if isinstance(one, Mapping)] if is_list(value) else []
    if not messages:
        return text(value)
    asked = [one for one in messages if _role(one) in {"human", "user"}]
    if not asked:
        raise BadCellError("is a list of messages, but none of them is by the user")
    return _message_text(asked[-1].get("content"))


def _role(message: Mapping[str, Any]) -> object:
    return message.get("role") or message.get("type")


def _message_text(content: object) -> str:
    """Return a message's content, whose parts may be a list of objects with a text."""
    if not is_list(content):
        return text(content)
    parts = [one.get("text") for one in items(content) if isinstance(one, Mapping) and one.get("text")]
    return "\n".join(text(part) for part in parts)


def number(value: object) -> float:
    """Return a finite number.

    Raises:
        BadCellError: it is none.
    """
    if isinstance(value, int | float | np.number | np.bool_):
        as_float = float(value)
        if math.isfinite(as_float):
            return as_float
    raise BadCellError(f"must be a finite number; got {kind_of(value)}")


def is_list(value: object) -> bool:
    """Say whether ``value`` is a list of any library."""
    return isinstance(value, list | tuple | np.ndarray)


def items(value: Any) -> list[Any]:
    """Return the items of a list as Python values."""
    return value.tolist() if isinstance(value, np.ndarray) else list(value)


def listed(value: object, of: str, convert: Callable[[Any], Cell]) -> list[Cell]:
    """Convert each item of a list; a message about an item says which one it is, from 1.

    Raises:
        BadCellError: it is no list, or an item is wrong.
    """
    if not is_list(value):
        raise BadCellError(f"must be a list of {of}; got {kind_of(value)}")
    return list(_converted(items(value), convert))


def _converted(values: Iterable[Any], convert: Callable[[Any], Cell]) -> Iterator[Cell]:
    for place, value in enumerate(values, 1):
        try:
            yield convert(value)
        except BadCellError as error:
            raise BadCellError(f"item {place} {error}") from None
