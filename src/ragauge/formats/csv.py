"""CSV and TSV files: records of fields; a quoted field may hold delimiters and line ends; formulas are guarded."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, BinaryIO, TypeAlias

from ragauge.core.lazy import lazy_pattern
from ragauge.core.messages import Counted, Message
from ragauge.errors import DataError
from ragauge.formats.column_names import known_name
from ragauge.formats.opening import BLOCK, LONGEST, Lines, blocks
from ragauge.formats.source import Chunk, Problem

Record: TypeAlias = "list[str | None]"

_DELIMITERS = ",;\t|"
_OTHER_DELIMITERS = "，；،؛"
"""Commas and semicolons of Chinese and Arabic, where the header has none of the usual ones."""
_QUOTED = r'[^"]*+(?:""[^"]*+)*+'
_REPEATED = "RG-NOTE-284 left out what repeats the header, as where files were joined: line {lines}"
_RULE = lazy_pattern(r"\s*(?:-{3,}|:-+:?|-+:)\s*")
"""A field of the line between header and rows in a table of Markdown."""
_NAMED = lazy_pattern(r'"?sep=([,;\t|])"?')
_QUOTED_FIELD = lazy_pattern(f'(?:\\A|(?<=[{_DELIMITERS}\n]))"{_QUOTED}"')
_MOST_TITLES = 10
"""Lines that are looked at for a header below titles."""
_MOST_HEADER_LINES = 100
"""A quoted column name may hold line ends; no header is looked for further on."""
_CLOSE = Message("double the quotes in a field")
_REST_OF_QUOTED = lazy_pattern(f'({_QUOTED})"')
_OPEN = lazy_pattern(f'"{_QUOTED}\\Z')
_SKIPPED = "RG-NOTE-037 skipped before the header in line {header}, as a title: line {lines}"
_NUMBER = lazy_pattern(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")
# Spreadsheets drop white space before a formula, and read the full-width forms of its first character.
_FORMULA = lazy_pattern(r"'*(?:\s*[=+\-@\uff1d\uff0b\uff0d\uff20]|[\t\r])")


def chunks(stream: BinaryIO, name: str, delimiter: str | None = None, size: int = BLOCK) -> Iterator[Chunk]:
    r"""Read a table of texts: the first record names the columns.

    An empty field is null, and a quoted empty field (``""``) is the empty text. Blank lines, and rows of empty fields,
    are skipped. Without a ``delimiter`` it is guessed from the header.

    >>> import io
    >>> chunk = next(chunks(io.BytesIO(b'question,answer\n"Who, then?",\nWhat?,""\n'), "qa.csv"))
    >>> list(chunk.columns.values())
    [('Who, then?', 'What?'), (None, '')]
    """
    records: Records | None = None
    for block in blocks(stream, size):
        if records is None:
            if len(block.lines) == 1 and "\r" in block.lines[0].rstrip("\r"):
                raise DataError(
                    "RG-DATA-009 {name}: its lines end in a carriage return alone, as in Excel's CSV (Macintosh); save "
                    "it as CSV UTF-8, or: tr '\\r' '\\n' < {name} > new.csv",
                    name,
                )
            titles = [] if delimiter else title_lines(block.lines)
            records = Records(name, delimiter or guessed_delimiter(block.lines), [block.first + one for one in titles])
        yield records.chunk(block)
    if records is not None and records.unfinished:
        what = Message("RG-DATA-106 has a quote that is never closed; {advice}", _CLOSE)
        yield Chunk({}, (), [Problem(records.start, what)])


def guessed_delimiter(lines: list[str]) -> str:
    """Return the delimiter; a first line such as ``sep=;``, which Excel writes and reads, names it and is blanked.

    It is that of comma, semicolon, tab and bar which the header has most of. Where it has none, a comma or semicolon of
    Chinese or Arabic parts names of known columns.

    >>> guessed_delimiter(["", '"question, in full";answer'])
    ';'
    """
    first = next((place for place, line in enumerate(lines) if line.strip()), len(lines) - 1)
    named = _NAMED.fullmatch(lines[first].rstrip("\r"))
    if named is not None:
        lines[first] = ""
        return named[1]
    header = _QUOTED_FIELD.sub("", "\n".join(lines[first : first + _MOST_HEADER_LINES])).partition("\n")[0]
    usual, other = (max(signs, key=header.count) for signs in (_DELIMITERS, _OTHER_DELIMITERS))
    known = [] if usual in header else [one for one in header.split(other) if known_name(one.strip()) is not None]
    return other if len(known) > 1 else usual


def title_lines(lines: list[str]) -> list[int]:
    """Return the places of lines above the header, which are blanked: shorter than it, and without a known column.

    The header is a line that names two known columns.

    >>> lines = ["Report of May", "", "id;question;answer"]
    >>> title_lines(lines), lines[0]
    ([0], '')
    """
    first = [place for place, line in enumerate(lines[:_MOST_HEADER_LINES]) if line.strip()][:_MOST_TITLES]
    if first and _NAMED.fullmatch(lines[first[0]].rstrip("\r")):
        return []
    split = [[one.strip(' "\r') for one in lines[place].split(guessed_delimiter([lines[place]]))] for place in first]
    titles = first[: header_place(split)]
    for place in titles:
        lines[place] = ""
    return titles


def header_place(records: Sequence[Sequence[str | None]]) -> int:
    """Return the place of the header: that of the first record with two known columns, where those before are shorter.

    >>> header_place([["Report of May", None], ["question", "answer"]]), header_place([["a", "b"], ["c", "d"]])
    (1, 0)
    """
    lengths = [sum(map(bool, one)) for one in records]
    named = [sum(known_name(field or "") is not None for field in one) for one in records]
    place = next((place for place, names in enumerate(named) if names), 0)
    return place if named[place : place + 1] > [1] and max(lengths[:place], default=0) < lengths[place] else 0


def _is_title(record: Record) -> bool:
    """Return whether a record before the header is a title: spreadsheets have it in the first of several cells."""
    return len(record) > 2 and bool(record[0]) and not any(record[1:]) and known_name(record[0] or "") is None


class Records:
    r"""Cuts lines into the records of one table; each character is looked at once, however many lines a field has.

    Unlike the csv module of Python before 3.12 it tells an empty field (null) from a quoted empty one (a text), and it
    reads fields longer than that module's limit.

    ``start``: the number of the first line of the record that is read.

    >>> records = Records("qa.csv", ",")
    >>> records.record('a,,"",5" disk,"the ""same"", twice"')
    ['a', None, '', '5" disk', 'the "same", twice']
    >>> records.record('a,"goes on'), records.record('in the next line",b')
    (None, ['a', 'goes on\nin the next line', 'b'])
    """

    def __init__(self, name: str, delimiter: str, titles: Sequence[int] = ()) -> None:
        """Begin a table; ``titles``: numbers of the lines that were skipped above its header."""
        self._name = name
        self._delimiter = delimiter
        self._field = re.compile(f'(?:"({_QUOTED})"|([^"{delimiter}][^{delimiter}]*+)?)({re.escape(delimiter)}|\\Z)')
        self._header: list[str] = []
        self._titles: list[int] = [*titles]
        # In a table of Markdown, which of its fields are within the outer bars.
        self._within: slice | None = None
        self._has_rows = False
        self._fields: Record = []
        # The lines of a quoted field that goes on in the next line, and their characters.
        self._open: list[str] = []
        self._size = 0
        self.start = 0

    @property
    def unfinished(self) -> bool:
        """Whether a quoted field goes on in the next line."""
        return bool(self._open)

    def chunk(self, block: Lines) -> Chunk:
        """Return the records that end in ``block``."""
        rows: list[Record] = []
        places: list[int] = []
        problems, notes = list(block.problems), list[str]()
        repeated: list[int] = []
        for number, line in enumerate(block.lines, block.first):
            if not self._open:
                if not line or line.isspace():
                    continue
                self.start = number
            record = self._read(line, problems)
            # Spreadsheets write a blank row as its delimiters.
            if record is None or (not any(record) and record.count(None) == len(record)):
                continue
            if not self._header and _is_title(record):
                self._titles.append(self.start)
            elif not self._header:
                # A header that cannot be decoded is a problem of its own, and this a row.
                unread = any(place < self.start for place, _ in block.problems)
                self._header = self._names(record, unread=unread)
                notes += [Message(_SKIPPED, self.start, ", ".join(map(str, self._titles)))] if self._titles else []
            elif not rows and self._is_rule(record):
                self._within = slice(int(record[0] is None), -1 if record[-1] is None else None)
                self._header = self._header[self._within]
            elif len(row := self._row(record)) == len(self._header):
                if len(row) > 1 and row[0] == self._header[0] and row == self._header:
                    repeated.append(self.start)
                    continue
                rows.append(row)
                places.append(self.start)
            else:
                problems.append(Problem(self.start, self._other_length(row)))
        self._has_rows = self._has_rows or bool(rows or problems)
        notes += [Message(_REPEATED, ", ".join(map(str, repeated)))] if repeated else []
        columns = zip(*rows, strict=True) if rows else [() for _ in self._header]
        return Chunk(dict(zip(self._header, columns, strict=True)), places, problems, notes=notes)

    def _read(self, line: str, problems: list[Problem]) -> Record | None:
        """Return the record that ends in a line; None where none does, or where it has a problem."""
        try:
            return self.record(line)
        except ValueError as error:
            problems.append(Problem(self.start, error.args[0]))
            return None

    def _is_rule(self, record: Record) -> bool:
        """Return whether a record is the line between header and rows of a table of Markdown."""
        is_first = self._delimiter == "|" and self._within is None and not self._has_rows
        return is_first and len(record) == len(self._header) and all(_RULE.fullmatch(one or "---") for one in record)

    def _row(self, record: Record) -> Record:
        return record if self._within is None else [field and (field.strip() or None) for field in record[self._within]]

    def _other_length(self, row: Record) -> Message:
        known = Counted(len(row), "field")
        if len(self._header) > 1:
            template = "RG-DATA-108 has {fields}, but the header has {n}; quote a field that contains a delimiter"
            return Message(template, known, len(self._header))
        template = (
            "RG-DATA-166 has {fields}, but the first line, {header!r}, has {n}; if that is a title, remove "
            "its line; if not, quote a field that contains a delimiter"
        )
        return Message(template, known, self._header[0], len(self._header))

    def _names(self, record: Record, *, unread: bool) -> list[str]:
        names = [(field or "").strip() or f"unnamed_{place}" for place, field in enumerate(record, 1)]
        repeated = [column for column, count in Counter(names).items() if count > 1]
        if repeated and unread:
            return [f"unnamed_{place}" for place in range(1, len(names) + 1)]
        if repeated:
            template = (
                "RG-DATA-008 {name}: line {start}: two columns are named {repeated}; rename one, or write a header "
                "above if this line is a row"
            )
            raise DataError(template, self._name, self.start, repeated[0])
        return names

    def record(self, line: str) -> Record | None:
        """Return the record that ends with ``line``, an empty field as None; None where a quoted field goes on.

        After a ValueError, for text between a closing quote and the delimiter, the next line begins a new record.
        """
        text = line.removesuffix("\r")
        if not self._open and '"' not in text:
            return [field or None for field in text.split(self._delimiter)]
        position, more = 0, True
        if self._open:
            match = _REST_OF_QUOTED.match(text)
            if match is None:
                self._goes_on(line)
                return None
            self._fields.append("\n".join([*self._open, match[1]]).replace('""', '"'))
            self._open = []
            position, more = match.end() + 1, match.end() < len(text)
            if more and text[match.end()] != self._delimiter:
                raise self._text_after_quote()
        while more:
            match = self._field.match(text, position)
            if match is None:
                if _OPEN.match(text, position) is None:
                    raise self._text_after_quote()
                self._goes_on(line[position + 1 :])
                return None
            quoted, bare, end = match.groups()
            self._fields.append(bare if quoted is None else quoted.replace('""', '"'))
            position, more = match.end(), end != ""
        record, self._fields = self._fields, []
        return record

    def _goes_on(self, part: str) -> None:
        self._size = len(part) + (self._size if self._open else 0)
        self._open.append(part)
        if self._size > LONGEST:
            what = Message("has a quoted field of more than {mib} MiB; {advice}", LONGEST >> 20, _CLOSE)
            raise DataError("RG-DATA-010 {name}: line {start}: {what}", self._name, self.start, what)

    def _text_after_quote(self) -> ValueError:
        self._fields = []
        return ValueError(Message("RG-DATA-105 has text after a closing quote; {advice}", _CLOSE))


def guarded(value: Any) -> Any:
    """Return a field of CSV: texts that spreadsheets would run as formulas get a ' in front, as OWASP advises.

    So do those with a ' before a formula: no two texts become one.

    >>> guarded("=1+1"), guarded("-1.5"), guarded("tea")
    ("'=1+1", '-1.5', 'tea')
    """
    return f"'{value}" if isinstance(value, str) and _is_formula(value) else value


def unguarded(value: Any) -> Any:
    """Return what `guarded` made a field of.

    >>> unguarded("'=1+1"), unguarded("'tea'")
    ('=1+1', "'tea'")
    """
    is_guarded = isinstance(value, str) and value.startswith("'") and _is_formula(value[1:])
    return value[1:] if is_guarded else value


def _is_formula(text: str) -> bool:
    return bool(_FORMULA.match(text)) and not _NUMBER.fullmatch(text)
