"""Correlations of all metrics with each other, as a matrix."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import TYPE_CHECKING

from ragauge.ragged import FloatArray
from ragauge.reporting.drawing.canvas import Canvas, wide
from ragauge.reporting.texts import Texts, say

if TYPE_CHECKING:
    from markupsafe import Markup

_CELL, _HIGH = 58, 30


def matrix(texts: Texts, names: Sequence[str], values: FloatArray) -> Markup:
    """Draw ``values`` (m, m), each from -1 to 1, below the diagonal; the number stands in each cell."""
    left = min(max(map(wide, names)) + 16, 250)
    size = (left + _CELL * (len(names) - 1) + 8, _HIGH * (len(names) - 1) + 84)
    canvas = Canvas(texts, (max(size[0], left + 120), size[1]), say("page.matrix"))
    for i in range(1, len(names)):
        y = _HIGH * (i - 1)
        canvas.name((left - 8, y + 20), names[i], left - 8, "end")
        for j in range(i):
            _cell(canvas, left + _CELL * j, y, float(values[i, j]))
    for j in range(len(names) - 1):
        x, y = left + _CELL * (j + 0.5), _HIGH * (len(names) - 1) + 16
        made = canvas.add("g", transform=f"translate({x:.1f} {y}) rotate(-28)")
        label = canvas.add("text", made, _short(names[j]), x=0, y=0, text_anchor="end")
        canvas.add("title", label, names[j])
    return canvas.markup


def _cell(canvas: Canvas, x: float, y: float, value: float) -> None:
    if not isfinite(value):
        canvas.text((x + _CELL / 2, y + 20), "–", "muted", "middle")
        return
    opacity = f"{0.75 * abs(value):.2f}"
    sign = "positive" if value >= 0 else "negative"
    canvas.add("rect", x=x + 1, y=y + 1, width=_CELL - 2, height=_HIGH - 2, class_=sign, fill_opacity=opacity)
    canvas.text((x + _CELL / 2, y + 20), f"{value:+.2f}", "strong" if abs(value) > 0.8 else "", "middle")


def _short(name: str) -> str:
    from ragauge.reporting.drawing.canvas import fitted

    return fitted(name, 120)
