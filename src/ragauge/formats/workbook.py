"""Workbooks of Excel: one sheet, the first that has rows or one by its name; its first row names the columns."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import date, datetime, time
from functools import partial
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from ragauge.core.lazy import lazy_pattern
from ragauge.core.messages import Argument, Counted, Message
from ragauge.errors import DataError, RagaugeError, UnknownNameError, excerpt
from ragauge.formats.csv import header_place
from ragauge.formats.fields import text_or_number
from ragauge.formats.opening import LONGEST, Opened
from ragauge.formats.source import MOST_ABSENT, MOST_COLUMNS, Chunk

if TYPE_CHECKING:
    from zipfile import ZipFile

_ROWS = 1 << 13
_MOST_EXPANDED = 20
"""How many times its size a workbook may expand to, beside 64 MiB: sheets of texts reach 3 to 15."""
_MOST_TEXT = 2 * LONGEST
"""Bytes to which it may expand in place of 64 MiB where most of them are long texts, as a prompt in each row is."""
_MOST_ROWS, _LONGEST_CELL = 1 << 20, 32_767
"""Rows of a sheet and characters of a cell, the limits of Excel itself."""
_MOST_TREES = 1 << 23
"""Bytes of styles, names and relations, 8 MiB: openpyxl reads these whole, and takes up to 60 times their size."""
_TEXTS = lazy_pattern(r"xl/(worksheets/[^/]*|sharedStrings)\.xml\Z")
_IN_PARTS = lazy_pattern(rf"{_TEXTS.pattern}|xl/(charts|drawings|media|pivot\w*)/")
"""Parts that are read a piece at a time, or not at all."""
_BLOCK, _ELEMENT_BYTES = 1 << 20, 8
_ESCAPED = lazy_pattern("_x(?!d[89a-f])([0-9a-f]{4})_", re.IGNORECASE)
"""A character that XML has not, or that ends a line, as ``_x000D_``; half of a character stays as it is."""
OTHER_SHEET = "RG-NOTE-074"
"""The code of the note that a workbook has another sheet."""
_MOST_TITLES = 10
"""Rows that are looked at for a header below titles."""
_SKIPPED = "RG-NOTE-123 skipped before the header in row {header}, as a title: row {rows}"
_UNVALUED = (
    "RG-NOTE-183 {formulas} no value in sheet {title!r}, and were read as empty; open the workbook in a spreadsheet, "
    "save it, and read it again"
)
_UNVALUED_FORMULA = lazy_pattern(rb"<f(?:\s[^>]*)?(?:/>|>[^<]*</f>)\s*(?:<v\s*/>|<v>\s*</v>|</c>)")
_MERGED = (
    "RG-NOTE-254 sheet {title!r}: {cells} merged over several rows, as {example}; the first row has the value, and the "
    "rows below it are read as empty; unmerge such cells and fill their value down"
)
_MERGED_CELL = lazy_pattern(rb"<mergeCell ref=\"([A-Z]{1,3}(\d{1,7}):[A-Z]{1,3}(\d{1,7}))\"")
_HIDDEN = (
    "RG-NOTE-289 sheet {title!r}: {hidden} read too ({example}); to leave them out, copy the visible cells to another "
    "sheet"
)
_HIDDEN_ROW = lazy_pattern(
    rb"<row(?=\s[^>]*\shidden=\"(?:1|true)\")\s[^>]*?\br=\"(\d{1,7})\"[^>]*>(?=(?:<c\s[^>]*/>)*<c\s[^>]*[^/]>)"
)
"""The number of a hidden row that has a value."""
_HIDDEN_COLUMNS = lazy_pattern(rb"<col(?=\s[^>]*\bhidden=\"(?:1|true)\")(?=[^>]*\bmin=\"(\d+)\")[^>]*\bmax=\"(\d+)\"")
_PER_CENT = (
    "RG-NOTE-290 sheet {title!r}: {cells} shown in per cent, as {example}, and read as the number that is stored, .5 "
    "for 50 %; to read what is shown, format such cells as text and type it"
)
_IN_PER_CENT, _FIRST_FORMAT = (9, 10), 164
"""Numbers of Excel's own formats in per cent, and the first of a workbook's own formats (ECMA-376, 18.8.30)."""
_CELL_BYTES = 4
"""Bytes of ``<c/>``: a sheet with more fields than that leaves most of them out."""


def chunks(file: Opened, sheet: str = "") -> Iterator[Chunk]:
    """Read a workbook (``.xlsx``) as a CSV file of ``sheet`` would be read; a formula has its last value.

    Args:
        file: the workbook.
        sheet: the name of a sheet; empty for the first that has more than a title.

    Raises:
        DataError: it is not a workbook, is damaged, has no such sheet, or its first row does not name each column once.
    """
    from openpyxl import load_workbook

    with file.in_any_order() as whole:
        try:
            most = MOST_ABSENT + _expanded(whole, file.name) // _CELL_BYTES
            yield from _of_book(load_workbook(whole, read_only=True, data_only=True), sheet, file.name, most)
        except RagaugeError:
            raise
        except Exception as error:  # its rows are read one by one, and damage in them may be of any kind
            why = excerpt(str(error))
            raise DataError(
                "RG-DATA-061 {name}: cannot be read as a workbook ({why}); save it again as .xlsx", file.name, why
            ) from error


def _expanded(whole: Any, name: str) -> int:
    """Return the size of a workbook when it is unpacked, as `_weight` counts it where it is large.

    Raises:
        DataError: a small file holds gigabytes.
    """
    from zipfile import ZipFile

    packed = whole.seek(0, os.SEEK_END)
    with ZipFile(whole) as archive:
        sizes = {entry.filename: entry.file_size for entry in archive.infolist()}
        size, beside = sum(sizes.values()), _MOST_EXPANDED * packed
        if size <= _MOST_TEXT + beside:
            size = size if size <= LONGEST + beside else _weight(archive)
        if size > LONGEST + beside:
            template = (
                "RG-DATA-130 {name}: unpacked it is larger than {mib} MiB (with long texts {texts} MiB) and {times} "
                "times its size; save its rows as CSV"
            )
            raise DataError(template, name, LONGEST >> 20, _MOST_TEXT >> 20, _MOST_EXPANDED)
    trees = sum(own for part, own in sizes.items() if part.endswith((".xml", ".rels")) and not _IN_PARTS.match(part))
    if trees > _MOST_TREES:
        template = "RG-DATA-133 {name}: its styles and names expand to more than {mib} MiB; save its rows as CSV"
        raise DataError(template, name, _MOST_TREES >> 20)
    whole.seek(0)
    return size


def _weight(archive: ZipFile) -> int:
    """Return the size of a workbook unpacked, with no more than eight bytes for each element of sheets and texts.

    Elements take time and memory: a MB of texts is read in .04 s, and a MB of cells in up to .6 s.
    """
    weight = 0
    for entry in archive.infolist():
        elements = entry.file_size
        if _TEXTS.match(entry.filename):
            with archive.open(entry) as part:
                elements = sum(block.count(b"<") for block in iter(partial(part.read, _BLOCK), b""))
        weight += min(entry.file_size, _ELEMENT_BYTES * elements)
    return weight


def _of_book(book: Any, chosen: str, name: str, most: int) -> Iterator[Chunk]:
    """Read the sheet ``chosen``, else the first with rows; ``most``: fields that its rows may have, also empty ones."""
    sheets = {sheet.title: _rows(sheet, f"{name}: sheet {sheet.title!r}", most) for sheet in book.worksheets}
    if chosen and chosen not in sheets:
        raise UnknownNameError.of(f"sheet of {name}", chosen, sheets)
    filled = {title: first for title, rows in sheets.items() if (first := list(islice(rows, 2)))}
    if not filled or (chosen and chosen not in filled):
        raise DataError("RG-DATA-042 {name}: has no rows; give at least one", name)
    # One row alone is a title.
    title = chosen or next((one for one, first in filled.items() if len(first) > 1), next(iter(filled)))
    rows: Iterator[tuple[int, Sequence[Any]]] = chain(filled[title], sheets[title])
    leading = list(islice(rows, _MOST_TITLES))
    skipped = header_place([fields for _, fields in leading])
    names = _names(leading[skipped][1], f"{name}: sheet {title!r}")
    yield from _chunks(chain(leading[skipped + 1 :], rows), names)
    header = leading[skipped][0] if leading[skipped:] else 0
    unvalued, merged = _formulas_and_merged(book, title, header)
    yield Chunk({}, (), notes=_notes_on_looks(book, title, header, names))
    if merged:
        yield Chunk({}, (), notes=[Message(_MERGED, title, Counted(len(merged), "cell is", "cells are"), merged[0])])
    if unvalued:
        yield Chunk({}, (), notes=[Message(_UNVALUED, Counted(unvalued, "formula has", "formulas have"), title)])
    if skipped:
        numbers = ", ".join(str(place) for place, _ in leading[:skipped])
        yield Chunk({}, (), notes=[Message(_SKIPPED, leading[skipped][0], numbers)])
    others = [other for other in filled if other != title]
    if others and not chosen:
        what = Message(
            "RG-NOTE-074 sheet {title!r} was read, and not {others}; to read another: {format}",
            title,
            ", ".join(map(repr, others)),
            Argument("format", f"xlsx:{others[0]}"),
        )
        yield Chunk({}, (), notes=[what])


def _formulas_and_merged(book: Any, title: str, header: int) -> tuple[int, list[str]]:
    """Return how many formulas of a sheet have no value, and its cells over several rows below the row ``header``."""
    found, rest = 0, b""
    with book._archive.open(book[title]._worksheet_path) as part:  # noqa: SLF001 - openpyxl gives no other way to its XML
        for block in iter(partial(part.read, _BLOCK), b""):
            cells, end, rest = (rest + block).rpartition(b"</c>")
            found += len(_UNVALUED_FORMULA.findall(cells + end)) if b"<f" in cells else 0
            rest = rest[-4 * _LONGEST_CELL :]
    # Merged cells are listed behind all rows.
    merged = [(cell.decode(), int(first), int(last)) for cell, first, last in _MERGED_CELL.findall(rest)]
    return found, [cell for cell, first, last in merged if header < first < last]


def _notes_on_looks(book: Any, title: str, header: int, names: Sequence[str]) -> list[Message]:
    """Return notes on rows below ``header`` and columns that Excel hides, and numbers that it shows in per cent."""
    formats = dict(enumerate(book._number_formats, _FIRST_FORMAT))  # noqa: SLF001 - openpyxl gives styles of cells alone
    percent = [
        style
        for style, one in enumerate(book._cell_styles)  # noqa: SLF001
        if one.numFmtId in _IN_PER_CENT or "%" in formats.get(one.numFmtId, "")
    ]
    styles = b"|".join(b"%d" % style for style in percent)
    shown = re.compile(rb"<c(?=\s[^>]*\bs=\"(?:" + styles + rb")\")\s[^>]*\br=\"([A-Z]+\d+)\"[^>]*><v>")
    rows: list[int] = []
    columns: list[str] = []
    cells, example, rest = 0, b"", b""
    with book._archive.open(book[title]._worksheet_path) as part:  # noqa: SLF001
        for block in iter(partial(part.read, _BLOCK), b""):
            whole, end, rest = (rest + block).rpartition(b"</c>")
            rest = rest[-4 * _LONGEST_CELL :]
            found = [(int(first), int(last)) for first, last in _HIDDEN_COLUMNS.findall(whole)]
            columns += [name for first, last in found for name in names[first - 1 : last]]
            rows += [int(row) for row in _HIDDEN_ROW.findall(whole + end) if int(row) > header]
            in_percent = shown.findall(whole + end) if percent else []
            cells, example = cells + len(in_percent), example or b"".join(in_percent[:1])
    notes = []
    if rows:
        notes.append(Message(_HIDDEN, title, Counted(len(rows), "hidden row was", "hidden rows were"), str(rows[0])))
    if columns:
        hidden = Counted(len(columns), "hidden column was", "hidden columns were")
        notes.append(Message(_HIDDEN, title, hidden, ", ".join(columns)))
    if cells:
        notes.append(Message(_PER_CENT, title, Counted(cells, "cell is", "cells are"), example.decode()))
    return notes


def _rows(sheet: Any, where: str, most: int) -> Iterator[tuple[int, Sequence[Any]]]:
    """Yield the number and the fields of each row that has any; DataError where no program wrote such a sheet."""
    for place, row in enumerate(sheet.iter_rows(values_only=True), 1):
        most -= len(row)
        if most < 0 or place > _MOST_ROWS:
            raise DataError(
                "RG-DATA-131 {where}: row {row}: too much of the sheet is empty; remove empty rows and columns",
                where,
                place,
            )
        fields = [_field(value) for value in row]
        if any(field is not None and len(field) > _LONGEST_CELL for field in fields):
            template = "RG-DATA-132 {where}: row {row}: a cell has more than {most:,} characters; save the rows as CSV"
            raise DataError(template, where, place, _LONGEST_CELL)
        if any(field is not None for field in fields):
            yield place, fields


def _field(value: Any) -> str | None:
    """Return a value as CSV has it: a date as 2026-01-31, and nothing for an empty cell."""
    if value is None or value == "":
        return None
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, datetime) and value.time() == time():
        return value.date().isoformat()
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, str) and "_x" in value:
        value = _ESCAPED.sub(lambda escaped: chr(int(escaped[1], 16)), value)
    return text_or_number(value) if isinstance(value, str | int | float) else str(value)


def _names(header: Sequence[Any], where: str) -> list[str]:
    last = max(place for place, name in enumerate(header, 1) if name is not None)
    names = [(name or "").strip() or f"unnamed_{place}" for place, name in enumerate(header[:last], 1)]
    repeated = [name for name, times in Counter(names).items() if times > 1]
    if repeated or len(names) > MOST_COLUMNS:
        why = (
            f"two columns are named {repeated[0]}; rename one" if repeated else f"has more than {MOST_COLUMNS} columns"
        )
        raise DataError("RG-DATA-060 {where}: {why}", where, why)
    return names


def _chunks(rows: Iterator[tuple[int, Sequence[Any]]], names: Sequence[str]) -> Iterator[Chunk]:
    while taken := list(islice(rows, _ROWS)):
        width = len(names)
        padded = [[*fields[:width], *[None] * (width - len(fields))] for _, fields in taken]
        columns = dict(zip(names, map(list, zip(*padded, strict=True)), strict=True))
        yield Chunk(columns, [place for place, _ in taken])
