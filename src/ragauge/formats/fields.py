"""The value of one field of a row as text, id, number or list, also written as text; an error names any other."""

from __future__ import annotations

import ast
import io
import math
import re
import tokenize
from collections.abc import Callable, Mapping, Sequence
from itertools import chain, pairwise
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa

from ragauge.core import compute as pc
from ragauge.core.arrow import scalar, to_arrow
from ragauge.core.lazy import lazy_pattern
from ragauge.core.messages import Message
from ragauge.core.sample import Kind
from ragauge.errors import DataError
from ragauge.formats.json_text import DECODER, TOO_LONG, RepeatedKeyError, shortened
from ragauge.formats.objects import text_within
from ragauge.formats.postgres import items_of_array
from ragauge.formats.printed_documents import are_printed, texts_of_printed
from ragauge.formats.source import JUDGEMENT, JUDGEMENTS, TEXTS, Problem, Values

_LONG = 10**40
"""Larger whole numbers are not written into messages; Python refuses to write those of more than 4,300 digits."""
_KINDS: tuple[tuple[tuple[type, ...], str], ...] = (
    ((str,), "a text"),
    ((Mapping,), "an object"),
    ((list, tuple, np.ndarray), "a list"),
)
_NAN = lazy_pattern(r"""("(?:[^"\\]|\\.)*+"|'(?:[^'\\]|\\.)*+')|\bnan\b""", re.DOTALL)
_AS_JSON = Message("write lists as JSON: frame[column] = frame[column].map(lambda cell: json.dumps(list(cell)))")
_PYTHON_LITERAL = lazy_pattern(r"""\s*(\[\s*(?:['"{]|\(\s*['"]).*\]|\{\s*['"].*\})\s*""", re.DOTALL)
_QUOTED = r""""(?:[^"\\]|\\.)*+"|'(?:[^'\\]|\\.)*+'"""
_UNCLOSED_LIST = lazy_pattern(rf"""\s*\[\s*(?=["'{{]|-?\d+\s*(?:,|\Z))(?:{_QUOTED}|[^]"'])*+(?:["'].*)?""", re.DOTALL)
"""A bracket and an item, and no closing bracket outside of quotes."""
_AND_MORE = rf"\s*(?:,\s*(?:{_QUOTED})\s*)*+,?\s*"
TUPLE = lazy_pattern(
    rf"""\s*(?:\(\s*(?:{_QUOTED})\s*(?=,){_AND_MORE}\)|\{{\s*(?:{_QUOTED}){_AND_MORE}\}})\s*""", re.DOTALL
)
"""A tuple or set of texts as Python writes it."""
DECIMAL_COMMA = lazy_pattern(r"[-+]?\d+,\d+")
"""A number as it is written in German, French, Russian and other languages."""
Value = TypeVar("Value")
_NEVER_MISSING = frozenset({str, int, bool, list, tuple, dict, type(None)})
_EXACT = 1 << 53
"""Above it not every whole number has a float."""
_LONGEST_FLOAT = 1 << 1023


def kind_of(value: object) -> str:
    """Return the kind of ``value`` in the words of JSON.

    >>> kind_of([]), kind_of({}), kind_of(1.5), kind_of(None)
    ('a list', 'an object', 'the number 1.5', 'null')
    """
    if value is None:
        return Message("null")
    if isinstance(value, bool | np.bool_):
        return Message(str(bool(value)).lower())
    if isinstance(value, int) and abs(value) >= _LONG:
        return Message("a whole number of more than 40 digits")
    if isinstance(value, int | float | np.number):
        return Message("the number {value}", value)
    words = next((words for kinds, words in _KINDS if isinstance(value, kinds)), "")
    own = type(value).__name__
    if words:
        return Message(words)
    return Message("an {kind}", own) if own[0] in "aeioAEIO" else Message("a {kind}", own)


