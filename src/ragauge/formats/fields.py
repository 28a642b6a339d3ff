"""The value of one field of a row as text, id, number or list; an error names any other value."""

from __future__ import annotations

import ast
import io
import json
import math
import re
import tokenize
from collections.abc import Callable, Mapping, Sequence
from itertools import chain, pairwise
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa

from ragauge.core.arrow import to_arrow
from ragauge.core.sample import Kind
from ragauge.formats.source import JUDGEMENT, TEXT, Problem, Values


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
            # pandas writes NaN for null.
            missing = value is None or (isinstance(value, float) and math.isnan(value))
            converted.append(None if missing else convert(value))
        except BadFieldError as error:
            converted.append(None)
            problems.append(Problem(index, f"{column} {error}"))
    return converted, problems


def plain(values: Values) -> Sequence[Any]:
    """Return the values of a column as Python values."""
    return values.to_pylist() if isinstance(values, pa.Array) else values


def from_objects(objects: Sequence[Mapping[str, float] | None]) -> pa.Array:
    """Return objects id -> grade as one Arrow array, without a step per judgement."""
    present = [one for one in objects if one is not None]
    ids = to_arrow(chain.from_iterable(present), TEXT)
    grades = to_arrow(chain.from_iterable([one.values() for one in present]), pa.float64())
    offsets = np.cumsum([0] + [0 if one is None else len(one) for one in objects], dtype=np.int32)
    absent = to_arrow(np.array([one is None for one in objects], dtype=np.bool_))
    flat = pa.StructArray.from_arrays([ids, grades], fields=list(JUDGEMENT))
    return pa.ListArray.from_arrays(to_arrow(offsets), flat, mask=absent)


def text(value: object) -> str:
    """Return a text as it is.

    Raises:
        BadFieldError: it is not text, or not valid Unicode.
    """
    if not isinstance(value, str | bytes):
        raise BadFieldError(f"must be text; got {kind_of(value)}")
    try:
        if isinstance(value, bytes):
            return value.decode()
        value.encode()
    except UnicodeDecodeError as error:
        raise BadFieldError(f"must be text in UTF-8; got byte 0x{error.object[error.start]:02x}") from None
    except UnicodeEncodeError as error:
        half = f"\\u{ord(error.object[error.start]):04x}"
        raise BadFieldError(f"must be text; got half a character ({half} without its pair)") from None
    return value


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
    by_user = [one for one in messages if (one.get("role") or one.get("type")) in {"human", "user"}]
    if not by_user:
        raise BadFieldError("is a list of messages, but none of them is by the user")
    content = by_user[-1].get("content")
    if not is_list(content):
        return text(content)
    parts = [one.get("text") for one in items(content) if isinstance(one, Mapping) and one.get("text")]
    return "\n".join([text(part) for part in parts])


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
    converted = []
    for place, item in enumerate(items(value), 1):
        try:
            converted.append(convert(item))
        except BadFieldError as error:
            raise BadFieldError(f"item {place} {error}") from None
    return converted


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
_QUOTED = r""""(?:[^"\\]|\\.)*+"|'(?:[^'\\]|\\.)*+'"""
_UNCLOSED_LIST = re.compile(rf"""\s*\[\s*(?=["'{{]|-?\d+\s*(?:,|\Z))(?:{_QUOTED}|[^]"'])*+(?:["'].*)?""", re.DOTALL)
"""A bracket and an item, and no closing bracket outside of quotes."""


def parsed(value: str, kind: Kind) -> Any:
    """Parse a field as CSV files write lists and objects: as JSON, or in Python's notation.

    Any other text is a list of that text in a column of texts, and of that id in one of judgements.

    Raises:
        BadFieldError: it is a list that cannot be read, or has no end; or it is no number where it should be numbers.

    >>> parsed('["tea", "jam"]', "texts"), parsed("tea", "texts"), parsed("0.5", "numbers")
    (['tea', 'jam'], ['tea'], [0.5])
    """
    bracketed = value.lstrip().startswith(("[", "{") if kind == "judgements" else "[")
    if not bracketed and kind != "numbers":
        return [value]
    try:
        content = json.loads(value)
    except ValueError:
        if kind != "numbers" and _PYTHON_LITERAL.fullmatch(value):
            return python_value(value)
        shown = shortened(value)
        if kind == "numbers":
            raise BadFieldError(f"must be a JSON array of numbers; got {shown}") from None
        if kind == "judgements":
            raise BadFieldError(f"must be a JSON object or array; got {shown}") from None
        if _UNCLOSED_LIST.fullmatch(value):
            raise BadFieldError(f"must be a text or a JSON array; got {shown}, a list without its end") from None
        # A text may happen to start with a bracket.
        return [value]
    return [content] if kind == "numbers" and not isinstance(content, list) else content


def shortened(value: str) -> str:
    """Return the beginning of a text, in quotes.

    >>> shortened("tea and jam")
    "'tea and jam'"
    """
    return repr(value if len(value) <= 40 else value[:37] + "...")
