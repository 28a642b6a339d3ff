"""Blocks as plain text, within the width of a screen."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from rich.cells import cell_len, set_cell_size

from ragauge.display.numbers import Strokes, bar, ends, printable
from ragauge.display.table import Bar, Block, ColumnKind, Facts, Notes, Table, Verbatim, Words

WIDTH = 80
"""Columns of a text whose reader's screen is not known."""
INTERFACES = ("zh", "en")
"""The languages of tables, notes and pages."""
_TRADITIONAL = re.compile("tw|hk|mo|hant")
_GAP = 2
# Narrower bars show nothing that the numbers do not; wider ones make the eye travel.
_LEAST_BAR, _BAR = 9, 21
# The widths that a name and words get before there are bars, and the least that they are ever narrowed to.
_NAME, _WORDS = 24, 34
_LEAST_NAME, _LEAST_WORDS = 8, 18
_PARTS = re.compile("[^，。；：、]+[，。；：、）」』]*|[，。；：、）」』]+")
"""Parts of a text that a line may break between: they end with marks of Chinese and Japanese."""


@dataclass(frozen=True)
class Screen:
    """Where text is shown."""

    width: int = WIDTH  # in columns
    strokes: Strokes | None = None  # the characters that bars are drawn with; None for no bars
    bold: Callable[[str], str] = str  # writes titles and headings
    verbose: bool = False  # whether the reader asked for all there is


def interface_of(tag: str) -> str | None:
    """Return the language of the interface that a language tag or locale asks for; None for any other.

    The Chinese is simplified, so a tag of traditional characters does not ask for it.

    >>> interface_of("zh-CN"), interface_of("zh_TW.UTF-8"), interface_of("en-GB"), interface_of("de")
    ('zh', None, 'en', None)
    """
    language, _, place = tag.strip().lower().replace("-", "_").partition("_")
    language = language.partition(".")[0]
    return language if language in INTERFACES and not (language == "zh" and _TRADITIONAL.match(place)) else None


def plain_text(blocks: Iterable[Block], screen: Screen | None = None) -> str:
    """Return blocks as text, with an empty line between them; numbers and names are never cut.

    Tables have the same columns and bars of one width: what one of them has no room for is left out of all.
    """
    screen, shown = screen or Screen(), list(blocks)
    tables = [block for block in shown if isinstance(block, Table)]
    left_out = {
        head for table in tables if any(column.extra for column in table.columns) for head in _too_many(table, screen)
    }
    if left_out:
        shown = [_without(block, left_out) if isinstance(block, Table) else block for block in shown]
    drawn = [_Layout.of(block, screen) for block in shown if isinstance(block, Table)]
    widest = min([layout.widths[layout.kinds.index("bar")] for layout in drawn if layout.bars], default=0)
    texts = ["\n".join(_lines(block, screen, widest)) for block in shown]
    return "\n\n".join([text for text in texts if text])


def wrapped(text: str, width: int = WIDTH) -> list[str]:
    """Break a text into lines, wide characters counting twice; a word that is too long, such as a path, stays whole.

    Chinese and Japanese have no spaces, so lines break after their marks too.

    >>> wrapped("two words", 6), wrapped("/a/long/path", 6), wrapped("三个失败，一个缺值", 10)
    (['two', 'words'], ['/a/long/path'], ['三个失败，', '一个缺值'])
    """
    lines: list[str] = []
    for word in printable(text).split(" "):
        for place, part in enumerate(_PARTS.findall(word) or [word]):
            space = "" if place else " "
            if lines and cell_len(lines[-1]) + len(space) + cell_len(part) <= width:
                lines[-1] += space + part
            else:
                lines.append(part)
    return lines


def _lines(block: Block, screen: Screen, widest: int) -> list[str]:
    if isinstance(block, Table):
        return _table(block, screen, widest)
    if isinstance(block, Verbatim):
        return [_cut(printable(line), screen.width) for line in block.lines]
    if isinstance(block, Facts):
        longest = max([cell_len(name) for name, _ in block.items])
        return [f"{name}{' ' * (longest - cell_len(name))}  {printable(value)}" for name, value in block.items]
    texts = [f"{block.mark}{item}" for item in block.items] if isinstance(block, Notes) else [block.text]
    return [line for text in texts for line in wrapped(text, screen.width)]


def _cut(line: str, width: int) -> str:
    return line if cell_len(line) <= width else set_cell_size(line, width - 1).rstrip() + "…"


