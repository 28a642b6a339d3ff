"""The value of one field of a row as text, id, number or list; an error names any other value."""

from __future__ import annotations

import ast
import io
import json
import math
import re
import tokenize
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa

from ragauge.core.sample import SCHEMA, Kind
from ragauge.formats.source import Problem, Values


def kind_of(value: object) -> str:
    """Return the kind of ``value`` in the words of JSON.

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
    """Return the name of a column, followed by its name in the source where the two differ.

    >>> label("answer", "response")
    'answer (from response)'
    """
    return name if name == source else f"{name} (from {source})"


def counted(number: int, one: str, many: str) -> str:
    """Return a number with its noun in the singular or plural.

    >>> counted(1, "row is", "rows are"), counted(2, "row is", "rows are")
    ('1 row is', '2 rows are')
    """
    return f"{number} {one if number == 1 else many}"


Value = TypeVar("Value")


class BadFieldError(ValueError):
    """A field does not hold what its column should; the message is a clause whose subject is the column."""


def each(values: Values, column: str, convert: Callable[[Any], Value]) -> tuple[list[Value | None], list[Problem]]:
    """Convert every value; null stays null, and a value that cannot be converted becomes null and a problem.

    Args:
        values: n values.
        column: its name in messages.
        convert: raises BadFieldError.

    Returns:
        n converted values, and the problems, whose places are row indices from 0.
    """
    converted: list[Value | None] = []
    problems = []
    for index, value in enumerate(plain(values)):
        try:
            converted.append(None if is_missing(value) else convert(value))
        except BadFieldError as error:
            converted.append(None)
            problems.append(Problem(index, f"{column} {error}"))
    return converted, problems


def plain(values: Values) -> Sequence[Any]:
    """Return the values of a column as Python values."""
    return values.to_pylist() if isinstance(values, pa.Array) else values


def is_missing(value: object) -> bool:
    """Return whether ``value`` is null; pandas writes NaN for it."""
    return value is None or (isinstance(value, float) and math.isnan(value))


def text(value: object) -> str:
    """Return a text as it is.

    Raises:
        BadFieldError: it is not text, or not valid Unicode.
    """
    if isinstance(value, bytes):
        return _decoded(value)
    if not isinstance(value, str):
        raise BadFieldError(f"must be text; got {kind_of(value)}")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        half = f"\\u{ord(value[error.start]):04x}"
        raise BadFieldError(f"must be text; got half a character ({half} without its pair)") from None
    return value


def _decoded(value: bytes) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError as error:
        raise BadFieldError(f"must be text in UTF-8; got byte 0x{value[error.start]:02x}") from None


def identifier(value: object) -> str:
    """Return an id as text; a whole number is one too.

    Raises:
        BadFieldError: it is neither text nor a whole number.
    """
    if isinstance(value, int | np.integer) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, str | bytes):
        return text(value)
    raise BadFieldError(f"must be text or a whole number; got {kind_of(value)}")


def question(value: object) -> str:
    """Return a text; of a conversation (ragas, inspect_ai) the last message of the user.

    Raises:
        BadFieldError: it is neither text nor a list with a message of the user.
    """
    messages = [one for one in items(value) if isinstance(one, Mapping)] if is_list(value) else []
    if not messages:
        return text(value)
    by_user = [one for one in messages if _role(one) in {"human", "user"}]
    if not by_user:
        raise BadFieldError("is a list of messages, but none of them is by the user")
    return _message_text(by_user[-1].get("content"))


def _role(message: Mapping[str, Any]) -> object:
    return message.get("role") or message.get("type")


def _message_text(content: object) -> str:
    """Return the content of a message, which may be a list of objects with a key ``text``."""
    if not is_list(content):
        return text(content)
    parts = [one.get("text") for one in items(content) if isinstance(one, Mapping) and one.get("text")]
    return "\n".join(text(part) for part in parts)


def number(value: object) -> float:
    """Return a finite number.

    Raises:
        BadFieldError: it is not a finite number.
    """
    if isinstance(value, int | float | np.number | np.bool_):
        as_float = float(value)
        if math.isfinite(as_float):
            return as_float
    raise BadFieldError(f"must be a finite number; got {kind_of(value)}")


def is_list(value: object) -> bool:
    """Return whether ``value`` is a list of Python or numpy."""
    return isinstance(value, list | tuple | np.ndarray)


def items(value: Any) -> list[Any]:
    """Return the items of a list as Python values."""
    return value.tolist() if isinstance(value, np.ndarray) else list(value)


def listed(value: object, of: str, convert: Callable[[Any], Value]) -> list[Value]:
    """Convert each item of a list; messages number the items from 1.

    Raises:
        BadFieldError: it is not a list, or an item cannot be converted.
    """
    if not is_list(value):
        raise BadFieldError(f"must be a list of {of}; got {kind_of(value)}")
    return list(_converted(items(value), convert))


def _converted(values: Iterable[Any], convert: Callable[[Any], Value]) -> Iterator[Value]:
    for place, value in enumerate(values, 1):
        try:
            yield convert(value)
        except BadFieldError as error:
            raise BadFieldError(f"item {place} {error}") from None


_AS_JSON = "write lists as JSON: frame[column] = frame[column].map(lambda cell: json.dumps(list(cell)))"


def python_value(text: str) -> Any:
    """Parse a list or object in Python's notation.

    Raises:
        BadFieldError: it is not such a literal, or it is a printed NumPy array, which has no commas between items.

    >>> python_value("['tea', None]")
    ['tea', None]
    """
    stripped = text.strip()
    try:
        value = ast.literal_eval(stripped)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        raise BadFieldError(f"looks like a list but is not JSON; {_AS_JSON}") from None
    if _joins_texts(stripped):
        raise BadFieldError(f"looks like a NumPy array, whose items cannot be told apart; {_AS_JSON}")
    return value


def _joins_texts(source: str) -> bool:
    """Return whether two string literals stand side by side, which Python joins into one."""
    kinds = [
        token.type
        for token in tokenize.generate_tokens(io.StringIO(source).readline)
        if token.type not in (tokenize.NL, tokenize.NEWLINE, tokenize.COMMENT)
    ]
    return any(pair == (tokenize.STRING, tokenize.STRING) for pair in pairwise(kinds))


_PYTHON_LITERAL = re.compile(r"""\s*(\[\s*['"{].*\]|\{\s*['"].*\})\s*""", re.DOTALL)


def parsed(values: Values, name: str, column: str) -> tuple[Values, list[Problem]]:
    """Parse the fields of known column ``name``, called ``column`` in messages, as CSV files write them."""
    parse = _PARSERS.get(SCHEMA[name])
    return (values, []) if parse is None else each(values, column, parse)


def _texts(value: str) -> Any:
    """Parse a JSON array; any other text is a list of that text."""
    if not value.lstrip().startswith("["):
        return [value]
    try:
        return json.loads(value)
    except ValueError:
        # A text may happen to start with a bracket; a list of Python's starts with a bracket and a quote.
        return python_value(value) if _PYTHON_LITERAL.fullmatch(value) else [value]


def _numbers(value: str) -> Any:
    try:
        numbers = json.loads(value)
    except ValueError:
        raise BadFieldError(f"must be a JSON array of numbers; got {_shortened(value)}") from None
    return numbers if isinstance(numbers, list) else [numbers]


def _judgements(value: str) -> Any:
    if not value.lstrip().startswith(("[", "{")):
        return [value]
    try:
        return json.loads(value)
    except ValueError:
        if _PYTHON_LITERAL.fullmatch(value):
            return python_value(value)
        raise BadFieldError(f"must be a JSON object or array; got {_shortened(value)}") from None


def _shortened(value: str) -> str:
    return repr(value if len(value) <= 40 else value[:37] + "...")


_PARSERS: dict[Kind, Callable[[str], Any]] = {"texts": _texts, "numbers": _numbers, "judgements": _judgements}
