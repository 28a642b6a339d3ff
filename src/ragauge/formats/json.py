"""JSON documents and JSON Lines."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, BinaryIO

from ragauge.errors import DataError
from ragauge.formats.column_names import known_name
from ragauge.formats.fields import kind_of
from ragauge.formats.literals import DECODER, not_json
from ragauge.formats.opening import BLOCK, LONGEST, TOO_LONG_A_ROW, Lines, blocks
from ragauge.formats.source import Chunk, Problem, of_rows
from ragauge.formats.tables import from_columns, from_rows, is_columns

_SCAN: Callable[[str, int], tuple[Any, int]] = DECODER.scan_once  # type: ignore[attr-defined]
_LONGEST_DOCUMENT = 1 << 28
"""Characters of a document that is not a list of rows, 256 Mi: it is parsed whole, into 10 times the memory."""
_SPACE = re.compile(r"[ \t\r\n]*")
_DECODE = DECODER.raw_decode


def line_chunks(stream: BinaryIO, size: int = BLOCK) -> Iterator[Chunk]:
    r"""Read JSON Lines; blank lines are skipped, and lines that cannot be read are problems.

    >>> import io
    >>> [chunk] = line_chunks(io.BytesIO(b'{"question": "Who?"}\n\n{"question": \n'))
    >>> chunk.columns, chunk.places
    ({'question': ['Who?']}, range(1, 2))
    >>> chunk.problems[0]
    Problem(place=3, what='not JSON: Expecting value at column 14')
    """
    for block in blocks(stream, size):
        yield _chunk(block)


def _chunk(block: Lines) -> Chunk:
    rows: list[dict[str, Any]] = []
    places: list[int] = []
    problems = list(block.problems)
    for number, line in enumerate(block.lines, block.first):
        try:
            row = _parsed(line)
        except (ValueError, RecursionError) as error:
            if line and not line.isspace():
                problems.append(Problem(number, _not_a_row(line, error)))
            continue
        if type(row) is dict:
            rows.append(row)
            places.append(number)
        else:
            problems.append(Problem(number, f"a row must be a JSON object {{...}}; got {kind_of(row)}"))
    return of_rows(rows, _compact(places), problems)


def _parsed(line: str) -> Any:
    """Parse as `json.loads`, which looks for white space with a regular expression before and after each row."""
    try:
        row, end = _SCAN(line, 0)
    except StopIteration:
        return DECODER.decode(line)
    return row if end == len(line) else DECODER.decode(line)


def _not_a_row(line: str, error: Exception) -> str:
    if line.strip() in {"{", "["}:
        return "not JSON: the row goes on in the next line; write one row a line, or name the file .json"
    return not_json(error)


def _compact(places: list[int]) -> Sequence[int]:
    """Return a range where the numbers have no gap, as in most files: it takes no memory."""
    if places and places[-1] - places[0] == len(places) - 1:
        return range(places[0], places[-1] + 1)
    return places


def document_chunks(stream: BinaryIO, name: str, size: int = BLOCK) -> Iterator[Chunk]:
    """Read a JSON document; a list is read a part at a time, so it may be larger than memory."""
    text = io.TextIOWrapper(stream, encoding="utf-8", newline="")
    try:
        yield from _chunks(text, name, size)
    except UnicodeDecodeError as error:
        byte = error.object[error.start]
        raise DataError(f"{name}: not UTF-8: it has a byte 0x{byte:02x}; save the file as UTF-8") from None


def _chunks(text: io.TextIOWrapper, name: str, size: int) -> Iterator[Chunk]:
    window = _Window(text, size, name)
    if window.skip_space() == "[":
        yield from from_rows(_items(window, name))
        return
    try:
        document = DECODER.decode(window.rest())
    except (ValueError, RecursionError) as error:
        raise DataError(f"{name}: {not_json(error)}") from None
    yield from of_document(document, name)


def of_document(document: object, name: str) -> Iterator[Chunk]:
    """Return the rows of a parsed document that is not a list: rows within it, its columns, or itself as one row."""
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
    """The part of a long text that is in memory; it moves on through the text."""

    def __init__(self, text: io.TextIOWrapper, size: int, name: str) -> None:
        self._text = text
        self._size = size
        self._name = name
        self._lines = 1
        self.buffer, self.start = "", 0

    def more(self) -> bool:
        """Read more text and drop the part before ``start``; return whether there was more."""
        if len(self.buffer) - self.start > LONGEST:
            raise DataError(f"{self._name}: line {self.line(self.start)}: {TOO_LONG_A_ROW}")
        data = self._text.read(max(self._size, len(self.buffer) - self.start))
        self._lines += self.buffer.count("\n", 0, self.start)
        self.buffer = self.buffer[self.start :] + data
        self.start = 0
        return bool(data)

    def skip_space(self) -> str:
        """Skip white space; return the character after it, or the empty text at the end."""
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
        """Return the text from ``start`` to the end."""
        text = self.buffer[self.start :] + self._text.read(_LONGEST_DOCUMENT)
        if len(text) > _LONGEST_DOCUMENT:
            mib = _LONGEST_DOCUMENT >> 20
            raise DataError(f"{self._name}: a JSON object must have at most {mib} MiB; write its rows as JSON Lines")
        return text


def _items(window: _Window, name: str) -> Iterator[Any]:
    """Yield the items of the list that begins at the window's start."""
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
            line, got = window.line(window.start), repr(following) if following else "the end of the file"
            raise DataError(f"{name}: line {line}: not JSON: row {row} must be followed by , or ]; got {got}")
    window.start += 1
    if window.skip_space():
        raise DataError(f"{name}: line {window.line(window.start)}: not JSON: there is more after the closing ]")


def _item(window: _Window, row: int, name: str) -> Any:
    """Return the next item; read more text if it does not end in the window."""
    while True:
        try:
            value, end = _DECODE(window.buffer, window.start)
        except json.JSONDecodeError as error:
            if not window.more():
                why = re.sub(r"( starting)? at$|: $", "", error.msg)
                raise DataError(f"{name}: line {window.line(error.pos)}: not JSON: {why} in row {row}") from None
        except (ValueError, RecursionError) as error:
            raise DataError(f"{name}: row {row}: {not_json(error)}") from None
        else:
            window.start = end
            return value
