"""Figures of values with their intervals: bars, dots, forest plots and curves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite, log2
from typing import TYPE_CHECKING

from ragauge.comparison.comparison import ARROWS
from ragauge.comparison.difference import Difference
from ragauge.display.numbers import interval, number, signed
from ragauge.reports.charts.canvas import Canvas, Scale, coordinate, horizontal_axis, span, vertical_axis
from ragauge.reports.texts import Message, Texts, message
from ragauge.results.score import Score

if TYPE_CHECKING:
    from markupsafe import Markup

_BAR_WIDTH, _BAR_HEIGHT = 190, 20


def interval_bar(texts: Texts, score: Score, ends: tuple[float, float], run: int) -> Markup:
    """Draw ``score`` between ``ends``; a thin line shows between which values failed samples could move it."""
    title = message(
        "page.bar", metric=score.metric, value=number(score.value), interval=interval(score.low, score.high) or "–"
    )
    canvas = Canvas(texts, (_BAR_WIDTH, _BAR_HEIGHT), title)
    scale, y = Scale(*ends, 6, _BAR_WIDTH - 6), _BAR_HEIGHT / 2
    canvas.line((scale.start, y, scale.end, y), "track")
    for end in (scale.start, scale.end):
        canvas.line((end, y - 3, end, y + 3), "track")
    if score.bounds is not None and score.bounds[0] < score.bounds[1]:
        canvas.line((scale(score.bounds[0]), y, scale(score.bounds[1]), y), "bounds")
    _mark(canvas, scale, y, run, score)
    return canvas.markup


def _mark(canvas: Canvas, scale: Scale, y: float, run: int, score: Score, title: str = "") -> None:
    """Draw the value of a run, and its interval as a line."""
    if isfinite(score.low) and isfinite(score.high):
        canvas.line((scale(score.low), y, scale(score.high), y), f"interval run-{run % 6}")
    if isfinite(score.value):
        canvas.marker(run, (scale(score.value), y), title)


_DOTS_NAME, _DOTS_WIDTH, _DOTS_RUN = 110, 300, 11


@dataclass(frozen=True)
class GroupScores:
    """The name of a group, and its score in each run, None where the run does not have the group."""

    name: Message | str
    scores: tuple[Score | None, ...]


def dots(texts: Texts, metric: str, groups: Sequence[GroupScores], ends: tuple[float, float]) -> Markup:
    """Draw the scores of groups between ``ends``."""
    height = 12.0 + _DOTS_RUN * max(1, len(groups[0].scores))
    bottom = 4 + height * len(groups)
    canvas = Canvas(texts, (_DOTS_WIDTH, bottom + 20), message("page.dots", metric=metric))
    scale = Scale(*ends, _DOTS_NAME + 8, _DOTS_WIDTH - 14)
    horizontal_axis(canvas, scale, 4, bottom, 3)
    for place, group in enumerate(groups):
        top = 4 + height * place
        canvas.name((_DOTS_NAME, top + height / 2 + 4), group.name, _DOTS_NAME, "end")
        for run, score in enumerate(group.scores):
            if score is not None:
                y = top + 6 + _DOTS_RUN * (run + 0.5)
                _mark(canvas, scale, y, run, score, f"{number(score.value)} {interval(score.low, score.high)}")
    return canvas.markup


_FOREST_NAME, _FOREST_PLOT, _FOREST_NUMBERS, _FOREST_ROW = 230, 380, 290, 26


@dataclass(frozen=True)
class ForestRow:
    """A difference and the name of its metric."""

    name: str
    difference: Difference


def forest(texts: Texts, rows: Sequence[ForestRow], title: Message) -> Markup:
    """Draw differences of one unit around a line at zero."""
    found = [row.difference for row in rows]
    reach = max([abs(end) for one in found for end in (one.low, one.high, one.difference) if isfinite(end)] or [1.0])
    ends = span([-reach, reach] if reach else [-1.0, 1.0])
    bottom = 8.0 + _FOREST_ROW * len(rows)
    description = "; ".join(f"{row.name} {signed(row.difference.difference)}" for row in rows)
    canvas = Canvas(texts, (_FOREST_NAME + _FOREST_PLOT + _FOREST_NUMBERS, bottom + 22), title, description)
    scale = Scale(*ends, _FOREST_NAME + 10, _FOREST_NAME + _FOREST_PLOT - 10)
    horizontal_axis(canvas, scale, 4, bottom)
    for place, row in enumerate(rows):
        _forest_row(canvas, scale, 8 + _FOREST_ROW * (place + 0.5), row)
    return canvas.markup


def _forest_row(canvas: Canvas, scale: Scale, y: float, row: ForestRow) -> None:
    one = row.difference
    canvas.name((_FOREST_NAME - 6, y + 4), row.name, _FOREST_NAME - 12, "end")
    if isfinite(one.low) and isfinite(one.high):
        canvas.line((scale(one.low), y, scale(one.high), y), f"interval {one.outcome}")
    if isfinite(one.difference):
        circle = canvas.add("circle", cx=scale(one.difference), cy=y, r=4.5, class_=f"mark {one.outcome}")
        canvas.add("title", circle, f"{signed(one.difference)} {interval(one.low, one.high, signed)}")
    x = _FOREST_NAME + _FOREST_PLOT + 4
    canvas.text((x, y + 4), signed(one.difference), "figure")
    canvas.text((x + 56, y + 4), interval(one.low, one.high, signed), "figure muted")
    canvas.text((x + 184, y + 4), ARROWS[one.outcome], f"figure {one.outcome}")
    canvas.text((x + 200, y + 4), message(f"page.outcome.{one.outcome}"), f"figure {one.outcome}")


_CURVES_WIDTH, _CURVES_HEIGHT = 300, 220
_CURVES_LEFT, _CURVES_RIGHT, _CURVES_TOP, _CURVES_BOTTOM = 42, _CURVES_WIDTH - 14, 14, _CURVES_HEIGHT - 40


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


def curves(texts: Texts, metric: str, by_run: Sequence[Curve], ends: tuple[float, float]) -> Markup:
    """Draw a curve of each run between ``ends`` of the metric's range, the cutoffs on a logarithmic axis."""
    description = "; ".join(
        f"{curve.name}: {', '.join(f'k = {point.k} {number(point.value)}' for point in curve.points)}"
        for curve in by_run
    )
    canvas = Canvas(texts, (_CURVES_WIDTH, _CURVES_HEIGHT), message("page.curve", metric=metric), description)
    cutoffs = sorted({point.k for curve in by_run for point in curve.points})
    across = Scale(0, log2(cutoffs[-1]) or 1, _CURVES_LEFT, _CURVES_RIGHT)
    values = [point.value for curve in by_run for point in curve.points]
    up = Scale(*span(values, ends), _CURVES_BOTTOM, _CURVES_TOP)
    vertical_axis(canvas, up, _CURVES_LEFT, _CURVES_RIGHT)
    for k in cutoffs:
        canvas.line((across(log2(k)), up.end, across(log2(k)), up.start), "grid")
        canvas.text((across(log2(k)), up.start + 14), str(k), "tick", "middle")
    for curve in by_run:
        _curve(canvas, across, up, curve)
    canvas.text((_CURVES_RIGHT, _CURVES_HEIGHT - 8), "k", "label", "end")
    return canvas.markup


def _curve(canvas: Canvas, across: Scale, up: Scale, curve: Curve) -> None:
    known = [point for point in curve.points if isfinite(point.value)]
    with_interval = [point for point in known if isfinite(point.low)]
    if len(with_interval) > 1:
        upper = [(across(log2(point.k)), up(point.high)) for point in with_interval]
        lower = [(across(log2(point.k)), up(point.low)) for point in reversed(with_interval)]
        canvas.add("path", d=f"{_path([*upper, *lower])}Z", class_=f"band run-{curve.run % 6}")
    if len(known) > 1:
        line = _path([(across(log2(point.k)), up(point.value)) for point in known])
        canvas.add("path", d=line, class_=f"curve run-{curve.run % 6}")
    for point in known:
        title = f"{curve.name}, k = {point.k}: {number(point.value)}"
        canvas.marker(curve.run, (across(log2(point.k)), up(point.value)), title)


def _path(points: Sequence[tuple[float, float]]) -> str:
    return "M" + "L".join(f"{coordinate(x)} {coordinate(y)}" for x, y in points)
