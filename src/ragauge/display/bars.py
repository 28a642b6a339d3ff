"""Intervals as small bars of text: where a value and its interval lie between two ends."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import TypeAlias

Span: TypeAlias = tuple[float, float]
"""The ends of a scale, from low to high."""


@dataclass(frozen=True)
class Strokes:
    """What a bar is drawn with, one column each."""

    ground: str
    left: str
    line: str
    right: str
    mark: str
    zero: str


# Terminals of the older East Asian encodings draw these two columns wide; they get ASCII.
DRAWN = Strokes("·", "├", "─", "┤", "●", "│")
ASCII = Strokes(".", "[", "-", "]", "o", "|")


def bar(value: float, interval: Span, span: Span, width: int, strokes: Strokes = DRAWN) -> str:
    """Draw a value and its interval on a scale; what lies beyond an end is drawn at it.

    Args:
        value: NaN draws nothing.
        interval: NaN where there is none; then only the value is drawn.
        span: the ends of the scale; where one is infinite there is no scale, and nothing is drawn.
        width: columns.
        strokes: what to draw with.

    >>> bar(0.5, (0.25, 0.75), (0, 1), 9)
    '··├─●─┤··'
    >>> bar(0.0, (0.0, 0.25), (0, 1), 9, ASCII), bar(0.5, (0.0, 1.0), (0, float("inf")), 9)
    ('o-]......', '')
    """
    if not has_scale(span) or not isfinite(value):
        return ""
    cells = [strokes.ground] * width
    if all(map(isfinite, interval)):
        first, last = (_cell(end, span, width) for end in interval)
        cells[first : last + 1] = strokes.line * (last + 1 - first)
        cells[first], cells[last] = strokes.left, strokes.right
    cells[_cell(value, span, width)] = strokes.mark
    return "".join(cells)


def forest(value: float, interval: Span, reach: float, width: int, strokes: Strokes = DRAWN) -> str:
    """Draw a difference and its interval on a scale with 0 in the middle, where there is a line.

    Args:
        value: NaN draws nothing.
        interval: NaN where there is none.
        reach: how far the scale goes to either side; where it is not above 0 or infinite, nothing is drawn.
        width: columns, an odd number.
        strokes: what to draw with.

    >>> forest(0.2, (0.1, 0.3), 0.4, 17), forest(-0.4, (-0.4, 0.1), 0.4, 9, ASCII)
    ('········│·├─●─┤··', 'o---|]...')
    """
    drawn = bar(value, interval, (-reach, reach), width, strokes)
    middle = width // 2
    if not drawn or drawn[middle] not in (strokes.ground, strokes.line):
        return drawn
    return drawn[:middle] + strokes.zero + drawn[middle + 1 :]


def has_scale(span: Span) -> bool:
    """Say whether a scale has two ends."""
    return all(map(isfinite, span)) and span[0] < span[1]


def ends(span: Span, width: int) -> str:
    """Write the ends of a scale over its bars.

    >>> ends((0, 1), 9), ends((-1, 1), 9)
    ('0       1', '-1      1')
    """
    low, high = (f"{end:g}" for end in span)
    return low + high.rjust(width - len(low))


def _cell(value: float, span: Span, width: int) -> int:
    share = (value - span[0]) / (span[1] - span[0])
    return min(width - 1, max(0, round(share * (width - 1))))