@dataclass(frozen=True)
class _Layout:
    """The texts of a table's heads and cells, and the widths of its columns."""

    heads: list[list[str]]  # the lines of each
    kinds: list[ColumnKind]
    cells: list[list[str]]  # of each row; empty for bars
    bars: list[Bar]
    widths: list[int]

    @classmethod
    def of(cls, table: Table, screen: Screen, widest: int = _BAR) -> _Layout:
        """Lay out a table; ``widest``: how wide bars may be."""
        kinds, brief = [column.kind for column in table.columns], not screen.verbose
        cells = [
            [
                ""
                if isinstance(cell, Bar)
                else printable(cell.text if brief and isinstance(cell, Words) else str(cell))
                for cell in row.cells
            ]
            for row in table.rows
        ]
        heads = [[printable(column.head)] for column in table.columns]
        longest = [max(map(cell_len, column)) for column in zip([head for (head,) in heads], *cells, strict=True)]
        kept = [one + _GAP for one, kind in zip(longest, kinds, strict=True) if kind not in ("bar", "words")]
        if sum(kept) - _GAP > screen.width:
            # The words of a head stand below each other over numbers that leave no room for them.
            heads = [
                wrapped(head, 1) if kind == "number" and head else [head]
                for (head,), kind in zip(heads, kinds, strict=True)
            ]
        bars = [cell for row in table.rows for cell in row.cells if isinstance(cell, Bar) and cell.drawable]
        longest_of_head = [max(head, key=cell_len) for head in heads]
        room = widest if bars and screen.strokes else 0
        return cls(heads, kinds, cells, bars, _widths([longest_of_head, *cells], kinds, screen.width, room))


def _table(table: Table, screen: Screen, widest: int) -> list[str]:
    layout = _Layout.of(table, screen, widest)
    heads, kinds, widths = layout.heads, layout.kinds, layout.widths
    lines = [screen.bold(line) for line in wrapped(table.title, screen.width)] if table.title else []
    if [head for head in heads if any(head)]:
        if "bar" in kinds:
            heads[kinds.index("bar")] = [_scale(layout.bars, widths[kinds.index("bar")])]
        deepest = max(map(len, heads))
        stacked = [[""] * (deepest - len(head)) + head for head in heads]
        lines += [screen.bold(_line(texts, kinds, widths)) for texts in zip(*stacked, strict=True)]
        lines.append("─" * (sum(widths) + _GAP * (len(widths) - widths.count(0) - 1)))
    for row, cells in zip(table.rows, layout.cells, strict=True):
        for place, cell in enumerate(row.cells):
            if isinstance(cell, Bar) and screen.strokes:
                drawn = (cell.value, cell.interval, cell.span, widths[place], screen.strokes)
                cells[place] = bar(*drawn, zero=cell.zero)
        lines += _row(cells, kinds, widths)
        if row.details:
            before_name = widths[: kinds.index("name")]
            lines += _packed(row.details, sum(before_name) + _GAP * len(before_name) + 2, screen.width)
    return [*lines, *[line for note in table.notes for line in wrapped(note, screen.width)]]


def _too_many(table: Table, screen: Screen) -> set[str]:
    """Return the heads of the extra columns, from the last one on, without which a row fits in one line."""
    layout = _Layout.of(table, screen)
    needed = {
        place: max(map(cell_len, [*head, *[row[place] for row in layout.cells]])) + _GAP
        for place, head in enumerate(layout.heads)
        if layout.kinds[place] != "bar"
    }
    left_out = set()
    for place in reversed(list(needed)):
        if table.columns[place].extra and sum(needed.values()) - _GAP > screen.width:
            del needed[place]
            left_out.add(table.columns[place].head)
    return left_out


def _without(table: Table, heads: Collection[str]) -> Table:
    """Return the table without its extra columns of these heads."""
    kept = [place for place, column in enumerate(table.columns) if not (column.extra and column.head in heads)]
    if len(kept) == len(table.columns):
        return table
    rows = [replace(row, cells=tuple([row.cells[place] for place in kept])) for row in table.rows]
    return replace(table, columns=tuple([table.columns[place] for place in kept]), rows=tuple(rows))


