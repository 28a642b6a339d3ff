"""CSV and TSV files: records of fields; a quoted field may contain delimiters and line ends."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import BinaryIO, TypeAlias

from ragauge.core.arrow import to_arrow
from ragauge.errors import DataError
from ragauge.formats.arrow_types import TEXT
from ragauge.formats.fields import counted
from ragauge.formats.opening import BLOCK, blocks
from ragauge.formats.source import Chunk, Problem

Record: TypeAlias = "list[str | None]"

_DELIMITERS = ",;\t|"
_QUOTED = r'[^"]*+(?:""[^"]*+)*+'
_NAMED = re.compile(r'"?sep=([,;\t|])"?')
_QUOTED_FIELD = re.compile(f'(?:\\A|(?<=[{_DELIMITERS}\n]))"{_QUOTED}"')
_MOST_HEADER_LINES = 100
"""A quoted column name may hold line ends; no header is looked for further on."""
_OPEN = re.compile(f'"{_QUOTED}\\Z')


def chunks(stream: BinaryIO, name: str, delimiter: str | None = None, size: int = BLOCK) -> Iterator[Chunk]:
    r"""Read a table of texts: the first record names the columns.

    An empty field is null, and a quoted empty field (``""``) is the empty text. Blank lines, and rows of empty fields,
    are skipped.

    Args:
        stream: UTF-8.
        name: the name in messages.
        delimiter: None: the one of comma, semicolon, tab and bar that the header has most of outside quotes.
        size: the bytes to read at a time.

    Raises:
        DataError: two columns have one name.

    >>> import io
    >>> chunk = next(chunks(io.BytesIO(b'question,answer\n"Who, then?",\nWhat?,""\n'), "qa.csv"))
    >>> [column.to_pylist() for column in chunk.columns.values()]
    [['Who, then?', 'What?'], [None, '']]
    """
    records: _Records | None = None
    for block in blocks(stream, size):
        if records is None:
            _check_line_ends(block.lines, name)
            records = _Records(name, delimiter or guessed_delimiter(block.lines))
        for number, line in enumerate(block.lines, block.first):
            records.add(number, line)
        yield records.chunk(block.problems)
    if records is not None:
        yield records.last()


def guessed_delimiter(lines: list[str]) -> str:
    """Return the delimiter; a first line such as ``sep=;``, which Excel writes and reads, names it and is blanked.

    >>> guessed_delimiter(["", '"question, in full";answer'])
    ';'
    """
    first = next((place for place, line in enumerate(lines) if line.strip()), 0)
    named = _NAMED.fullmatch(lines[first].rstrip("\r"))
    if named is not None:
        lines[first] = ""
        return named[1]
    header = _QUOTED_FIELD.sub("", "\n".join(lines[first : first + _MOST_HEADER_LINES])).partition("\n")[0]
    return max(_DELIMITERS, key=header.count)


def _check_line_ends(lines: Sequence[str], name: str) -> None:
    """Check the line ends.

    Raises:
        DataError: the lines end in carriage returns alone.
    """
    if len(lines) == 1 and "\r" in lines[0].rstrip("\r"):
        raise DataError(
            f"{name}: its lines end in a carriage return alone, as in Excel's CSV (Macintosh); save it as CSV UTF-8, "
            f"or: tr '\\r' '\\n' < {name} > new.csv"
        )


class _Records:
    """Records that no chunk contains yet, and the lines of a record that goes on in the next line."""

    def __init__(self, name: str, delimiter: str) -> None:
        self._name = name
        self._split = Splitter(delimiter)
        self._header: list[str] = []
        self._open: list[str] = []
        self._start = 0
        self._clear()

    def _clear(self) -> None:
        self._rows: list[Record] = []
        self._places: list[int] = []
        self._problems: list[Problem] = []

    def add(self, number: int, line: str) -> None:
        """Add one line: a record, a part of one, or a blank line."""
        if not self._open:
            if not line.strip():
                return
            self._start = number
        self._open.append(line)
        # A field that goes on over several lines ends with a quote.
        if len(self._open) == 1 or '"' in line:
            self._parse("\n".join(self._open).removesuffix("\r"))

    def _parse(self, text: str) -> None:
        try:
            record = self._split(text)
        except ValueError as error:
            self._problems.append(Problem(self._start, str(error)))
        else:
            if record is None:
                return
            self._append(record)
        self._open = []

    def _append(self, record: Record) -> None:
        if not any(record) and all(field is None for field in record):
            # Spreadsheets write a blank row as its delimiters.
            return
        if not self._header:
            self._header = self._names(record)
        elif len(record) == len(self._header):
            self._rows.append(record)
            self._places.append(self._start)
        else:
            self._problems.append(Problem(self._start, self._misfit(len(record))))

    def _misfit(self, fields: int) -> str:
        has = counted(fields, "field", "fields")
        return f"has {has}, but the header has {len(self._header)}; quote a field that contains a delimiter"

    def _names(self, record: Record) -> list[str]:
        names = [(field or "").strip() or f"unnamed_{place}" for place, field in enumerate(record, 1)]
        repeated = [column for column, count in Counter(names).items() if count > 1]
        if repeated:
            raise DataError(f"{self._name}: line {self._start}: two columns are named {repeated[0]}; rename one")
        return names

    def chunk(self, problems: Sequence[Problem]) -> Chunk:
        """Return the records as a chunk and forget them."""
        columns = zip(*self._rows, strict=True) if self._rows else [[] for _ in self._header]
        arrays = {name: to_arrow(values, TEXT) for name, values in zip(self._header, columns, strict=True)}
        chunk = Chunk(arrays, self._places, [*problems, *self._problems])
        self._clear()
        return chunk

    def last(self) -> Chunk:
        """Return the last chunk: empty, or with the problem of a quote that is never closed."""
        if self._open:
            self._problems.append(
                Problem(self._start, "has a quote that is never closed; double the quotes in a field")
            )
        return self.chunk([])


class Splitter:
    """Splits records into fields.

    Unlike the csv module of Python before 3.12 it tells an empty field (null) from a quoted empty one (a text), and it
    has no limit on the length of a field.

    >>> Splitter(",")('a,,"",5" disk,"the ""same"", twice"')
    ['a', None, '', '5" disk', 'the "same", twice']
    >>> Splitter(",")('a,"goes on in the next line')
    """

    def __init__(self, delimiter: str) -> None:
        self._delimiter = delimiter
        bare = f'[^"{delimiter}][^{delimiter}]*+'
        self._field = re.compile(f'(?:"({_QUOTED})"|({bare})?)({re.escape(delimiter)}|\\Z)')

    def __call__(self, text: str) -> Record | None:
        """Return the fields, an empty one as None; or None where a quoted field goes on after ``text``.

        Raises:
            ValueError: there is text between a closing quote and the delimiter.
        """
        if '"' not in text:
            return [field or None for field in text.split(self._delimiter)]
        record: Record = []
        position, more = 0, True
        while more:
            match = self._field.match(text, position)
            if match is None:
                _check_open(text, position)
                return None
            quoted, bare, delimiter = match.groups()
            record.append(bare if quoted is None else quoted.replace('""', '"'))
            position, more = match.end(), delimiter != ""
        return record


def _check_open(text: str, position: int) -> None:
    """Check that the quoted field at ``position`` goes on after ``text``.

    Raises:
        ValueError: its quote is closed, and text follows.
    """
    if _OPEN.match(text, position) is None:
        raise ValueError("has text after a closing quote; double the quotes in a field")
