"""Figures of many samples: how their scores are spread, and how the scores of two metrics go together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite, sqrt
from xml.etree import ElementTree as ET

import numpy as np
from markupsafe import Markup

from ragauge.core.ragged import FloatArray, IntArray
from ragauge.core.statistics import ratio
from ragauge.reports.charts.canvas import Canvas, Scale, fitted, horizontal_axis, text_width, tick, vertical_axis
from ragauge.reports.listing import listing, within
from ragauge.reports.payload import numbers
from ragauge.reports.texts import PageText, Texts, message, plural

Ends = tuple[float, float]  # of an axis, the lower one first


def as_shown(scores: FloatArray) -> FloatArray:
    """Return ``scores`` (n,) as the page's script has them, so that both count the same samples in a bin."""
    return np.array(numbers(scores), dtype=np.float64)


def bin_edges(low: float, high: float, bins: int) -> FloatArray:
    """Return the edges of equal bins, (bins + 1,), rounded as scores are: 0.3 begins a bin of a twentieth."""
    return as_shown(np.linspace(low, high, bins + 1))


_HISTOGRAM_WIDTH, _HISTOGRAM_ROW, _HISTOGRAM_MARGIN = 300, 70, 12


@dataclass(frozen=True, eq=False)
class BinCounts:
    """Samples of one run in each of b bins: ``counts`` (b,); ``mean`` is NaN where there is none to show."""

    run: int
    name: str
    counts: IntArray
    mean: float


def histogram(texts: Texts, metric: str, edges: FloatArray, rows: Sequence[BinCounts]) -> Markup:
    """Draw the counts of each run between ``edges`` (b + 1,), all rows to the same height."""
    left, right = _HISTOGRAM_MARGIN, _HISTOGRAM_WIDTH - _HISTOGRAM_MARGIN
    bottom = 6.0 + _HISTOGRAM_ROW * len(rows)
    description = "; ".join(f"{row.name}: {' '.join(map(str, row.counts.tolist()))}" for row in rows)
    canvas = Canvas(texts, (_HISTOGRAM_WIDTH, bottom + 20), message("page.histogram", metric=metric), description)
    scale = Scale(float(edges[0]), float(edges[-1]), left, right)
    horizontal_axis(canvas, scale, 6, bottom, 4)
    most = [int(row.counts.max()) for row in rows]
    for place, row in enumerate(rows):
        top = _HISTOGRAM_ROW * place
        bars = _bars(canvas, scale, Scale(0, max(1, *most), 6 + top + _HISTOGRAM_ROW, 26 + top), edges, row)
        for bin_, bar in bars.items():
            low, high = edges[bin_ : bin_ + 2].tolist()
            bar.set("data-show", listing(within(row.run, metric, low, high, last=bin_ == len(edges) - 2)))
        if len(rows) > 1:
            canvas.name((left + 2, 19 + top), row.name, 150, class_="tick")
        canvas.text((right - 2, 19 + top), message("page.most", n=most[place]), "tick", "end")
    return canvas.markup


def _bars(canvas: Canvas, across: Scale, up: Scale, edges: FloatArray, row: BinCounts) -> dict[int, ET.Element]:
    """Draw the bins of a run, and return the bars by the place of their bin."""
    canvas.line((across.start, up.start, across.end, up.start), "base")
    bars: dict[int, ET.Element] = {}
    for low, high, (place, samples) in zip(
        edges.tolist(), edges[1:].tolist(), enumerate(row.counts.tolist()), strict=False
    ):
        if samples:
            x, y = across(low) + 0.5, min(up(samples), up.start - 1)
            bar = canvas.add(
                "rect", x=x, y=y, width=across(high) - x - 0.5, height=up.start - y, class_=f"bar run-{row.run % 6}"
            )
            canvas.add("title", bar, plural("page.bin", samples, low=tick(low), high=tick(high)))
            bars[place] = bar
    if isfinite(row.mean):
        x = across(row.mean)
        canvas.line((x, up.end - 2, x, up.start), "mean")
    return bars


_BUBBLES_WIDTH, _BUBBLES_HEIGHT, _BUBBLES_BINS = 290, 284, 20
_BUBBLES_LEFT, _BUBBLES_RIGHT, _BUBBLES_TOP, _BUBBLES_BOTTOM = 46, _BUBBLES_WIDTH - 14, 28, _BUBBLES_HEIGHT - 44


