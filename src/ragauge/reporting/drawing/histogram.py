"""How many samples have which score: bars, a row for each run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING

from ragauge.ragged import FloatArray, IntArray
from ragauge.reporting.drawing.axis import Scale, across, tick
from ragauge.reporting.drawing.canvas import Canvas
from ragauge.reporting.texts import Texts, say
from ragauge.reporting.texts import count as counted

if TYPE_CHECKING:
    from markupsafe import Markup

_WIDTH, _ROW, _LEFT = 300, 70, 12


@dataclass(frozen=True, eq=False)
class Bars:
    """Counts of one run: ``counts`` (b,); ``mark`` is a value to point at, NaN for none."""

    run: int
    name: str
    counts: IntArray
    mark: float


def histogram(texts: Texts, metric: str, edges: FloatArray, rows: Sequence[Bars]) -> Markup:
    """Draw the counts of each run between ``edges`` (b + 1,), every row to the same height."""
    bottom = 6.0 + _ROW * len(rows)
    canvas = Canvas(texts, (_WIDTH, bottom + 20), say("page.histogram", metric=metric), _said(rows))
    scale = Scale(float(edges[0]), float(edges[-1]), _LEFT, _WIDTH - _LEFT)
    across(canvas, scale, 6, bottom, 4)
    tallest = max([int(row.counts.max(initial=0)) for row in rows] + [1])
    for place, row in enumerate(rows):
        _bars(canvas, scale, Scale(0, tallest, 6 + _ROW * (place + 1), 26 + _ROW * place), edges, row)
        if len(rows) > 1:
            canvas.name((_LEFT + 2, 19 + _ROW * place), row.name, 150, class_="tick")
        canvas.text(
            (_WIDTH - _LEFT - 2, 19 + _ROW * place), say("page.most", n=int(row.counts.max(initial=0))), "tick", "end"
        )
    return canvas.markup


def _bars(canvas: Canvas, across_: Scale, up: Scale, edges: FloatArray, row: Bars) -> None:
    canvas.line((across_.start, up.start, across_.end, up.start), "base")
    for low, high, count in zip(edges.tolist(), edges[1:].tolist(), row.counts.tolist(), strict=False):
        if count:
            x, y = across_(low) + 0.5, min(up(count), up.start - 1)
            bar = canvas.add(
                "rect", x=x, y=y, width=across_(high) - x - 0.5, height=up.start - y, class_=f"bar run-{row.run % 6}"
            )
            canvas.add("title", bar, counted("page.bin", count, low=tick(low), high=tick(high)))
    if isfinite(row.mark):
        x = across_(row.mark)
        canvas.line((x, up.end - 2, x, up.start), "mean")


def _said(rows: Sequence[Bars]) -> str:
    return "; ".join(f"{row.name}: {' '.join(map(str, row.counts.tolist()))}" for row in rows)
