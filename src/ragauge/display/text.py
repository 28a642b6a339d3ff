"""Blocks as plain text, within the width of a screen."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from operator import attrgetter

from rich.cells import cell_len, set_cell_size

from ragauge.core.lazy import lazy_pattern
from ragauge.display.numbers import Strokes, bar, ends, printable
from ragauge.display.table import Bar, Block, Cell, ColumnKind, Facts, Notes, Table, Verbatim, Words

WIDTH = 80
"""Columns of a text whose reader's screen is not known."""
INTERFACES = ("zh", "en")
"""The languages of tables, notes and pages."""
_TRADITIONAL = lazy_pattern("tw|hk|mo|hant")
_GAP = 2
# Narrower bars show nothing that the numbers do not; wider ones make the eye travel.
_LEAST_BAR, _BAR = 9, 21
# The widths that a name and words get before there are bars, and the least that they are ever narrowed to.
_NAME, _WORDS = 24, 34
_LEAST_NAME, _LEAST_WORDS = 8, 18
_PARTS = lazy_pattern("[^，。；：、]+[，。；：、）」』]*|[，。；：、）」』]+")
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
    screen = screen or Screen()
    shown = [_shortest(block, screen) if isinstance(block, Table) else block for block in blocks]
    left_out = {head for block in shown if isinstance(block, Table) for head in _too_many(block, screen)}
    laid_out = [_columns(block, screen, left_out) if isinstance(block, Table) else [] for block in shown]
    widest = _BAR if screen.strokes else 0
    for columns in filter(None, laid_out):
        _share_width(columns, screen.width, widest)
        widest = min([widest, *[column.width for column in columns if column.bars]])
    texts = ["\n".join(_lines(block, columns, screen, widest)) for block, columns in zip(shown, laid_out, strict=True)]
    return "\n\n".join(filter(None, texts))


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


def _lines(block: Block, columns: Sequence[_Column], screen: Screen, widest: int) -> list[str]:
    if isinstance(block, Table):
        return _table(block, columns, screen, widest)
    if isinstance(block, Verbatim):
        return [shortened(printable(line), screen.width) for line in block.lines]
    if isinstance(block, Facts):
        longest = max([cell_len(name) for name, _ in block.items])
        return [f"{name}{' ' * (longest - cell_len(name))}  {printable(value)}" for name, value in block.items]
    texts = [f"{block.mark}{item}" for item in block.items] if isinstance(block, Notes) else [block.text]
    return [line for text in texts for line in wrapped(text, screen.width)]


def shortened(line: str, width: int) -> str:
    """Return a line that takes at most so many columns, wide characters counting twice.

    >>> shortened("a long name", 7), shortened("很长的名字", 7)
    ('a long…', '很长的…')
    """
    return line if cell_len(line) <= width else set_cell_size(line, width - 1).rstrip() + "…"


@dataclass
class _Column:
    """A column of a table as text; bars are drawn when its width is known."""

    kind: ColumnKind
    head: list[str]  # its lines
    cells: list[Cell]
    texts: list[str]  # of the cells
    bars: list[Bar]  # the cells that can be drawn
    extra: str  # its heading, if it may be left out
    width: int = 0  # 0 for a column that is not shown

    @property
    def longest(self) -> int:
        """The width of the widest text, or of the head."""
        return max(map(cell_len, (*self.head, *self.texts)))


def _columns(table: Table, screen: Screen, left_out: Collection[str] = ()) -> list[_Column]:
    """Return the columns of a table, without the extra ones with the headings ``left_out``."""
    columns = []
    for place, own in enumerate(table.columns):
        extra = own.head if own.extra else ""
        if extra not in left_out:
            cells = [row.cells[place] for row in table.rows]
            texts = [_text(cell, screen) for cell in cells]
            texts = _aligned(texts) if own.kind == "number" else texts
            bars = [cell for cell in cells if isinstance(cell, Bar) and cell.drawable]
            columns.append(_Column(own.kind, [printable(own.head)], cells, texts, bars, extra))
    kept = [column.longest + _GAP for column in columns if column.kind not in ("bar", "words")]
    if sum(kept) - _GAP > screen.width:
        # The words of a head go below each other over numbers that leave no room for them.
        for column in columns:
            if column.kind == "number" and column.head[0]:
                column.head = wrapped(column.head[0], 1)
    return columns


def _aligned(texts: Sequence[str]) -> list[str]:
    """Return the texts of a column of numbers with their decimal points below each other; others end where these do.

    >>> _aligned(["0.89", "12.5", "–", "3"])
    ['0.89', '12.5 ', '–', '3']
    """
    after = [len(text.partition(".")[2]) if _DECIMAL.fullmatch(text) else 0 for text in texts]
    return [text + " " * (max(after) - count) if count else text for text, count in zip(texts, after, strict=True)]


_DECIMAL = lazy_pattern(r"[<+-]?[\d,]*\.\d+")
"""A number with decimals as readers see it."""


def _shortest(table: Table, screen: Screen) -> Table:
    """Return the first of the tables that are shorter and fit, none of them where the reader asked for all there is."""
    for one in () if screen.verbose else table.shorter:
        if sum([column.longest + _GAP for column in _columns(one, screen)]) - _GAP <= screen.width:
            return one
    return table


def _text(cell: Cell, screen: Screen, width: int = 0) -> str:
    if isinstance(cell, Bar):
        strokes = screen.strokes
        return bar(cell.value, cell.interval, cell.span, width, strokes, zero=cell.zero) if strokes else ""
    return printable(cell.text if isinstance(cell, Words) and not screen.verbose else str(cell))


