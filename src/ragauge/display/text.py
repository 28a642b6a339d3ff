"""Blocks as plain text, within the width of a screen."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from ragauge.display.numbers import Span, Strokes, bar, ends, forest, printable
from ragauge.display.table import Bar, Block, Facts, Notes, Table, Verbatim, Words

WIDTH = 80
"""Columns of a text whose reader's screen is not known."""
_GAP = 2
# Narrower bars show nothing that the numbers do not; wider ones make the eye travel.
_BAR_LEAST, _BAR_MOST = 9, 21
# The widths that names and words get before there are bars, and the least that they are ever narrowed to.
_NAMES, _WORDS = 24, 34
_LEAST_NAMES, _LEAST_WORDS = 8, 12
_NAMED = ("group", "name")
_FIXED = ("text", "number")


@dataclass(frozen=True)
class Screen:
    """Where text is shown.

    Args:
        width: in columns.
        strokes: the characters that bars are drawn with; None for no bars.
        bold: writes titles and headings.
    """

    width: int = WIDTH
    strokes: Strokes | None = None
    bold: Callable[[str], str] = str


def plain_text(blocks: Iterable[Block], screen: Screen | None = None) -> str:
    """Return blocks as text, with an empty line between them; numbers and names are never cut."""
    shown = screen or Screen()
    return "\n\n".join("\n".join(lines) for lines in (_lines(block, shown) for block in blocks) if lines)


def wrapped(text: str, width: int = WIDTH) -> list[str]:
    """Break a text into lines, wide characters counting twice; a word that is too long, such as a path, stays whole.

    >>> wrapped("two words", 6), wrapped("/a/long/path", 6)
    (['two', 'words'], ['/a/long/path'])
    """
    from rich.cells import cell_len

    lines: list[str] = []
    for word in printable(text).split(" "):
        if lines and cell_len(lines[-1]) + 1 + cell_len(word) <= width:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines


def _lines(block: Block, screen: Screen) -> list[str]:
    if isinstance(block, Table):
        return list(_table(block, screen))
    if isinstance(block, Verbatim):
        return [_cut(printable(line), screen.width) for line in block.lines]
    if isinstance(block, Facts):
        longest = max(len(name) for name, _ in block.items)
        return [f"{name:{longest}}  {printable(value)}" for name, value in block.items]
    texts = [f"note: {item}" for item in block.items] if isinstance(block, Notes) else [block.text]
    return [line for text in texts for line in wrapped(text, screen.width)]


def _cut(line: str, width: int) -> str:
    from rich.cells import cell_len, set_cell_size

    return line if cell_len(line) <= width else set_cell_size(line, width - 1).rstrip() + "…"


def _table(table: Table, screen: Screen) -> Iterator[str]:
    layout = _Layout.of(table, screen)
    if table.title:
        yield from map(screen.bold, wrapped(table.title, screen.width))
    heads = layout.line([column.head if column.kind != "bar" else layout.scale(table) for column in table.columns])
    if any(column.head for column in table.columns):
        yield screen.bold(heads)
        yield "─" * (sum(layout.widths) + _GAP * (sum(map(bool, layout.widths)) - 1))
    for row in table.rows:
        texts = [layout.text(place, cell) for place, cell in enumerate(row.cells)]
        yield from layout.lines(texts)
        yield from _packed(row.details, layout.indent, screen.width)
    yield from table.notes


def _packed(details: Sequence[str], indent: int, width: int) -> Iterator[str]:
    """Yield the details below a row; as many in a line as fit, none of them broken unless it is too long alone."""
    from rich.cells import cell_len

    lines: list[str] = []
    for detail in map(printable, details):
        joined = f"{lines[-1]}; {detail}" if lines else ""
        if joined and cell_len(joined) <= width - indent:
            lines[-1] = joined
        else:
            lines += wrapped(detail, width - indent)
    yield from (" " * indent + line for line in lines)


