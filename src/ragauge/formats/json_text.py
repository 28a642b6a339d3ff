"""JSON: one decoder, which refuses keys that come twice, and documents larger than memory, read a part at a time."""

from __future__ import annotations

import io
import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, cast

from ragauge.core.lazy import lazy_pattern
from ragauge.core.messages import Message
from ragauge.errors import DataError, excerpt, worded
from ragauge.formats.broken_json import fault_of
from ragauge.formats.opening import LONGEST, TOO_LONG_A_ROW

_LONGEST_DOCUMENT = 1 << 28
"""Characters of a document that is not a list of rows, 256 Mi: it is parsed whole, into 10 times the memory."""
_SPACE = lazy_pattern(r"[ \t\r\n]*")
TOO_LONG = Message("a whole number of more than 4,300 digits")


def shortened(value: str) -> str:
    """Return the beginning of a text, in quotes.

    >>> shortened("tea and jam")
    "'tea and jam'"
    """
    return repr(value if len(value) <= 40 else value[:37] + "...")


class RepeatedKeyError(ValueError):
    """An object of JSON has a key twice: one of the values would be lost in silence."""


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        [(key, _)] = Counter([key for key, _ in pairs]).most_common(1)
        raise RepeatedKeyError(Message("RG-DATA-079 has the key {key} twice; keep one", shortened(key)))
    return values


DECODER = json.JSONDecoder(object_pairs_hook=_distinct)
"""A decoder of JSON that refuses objects with a key twice."""


def _not_decoded(error: json.JSONDecodeError) -> Message:
    if error.doc[error.pos :].strip() == ",":
        return Message("RG-DATA-230 not JSON: a comma is behind the row; remove it, or put [ and ] around all rows")
    if error.doc.lstrip().startswith(("//", "#")):
        return Message("RG-DATA-231 not JSON: the line is a comment; remove it")
    place = Message("column {column}", error.colno)
    place = place if error.lineno == 1 else Message("line {line}, {place}", error.lineno, place)
    fault = fault_of(error)
    if fault is not None:
        return Message("RG-DATA-240 not JSON: {what} at {place}; {advice}", fault.what, place, fault.advice)
    return Message("RG-DATA-100 not JSON: {reason} at {place}", worded(error.msg.removesuffix(" at")), place)


def not_json(error: Exception) -> str:
    """Return the reason why a text is not JSON, in one line."""
    if isinstance(error, json.JSONDecodeError):
        return _not_decoded(error)
    if isinstance(error, RepeatedKeyError):
        return cast("str", error.args[0])
    if isinstance(error, RecursionError):
        return Message("RG-DATA-102 not JSON that can be read: nested too deeply")
    # Python refuses numbers of more digits, because reading them takes quadratic time.
    if "digits" in str(error):
        return Message("RG-DATA-103 not JSON that can be read: it has {number}; write it as text", TOO_LONG)
    return Message("RG-DATA-104 not JSON that can be read: {reason}", excerpt(str(error)))


