"""How results look in a notebook: tables with bars, in whatever colours the notebook has."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from math import isfinite

from ragauge.display.bars import Span, has_scale

STYLE = """
.ragauge {font-variant-numeric: tabular-nums; max-width: 100%; overflow-x: auto}
.ragauge table.ragauge-table {border-collapse: collapse; margin: 0.4em 0 1em; font-size: 0.92em;
  color: inherit; border: 0}
.ragauge table.ragauge-table caption {text-align: left; font-weight: 600; padding: 0.3em 0; caption-side: top;
  color: inherit}
.ragauge table.ragauge-table th, .ragauge table.ragauge-table td {text-align: left; padding: 0.2em 0.9em 0.2em 0;
  white-space: nowrap; vertical-align: middle; color: inherit; background: none; border: 0}
.ragauge table.ragauge-table thead th {border-bottom: 1px solid rgba(128, 128, 128, 0.6); font-weight: 600}
.ragauge table.ragauge-table tbody tr:nth-child(n) {background: none; border-bottom: 1px solid rgba(128, 128, 128, 0.2)}
.ragauge table.ragauge-table td.number, .ragauge table.ragauge-table th.number {text-align: right}
.ragauge table.ragauge-table td.words {white-space: normal; min-width: 12em}
.ragauge table.ragauge-table td.group {font-weight: 600}
.ragauge svg {display: block; min-width: 120px; max-width: none}
.ragauge svg .scale {stroke: rgba(128, 128, 128, 0.55); stroke-width: 1}
.ragauge svg .interval {fill: #3a87c8; fill-opacity: 0.45}
.ragauge svg .value {fill: #3a87c8; stroke: none}
.ragauge p {margin: 0.2em 0}
.ragauge ul {margin: 0.2em 0 0.6em; padding-left: 1.4em}
"""


def framed(parts: Iterable[str]) -> str:
    """Return HTML of all ``parts`` under the style."""
    return f'<div class="ragauge"><style>{STYLE}</style>{"".join(parts)}</div>'


def table(caption: str, heads: Iterable[tuple[str, str]], rows: Iterable[Iterable[tuple[str, str]]]) -> str:
    """Write a table.

    Args:
        caption: text.
        heads: (class, text) of each column.
        rows: (class, HTML) of each cell.
    """
    head = "".join(f'<th scope="col" class="{kind}">{escape(text)}</th>' for kind, text in heads)
    body = "".join("<tr>" + "".join(f'<td class="{kind}">{html}</td>' for kind, html in row) + "</tr>" for row in rows)
    inner = f"<caption>{escape(caption)}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody>"
    return f'<table class="ragauge-table">{inner}</table>'


def listed(title: str, texts: Iterable[str]) -> str:
    """Write a list that opens on a click; nothing where there are no texts."""
    items = "".join(f"<li>{escape(text)}</li>" for text in texts)
    return f"<details><summary>{escape(title)}</summary><ul>{items}</ul></details>" if items else ""


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