def counted(number: int, one: str, many: str) -> str:
    """Return a number with its noun in the singular or plural.

    >>> counted(1, "row is", "rows are"), counted(2, "row is", "rows are")
    ('1 row is', '2 rows are')
    """
    return f"{number} {one if number == 1 else many}"


class BadFieldError(ValueError):
    """A field does not hold what its column should; the message is a clause whose subject is the column."""

    def __init__(self, template: str, /, *values: object) -> None:
        super().__init__(Message(template, *values))


def each(values: Values, column: str, convert: Callable[[Any], Value]) -> tuple[list[Value | None], list[Problem]]:
    """Convert every value of ``column``, null to null; a value that cannot be converted becomes null and a problem.

    ``convert`` raises `BadFieldError`; the places of the problems are row indices from 0.
    """
    converted: list[Value | None] = []
    problems = []
    for index, value in enumerate(plain(values)):
        try:
            converted.append(None if is_missing(value) else convert(value))
        except BadFieldError as error:
            converted.append(None)
            problems.append(Problem(index, Message("{column} {problem}", column, error.args[0])))
    return converted, problems


def plain(values: Values) -> Sequence[Any]:
    """Return the values of a column as Python values; maps of Arrow as dicts."""
    if isinstance(values, pa.MapArray):
        return [None if one is None else dict(one) for one in values.to_pylist()]
    return values.to_pylist() if isinstance(values, pa.Array) else values


def from_objects(objects: Sequence[Mapping[str, float] | None]) -> pa.Array:
    """Return objects id -> grade as one Arrow array, without a step per judgement; TypeError for other objects."""
    ids = to_arrow([None if one is None else list(one) for one in objects], TEXTS, strict=True)
    grades = to_arrow(chain.from_iterable([one.values() for one in objects if one]), pa.float64(), strict=True)
    flat = pa.StructArray.from_arrays([ids.values, grades], fields=list(JUDGEMENT))
    return pa.Array.from_buffers(JUDGEMENTS, len(ids), ids.buffers()[:2], children=[flat])


def with_none(values: Values) -> Values:
    """Return the values with None for each that is missing; NaN in Arrow arrays becomes null.

    >>> with_none([float("nan"), "timeout"])
    [None, 'timeout']
    """
    if isinstance(values, pa.Array):
        if not pa.types.is_floating(values.type):
            return values
        unknown = pc.is_nan(values)
        return pc.if_else(unknown, scalar(None, values.type), values) if pc.any(unknown).as_py() else values
    if set(map(type, values)) <= _NEVER_MISSING:
        return values
    return [None if is_missing(value) else value for value in values]


def is_missing(value: object) -> bool:
    """Return whether ``value`` is None, or what pandas and numpy write for it: NaN, NA, NaT.

    >>> is_missing(None), is_missing(float("nan")), is_missing(""), is_missing(0)
    (True, True, False, False)
    """
    if isinstance(value, float | np.floating | np.datetime64 | np.timedelta64):
        return bool(value != value)  # noqa: PLR0124 - only these are not equal to themselves
    return value is None or type(value).__name__ in {"NAType", "NaTType"}


def is_number(value: object) -> bool:
    """Return whether ``value`` is a number and no boolean, and not missing."""
    return isinstance(value, int | float | np.number) and not isinstance(value, bool) and not is_missing(value)


def text(value: object) -> str:
    """Return a text that is valid Unicode as it is."""
    if not isinstance(value, str | bytes):
        raise BadFieldError("RG-DATA-070 must be text; got {kind}", kind_of(value))
    try:
        if isinstance(value, bytes):
            return value.decode()
        value.encode()
    except UnicodeDecodeError as error:
        byte = error.object[error.start]
        raise BadFieldError("RG-DATA-071 must be text in UTF-8; got byte 0x{byte:02x}", byte) from None
    except UnicodeEncodeError as error:
        half = f"\\u{ord(error.object[error.start]):04x}"
        raise BadFieldError("RG-DATA-072 must be text; got half a character ({half} without its pair)", half) from None
    return value