def bubbles(
    texts: Texts,
    points: tuple[FloatArray, FloatArray],
    ends: tuple[Ends, Ends],
    labels: tuple[str, str],
    title: PageText,
    *,
    scores: Sequence[tuple[int, str]] = (),
    diagonal: bool = False,
) -> Markup:
    """Draw n samples as circles: those of one bin are one circle, as large as they are many.

    ``points``: x and y of each sample, (n,) each; ``ends`` and ``labels``: of both axes; ``scores``: the run and the
    metric of both axes, by which a circle lists its samples; ``diagonal``: draw the line on which x equals y.
    """
    canvas = Canvas(texts, (_BUBBLES_WIDTH, _BUBBLES_HEIGHT), title)
    across = Scale(*ends[0], _BUBBLES_LEFT, _BUBBLES_RIGHT)
    up = Scale(*ends[1], _BUBBLES_BOTTOM, _BUBBLES_TOP)
    horizontal_axis(canvas, across, up.end, up.start, 4, gap=21)
    vertical_axis(canvas, up, across.start, across.end, gap=13)
    if diagonal:
        canvas.line((across.start, up.start, across.end, up.end), "diagonal")
    edges = [bin_edges(*pair, _BUBBLES_BINS) for pair in ends]
    sums = [np.histogram2d(as_shown(points[0]), as_shown(points[1]), bins=edges, weights=w)[0] for w in (None, *points)]
    counts, means = sums[0], [ratio(total, sums[0]) for total in sums[1:]]
    largest = min(across.end - across.start, up.start - up.end) / _BUBBLES_BINS / 2 * 1.5
    for i, j in np.argwhere(counts > 0).tolist():
        samples = int(counts[i, j])
        x, y = (float(mean[i, j]) for mean in means)
        radius = max(1.4, largest * sqrt(samples / counts.max()))
        circle = canvas.add("circle", cx=across(x), cy=up(y), r=radius, class_="bubble")
        canvas.add("title", circle, plural("page.bubble", samples, x=tick(x), y=tick(y)))
        if scores:
            bins = [
                within(*score, *axis[k : k + 2].tolist(), last=k == _BUBBLES_BINS - 1)
                for score, axis, k in zip(scores, edges, (i, j), strict=True)
            ]
            circle.set("data-show", listing(*bins))
    room = _BUBBLES_WIDTH - _BUBBLES_LEFT
    canvas.name((_BUBBLES_RIGHT, _BUBBLES_HEIGHT - 8), labels[0], room, "end", "label")
    canvas.name((2, 9), labels[1], room, class_="label")
    return canvas.markup


_MATRIX_COLUMN, _MATRIX_ROW, _MATRIX_LABEL = 58, 30, 120


def matrix(texts: Texts, names: Sequence[str], values: FloatArray) -> Markup:
    """Draw ``values`` (m, m), each from -1 to 1, below the diagonal, as colours and as numbers."""
    left = min(max(map(text_width, names)) + 16, 250)
    last = len(names) - 1
    width = max(left + _MATRIX_COLUMN * last + 8, left + _MATRIX_LABEL)
    canvas = Canvas(texts, (width, _MATRIX_ROW * last + 84), message("page.matrix"))
    for i in range(1, len(names)):
        y = _MATRIX_ROW * (i - 1)
        canvas.name((left - 8, y + 20), names[i], left - 8, "end")
        for j in range(i):
            _correlation(canvas, left + _MATRIX_COLUMN * j, y, float(values[i, j]))
    for j in range(last):
        x, y = left + _MATRIX_COLUMN * (j + 0.5), _MATRIX_ROW * last + 16
        group = canvas.add("g", transform=f"translate({x:.1f} {y}) rotate(-28)")
        label = canvas.add("text", group, fitted(names[j], _MATRIX_LABEL), x=0, y=0, text_anchor="end")
        canvas.add("title", label, names[j])
    return canvas.markup


def _correlation(canvas: Canvas, x: float, y: float, value: float) -> None:
    middle = (x + _MATRIX_COLUMN / 2, y + 20)
    if not isfinite(value):
        canvas.text(middle, "–", "muted", "middle")
        return
    width, height, opacity = _MATRIX_COLUMN - 2, _MATRIX_ROW - 2, f"{0.75 * abs(value):.2f}"
    sign = "positive" if value >= 0 else "negative"
    canvas.add("rect", x=x + 1, y=y + 1, width=width, height=height, class_=sign, fill_opacity=opacity)
    canvas.text(middle, f"{value:+.2f}", "strong" if abs(value) > 0.8 else "", "middle")


_SPARK_WIDTH, _SPARK_HEIGHT = 100, 26


def spark_histogram(texts: Texts, counts: IntArray) -> Markup:
    """Draw counts (b,) as small bars without axes, hidden from screen readers: a section of its own tells them."""
    canvas = Canvas(texts, (_SPARK_WIDTH, _SPARK_HEIGHT), "")
    canvas.line((0, _SPARK_HEIGHT - 0.5, _SPARK_WIDTH, _SPARK_HEIGHT - 0.5), "base")
    width, most = _SPARK_WIDTH / len(counts), max(1, int(counts.max(initial=0)))
    for place, samples in enumerate(counts.tolist()):
        if samples:
            height = max(1.5, samples / most * (_SPARK_HEIGHT - 2))
            top = _SPARK_HEIGHT - 1 - height
            canvas.add("rect", x=place * width + 0.5, y=top, width=width - 1, height=height, class_="spark")
    return canvas.markup
