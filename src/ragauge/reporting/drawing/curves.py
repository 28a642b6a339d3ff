"""Values over cutoffs: a line for each run, with the band of its intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite, log2
from typing import TYPE_CHECKING

from ragauge.reporting.drawing.axis import Scale, span, upright
from ragauge.reporting.drawing.canvas import Canvas, number
from ragauge.reporting.texts import Said, Texts, say
from ragauge.wording import number as written

if TYPE_CHECKING:
    from markupsafe import Markup

_WIDTH, _HEIGHT, _LEFT, _BOTTOM = 300, 220, 42, 40


@dataclass(frozen=True)
class Point:
    """The value at a cutoff, with its interval."""

    k: int
    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Curve:
    """The values of one run."""

    run: int
    name: str
    points: tuple[Point, ...]


def curves(texts: Texts, metric: str, found: Sequence[Curve], ends: tuple[float, float]) -> Markup:
    """Draw ``found`` between the ``ends`` of the metric's range; cutoffs stand as far apart as their logarithms."""
    canvas = Canvas(texts, (_WIDTH, _HEIGHT), say("page.curve", metric=metric), _said(found))
    cutoffs = sorted({point.k for curve in found for point in curve.points})
    across = Scale(0, log2(cutoffs[-1]) or 1, _LEFT, _WIDTH - 14)
    up = Scale(*span([point.value for curve in found for point in curve.points], ends), _HEIGHT - _BOTTOM, 14)
    upright(canvas, up, _LEFT, _WIDTH - 14)
    for k in cutoffs:
        canvas.line((across(log2(k)), up.end, across(log2(k)), up.start), "grid")
        canvas.text((across(log2(k)), up.start + 14), str(k), "tick", "middle")
    for curve in found:
        _curve(canvas, across, up, curve)
    canvas.text((_WIDTH - 14, _HEIGHT - 8), "k", "label", "end")
    return canvas.markup


def _curve(canvas: Canvas, across: Scale, up: Scale, curve: Curve) -> None:
    known = [point for point in curve.points if isfinite(point.value)]
    banded = [point for point in known if isfinite(point.low)]
    if len(banded) > 1:
        there = [(across(log2(point.k)), up(point.high)) for point in banded]
        back = [(across(log2(point.k)), up(point.low)) for point in reversed(banded)]
        canvas.add("path", d=f"{_path([*there, *back])}Z", class_=f"band run-{curve.run % 6}")
    if len(known) > 1:
        line = _path([(across(log2(point.k)), up(point.value)) for point in known])
        canvas.add("path", d=line, class_=f"curve run-{curve.run % 6}")
    for point in known:
        title: Said | str = f"{curve.name}, k = {point.k}: {written(point.value)}"
        canvas.marker(curve.run, (across(log2(point.k)), up(point.value)), title)


def _path(points: Sequence[tuple[float, float]]) -> str:
    return "M" + "L".join(f"{number(x)} {number(y)}" for x, y in points)


def _said(found: Sequence[Curve]) -> str:
    return "; ".join(
        f"{curve.name}: {', '.join(f'k = {point.k} {written(point.value)}' for point in curve.points)}"
        for curve in found
    )