def _widths(texts: Sequence[Sequence[str]], kinds: Sequence[ColumnKind], width: int, widest: int) -> list[int]:
    """Share out the width of the screen: numbers come first, then names, words and bars.

    ``texts`` are the heads, and then the cells of each row; ``widest`` is how wide bars may be. Returns the width of
    each column, 0 for one that is left out.
    """
    lengths = [[cell_len(text) for text in column] for column in zip(*texts, strict=True)]
    widths = [0 if kind == "bar" else max(column) for kind, column in zip(kinds, lengths, strict=True)]
    named = [place for place, kind in enumerate(kinds) if kind in ("group", "name")]
    words = max(lengths[-1][1:], default=0) and widths[-1] if kinds[-1] == "words" else 0
    least_words = _least_words([row[-1] for row in texts[1:]]) if words else 0
    # Numbers and short texts keep their width: what is left is the room for all others.
    room = width - _GAP * (len(kinds) - kinds.count("bar") - 1 - (kinds[-1] == "words" and not words))
    room -= sum([width for kind, width in zip(kinds, widths, strict=True) if kind in ("text", "number")])
    if kinds[0] == "group" and sum([min(widths[place], _NAME) for place in named]) > room - least_words:
        # Too narrow for groups and names side by side: the names of groups stand above their rows.
        widths[named.pop(0)] = 0
        room += _GAP
    # A bar takes room that names, at their usual widths, and words leave; short words make room for the least bar.
    room_of_bar = room - _GAP - sum([min(widths[place], _NAME) for place in named])
    beside = min(words, _WORDS)
    if least_words < _LEAST_WORDS and room_of_bar - beside < _LEAST_BAR:
        beside = max(least_words, room_of_bar - _LEAST_BAR)
    of_bar = min(widest, room_of_bar - beside)
    if of_bar >= _LEAST_BAR:
        widths[kinds.index("bar")] = of_bar
        room -= of_bar + _GAP
    # The widest names are narrowed first, until all fit beside the words; usual names only beside wrapped words.
    for place in sorted(named, key=widths.__getitem__, reverse=True):
        over = sum([widths[name] for name in named]) - max(0, room - min(words, _WORDS))
        if widths[place] - over < _NAME:
            over = max(over - min(words, _WORDS) + least_words, min(over, widths[place] - _NAME))
        if over > 0:
            least = min(_LEAST_NAME, widths[place])
            # As wide as the longest name that still fits; longer ones get a line of their own.
            fitting = [length for length in lengths[place] if length <= max(least, widths[place] - over)]
            widths[place] = max([lengths[place][0], *fitting])
    # Words get the rest, and are wrapped.
    room -= sum([widths[place] for place in named])
    if kinds[-1] == "words":
        widths[-1] = min(words, max(least_words, room))
    return widths


def _least_words(notes: Sequence[str]) -> int:
    """Return the least width at which no note takes more than two lines; long notes have more lines instead."""
    for width in range(_LEAST_NAME, min(_LEAST_WORDS, max(map(cell_len, notes)))):
        if max([len(wrapped(note, width)) for note in notes]) <= 2:
            return width
    return min(_LEAST_WORDS, max(map(cell_len, notes)))


def _row(cells: Sequence[str], kinds: Sequence[ColumnKind], widths: Sequence[int]) -> list[str]:
    """Return the lines of a row: long names first on a line of their own, then cells, the last one wrapped."""
    lines = []
    blank = [""] * len(cells)
    if kinds[0] == "group" and not widths[0] and cells[0]:
        lines.append(cells[0])
        cells = ["", *cells[1:]]
    names = kinds.index("name") + 1 if "name" in kinds else 0
    if any(cell_len(cell) > width for cell, width in zip(cells[:names], widths, strict=False)):
        lines.append(_line([*cells[:names], *blank[names:]], kinds, widths))
        cells = [*blank[:names], *cells[names:]]
    first, *more = wrapped(cells[-1], widths[-1]) if kinds[-1] == "words" else [cells[-1]]
    lines.append(_line([*cells[:-1], first], kinds, widths))
    return [*lines, *[_line([*blank[:-1], text], kinds, widths) for text in more]]


def _line(texts: Sequence[str], kinds: Sequence[ColumnKind], widths: Sequence[int]) -> str:
    """Return one line of aligned texts."""
    padded = []
    for text, kind, width in zip(texts, kinds, widths, strict=True):
        blank = " " * (width - cell_len(text))
        if width:
            padded.append(blank + text if kind == "number" else text + blank)
    return (" " * _GAP).join(padded).rstrip()


def _packed(details: Sequence[str], indent: int, width: int) -> list[str]:
    """Return the details below a row; as many in a line as fit, none of them broken unless it is too long alone."""
    lines: list[str] = []
    for detail in map(printable, details):
        joined = f"{lines[-1]}; {detail}" if lines else ""
        if joined and cell_len(joined) <= width - indent:
            lines[-1] = joined
        else:
            lines += wrapped(detail, width - indent)
    return [" " * indent + line for line in lines]


def _scale(bars: Sequence[Bar], width: int) -> str:
    """Return the ends of the scale that all bars share, as wide as a bar."""
    spans = {cell.span for cell in bars}
    if not width or any(cell.zero for cell in bars):
        return ""
    return ends(spans.pop(), width) if len(spans) == 1 else "on its own range"[:width]
