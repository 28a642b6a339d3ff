"""Scales, round numbers along them, and the lines that show them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import ceil, floor, isfinite, log10

from ragauge.reporting.drawing.canvas import Canvas


@dataclass(frozen=True)
class Scale:
    """Maps ``low`` to the pixel ``start`` and ``high`` to ``end``.

    >>> Scale(0, 2, 100, 200)(0.5)
    125.0
    """

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        """Return the pixel of ``value``; what lies outside stands at the end."""
        share = (value - self.low) / (self.high - self.low)
        return self.start + min(max(share, 0.0), 1.0) * (self.end - self.start)


def span(values: Iterable[float], ends: tuple[float, float] = (float("-inf"), float("inf"))) -> tuple[float, float]:
    """Return the least and the greatest of ``values``, widened to round numbers; known ``ends`` of a range as they are.

    >>> span([0.13, 0.87]), span([0.2], (0.0, 1.0)), span([]), span([3.0, 3.0])
    ((0.0, 1.0), (0.0, 1.0), (0.0, 1.0), (2.0, 4.0))
    """
    finite = [value for value in values if isfinite(value)]
    if isfinite(ends[0]) and isfinite(ends[1]):
        return ends
    low, high = (min(finite), max(finite)) if finite else (0.0, 1.0)
    if low == high:
        low, high = low - (abs(low) / 3 or 1), high + (abs(high) / 3 or 1)
    step = _step(low, high, 5)
    return floor(low / step) * step, ceil(high / step) * step


def ticks(low: float, high: float, count: int = 5) -> list[float]:
    """Return round numbers from ``low`` to ``high``, about ``count`` of them.

    >>> ticks(0, 1), ticks(-0.3, 0.1, 4)
    ([0.0, 0.2, 0.4, 0.6, 0.8, 1.0], [-0.3, -0.2, -0.1, 0.0, 0.1])
    """
    step = _step(low, high, count)
    first, last = ceil(low / step - 1e-9), floor(high / step + 1e-9)
    return [round(place * step, 12) + 0.0 for place in range(first, last + 1)]


def tick(value: float) -> str:
    """Write a number of an axis.

    >>> tick(0.0), tick(0.25), tick(1500.0), tick(1e-7)
    ('0', '0.25', '1500', '1e-07')
    """
    return f"{value:.6g}"


def _step(low: float, high: float, count: int) -> float:
    rough = (high - low) / count
    power: float = 10.0 ** floor(log10(rough))
    return next(step * power for step in (1, 2, 5, 10) if step * power >= rough * 0.999)


def across(canvas: Canvas, scale: Scale, top: float, bottom: float, count: int = 5, gap: float = 14) -> None:
    """Draw upright grid lines from ``top`` to ``bottom``, with their numbers ``gap`` below."""
    for value in ticks(scale.low, scale.high, count):
        canvas.line((scale(value), top, scale(value), bottom), "zero" if value == 0 and scale.low < 0 else "grid")
        canvas.text((scale(value), bottom + gap), tick(value), "tick", "middle")


def upright(canvas: Canvas, scale: Scale, left: float, right: float, count: int = 4, gap: float = 6) -> None:
    """Draw level grid lines from ``left`` to ``right``, with their numbers ``gap`` to the left."""
    for value in ticks(scale.low, scale.high, count):
        canvas.line((left, scale(value), right, scale(value)), "grid")
        canvas.text((left - gap, scale(value) + 4), tick(value), "tick", "end")
