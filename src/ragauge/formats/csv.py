"""CSV and TSV: records of cells, which may be quoted and then hold line ends."""

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

Cells: TypeAlias = "list[str | None]"

_DELIMITERS = ",;\t|"
_QUOTED = r'[^"]*+(?:""[^"]*+)*+'
_NAMED = re.compile(r'"?sep=([,;\t|])"?')
_QUOTED_FIELD = re.compile(f'(?:\\A|(?<=[{_DELIMITERS}\n]))"{_QUOTED}"')
_MOST_HEADER_LINES = 100
"""A quoted column name may hold line ends; no header is looked for further on."""
_OPEN = re.compile(f'"{_QUOTED}\\Z')


def chunks(stream: BinaryIO, name: str, delimiter: str | None = None, size: int = BLOCK) -> Iterator[Chunk]:
    r"""Read a table of texts: the first record names the columns.

    An empty cell is null, and a quoted empty cell (``""``) is the empty text. Blank lines, and rows of empty cells,
    are skipped.

    Args:
        stream: UTF-8.
        name: what messages call it.
        delimiter: None: the one of comma, semicolon, tab and bar that the header has most of outside quotes.
        size: bytes read at a time.

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
            records.take(number, line)
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
    """Refuse a file of one line whose parts end in carriage returns.

    Raises:
        DataError: it is one.
    """
    if len(lines) == 1 and "\r" in lines[0].rstrip("\r"):
        raise DataError(
            f"{name}: its lines end in a carriage return alone, as in Excel's CSV (Macintosh); save it as CSV UTF-8, "
            f"or: tr '\\r' '\\n' < {name} > new.csv"
        )


class _Records:
    """The records read so far and not yet handed over, and one that goes on in the next line."""

    def __init__(self, name: str, delimiter: str) -> None:
        self._name = name
        self._split = Splitter(delimiter)
        self._header: list[str] = []
        self._open: list[str] = []
        self._start = 0
        self._clear()

    def _clear(self) -> None:
        self._rows: list[Cells] = []
        self._places: list[int] = []
        self._problems: list[Problem] = []

    def take(self, number: int, line: str) -> None:
        """Take one line: a record, a part of one, or nothing."""
        if not self._open:
            if not line.strip():
                return
            self._start = number
        self._open.append(line)
        # Only a quote can end a cell that goes on over several lines.
        if len(self._open) == 1 or '"' in line:
            self._try("\n".join(self._open).removesuffix("\r"))

    def _try(self, text: str) -> None:
        try:
            cells = self._split(text)
        except ValueError as error:
            self._problems.append(Problem(self._start, str(error)))
        else:
            if cells is None:
                return
            self._add(cells)
        self._open = []

    def _add(self, cells: Cells) -> None:
        if not any(cells) and all(cell is None for cell in cells):
            # Spreadsheets write a blank row as its delimiters.
            return
        if not self._header:
            self._header = self._named(cells)
        elif len(cells) == len(self._header):
            self._rows.append(cells)
            self._places.append(self._start)
        else:
            self._problems.append(Problem(self._start, self._misfit(len(cells))))

    def _misfit(self, cells: int) -> str:
        has = counted(cells, "cell", "cells")
        return f"has {has}, but the header has {len(self._header)}; quote a cell that holds a delimiter"

    def _named(self, cells: Cells) -> list[str]:
        names = [(cell or "").strip() or f"unnamed_{place}" for place, cell in enumerate(cells, 1)]
        twice = [column for column, count in Counter(names).items() if count > 1]
        if twice:
            raise DataError(f"{self._name}: line {self._start}: two columns are named {twice[0]}; rename one")
        return names

    def chunk(self, problems: Sequence[Problem]) -> Chunk:
        """Hand over the records."""
        columns = zip(*self._rows, strict=True) if self._rows else [[] for _ in self._header]
        arrays = {name: to_arrow(cells, TEXT) for name, cells in zip(self._header, columns, strict=True)}
        chunk = Chunk(arrays, self._places, [*problems, *self._problems])
        self._clear()
        return chunk

    def last(self) -> Chunk:
        """Hand over what is left: nothing, or a problem with a quote."""
        if self._open:
            self._problems.append(Problem(self._start, "has a quote that is never closed; double the quotes in a cell"))
        return self.chunk([])


class Splitter:
    """Cuts records at a delimiter.

    Unlike the csv module of Python before 3.12 it tells an empty cell (null) from a quoted empty cell (a text), and
    it has no limit on the length of a cell.

    >>> Splitter(",")('a,,"",5" disk,"the ""same"", twice"')
    ['a', None, '', '5" disk', 'the "same", twice']
    >>> Splitter(",")('a,"goes on in the next line')
    """

    def __init__(self, delimiter: str) -> None:
        self._delimiter = delimiter
        bare = f'[^"{delimiter}][^{delimiter}]*+'
        self._cell = re.compile(f'(?:"({_QUOTED})"|({bare})?)({re.escape(delimiter)}|\\Z)')

    def __call__(self, text: str) -> Cells | None:
        """Return the cells, one without anything as None; or None where a quoted cell goes on after ``text``.

        Raises:
            ValueError: there is text between a closing quote and the delimiter.
        """
        if '"' not in text:
            return [cell or None for cell in text.split(self._delimiter)]
        cells: Cells = []
        position, more = 0, True
        while more:
            match = self._cell.match(text, position)
            if match is None:
                _check_open(text, position)
                return None
            quoted, bare, delimiter = match.groups()
            cells.append(bare if quoted is None else quoted.replace('""', '"'))
            position, more = match.end(), delimiter != ""
        return cells


def _check_open(text: str, position: int) -> None:
    """Accept the cell at ``position`` as the start of one that goes on.

    Raises:
        ValueError: its quote is closed.
    """
    if _OPEN.match(text, position) is None:
        raise ValueError("has text after a closing quote; double the quotes in a cell")
