"""JSON documents: a list of rows, an object of columns, RAGChecker's results, or one row."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator
from typing import Any, BinaryIO

from ragauge.errors import DataError
from ragauge.formats._aliases import known_name
from ragauge.formats._chunk import Chunk
from ragauge.formats._jsonl import not_json
from ragauge.formats._lines import BLOCK
from ragauge.formats._objects import from_columns, from_rows, is_columns
from ragauge.formats._words import kind_of

_SPACE = re.compile(r"[ \t\r\n]*")
_DECODE = json.JSONDecoder().raw_decode


def chunks(stream: BinaryIO, name: str, size: int = BLOCK) -> Iterator[Chunk]:
    """Read a JSON document; a list is read a part at a time, so it may be larger than memory.

    Raises:
        DataError: it is not JSON, or its rows cannot be told.
    """
    text = io.TextIOWrapper(stream, encoding="utf-8-sig", newline="")
    try:
        yield from _chunks(text, name, size)
    except UnicodeDecodeError as error:
        byte = error.object[error.start]
        raise DataError(f"{name}: not UTF-8: it has a byte 0x{byte:02x}; save the file as UTF-8") from None
    finally:
        text.detach()


def _chunks(text: io.TextIOWrapper, name: str, size: int) -> Iterator[Chunk]:
    window = _Window(text, size)
    if window.skip_space() == "[":
        yield from from_rows(_items(window, name))
        return
    try:
        document = json.loads(window.rest())
    except (ValueError, RecursionError) as error:
        raise DataError(f"{name}: {not_json(error)}") from None
    yield from of_document(document, name)


def of_document(document: object, name: str) -> Iterator[Chunk]:
    """Return the rows of a parsed document that is not a list.

    Raises:
        DataError: it is no object, or its columns differ in length.
    """
    if not isinstance(document, dict):
        raise DataError(f"{name}: must be a list of rows or an object; got {kind_of(document)}")
    rows = _rows_within(document)
    if rows is not None:
        yield from from_rows(iter(rows))
    elif is_columns(document):
        yield from from_columns(document, name)
    else:
        yield from from_rows(iter([document]))


def _rows_within(document: dict[str, Any]) -> list[Any] | None:
    """Return the rows of RAGChecker's results, or of an object around nothing but a list of rows."""
    results = document.get("results")
    if isinstance(results, list):
        return results
    [name, inner] = next(iter(document.items()), ("", None))
    holds_rows = isinstance(inner, list) and bool(inner) and all(isinstance(row, dict) for row in inner)
    return inner if len(document) == 1 and holds_rows and known_name(name) is None else None


class _Window:
    """A part of a text that moves on through it."""

    def __init__(self, text: io.TextIOWrapper, size: int) -> None:
        self._text = text
        self._size = size
        self._lines = 1
        self.buffer = ""
        self.start = 0

    def more(self) -> bool:
        """Read on; keep what was not taken yet."""
        data = self._text.read(max(self._size, len(self.buffer) - self.start))
        self._lines += self.buffer.count("\n", 0, self.start)
        self.buffer = self.buffer[self.start :] + data
        self.start = 0
        return bool(data)

    def skip_space(self) -> str:
        """Pass over white space; return the character after it, or nothing at the end."""
        while True:
            match = _SPACE.match(self.buffer, self.start)
            self.start = match.end() if match else self.start
            if self.start < len(self.buffer):
                return self.buffer[self.start]
            if not self.more():
                return ""

    def line(self, position: int) -> int:
        """Return the number of the line that holds ``position`` of the buffer."""
        return self._lines + self.buffer.count("\n", 0, position)

    def rest(self) -> str:
        """Return all that was not taken yet."""
        return self.buffer[self.start :] + self._text.read()


def _items(window: _Window, name: str) -> Iterator[Any]:
    """Return the items of the list that ``window`` stands before."""
    window.start += 1
    following = window.skip_space()
    row = 0
    while following != "]":
        row += 1
        yield _item(window, row, name)
        following = window.skip_space()
        if following == ",":
            window.start += 1
            window.skip_space()
        elif following != "]":
            got = repr(following) if following else "the end of the file"
            raise DataError(
                f"{name}: line {window.line(window.start)}: not JSON: row {row} must be followed by , or ]; got {got}"
            )
    window.start += 1
    if window.skip_space():
        raise DataError(f"{name}: line {window.line(window.start)}: not JSON: there is more after the closing ]")


def _item(window: _Window, row: int, name: str) -> Any:
    """Return the next item; one that does not fit into the window makes it read on."""
    while True:
        try:
            value, end = _DECODE(window.buffer, window.start)
        except json.JSONDecodeError as error:
            if not window.more():
                raise DataError(f"{name}: line {window.line(error.pos)}: not JSON: {error.msg} in row {row}") from None
        except (ValueError, RecursionError) as error:
            raise DataError(f"{name}: row {row}: {not_json(error)}") from None
        else:
            window.start = end
            return value
