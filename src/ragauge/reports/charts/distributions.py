"""How scores are spread and go together: histograms, bubbles and a correlation matrix."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite, sqrt
from typing import TYPE_CHECKING

import numpy as np

from ragauge.core.ragged import FloatArray, IntArray
from ragauge.core.statistics import ratio
from ragauge.reports.charts.canvas import Canvas, Scale, across, tick, upright, wide
from ragauge.reports.texts import Said, Texts, count, say

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
    for low, high, samples in zip(edges.tolist(), edges[1:].tolist(), row.counts.tolist(), strict=False):
        if samples:
            x, y = across_(low) + 0.5, min(up(samples), up.start - 1)
            bar = canvas.add(
                "rect", x=x, y=y, width=across_(high) - x - 0.5, height=up.start - y, class_=f"bar run-{row.run % 6}"
            )
            canvas.add("title", bar, count("page.bin", samples, low=tick(low), high=tick(high)))
    if isfinite(row.mark):
        x = across_(row.mark)
        canvas.line((x, up.end - 2, x, up.start), "mean")


def _said(rows: Sequence[Bars]) -> str:
    return "; ".join(f"{row.name}: {' '.join(map(str, row.counts.tolist()))}" for row in rows)


_BUBBLES_WIDTH, _HEIGHT, _BUBBLES_LEFT, _BOTTOM, _TOP, _BINS = 290, 284, 46, 44, 28, 20

Ends = tuple[float, float]


def bubbles(
    texts: Texts,
    points: tuple[FloatArray, FloatArray],
    ends: tuple[Ends, Ends],
    labels: tuple[str, str],
    title: Said,
    *,
    diagonal: bool = False,
) -> Markup:
    """Draw n samples.

    Args:
        texts: of the page.
        points: x and y of each sample, (n,) each.
        ends: of both axes.
        labels: of both axes.
        title: of the figure.
        diagonal: draw the line on which both are equal.
    """
    canvas = Canvas(texts, (_BUBBLES_WIDTH, _HEIGHT), title)
    left, low = Scale(*ends[0], _BUBBLES_LEFT, _BUBBLES_WIDTH - 14), Scale(*ends[1], _HEIGHT - _BOTTOM, _TOP)
    across(canvas, left, low.end, low.start, 4, gap=21)
    upright(canvas, low, left.start, left.end, gap=13)
    if diagonal:
        canvas.line((left.start, low.start, left.end, low.end), "diagonal")
    counts, *means = _binned(points, ends)
    radius = min((left.end - left.start), (low.start - low.end)) / _BINS / 2 * 1.5
    for i, j in np.argwhere(counts > 0).tolist():
        samples = int(counts[i, j])
        x, y = (float(mean[i, j]) for mean in means)
        size = max(1.4, radius * sqrt(samples / counts.max()))
        made = canvas.add("circle", cx=left(x), cy=low(y), r=size, class_="bubble")
        canvas.add("title", made, count("page.bubble", samples, x=tick(x), y=tick(y)))
    canvas.name((_BUBBLES_WIDTH - 14, _HEIGHT - 8), labels[0], _BUBBLES_WIDTH - _BUBBLES_LEFT, "end", "label")
    canvas.name((2, 9), labels[1], _BUBBLES_WIDTH - _BUBBLES_LEFT, class_="label")
    return canvas.markup


def _binned(
    points: tuple[FloatArray, FloatArray], ends: tuple[Ends, Ends]
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return how many samples are in each bin, and the means of their x and y: (b, b) each, NaN where none is."""
    sums = [np.histogram2d(*points, bins=_BINS, range=ends, weights=weights)[0] for weights in (None, *points)]
    return sums[0], ratio(sums[1], sums[0]), ratio(sums[2], sums[0])


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
    from ragauge.reports.charts.canvas import fitted

    return fitted(name, 120)
