"""Workbooks of Excel: the first sheet that has rows, its first row as names of columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import date, datetime, time
from itertools import islice
from typing import Any

from ragauge.errors import DataError, MissingExtraError, RagaugeError
from ragauge.formats.fields import text_or_number
from ragauge.formats.opening import Opened
from ragauge.formats.source import MOST_COLUMNS, Chunk

_ROWS = 1 << 13


def chunks(file: Opened) -> Iterator[Chunk]:
    """Read a workbook (``.xlsx``) as a CSV file of its first sheet would be read; a formula has its last value.

    Raises:
        MissingExtraError: openpyxl is not installed.
        DataError: it is not a workbook, is damaged, or its first row does not name each column once.
    """
    try:
        from openpyxl import load_workbook
    except ImportError:
        raise MissingExtraError.of(f"{file.name}: reading a workbook", "openpyxl", "xlsx") from None
    with file.in_any_order() as whole:
        try:
            yield from _of_book(load_workbook(whole, read_only=True, data_only=True), file.name)
        except RagaugeError:
            raise
        except Exception as error:  # its rows are read one by one, and damage in them may be of any kind
            why = " ".join(str(error).split())
            raise DataError(
                "RG-DATA-061 {name}: cannot be read as a workbook ({why}); save it again as .xlsx", file.name, why
            ) from error


def _of_book(book: Any, name: str) -> Iterator[Chunk]:
    sheets = {sheet.title: _rows(sheet) for sheet in book.worksheets}
    filled = {title: first for title, rows in sheets.items() if (first := next(rows, None)) is not None}
    if not filled:
        raise DataError("RG-DATA-042 {name}: has no rows; give at least one", name)
    title, (_, header) = next(iter(filled.items()))
    names = _names(header, f"{name}: sheet {title!r}")
    yield from _chunks(sheets[title], names)
    others = [repr(other) for other in filled if other != title]
    if others:
        what = f"sheet {title!r} was read, and not {', '.join(others)}; to read another, save it as a file"
        yield Chunk({}, (), notes=[what])


def _rows(sheet: Any) -> Iterator[tuple[int, Sequence[Any]]]:
    """Yield the number and the fields of each row that has any."""
    for place, row in enumerate(sheet.iter_rows(values_only=True), 1):
        fields = [_field(value) for value in row]
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
