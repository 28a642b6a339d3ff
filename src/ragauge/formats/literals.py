"""Lists and objects that are written as text: JSON, Python's notation, or texts with a separator between them."""

from __future__ import annotations

import ast
import io
import json
import re
import tokenize
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ragauge.core.arrow import to_numpy
from ragauge.core.sample import SCHEMA, Kind
from ragauge.errors import ColumnError, OptionError
from ragauge.formats.fields import TOO_LONG, BadFieldError, plain, shortened
from ragauge.formats.source import Values

_AS_JSON = "write lists as JSON: frame[column] = frame[column].map(lambda cell: json.dumps(list(cell)))"
_PYTHON_LITERAL = re.compile(r"""\s*(\[\s*['"{].*\]|\{\s*['"].*\})\s*""", re.DOTALL)
_QUOTED = r""""(?:[^"\\]|\\.)*+"|'(?:[^'\\]|\\.)*+'"""
_UNCLOSED_LIST = re.compile(rf"""\s*\[\s*(?=["'{{]|-?\d+\s*(?:,|\Z))(?:{_QUOTED}|[^]"'])*+(?:["'].*)?""", re.DOTALL)
"""A bracket and an item, and no closing bracket outside of quotes."""
_COLUMNS_OF_TEXTS = tuple(name for name, kind in SCHEMA.items() if kind == "texts")
_SEPARATORS = ("|||", "||", "<sep>", "[SEP]", "\n---\n", "\n\n", "###", " | ", "|")
"""Separators that people put between passages, longer ones first."""
_CERTAIN = ("|||", "<sep>", "[SEP]", "\n---\n", "\n\n")
"""Separators of which one field is worth a note; the others occur within passages, so most fields must hold them."""


class RepeatedKeyError(ValueError):
    """An object of JSON has a key twice: one of the values would be lost in silence."""


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        [(key, _)] = Counter([key for key, _ in pairs]).most_common(1)
        raise RepeatedKeyError(f"has the key {shortened(key)} twice; keep one")
    return values


DECODER = json.JSONDecoder(object_pairs_hook=_distinct)
"""A decoder of JSON that refuses objects with a key twice."""


def not_json(error: Exception) -> str:
    """Return the reason why a text is not JSON, in one line."""
    if isinstance(error, json.JSONDecodeError):
        where = f"column {error.colno}" if error.lineno == 1 else f"line {error.lineno}, column {error.colno}"
        return f"not JSON: {error.msg.removesuffix(' at')} at {where}"
    if isinstance(error, RepeatedKeyError):
        return str(error)
    if isinstance(error, RecursionError):
        return "not JSON that can be read: nested too deeply"
    # Python refuses numbers of more digits, because reading them takes quadratic time.
    return f"not JSON that can be read: {f'it has {TOO_LONG}; write it as text' if 'digits' in str(error) else error}"


def python_value(text: str) -> Any:
    """Parse a list or object in Python's notation; a printed NumPy array, which has no commas, is refused.

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


def parsed(value: str, kind: Kind) -> Any:
    """Parse a field as CSV files write lists and objects: as JSON, or in Python's notation.

    Any other text is a list of that text in a column of texts, and of that id in one of judgements.

    >>> parsed('["tea", "jam"]', "texts"), parsed("tea", "texts"), parsed("0.5", "numbers")
    (['tea', 'jam'], ['tea'], [0.5])
    """
    bracketed = value.lstrip().startswith(("[", "{") if kind == "judgements" else "[")
    if not bracketed and kind != "numbers":
        return [value]
    try:
        content = DECODER.decode(value)
    except RepeatedKeyError as error:
        raise BadFieldError(str(error)) from None
    except RecursionError:
        raise BadFieldError("is nested too deeply; write a list of texts, or an object id -> grade") from None
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


def check_split(split: Mapping[str, str]) -> None:
    """Raise OptionError where ``split`` names another column than one of texts, or a separator is empty."""
    for column, separator in split.items():
        if column not in _COLUMNS_OF_TEXTS:
            raise OptionError(f"split={{{column!r}: {separator!r}}}: name one of {', '.join(_COLUMNS_OF_TEXTS)}")
        if not separator:
            raise OptionError(f"split={{{column!r}: {separator!r}}}: the separator must not be empty")


def check_split_columns(split: Mapping[str, str], columns: Iterable[str]) -> None:
    """Raise ColumnError where the data do not have a column of ``split``."""
    for column, separator in split.items():
        if column not in columns:
            has = ", ".join(columns) or "none"
            raise ColumnError(f"split={{{column!r}: {separator!r}}}: the data have no column {column}; there are {has}")


def split_fields(values: Values, separator: str) -> list[Any]:
    """Return the fields with each text as the list of its parts, without white space around them or empty parts.

    >>> split_fields(["tea ||| jam", None, ["tea"]], "|||")
    [['tea', 'jam'], None, ['tea']]
    """
    return [
        [part.strip() for part in field.split(separator) if part.strip()] if isinstance(field, str) else field
        for field in plain(values)
    ]


def separator_of(values: Sequence[Any]) -> str | None:
    """Return the separator that most fields hold; None if one of them is a list.

    >>> separator_of(["tea ||| jam", "rum ||| gin"]), separator_of(["tea", "jam"])
    ('|||', None)
    """
    texts = [value for value in values if isinstance(value, str)]
    if len(texts) < sum(value is not None for value in values) or any(text.lstrip().startswith("[") for text in texts):
        return None
    return next((one for one in _SEPARATORS if sum(one in text for text in texts) * 2 > len(texts)), None)


def joined_notes(tables: Sequence[pa.Table], split: Mapping[str, str], *, written: bool) -> list[str]:
    """Return a note for each column of passages, other than those of ``split``, of one text each with separators.

    Unless ``written``, a field was a list, in which a blank line separates no passages.
    """
    notes = []
    for name in ("contexts", "reference_contexts"):
        if name in split:
            continue
        # One table at a time is in memory.
        lengths = [
            to_numpy(pc.list_value_length(table[name]).drop_null()) for table in tables if name in table.column_names
        ]
        total = sum(map(len, lengths))
        if total != sum([np.count_nonzero(some == 1) for some in lengths]):
            continue
        for separator in _SEPARATORS if written else ("|||",):
            joined = [
                pc.sum(pc.match_substring(pc.list_flatten(table[name]), separator)).as_py() or 0
                for table in tables
                if name in table.column_names
            ]
            if sum(joined) * 2 > total or (sum(joined) and separator in _CERTAIN):
                notes.append(
                    f"{name}: every field was read as one text, and {sum(joined)} of {total} contain {separator!r}; "
                    f"if that separates texts, pass split={{{name!r}: {separator!r}}}"
                )
                break
    return notes