def texts_of(names: Sequence[str], source: str) -> pa.Array:
    """Return ids of ``source`` as Arrow texts; DataError where some hold half a character."""
    try:
        return to_arrow(names, pa.string())
    except UnicodeEncodeError:
        raise DataError.of(source, [what for _, what in each(names, "a name", text)[1]]) from None


def text_or_number(value: object) -> str:
    """Return a text as it is, and a number as its text; pandas writes 1991 as 1991.0 where others are missing.

    >>> text_or_number("1.0"), text_or_number(1991), text_or_number(1991.0), text_or_number(0.5)
    ('1.0', '1991', '1991', '0.5')
    """
    if not is_number(value):
        return text(value)
    if isinstance(value, int | np.integer):
        return _digits(int(value))
    is_whole = float(value).is_integer() and abs(value) < _EXACT  # type: ignore[arg-type]
    return str(int(value)) if is_whole else str(value)  # type: ignore[call-overload]


def answer(value: object) -> str:
    """Return a text or number as text, also that of an object that holds one under the name of a text.

    >>> answer({"content": "Nine.", "role": "assistant"}), answer(9)
    ('Nine.', '9')
    """
    return text_or_number(text_within(value))


def _digits(value: int) -> str:
    try:
        return str(value)
    except ValueError:
        # Python refuses to write it.
        raise BadFieldError("RG-DATA-070 must be text; got {kind}", TOO_LONG) from None


def identifier(value: object) -> str:
    """Return an id, a text or a whole number, as text; pandas writes 7 as 7.0 where others are missing."""
    is_float = isinstance(value, float | np.floating) and float(value).is_integer() and abs(float(value)) < _EXACT
    if is_float or (isinstance(value, str | bytes | int | np.integer) and not isinstance(value, bool)):
        return text_or_number(value)
    raise BadFieldError("RG-DATA-073 must be text or a whole number; got {kind}: write each id as text", kind_of(value))


def question(value: object) -> str:
    """Return a text; of a conversation (ragas, inspect_ai) the last message of the user."""
    messages = [one for one in items(value) if isinstance(one, Mapping)] if is_list(value) else []
    if not messages:
        return text_or_number(value)
    by_user = [one for one in messages if (one.get("role") or one.get("type")) in ("human", "user")]
    if not by_user:
        raise BadFieldError("RG-DATA-074 is a list of messages, but none of them is by the user")
    content = by_user[-1].get("content")
    if not is_list(content):
        return text(content)
    parts = [one.get("text") for one in items(content) if isinstance(one, Mapping) and one.get("text")]
    return "\n".join([text(part) for part in parts])


def number(value: object) -> float:
    """Return a finite number."""
    if isinstance(value, int | float | np.number | np.bool_):
        # A whole number above 1.8e308 has no float.
        as_float = float(value) if not isinstance(value, int) or abs(value) < _LONGEST_FLOAT else math.inf
        if math.isfinite(as_float):
            return as_float
    if isinstance(value, str) and DECIMAL_COMMA.fullmatch(value.strip()):
        point = value.strip().replace(",", ".")
        template = "RG-DATA-190 must be a number with a full stop; got {value!r}, write {point}"
        raise BadFieldError(template, value, point)
    raise BadFieldError("RG-DATA-075 must be a finite number; got {kind}", kind_of(value))


def is_list(value: object) -> bool:
    """Return whether ``value`` is a list of Python or numpy."""
    return isinstance(value, list | tuple | np.ndarray)


def items(value: Any) -> list[Any]:
    """Return the items of a list as Python values."""
    return value.tolist() if isinstance(value, np.ndarray) else list(value)


def listed(value: object, of: str, convert: Callable[[Any], Value]) -> list[Value]:
    """Convert each item of a list; messages number the items from 1."""
    if not is_list(value):
        raise BadFieldError("RG-DATA-076 must be a list of {of}; got {kind}", Message(of), kind_of(value))
    converted = []
    for place, item in enumerate(items(value), 1):
        try:
            converted.append(convert(item))
        except BadFieldError as error:
            raise BadFieldError("item {place} {problem}", place, error.args[0]) from None
    return converted