@dataclass(frozen=True)
class _Layout:
    """The widths of a table's columns; 0 for one that is left out."""

    table: Table
    strokes: Strokes | None
    widths: tuple[int, ...]
    brief: bool
    """Whether words leave out their extra part where it would take another line."""

    @classmethod
    def of(cls, table: Table, screen: Screen) -> _Layout:
        """Share out the width: numbers come first, then names, words and bars."""
        widths = _natural_widths(table)
        kinds = [column.kind for column in table.columns]
        names = [place for place, kind in enumerate(kinds) if kind in _NAMED]
        words = max([0, *(widths[place] for place, kind in enumerate(kinds) if kind == "words")])
        shown = sum(kind != "bar" for kind in kinds)
        room = screen.width - _GAP * (shown - 1) - sum(widths[i] for i, kind in enumerate(kinds) if kind in _FIXED)
        if sum(min(widths[name], _NAMES) for name in names) > room - min(words, _LEAST_WORDS):
            room += sum(_GAP for name in names[:-1] if widths[name])
            widths[: len(names) - 1] = [0] * (len(names) - 1)
        bars = room - _GAP - sum(min(widths[place], _NAMES) for place in names) - min(words, _WORDS)
        bars = min(bars, _BAR_MOST) if bars >= _BAR_LEAST and screen.strokes and table.has_bars else 0
        room -= bars + _GAP if bars else 0
        for place in sorted(names, key=lambda place: -widths[place]):
            over = max(0, sum(widths[name] for name in names) - max(0, room - min(words, _WORDS)))
            narrow = max(min(_LEAST_NAMES, widths[place]), widths[place] - over)
            widths[place] = _longest(table, place, narrow) if widths[place] else 0
        room -= sum(widths[name] for name in names)
        for place, kind in enumerate(kinds):
            widths[place] = bars if kind == "bar" else widths[place]
            widths[place] = min(words, max(_LEAST_WORDS, room)) if kind == "words" else widths[place]
        return cls(table, screen.strokes, tuple(widths), room < _WORDS or "group" in kinds)

    @property
    def names(self) -> int:
        """How many of the first columns may stand on a line of their own."""
        kinds = [column.kind for column in self.table.columns]
        return kinds.index("name") + 1 if "name" in kinds else 0

    @property
    def grouped_apart(self) -> bool:
        """Whether the name of a group stands on a line of its own, above its rows."""
        return self.table.columns[0].kind == "group" and not self.widths[0]

    @property
    def indent(self) -> int:
        """Where details begin: a little to the right of the name."""
        return sum(width + _GAP for width in self.widths[: max(0, self.names - 1)]) + 2

    def text(self, place: int, cell: str | Bar | Words) -> str:
        """Return a cell as text."""
        if isinstance(cell, Bar):
            return self._bar(cell, self.widths[place])
        if isinstance(cell, Words) and self.brief and len(wrapped(str(cell), self.widths[place])) > 1:
            return printable(cell.text)
        return printable(str(cell))

    def _bar(self, cell: Bar, width: int) -> str:
        if not width or self.strokes is None:
            return ""
        if cell.zero:
            return forest(cell.value, cell.interval, cell.span[1], width - (width + 1) % 2, self.strokes)
        return bar(cell.value, cell.interval, cell.span, width, self.strokes)

    def scale(self, table: Table) -> str:
        """Return the ends of the scale that all bars share, as wide as a bar."""
        found = [cell for row in table.rows for cell in row.cells if isinstance(cell, Bar) and cell.drawable]
        width = next((self.widths[i] for i, column in enumerate(table.columns) if column.kind == "bar"), 0)
        spans: set[Span] = {cell.span for cell in found}
        if not width or any(cell.zero for cell in found):
            return ""
        return ends(spans.pop(), width) if len(spans) == 1 else "on its own range"[:width]

    def lines(self, texts: Sequence[str]) -> Iterator[str]:
        """Yield the lines of a row: long names first on a line of their own, then cells, the last one wrapped."""
        from rich.cells import cell_len

        if self.grouped_apart and texts[0]:
            yield texts[0]
            texts = ["", *texts[1:]]
        names = texts[: self.names]
        if any(cell_len(name) > width for name, width in zip(names, self.widths, strict=False)):
            yield (
                (" " * _GAP)
                .join(
                    name + " " * (width - cell_len(name))
                    for name, width in zip(names, self.widths, strict=False)
                    if width
                )
                .rstrip()
            )
            texts = [*("" for _ in names), *texts[self.names :]]
        *cells, last = texts
        first, *more = wrapped(last, self.widths[-1]) if self.table.columns[-1].kind == "words" else [last]
        yield self.line([*cells, first])
        for text in more:
            yield self.line([*("" for _ in cells), text])

    def line(self, texts: Sequence[str]) -> str:
        """Return one line of aligned texts."""
        from rich.cells import cell_len

        padded = []
        for text, width, column in zip(texts, self.widths, self.table.columns, strict=True):
            blank = " " * (width - cell_len(text))
            if width:
                padded.append(blank + text if column.kind == "number" else text + blank)
        return (" " * _GAP).join(padded).rstrip()


def _natural_widths(table: Table) -> list[int]:
    """Return how wide each column would be on an endless screen; 0 for bars."""
    from rich.cells import cell_len

    columns = zip(*(row.cells for row in table.rows), strict=True) if table.rows else [()] * len(table.columns)
    return [
        0 if column.kind == "bar" else max(cell_len(printable(str(text))) for text in (column.head, *cells))
        for column, cells in zip(table.columns, columns, strict=True)
    ]


def _longest(table: Table, place: int, width: int) -> int:
    """Return the width of the longest name that fits into ``width``; longer ones get a line of their own."""
    from rich.cells import cell_len

    names = (cell_len(printable(str(row.cells[place]))) for row in table.rows)
    return max([cell_len(table.columns[place].head), *(length for length in names if length <= width)])
