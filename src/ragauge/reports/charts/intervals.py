"""Figures of values with their intervals: bars, dots, forest plots and curves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import isfinite, log2
from typing import TypeAlias

from markupsafe import Markup

from ragauge.comparison.comparison import ARROWS
from ragauge.comparison.difference import Difference
from ragauge.display.numbers import interval, number, signed
from ragauge.reports.charts.canvas import Canvas, Scale, coordinate, horizontal_axis, span, vertical_axis
from ragauge.reports.texts import Message, Texts, message
from ragauge.results.score import Score

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

GroupScores: TypeAlias = tuple[Message | str, Sequence[Score | None]]
"""The name of a group, and its score in each run, None where the run does not have the group."""


def dots(texts: Texts, metric: str, groups: Sequence[GroupScores], ends: tuple[float, float]) -> Markup:
    """Draw the scores of groups between ``ends``."""
    height = 12.0 + _DOTS_RUN * max(1, len(groups[0][1]))
    bottom = 4 + height * len(groups)
    canvas = Canvas(texts, (_DOTS_WIDTH, bottom + 20), message("page.dots", metric=metric))
    scale = Scale(*ends, _DOTS_NAME + 8, _DOTS_WIDTH - 14)
    horizontal_axis(canvas, scale, 4, bottom, 3)
    for place, (name, scores) in enumerate(groups):
        top = 4 + height * place
        canvas.name((_DOTS_NAME, top + height / 2 + 4), name, _DOTS_NAME, "end")
        for run, score in enumerate(scores):
            if score is not None:
                y = top + 6 + _DOTS_RUN * (run + 0.5)
                _mark(canvas, scale, y, run, score, f"{number(score.value)} {interval(score.low, score.high)}")
    return canvas.markup


_FOREST_NAME, _FOREST_PLOT, _FOREST_NUMBERS, _FOREST_ROW = 230, 380, 290, 26


def forest(texts: Texts, by_metric: Mapping[str, Difference], title: Message) -> Markup:
    """Draw differences of one unit around a line at zero."""
    ends = [end for one in by_metric.values() for end in (one.low, one.high, one.difference) if isfinite(end)]
    reach = max(map(abs, ends), default=1.0) or 1.0
    bottom = 8.0 + _FOREST_ROW * len(by_metric)
    description = "; ".join(f"{name} {signed(one.difference)}" for name, one in by_metric.items())
    canvas = Canvas(texts, (_FOREST_NAME + _FOREST_PLOT + _FOREST_NUMBERS, bottom + 22), title, description)
    scale = Scale(*span([-reach, reach]), _FOREST_NAME + 10, _FOREST_NAME + _FOREST_PLOT - 10)
    horizontal_axis(canvas, scale, 4, bottom)
    for place, (name, one) in enumerate(by_metric.items()):
        y = 8 + _FOREST_ROW * (place + 0.5)
        canvas.name((_FOREST_NAME - 6, y + 4), name, _FOREST_NAME - 12, "end")
        _difference(canvas, scale, y, one)
    return canvas.markup


def _difference(canvas: Canvas, scale: Scale, y: float, one: Difference) -> None:
    if isfinite(one.low):
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

Curve: TypeAlias = Mapping[int, Score]  # cutoff k -> the score of a run there


def curves(texts: Texts, metric: str, names: Sequence[str], by_run: Mapping[int, Curve]) -> Markup:
    """Draw the curves of those runs that have one, by their places, from 0 to 1; cutoffs are on a logarithmic axis."""
    described = {
        run: ", ".join(f"k = {k} {number(score.value)}" for k, score in curve.items()) for run, curve in by_run.items()
    }
    description = "; ".join(f"{names[run]}: {points}" for run, points in described.items())
    canvas = Canvas(texts, (_CURVES_WIDTH, _CURVES_HEIGHT), message("page.curve", metric=metric), description)
    cutoffs = sorted({k for curve in by_run.values() for k in curve})
    across = Scale(0, log2(cutoffs[-1]) or 1, _CURVES_LEFT, _CURVES_RIGHT)
    up = Scale(0.0, 1.0, _CURVES_BOTTOM, _CURVES_TOP)
    vertical_axis(canvas, up, _CURVES_LEFT, _CURVES_RIGHT)
    for k in cutoffs:
        canvas.line((across(log2(k)), up.end, across(log2(k)), up.start), "grid")
        canvas.text((across(log2(k)), up.start + 14), str(k), "tick", "middle")
    for run, curve in by_run.items():
        _curve(canvas, across, up, run, names[run], curve)
    canvas.text((_CURVES_RIGHT, _CURVES_HEIGHT - 8), "k", "label", "end")
    return canvas.markup


def _curve(canvas: Canvas, across: Scale, up: Scale, run: int, name: str, curve: Curve) -> None:
    points = {k: (across(log2(k)), up(score.value)) for k, score in curve.items() if isfinite(score.value)}
    band = [k for k in points if isfinite(curve[k].low)]
    if len(band) > 1:
        upper = [(points[k][0], up(curve[k].high)) for k in band]
        lower = [(points[k][0], up(curve[k].low)) for k in reversed(band)]
        canvas.add("path", d=f"{_path([*upper, *lower])}Z", class_=f"band run-{run % 6}")
    if len(points) > 1:
        canvas.add("path", d=_path(points.values()), class_=f"curve run-{run % 6}")
    for k, at in points.items():
        canvas.marker(run, at, f"{name}, k = {k}: {number(curve[k].value)}")


def _path(points: Iterable[tuple[float, float]]) -> str:
    return "M" + "L".join(f"{coordinate(x)} {coordinate(y)}" for x, y in points)