def _text_in_brackets(value: str) -> list[str]:
    texts = texts_of_printed(value) if are_printed(value) else [value]
    if texts is None:
        raise BadFieldError("RG-DATA-136 holds objects as Python prints them, which cannot be read; {advice}", _AS_JSON)
    return texts


def python_value(text: str) -> Any:
    """Parse a list or object in Python's notation; a printed NumPy array, which has no commas, is refused.

    >>> python_value("['tea', None, nan]")
    ['tea', None, None]
    """
    stripped = _NAN.sub(lambda found: found[1] or "None", text.strip())
    try:
        value = ast.literal_eval(stripped)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        raise BadFieldError("RG-DATA-077 looks like a list but is not JSON; {advice}", _AS_JSON) from None
    if _joins_texts(stripped):
        raise BadFieldError(
            "RG-DATA-078 looks like a NumPy array, whose items cannot be told apart; {advice}", _AS_JSON
        )
    return value


def _joins_texts(source: str) -> bool:
    """Return whether two string literals follow each other, which Python joins into one."""
    kinds = [
        token.type
        for token in tokenize.generate_tokens(io.StringIO(source).readline)
        if token.type not in (tokenize.NL, tokenize.NEWLINE, tokenize.COMMENT)
    ]
    return any(pair == (tokenize.STRING, tokenize.STRING) for pair in pairwise(kinds))


CONTAINERS = "frozenset|set|deque|dict_keys|dict_values"
_NAMED = lazy_pattern(
    rf"\s*(?:array\((\[.*\]),\s*dtype=(?:object|'[<>|]?U\d+')\)|(?:{CONTAINERS})\((\{{.*\}}|\[.*\])\))\s*",
    re.DOTALL,
)
"""An array of texts as NumPy prints it within a list, its items have commas; or another container of Python."""


def parsed(value: str, kind: Kind) -> Any:
    """Parse a field as CSV files write lists and objects: as JSON, or in Python's notation.

    Any other text is a list of that text in a column of texts, and of that id in one of judgements.

    >>> parsed('["tea", "jam"]', "texts"), parsed("tea", "texts"), parsed("0.5", "numbers")
    (['tea', 'jam'], ['tea'], [0.5])
    """
    named = _NAMED.fullmatch(value)
    value = value if named is None else named[1] or f"[{named[2][1:-1]}]"
    if kind != "numbers" and ("'" in value or value.lstrip()[:1] == "(") and TUPLE.fullmatch(value):
        return python_value(f"[{value.strip()[1:-1]}]")
    bracketed = value.lstrip().startswith(("[", "{") if kind == "judgements" else "[")
    if not bracketed and kind != "numbers":
        array = items_of_array(value) if kind == "texts" else None
        return [value] if array is None else array
    try:
        content = DECODER.decode(value)
    except RepeatedKeyError as error:
        raise BadFieldError("{problem}", error.args[0]) from None
    except RecursionError:
        raise BadFieldError("RG-DATA-080 is nested too deeply; write a list of texts, or an object") from None
    except ValueError:
        if kind != "numbers" and _PYTHON_LITERAL.fullmatch(value):
            return python_value(value)
        shown = shortened(value)
        if kind == "numbers":
            raise BadFieldError("RG-DATA-081 must be a JSON array of numbers; got {shown}", shown) from None
        if kind == "judgements":
            raise BadFieldError("RG-DATA-082 must be a JSON object or array; got {shown}", shown) from None
        if _UNCLOSED_LIST.fullmatch(value):
            raise BadFieldError("RG-DATA-083 must be a text or a JSON array; got {shown}, not closed", shown) from None
        # A text may happen to start with a bracket.
        return _text_in_brackets(value) if kind == "texts" else [value]
    return [content] if kind == "numbers" and not isinstance(content, list) else content