class Window:
    """The part of a long document that is in memory; it moves on through the document."""

    def __init__(self, text: io.TextIOWrapper, size: int, name: str) -> None:
        self._text = text
        self._size = size
        self._name = name
        self._lines = 1
        self.buffer, self.start = "", 0

    def _more(self) -> bool:
        """Read more text and drop the part before ``start``; return whether there was more."""
        if len(self.buffer) - self.start > LONGEST:
            raise self._wrong("RG-DATA-027 {name}: line {line}: {too_long_a_row}", TOO_LONG_A_ROW)
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
            if not self._more():
                return ""

    def first_object(self) -> tuple[Any, bool] | None:
        """Return the object that begins here and whether another follows it; None where it does not end in the window.

        The window then begins behind the object.
        """
        try:
            value, end = DECODER.raw_decode(self.buffer, self.start)
        except (ValueError, RecursionError):
            return None
        before, self.start = self.start, end
        following = self.skip_space()
        if following not in ("", "{"):
            self.start = before
            return None
        return value, following == "{"

    def rest(self) -> Any:
        """Return what the text from ``start`` to the end holds; DataError where it is not JSON, or too long."""
        text = self.buffer[self.start :] + self._text.read(_LONGEST_DOCUMENT)
        if len(text) > _LONGEST_DOCUMENT:
            mib = _LONGEST_DOCUMENT >> 20
            template = "RG-DATA-069 {name}: a JSON object must have at most {mib} MiB; write its rows as JSON Lines"
            raise DataError(template, self._name, mib)
        try:
            return DECODER.decode(text)
        except (ValueError, RecursionError) as error:
            raise DataError("RG-DATA-024 {name}: {reason}", self._name, not_json(error)) from None

    def items(self, *, last: bool = True) -> Iterator[Any]:
        """Yield the items of the list that begins here; ``last``: nothing may follow it."""
        for row in self._members("]", "row"):
            yield self._item(row)
        if last and self.skip_space():
            raise self._wrong("RG-DATA-025 {name}: line {line}: not JSON: there is more after the closing ]")

    def objects_after(self) -> Iterator[Any]:
        """Yield the objects that follow the first one, as programs write that append to a file; the second is row 2."""
        row = 1
        while self.skip_space():
            row += 1
            yield self._item(row)

    def items_within(self, path: Sequence[str]) -> Iterator[Any]:
        """Yield the items of the lists that lie at ``path`` within the object that begins here, one at a time.

        ``path``: keys; each holds a list, whose items are objects with the next key. All other keys are left out.
        """
        for number in self._members("}", "key"):
            key = self._item(number)
            self._expect(":")
            self.start += 1
            begins = self.skip_space()
            if key != path[0]:
                self._item(number)
            elif begins != "[":
                raise self._wrong("RG-DATA-030 {name}: line {line}: {key} must be a list; correct the file", key)
            elif len(path) == 1:
                yield from self.items(last=False)
            else:
                for _ in self._members("]", "item"):
                    self._expect("{")
                    yield from self.items_within(path[1:])

    def _members(self, end: str, kind: str) -> Iterator[int]:
        """Stop at each member of the list or object that begins here, and yield its number; the caller reads past it.

        ``end``: the sign that closes the list or object. ``kind``: of its members, for messages.
        """
        self.start += 1
        number = 0
        following = self.skip_space()
        while following != end:
            number += 1
            yield number
            following = self.skip_space()
            if following == ",":
                self.start += 1
                self.skip_space()
            elif following != end:
                template = (
                    "RG-DATA-028 {name}: line {line}: not JSON: {kind} {number} must be followed by , or {end}; got "
                    "{next}"
                )
                raise self._wrong(template, kind, number, end, self._next())
        self.start += 1

    def _item(self, row: int) -> Any:
        """Return the next item; read more text if it does not end in the window."""
        while True:
            try:
                value, end = DECODER.raw_decode(self.buffer, self.start)
            except json.JSONDecodeError as error:
                ahead = error.pos - self.start
                if not self._more():
                    self.start += ahead
                    if self.skip_space() == "]":
                        raise self._wrong(
                            "RG-DATA-232 {name}: line {line}: not JSON: remove the comma before ]"
                        ) from None
                    fault = fault_of(error)
                    if fault is not None:
                        raise self._wrong(
                            "RG-DATA-241 {name}: line {line}: not JSON: {what} in row {row}; {advice}",
                            fault.what,
                            row,
                            fault.advice,
                        ) from None
                    why = re.sub(r"( starting)? at$|: $", "", error.msg)
                    raise self._wrong(
                        "RG-DATA-031 {name}: line {line}: not JSON: {why} in row {row}", why, row
                    ) from None
            except (ValueError, RecursionError) as error:
                raise DataError("RG-DATA-029 {name}: row {row}: {reason}", self._name, row, not_json(error)) from None
            else:
                self.start = end
                return value

    def _expect(self, sign: str) -> None:
        if self.skip_space() != sign:
            template = "RG-DATA-026 {name}: line {line}: not JSON: {sign} must come here; got {next}"
            raise self._wrong(template, sign, self._next())

    def _next(self) -> str:
        following = self.skip_space()
        return repr(following) if following else "the end of the file"

    def _wrong(self, template: str, *values: object) -> DataError:
        """Return an error of the line in which ``start`` is."""
        return DataError(template, self._name, self._lines + self.buffer.count("\n", 0, self.start), *values)
