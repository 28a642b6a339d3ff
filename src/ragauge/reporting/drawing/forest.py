"""Differences with their intervals, one below the other: a forest plot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING

from ragauge.comparing.difference import Difference
from ragauge.comparing.wording import interval, signed
from ragauge.reporting.drawing.axis import Scale, across, span
from ragauge.reporting.drawing.canvas import Canvas
from ragauge.reporting.texts import Said, Texts, say

if TYPE_CHECKING:
    from markupsafe import Markup

GLYPHS = {"better": "▲", "worse": "▼", "unclear": "≈", "equal": "=", "nothing": "–"}

_NAME, _PLOT, _NUMBERS, _ROW = 230, 380, 290, 26


@dataclass(frozen=True)
class Entry:
    """One row: what it is called, and the difference."""

    name: str
    difference: Difference


def forest(texts: Texts, entries: Sequence[Entry], title: Said) -> Markup:
    """Draw differences that are measured in the same unit, around a line at zero."""
    found = [entry.difference for entry in entries]
    reach = max([abs(end) for one in found for end in (one.low, one.high, one.difference) if isfinite(end)] or [1.0])
    ends = span([-reach, reach] if reach else [-1.0, 1.0])
    bottom = 8.0 + _ROW * len(entries)
    canvas = Canvas(texts, (_NAME + _PLOT + _NUMBERS, bottom + 22), title, _said(entries))
    scale = Scale(*ends, _NAME + 10, _NAME + _PLOT - 10)
    across(canvas, scale, 4, bottom)
    for place, entry in enumerate(entries):
        _row(canvas, scale, 8 + _ROW * (place + 0.5), entry)
    return canvas.markup


def _row(canvas: Canvas, scale: Scale, y: float, entry: Entry) -> None:
    one = entry.difference
    canvas.name((_NAME - 6, y + 4), entry.name, _NAME - 12, "end")
    if isfinite(one.low) and isfinite(one.high):
        canvas.line((scale(one.low), y, scale(one.high), y), f"interval {one.verdict}")
    if isfinite(one.difference):
        shape = canvas.add("circle", cx=scale(one.difference), cy=y, r=4.5, class_=f"mark {one.verdict}")
        canvas.add("title", shape, f"{signed(one.difference)} {interval(one)}")
    x = _NAME + _PLOT + 4
    canvas.text((x, y + 4), signed(one.difference), "figure")
    canvas.text((x + 56, y + 4), interval(one), "figure muted")
    canvas.text((x + 184, y + 4), GLYPHS[one.verdict], f"figure {one.verdict}")
    canvas.text((x + 200, y + 4), say(f"page.verdict.{one.verdict}"), f"figure {one.verdict}")


def _said(entries: Sequence[Entry]) -> str:
    return "; ".join(f"{entry.name} {signed(entry.difference.difference)}" for entry in entries)
