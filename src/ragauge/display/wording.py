"""Blocks in the words of another language, or with the flags of a command."""

from __future__ import annotations

from dataclasses import replace

from ragauge.core.messages import Face, Joined, own_words, wording_of
from ragauge.display.table import Bar, Block, Cell, Facts, Notes, Table, TableColumn, TableRow, Verbatim, Words


def worded_block(block: Block, face: Face) -> Block:
    """Return a block in the wording of ``face``: messages, and titles, heads and notes that the catalogue has.

    Names, groups, numbers and texts of samples are data, and stay.
    """
    if isinstance(block, Table):
        return _table(block, face)
    if isinstance(block, Facts):
        return Facts(tuple([(own_words(name, face), wording_of(value, face)) for name, value in block.items]))
    if isinstance(block, Notes):
        return Notes(_all(block.items, face), *_all((block.title, block.mark), face))
    if isinstance(block, Verbatim):
        return Verbatim(_all(block.lines, face))
    return replace(block, text=own_words(block.text, face))


def _all(texts: tuple[str, ...], face: Face) -> tuple[str, ...]:
    return tuple([own_words(text, face) for text in texts])


def _table(table: Table, face: Face) -> Table:
    return Table(
        own_words(table.title, face),
        tuple([_column(column, face) for column in table.columns]),
        tuple([_row(row, face) for row in table.rows]),
        _all(table.notes, face),
        own_words(table.details, face),
    )


def _column(column: TableColumn, face: Face) -> TableColumn:
    return column if column.kind == "group" else replace(column, head=own_words(column.head, face))


def _row(row: TableRow, face: Face) -> TableRow:
    details = _all(row.details, face)
    if details and face.language != "en":  # one text, because the marks between them are those of the language
        details = (Joined(details, "; ").wording(face),)
    return TableRow(tuple([_cell(cell, face) for cell in row.cells]), details)


def _cell(cell: Cell, face: Face) -> Cell:
    if isinstance(cell, Words):
        return Words(*_all((cell.text, cell.extra, cell.comma), face))
    return cell if isinstance(cell, Bar) else wording_of(cell, face)
