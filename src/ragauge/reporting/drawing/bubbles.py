"""Two scores of each sample against each other: the more samples at a place, the larger its circle."""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING

import numpy as np

from ragauge.ragged import FloatArray
from ragauge.reporting.drawing.axis import Scale, across, tick, upright
from ragauge.reporting.drawing.canvas import Canvas
from ragauge.reporting.texts import Said, Texts, count
from ragauge.statistics import ratio

if TYPE_CHECKING:
    from markupsafe import Markup

_WIDTH, _HEIGHT, _LEFT, _BOTTOM, _TOP, _BINS = 290, 284, 46, 44, 28, 20

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
    canvas = Canvas(texts, (_WIDTH, _HEIGHT), title)
    left, low = Scale(*ends[0], _LEFT, _WIDTH - 14), Scale(*ends[1], _HEIGHT - _BOTTOM, _TOP)
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
    canvas.name((_WIDTH - 14, _HEIGHT - 8), labels[0], _WIDTH - _LEFT, "end", "label")
    canvas.name((2, 9), labels[1], _WIDTH - _LEFT, class_="label")
    return canvas.markup


def _binned(
    points: tuple[FloatArray, FloatArray], ends: tuple[Ends, Ends]
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return how many samples are in each bin, and the means of their x and y: (b, b) each, NaN where none is."""
    sums = [np.histogram2d(*points, bins=_BINS, range=ends, weights=weights)[0] for weights in (None, *points)]
    return sums[0], ratio(sums[1], sums[0]), ratio(sums[2], sums[0])
