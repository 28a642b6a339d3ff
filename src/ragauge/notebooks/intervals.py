"""A value and its interval as a small drawing."""

from __future__ import annotations

from html import escape
from math import isfinite

from ragauge.bars import Span, has_scale

_WIDTH, _HEIGHT, _MARGIN = 120, 14, 4


def drawn(value: float, interval: Span, span: Span, said: str, *, zero: bool = False) -> str:
    """Draw a value as a point and its interval as a bar, on a scale from end to end; SVG.

    Args:
        value: NaN draws nothing.
        interval: NaN where there is none; then only the value is drawn.
        span: the ends of the scale; where one is infinite nothing is drawn.
        said: the same in words, for who cannot see it.
        zero: draw a line at 0.

    >>> drawn(0.5, (0.4, 0.6), (0, float("inf")), "")
    ''
    """
    if not has_scale(span) or not isfinite(value):
        return ""
    middle = _HEIGHT / 2
    shapes = [f'<line class="scale" x1="{_MARGIN}" x2="{_WIDTH - _MARGIN}" y1="{middle}" y2="{middle}"/>']
    if zero:
        at = _place(0.0, span)
        shapes.append(f'<line class="scale" x1="{at}" x2="{at}" y1="0" y2="{_HEIGHT}"/>')
    if all(map(isfinite, interval)):
        left, right = (_place(end, span) for end in interval)
        width = max(1.0, round(right - left, 1))
        shapes.append(f'<rect class="interval" x="{left}" y="{middle - 3}" width="{width}" height="6"/>')
    shapes.append(f'<circle class="value" cx="{_place(value, span)}" cy="{middle}" r="3"/>')
    size = f'width="{_WIDTH}" height="{_HEIGHT}" viewBox="0 0 {_WIDTH} {_HEIGHT}"'
    return f'<svg {size} role="img" aria-label="{escape(said)}">{"".join(shapes)}</svg>'


def _place(value: float, span: Span) -> float:
    share = min(1.0, max(0.0, (value - span[0]) / (span[1] - span[0])))
    return round(_MARGIN + share * (_WIDTH - 2 * _MARGIN), 1)
