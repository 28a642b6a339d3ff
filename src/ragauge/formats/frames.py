"""Tables of texts as sources, and how pandas reads them: code that makes the ``frame`` of printed code."""

from __future__ import annotations

from ragauge.core.messages import Message
from ragauge.formats.csv import chunks, guessed_delimiter, title_lines
from ragauge.formats.opening import Opened
from ragauge.formats.source import Source


def opened_table(file: Opened, delimiter: str | None) -> Source:
    """Return a table of texts as a source; ``delimiter``: None where it is guessed from the header."""
    code = code_of_frame(file, delimiter)
    return Source(file.name, chunks(file.stream, file.name, delimiter), "line", written=True, frame=code)


def code_of_frame(file: Opened, delimiter: str | None = None) -> str:
    """Return pandas' code that reads a table of texts; "" where ``read_csv`` does so without options.

    ``delimiter``: None where it is guessed from the header.
    """
    before = file.head.decode("utf-8", "replace").splitlines()
    lines = list(before)
    if not lines:
        return ""
    titles = [] if delimiter else title_lines(lines)
    found = delimiter or guessed_delimiter(lines)
    skipped = sorted({*titles, *[place for place, line in enumerate(lines) if line != before[place]]})
    options = {"sep": found if found != "," else None, "skiprows": skipped, "encoding": file.encoding}
    given = "".join([f", {name}={value!r}" for name, value in options.items() if value])
    return f"frame = pandas.read_csv({file.name!r}{given})" if given and file.name != "<stdin>" else ""


def with_frame(message: str, frame: str) -> str:
    """Return a message with ``frame``, code that reads the data, before its code; the message where either has none.

    >>> with_frame(Message("in pandas: {code}", "frame.dropna()"), "frame = pandas.read_csv('a.csv', sep=';')")
    "in pandas: frame = pandas.read_csv('a.csv', sep=';'); frame.dropna()"
    """
    if not frame or not isinstance(message, Message):
        return message
    values = {
        name: f"{frame}; {value}" if name == "code" else with_frame(value, frame)
        for name, value in message.values.items()
    }
    return Message(message.parts[0], *values.values())
