"""A JSON document that is larger than memory: the part of it that is being read, and the items of its lists."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from ragauge.errors import DataError
from ragauge.formats.fields import DECODER, not_json
from ragauge.formats.opening import LONGEST, TOO_LONG_A_ROW

_LONGEST_DOCUMENT = 1 << 28
"""Characters of a document that is not a list of rows, 256 Mi: it is parsed whole, into 10 times the memory."""
_SPACE = re.compile(r"[ \t\r\n]*")
_DECODE = DECODER.raw_decode


class Window:
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
            raise DataError(
                "RG-DATA-027 {name}: line {line}: {too_long_a_row}", self._name, self.line(self.start), TOO_LONG_A_ROW
            )
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

    def document(self) -> tuple[Any, bool] | None:
        """Return the object that begins here and whether another follows it; None where it does not end in the window.

        The window then begins behind the object.
        """
        try:
            value, end = _DECODE(self.buffer, self.start)
        except (ValueError, RecursionError):
            return None
        before, self.start = self.start, end
        following = self.skip_space()
        if following not in ("", "{"):
            self.start = before
            return None
        return value, following == "{"

    def rest(self) -> str:
        """Return the text from ``start`` to the end."""
        text = self.buffer[self.start :] + self._text.read(_LONGEST_DOCUMENT)
        if len(text) > _LONGEST_DOCUMENT:
            mib = _LONGEST_DOCUMENT >> 20
            template = "RG-DATA-069 {name}: a JSON object must have at most {mib} MiB; write its rows as JSON Lines"
            raise DataError(template, self._name, mib)
        return text


def items_of(window: Window, name: str, *, last: bool = True) -> Iterator[Any]:
    """Yield the items of the list that begins at the window's start; ``last``: nothing may follow it."""
    for row in _members(window, "]", "row", name):
        yield item_of(window, row, name)
    if last and window.skip_space():
        raise DataError(
            "RG-DATA-025 {name}: line {line}: not JSON: there is more after the closing ]",
            name,
            window.line(window.start),
        )


def _members(window: Window, end: str, kind: str, name: str) -> Iterator[int]:
    """Stop at each member of the list or object at the window's start, and yield its number; the caller reads past it.

    ``end``: the sign that closes the list or object. ``kind``: of its members, for messages.
    """
    window.start += 1
    number = 0
    following = window.skip_space()
    while following != end:
        number += 1
        yield number
        following = window.skip_space()
        if following == ",":
            window.start += 1
            window.skip_space()
        elif following != end:
            raise DataError(
                "RG-DATA-028 {name}: line {line}: not JSON: {kind} {number} must be followed by , or {end}; got {next}",
                name,
                window.line(window.start),
                kind,
                number,
                end,
                _next(window),
            )
    window.start += 1


def item_of(window: Window, row: int, name: str) -> Any:
    """Return the next item; read more text if it does not end in the window."""
    while True:
        try:
            value, end = _DECODE(window.buffer, window.start)
        except json.JSONDecodeError as error:
            if not window.more():
                why = re.sub(r"( starting)? at$|: $", "", error.msg)
                raise DataError(
                    "RG-DATA-031 {name}: line {line}: not JSON: {why} in row {row}",
                    name,
                    window.line(error.pos),
                    why,
                    row,
                ) from None
        except (ValueError, RecursionError) as error:
            raise DataError("RG-DATA-029 {name}: row {row}: {reason}", name, row, not_json(error)) from None
        else:
            window.start = end
            return value


def documents_in(window: Window, name: str) -> Iterator[Any]:
    """Yield the objects that follow the first one, as programs write that append to a file; the second is row 2."""
    row = 1
    while window.skip_space():
        row += 1
        yield item_of(window, row, name)


def items_within(window: Window, path: Sequence[str], name: str) -> Iterator[Any]:
    """Yield the items of the lists that lie at ``path`` within the object at the window's start, none kept in memory.

    ``path``: keys; each holds a list, whose items are objects with the next key. All other keys are left out.
    """
    for number in _members(window, "}", "key", name):
        key = item_of(window, number, name)
        _expect(window, ":", name)
        window.start += 1
        begins = window.skip_space()
        if key != path[0]:
            item_of(window, number, name)
        elif begins != "[":
            raise DataError(
                "RG-DATA-030 {name}: line {line}: {key} must be a list; correct the file",
                name,
                window.line(window.start),
                key,
            )
        elif len(path) == 1:
            yield from items_of(window, name, last=False)
        else:
            for _ in _members(window, "]", "item", name):
                _expect(window, "{", name)
                yield from items_within(window, path[1:], name)


def _expect(window: Window, sign: str, name: str) -> None:
    if window.skip_space() != sign:
        raise DataError(
            "RG-DATA-026 {name}: line {line}: not JSON: {sign} must come here; got {next}",
            name,
            window.line(window.start),
            sign,
            _next(window),
        )


def _next(window: Window) -> str:
    following = window.skip_space()
    return repr(following) if following else "the end of the file"
