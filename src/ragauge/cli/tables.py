"""Scores as tables for a screen: numbers first, then bars of the intervals where there is room, then notes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TextIO

from ragauge.bars import ASCII, DRAWN, Span, bar, ends, has_scale
from ragauge.cli.terminal import console, has_unicode, spelled
from ragauge.wording import LOWER, notes, problems, sections

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

    from ragauge.result import Result
    from ragauge.scored import Score
    from ragauge.wording import Section

# Bars with fewer columns say nothing that the numbers do not; more make the eye travel.
_LEAST, _MOST = 9, 21
# The least width of a column that wraps; what names of metrics and notes get before there are bars; what stands
# between columns.
_WRAPPED = 12
_NAMES, _NOTES = 24, 28
_GAP = 3
_PROBLEMS = ("failed", "missing", "undefined")


def write_tables(result: Result, stream: TextIO) -> None:
    """Render to text first: rich would end the process where nobody reads it."""
    screen = console(stream)
    tables = sections(result.table, result.options["level"])
    width = screen.width
    screen.width = max(width, *map(_narrowest, tables))
    with screen.capture() as rendered:
        for section in tables:
            screen.print(_table(section, width, result.range, stream))
    text = rendered.get()
    stream.write("\n".join(line.rstrip() for line in text.split("\n")))


def _widths(section: Section) -> dict[str, int]:
    from rich.cells import cell_len

    columns = zip(section.heads, *section.rows, strict=True)
    return {head: max(map(cell_len, (head, *cells))) for head, *cells in columns}


def _narrowest(section: Section) -> int:
    """Return the width that numbers need; where the screen has less, lines run over rather than lose digits."""
    fixed = [width for head, width in _widths(section).items() if head in section.numbers]
    return sum(fixed) + _WRAPPED * (len(section.heads) - len(fixed)) + _GAP * len(section.heads)


def _bar_width(section: Section, width: int, span_of: Callable[[str], Span]) -> int:
    """Return how many columns are left for bars; 0 where there are too few, or nothing has a scale."""
    if not any(has_scale(span_of(score.metric)) for score in section.scores):
        return 0
    grouped = section.scores[0].group is not None
    wanted = max(len(problems(score) if grouped else notes(score)) for score in section.scores)
    room = _room(section, width) - min(_NOTES, max(wanted, len("unjudged 0.0000")))
    return min(room, _MOST) if room >= _LEAST else 0


def _room(section: Section, width: int) -> int:
    """Return how many columns numbers and names leave for bars and notes."""
    widths = _widths(section)
    widths["metric"] = min(widths["metric"], _NAMES)
    del widths["notes"]
    return width - sum(widths.values()) - _GAP * (len(widths) + 2)


def _table(section: Section, screen: int, span_of: Callable[[str], Span], stream: TextIO) -> Table:
    from rich import box
    from rich.table import Table

    width = _bar_width(section, screen, span_of)
    room = _room(section, screen) - width + (0 if width else _GAP)
    table = Table(
        title=section.title,
        title_justify="left",
        title_style="bold",
        caption=spelled(f"{LOWER}\n", stream) if section.lower else None,
        caption_justify="left",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
    )
    for head in section.heads[:-1]:
        right = head in ("value", "counted")
        table.add_column(head, justify="right" if right else "left", no_wrap=head in section.numbers, overflow="fold")
    spans = [span_of(score.metric) for score in section.scores]
    if width:
        table.add_column(_scale(spans, width), no_wrap=True, min_width=width)
    table.add_column("notes", overflow="fold")
    for row, score, span in zip(section.rows, section.scores, spans, strict=True):
        cells = [spelled(cell, stream) for cell in row[:-1]]
        drawn = [_bar(score, span, width, stream)] if width else []
        table.add_row(*cells, *drawn, _noted(spelled(_notes(score, room), stream)))
    return table


def _scale(spans: list[Span], width: int) -> str:
    """Write the ends of the scale over the bars, if they share one."""
    scales = {span for span in spans if has_scale(span)}
    return ends(scales.pop(), width) if len(scales) == 1 else "on its own range"[:width]


def _bar(score: Score, span: Span, width: int, stream: TextIO) -> Text:
    from rich.text import Text

    strokes = DRAWN if has_unicode(stream) else ASCII
    text = Text(bar(score.value, (score.low, score.high), span, width, strokes))
    text.highlight_words([strokes.ground], "dim")
    text.highlight_words([strokes.mark], "bold cyan")
    return text


def _notes(score: Score, room: int) -> str:
    """Return the notes; parts that would take several lines only of the whole, and where lines are long enough."""
    said = notes(score)
    wraps = len(said) > room
    return problems(score) if wraps and (score.group is not None or room < _NOTES) else said


def _noted(said: str) -> Text:
    from rich.text import Text

    text = Text(said)
    text.highlight_regex(rf"\d+ ({'|'.join(_PROBLEMS)})\b", "yellow")
    return text
