"""One field of a row: what is accepted as text or as a list of texts, and the error for anything else."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ragauge.core.sample import SCHEMA
from ragauge.errors import OptionError
from ragauge.formats.source import Problem, Values


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


COLUMNS = tuple(name for name, kind in SCHEMA.items() if kind == "texts")

# What people put between passages, longer ones first.
_SEPARATORS = ("|||", "||", "<sep>", "[SEP]", "\n---\n", "\n\n", "###", " | ")


def check_split(split: Mapping[str, str]) -> None:
    """Refuse columns that hold no list of texts, and empty separators.

    Raises:
        OptionError: there is one.
    """
    for column, separator in split.items():
        if column not in COLUMNS:
            raise OptionError.value("read", "split", f"of {' or '.join(COLUMNS)}", column)
        if not separator:
            raise OptionError.value("read", f"split {column}", "what stands between the texts", separator)


def split_cells(values: Values, separator: str) -> list[Any]:
    """Split the cells that are texts; pieces lose the white space around them, and empty ones are left out.

    >>> split_cells(["tea ||| jam", None, ["tea"]], "|||")
    [['tea', 'jam'], None, ['tea']]
    """
    return [_pieces(cell, separator) if isinstance(cell, str) else cell for cell in plain(values)]


def _pieces(cell: str, separator: str) -> list[str]:
    return [piece for part in cell.split(separator) if (piece := part.strip())]


def separator_of(cells: Sequence[Any]) -> str | None:
    """Return what seems to stand between the texts of most cells, none of which is a list.

    >>> separator_of(["tea ||| jam", "rum ||| gin"]), separator_of(["tea", "jam"])
    ('|||', None)
    """
    texts = [cell for cell in cells if isinstance(cell, str)]
    if len(texts) < sum(cell is not None for cell in cells) or any(text.lstrip().startswith("[") for text in texts):
        return None
    return next((one for one in _SEPARATORS if sum(one in text for text in texts) * 2 > len(texts)), None)


class Unsplit:
    """Watches for passages that look like several in one."""

    def __init__(self, split: Mapping[str, str]) -> None:
        self._columns = [name for name in ("contexts", "reference_contexts") if name not in split]
        self._cells: Counter[str] = Counter()
        self._single: Counter[str] = Counter()
        self._found: Counter[tuple[str, str]] = Counter()

    def see(self, batch: pa.RecordBatch) -> None:
        """Look at a batch."""
        for name in self._columns:
            if name in batch.schema.names:
                column = batch.column(name)
                lengths = pc.list_value_length(column).drop_null()
                self._cells[name] += len(lengths)
                self._single[name] += pc.sum(pc.equal(lengths, 1)).as_py() or 0
                texts = pc.list_flatten(column)
                for separator in _SEPARATORS:
                    self._found[name, separator] += pc.sum(pc.match_substring(texts, separator)).as_py() or 0

    def notes(self) -> list[str]:
        """Say which columns look so: every cell one text, and something in most of them that separates texts."""
        notes = []
        for name in self._columns:
            cells = self._cells[name]
            if not cells or self._single[name] < cells:
                continue
            separator = next((one for one in _SEPARATORS if self._found[name, one] * 2 > cells), None)
            if separator is not None:
                written = separator.replace("\n", "\\n")
                notes.append(
                    f"{name}: every cell was read as one text, and {self._found[name, separator]} of {cells} hold "
                    f"{written!r}; if that stands between texts: --split {name}='{written}'"
                )
        return notes
