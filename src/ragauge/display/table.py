"""The model of everything that is shown: lines, tables, notes; and the same as Markdown.

A room builds a list of blocks; `ragauge.display.text` and `ragauge.display.html` show the same blocks elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias, cast

from ragauge.core.messages import Face, Joined, own_words, wording_of
from ragauge.display.numbers import Span, has_scale, printable

ColumnKind: TypeAlias = Literal["group", "name", "text", "number", "bar", "words"]
"""``group`` and ``name`` come first and may get a line of their own; ``words`` comes last and wraps."""


@dataclass(frozen=True)
class TableColumn:
    """One column: its heading, and what its cells hold."""

    head: str
    kind: ColumnKind = "text"
    extra: bool = False  # left out of text that is too narrow for all columns


@dataclass(frozen=True)
class Bar:
    """A value and its interval, drawn on a scale."""

    value: float  # NaN draws nothing
    interval: Span  # NaN where there is none; then only the value is drawn
    span: Span  # both ends of the scale; where one is infinite nothing is drawn
    description: str = ""  # the same in words, for readers who cannot see it
    zero: bool = False  # whether to draw a line at 0, in the middle of the scale

    @property
    def drawable(self) -> bool:
        """Whether the scale has two ends."""
        return has_scale(self.span)


@dataclass(frozen=True)
class Words:
    """Text that wraps. ``extra`` is left out of text whose reader did not ask for it."""

    text: str
    extra: str = ""
    comma: str = ", "

    def __str__(self) -> str:
        return self.comma.join(filter(None, (self.text, self.extra)))


Cell: TypeAlias = str | Bar | Words


@dataclass(frozen=True)
class TableRow:
    """One cell per column, and ``details``: short texts below the row, or in a last column of Markdown and HTML."""

    cells: tuple[Cell, ...]
    details: tuple[str, ...] = ()


@dataclass(frozen=True)
class Table:
    """Rows under headings. ``notes`` are shown below; ``details`` is the heading of the rows' details."""

    title: str
    columns: tuple[TableColumn, ...]
    rows: tuple[TableRow, ...]
    notes: tuple[str, ...] = ()
    details: str = ""
    shorter: tuple[Table, ...] = ()  # the first that fits takes its place in text whose reader did not ask for more

    @property
    def detailed(self) -> bool:
        """Whether a row has details."""
        return any(row.details for row in self.rows)

    @property
    def has_bars(self) -> bool:
        """Whether a cell holds a bar that can be drawn."""
        return any(isinstance(cell, Bar) and cell.drawable for row in self.rows for cell in row.cells)


@dataclass(frozen=True)
class Paragraph:
    """A sentence or more."""

    text: str


@dataclass(frozen=True)
class Heading:
    """The result in one line."""

    text: str


@dataclass(frozen=True)
class Facts:
    """Values by name, as the directories of runs; Markdown writes the values as code."""

    items: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Notes:
    """What a reader should know. A notebook shows them on a click on ``title``."""

    items: tuple[str, ...]
    title: str = "notes"
    mark: str = "note: "  # before each of them


@dataclass(frozen=True)
class Verbatim:
    """Lines that are shown as they are."""

    lines: tuple[str, ...]


Block: TypeAlias = Heading | Paragraph | Facts | Table | Notes | Verbatim


def markdown(blocks: Iterable[Block]) -> str:
    """Return blocks as Markdown, for a pull request or a job summary; bars are left out."""
    return "\n\n".join(text for text in map(_markdown, blocks) if text)


def _markdown(block: Block) -> str:
    if isinstance(block, Table):
        return _markdown_table(block)
    if isinstance(block, Verbatim):
        return fenced([printable(line) for line in block.lines])
    if isinstance(block, Heading):
        return f"**{printable(block.text)}**"
    if isinstance(block, Notes):
        return "\n".join(f"- {block.mark}{printable(item)}" for item in block.items)
    if isinstance(block, Facts):
        return "\n".join(f"- {name}: {inline_code(value)}" for name, value in block.items)
    return printable(block.text)


def inline_code(text: str) -> str:
    """Return Markdown code: no character of it is markup, a mention, or a command of a service."""
    return f"`{printable(text).replace('`', chr(39))}`"


def _markdown_table(table: Table) -> str:
    kept = [place for place, column in enumerate(table.columns) if column.kind != "bar"]
    heads = [table.columns[place].head for place in kept]
    rules = ["---:" if table.columns[place].kind == "number" else "---" for place in kept]
    rows = [[str(row.cells[place]) for place in kept] for row in table.rows]
    if table.detailed:
        heads, rules = [*heads, table.details], [*rules, "---"]
        rows = [[*cells, "; ".join(row.details)] for cells, row in zip(rows, table.rows, strict=True)]
    lines = "\n".join(markdown_row(cells) for cells in (heads, rules, *rows))
    title = [f"**{printable(table.title)}**"] if table.title else []
    return "\n\n".join([*title, lines, *table.notes])


def markdown_row(cells: Sequence[str]) -> str:
    """Return a row of a Markdown table."""
    return "| " + " | ".join(printable(cell).replace("|", "\\|") for cell in cells) + " |"


def fenced(lines: Sequence[str]) -> str:
    """Return lines as a block of Markdown that shows them as they are, whatever they hold."""
    fence = "```"
    while any(fence in line for line in lines):
        fence += "`"
    return "\n".join([f"{fence}text", *lines, fence])


def worded_block(block: Block, face: Face) -> Block:
    """Return a block in the wording of ``face``: messages, and titles, heads and notes that the catalogue has.

    Names, groups, numbers and texts of samples are data, and stay.
    """
    if isinstance(block, Table):
        return Table(
            own_words(block.title, face),
            tuple(
                [one if one.kind == "group" else replace(one, head=own_words(one.head, face)) for one in block.columns]
            ),
            tuple([_worded_row(row, face) for row in block.rows]),
            _all(block.notes, face),
            own_words(block.details, face),
            tuple([cast(Table, worded_block(one, face)) for one in block.shorter]),
        )
    if isinstance(block, Facts):
        return Facts(tuple([(own_words(name, face), wording_of(value, face)) for name, value in block.items]))
    if isinstance(block, Notes):
        return Notes(_all(block.items, face), *_all((block.title, block.mark), face))
    if isinstance(block, Verbatim):
        return Verbatim(_all(block.lines, face))
    return replace(block, text=own_words(block.text, face))


def _all(texts: tuple[str, ...], face: Face) -> tuple[str, ...]:
    return tuple([own_words(text, face) for text in texts])


def _worded_row(row: TableRow, face: Face) -> TableRow:
    details = _all(row.details, face)
    if details and face.language != "en":  # one text, because the marks between them are those of the language
        details = (Joined(details, "; ").wording(face),)
    return TableRow(tuple([_cell(cell, face) for cell in row.cells]), details)


def _cell(cell: Cell, face: Face) -> Cell:
    if isinstance(cell, Words):
        return Words(*_all((cell.text, cell.extra, cell.comma), face))
    return cell if isinstance(cell, Bar) else wording_of(cell, face)