def _too_many(table: Table, screen: Screen) -> list[str]:
    """Return the headings of the extra columns, from the last one on, without which a row fits in one line."""
    columns = [column for column in _columns(table, screen) if column.kind != "bar"]
    over = sum([column.longest + _GAP for column in columns]) - _GAP - screen.width
    left_out = []
    for column in reversed(columns):
        if column.extra and over > 0:
            over -= column.longest + _GAP
            left_out.append(column.extra)
    return left_out


def _table(table: Table, columns: Sequence[_Column], screen: Screen, widest: int) -> list[str]:
    """Return the lines of a table whose bars are at most ``widest``."""
    _share_width(columns, screen.width, widest)
    widths = [column.width for column in columns]
    lines = [screen.bold(line) for line in wrapped(table.title, screen.width)] if table.title else []
    deepest = max([len(column.head) for column in columns if any(column.head)], default=0)
    for column in columns:
        if column.kind == "bar":
            column.head = [_scale(column.bars, column.width)]
            column.texts = [_text(cell, screen, column.width) for cell in column.cells]
    for line in range(-deepest, 0):
        heads = [column.head[line] if -line <= len(column.head) else "" for column in columns]
        lines.append(screen.bold(_line(heads, columns)))
    if deepest:
        lines.append("─" * (sum(widths) + _GAP * (len(widths) - widths.count(0) - 1)))
    for number, row in enumerate(table.rows):
        lines += _row([column.texts[number] for column in columns], columns)
        if row.details:
            before_name = widths[: [column.kind for column in columns].index("name")]
            lines += _packed(row.details, sum(before_name) + _GAP * len(before_name) + 2, screen.width)
    return [*lines, *[line for note in table.notes for line in wrapped(note, screen.width)]]


def _share_width(columns: Sequence[_Column], width: int, widest: int) -> None:
    """Share out the width of the screen: numbers come first, then names, words, and bars of at most ``widest``."""
    for column in columns:
        empty = column.kind == "bar" or (column.kind == "words" and not any(column.texts))
        column.width = 0 if empty else column.longest
    named = [column for column in columns if column.kind in ("group", "name")]
    last = columns[-1]
    words = last.width if last.kind == "words" else 0
    least_words = _least_words(last.texts) if words else 0
    # Numbers and short texts keep their width: what is left is the room for all others.
    room = width + _GAP - sum([_GAP for column in columns if column.width])
    room -= sum([column.width for column in columns if column.kind in ("text", "number")])
    names = sum([min(column.width, _NAME) for column in named])
    if columns[0].kind == "group" and names > room - least_words:
        # Too narrow for groups and names side by side: the names of groups go above their rows.
        group = named.pop(0)
        names -= min(group.width, _NAME)
        group.width = 0
        room += _GAP
    # A bar takes room that names, at their usual widths, and words leave; short words make room for the least bar.
    room_of_bar, beside = room - _GAP - names, min(words, _WORDS)
    if least_words < _LEAST_WORDS and room_of_bar - beside < _LEAST_BAR:
        beside = max(least_words, room_of_bar - _LEAST_BAR)
    of_bar = min(widest, room_of_bar - beside)
    for column in columns:
        if column.bars and of_bar >= _LEAST_BAR:
            column.width = of_bar
            room -= of_bar + _GAP
    # The widest names are narrowed first, until all fit beside the words; usual names only beside wrapped words.
    for column in sorted(named, key=attrgetter("width"), reverse=True):
        over = sum([one.width for one in named]) - max(0, room - min(words, _WORDS))
        if column.width - over < _NAME:
            over = max(over - min(words, _WORDS) + least_words, min(over, column.width - _NAME))
        if over > 0:
            # As wide as the longest name that still fits; longer ones get a line of their own.
            least = max(min(_LEAST_NAME, column.width), column.width - over)
            head, *lengths = [max(map(cell_len, column.head)), *map(cell_len, column.texts)]
            column.width = max([head, *[length for length in lengths if length <= least]])
    if words:
        # Words get the rest, and are wrapped.
        last.width = min(words, max(least_words, room - sum([column.width for column in named])))


def _least_words(notes: Sequence[str]) -> int:
    """Return the least width at which no note takes more than two lines; long notes have more lines instead."""
    for width in range(_LEAST_NAME, min(_LEAST_WORDS, max(map(cell_len, notes)))):
        if max([len(wrapped(note, width)) for note in notes]) <= 2:
            return width
    return min(_LEAST_WORDS, max(map(cell_len, notes)))


def _row(texts: Sequence[str], columns: Sequence[_Column]) -> list[str]:
    """Return the lines of a row: long names first on a line of their own, then cells, the last one wrapped."""
    lines = []
    kinds = [column.kind for column in columns]
    blank = [""] * len(texts)
    if kinds[0] == "group" and not columns[0].width and texts[0]:
        lines.append(texts[0])
        texts = ["", *texts[1:]]
    names = kinds.index("name") + 1 if "name" in kinds else 0
    if any(cell_len(text) > column.width for text, column in zip(texts[:names], columns, strict=False)):
        lines.append(_line([*texts[:names], *blank[names:]], columns))
        texts = [*blank[:names], *texts[names:]]
    first, *more = wrapped(texts[-1], columns[-1].width) if kinds[-1] == "words" else [texts[-1]]
    lines.append(_line([*texts[:-1], first], columns))
    return [*lines, *[_line([*blank[:-1], text], columns) for text in more]]


def _line(texts: Iterable[str], columns: Iterable[_Column]) -> str:
    """Return one line of aligned texts."""
    padded = []
    for text, column in zip(texts, columns, strict=True):
        blank = " " * (column.width - cell_len(text))
        if column.width:
            padded.append(blank + text if column.kind == "number" else text + blank)
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
