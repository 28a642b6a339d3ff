"""Values with their intervals: bars, dots, forest plots and curves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite, isnan, log2
from typing import TYPE_CHECKING

from ragauge.comparison.difference import Difference
from ragauge.comparison.tables import interval as difference_interval
from ragauge.comparison.tables import signed
from ragauge.reports.charts.canvas import Canvas, Scale, across, span, upright
from ragauge.reports.charts.canvas import number as coordinate
from ragauge.reports.texts import Said, Texts, say
from ragauge.results.score import Score
from ragauge.results.tables import interval, number

if TYPE_CHECKING:
    from markupsafe import Markup

_WIDTH, _HEIGHT = 190, 20


def interval_bar(texts: Texts, score: Score, ends: tuple[float, float], run: int) -> Markup:
    """Draw ``score`` on a line from one of ``ends`` to the other; what failed samples could change is a thin line."""
    title = say("page.bar", metric=score.metric, value=number(score.value), interval=interval(score) or "–")
    canvas = Canvas(texts, (_WIDTH, _HEIGHT), title)
    scale, y = Scale(*ends, 6, _WIDTH - 6), _HEIGHT / 2
    canvas.line((scale.start, y, scale.end, y), "track")
    for end in (scale.start, scale.end):
        canvas.line((end, y - 3, end, y + 3), "track")
    if score.bounds is not None and score.bounds[0] < score.bounds[1]:
        canvas.line((scale(score.bounds[0]), y, scale(score.bounds[1]), y), "bounds")
    if isfinite(score.low) and isfinite(score.high):
        canvas.line((scale(score.low), y, scale(score.high), y), f"interval run-{run % 6}")
    if not isnan(score.value):
        canvas.marker(run, (scale(score.value), y))
    return canvas.markup


_NAME, _DOTS_WIDTH, _MARK = 110, 300, 11


@dataclass(frozen=True)
class Row:
    """A group: its name, and its score in each run that has it."""

    name: Said | str
    scores: tuple[Score | None, ...]


def dots(texts: Texts, metric: str, rows: Sequence[Row], ends: tuple[float, float]) -> Markup:
    """Draw groups between ``ends``."""
    tall = 12.0 + _MARK * max(1, len(rows[0].scores))
    bottom = 4 + tall * len(rows)
    canvas = Canvas(texts, (_DOTS_WIDTH, bottom + 20), say("page.dots", metric=metric))
    scale = Scale(*ends, _NAME + 8, _DOTS_WIDTH - 14)
    across(canvas, scale, 4, bottom, 3)
    for place, row in enumerate(rows):
        top = 4 + tall * place
        canvas.name((_NAME, top + tall / 2 + 4), row.name, _NAME, "end")
        for run, score in enumerate(row.scores):
            if score is not None:
                _dot(canvas, scale, top + 6 + _MARK * (run + 0.5), run, score)
    return canvas.markup


def _dot(canvas: Canvas, scale: Scale, y: float, run: int, score: Score) -> None:
    if isfinite(score.low) and isfinite(score.high):
        canvas.line((scale(score.low), y, scale(score.high), y), f"interval run-{run % 6}")
    if isfinite(score.value):
        canvas.marker(run, (scale(score.value), y), f"{number(score.value)} {interval(score)}")


GLYPHS = {"better": "▲", "worse": "▼", "unclear": "≈", "equal": "=", "nothing": "–"}

_FOREST_NAME, _PLOT, _NUMBERS, _ROW = 230, 380, 290, 26


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
    canvas = Canvas(texts, (_FOREST_NAME + _PLOT + _NUMBERS, bottom + 22), title, _said(entries))
    scale = Scale(*ends, _FOREST_NAME + 10, _FOREST_NAME + _PLOT - 10)
    across(canvas, scale, 4, bottom)
    for place, entry in enumerate(entries):
        _row(canvas, scale, 8 + _ROW * (place + 0.5), entry)
    return canvas.markup


def _row(canvas: Canvas, scale: Scale, y: float, entry: Entry) -> None:
    one = entry.difference
    canvas.name((_FOREST_NAME - 6, y + 4), entry.name, _FOREST_NAME - 12, "end")
    if isfinite(one.low) and isfinite(one.high):
        canvas.line((scale(one.low), y, scale(one.high), y), f"interval {one.outcome}")
    if isfinite(one.difference):
        shape = canvas.add("circle", cx=scale(one.difference), cy=y, r=4.5, class_=f"mark {one.outcome}")
        canvas.add("title", shape, f"{signed(one.difference)} {difference_interval(one)}")
    x = _FOREST_NAME + _PLOT + 4
    canvas.text((x, y + 4), signed(one.difference), "figure")
    canvas.text((x + 56, y + 4), difference_interval(one), "figure muted")
    canvas.text((x + 184, y + 4), GLYPHS[one.outcome], f"figure {one.outcome}")
    canvas.text((x + 200, y + 4), say(f"page.outcome.{one.outcome}"), f"figure {one.outcome}")


def _said(entries: Sequence[Entry]) -> str:
    return "; ".join(f"{entry.name} {signed(entry.difference.difference)}" for entry in entries)


_CURVES_WIDTH, _CURVES_HEIGHT, _LEFT, _BOTTOM = 300, 220, 42, 40


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
    canvas = Canvas(texts, (_CURVES_WIDTH, _CURVES_HEIGHT), say("page.curve", metric=metric), _curve_description(found))
    cutoffs = sorted({point.k for curve in found for point in curve.points})
    across = Scale(0, log2(cutoffs[-1]) or 1, _LEFT, _CURVES_WIDTH - 14)
    up = Scale(*span([point.value for curve in found for point in curve.points], ends), _CURVES_HEIGHT - _BOTTOM, 14)
    upright(canvas, up, _LEFT, _CURVES_WIDTH - 14)
    for k in cutoffs:
        canvas.line((across(log2(k)), up.end, across(log2(k)), up.start), "grid")
        canvas.text((across(log2(k)), up.start + 14), str(k), "tick", "middle")
    for curve in found:
        _curve(canvas, across, up, curve)
    canvas.text((_CURVES_WIDTH - 14, _CURVES_HEIGHT - 8), "k", "label", "end")
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
        title: Said | str = f"{curve.name}, k = {point.k}: {number(point.value)}"
        canvas.marker(curve.run, (across(log2(point.k)), up(point.value)), title)


def _path(points: Sequence[tuple[float, float]]) -> str:
    return "M" + "L".join(f"{coordinate(x)} {coordinate(y)}" for x, y in points)


def _curve_description(found: Sequence[Curve]) -> str:
    return "; ".join(
        f"{curve.name}: {', '.join(f'k = {point.k} {number(point.value)}' for point in curve.points)}"
        for curve in found
    )
