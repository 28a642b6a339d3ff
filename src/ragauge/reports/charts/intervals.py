"""Figures of values with their intervals: bars, dots, forest plots and curves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import isfinite, log2
from typing import TypeAlias

from markupsafe import Markup

from ragauge.comparison.difference import ARROWS, Difference, ends_text
from ragauge.comparison.risk_coverage import RiskCoverage
from ragauge.display.numbers import interval, number, percentage, signed
from ragauge.reports.charts.canvas import Canvas, Scale, coordinate, horizontal_axis, span, vertical_axis
from ragauge.reports.listing import listing
from ragauge.reports.texts import PageText, Texts, message
from ragauge.results.score import Score, shown_name

_BAR_WIDTH, _BAR_HEIGHT = 190, 20


def interval_bar(texts: Texts, score: Score, ends: tuple[float, float], run: int) -> Markup:
    """Draw ``score`` between ``ends``; a thin line shows between which values failed samples could move it."""
    title = message(
        "page.bar",
        metric=shown_name(score.metric),
        value=number(score.value, score.low, score.high),
        interval=interval(score.low, score.high) or "–",
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


def _mark(canvas: Canvas, scale: Scale, y: float, run: int, score: Score, title: str = "", data_show: str = "") -> None:
    """Draw the value of a run, and its interval as a line; ``data_show`` is the address that a click opens."""
    drawn = []
    if isfinite(score.low) and isfinite(score.high):
        drawn.append(canvas.line((scale(score.low), y, scale(score.high), y), f"interval run-{run % 6}"))
    if isfinite(score.value):
        drawn.append(canvas.marker(run, (scale(score.value), y), title))
    for element in drawn if data_show else ():
        element.set("data-show", data_show)


_DOTS_NAME, _DOTS_WIDTH, _DOTS_RUN = 110, 300, 11

GroupScores: TypeAlias = tuple[PageText | str, Sequence[Score | None]]
"""The name of a group, and its score in each run, None where the run does not have the group."""


def dots(
    texts: Texts, metric: str, groups: Sequence[GroupScores], ends: tuple[float, float], addresses: Sequence[str]
) -> Markup:
    """Draw the scores of groups between ``ends``; ``addresses`` list the samples of each group."""
    height = 12.0 + _DOTS_RUN * max(1, len(groups[0][1]))
    bottom = 4 + height * len(groups)
    canvas = Canvas(texts, (_DOTS_WIDTH, bottom + 20), message("page.dots", metric=metric))
    scale = Scale(*ends, _DOTS_NAME + 8, _DOTS_WIDTH - 14)
    horizontal_axis(canvas, scale, 4, bottom, 3)
    for place, (name, scores) in enumerate(groups):
        top = 4 + height * place
        canvas.add("rect", x=0, y=top, width=_DOTS_WIDTH, height=height, class_="row", data_show=addresses[place])
        canvas.name((_DOTS_NAME, top + height / 2 + 4), name, _DOTS_NAME, "end", "over")
        for run, score in enumerate(scores):
            if score is not None:
                y = top + 6 + _DOTS_RUN * (run + 0.5)
                title = f"{number(score.value, score.low, score.high)} {interval(score.low, score.high)}"
                _mark(canvas, scale, y, run, score, title, addresses[place])
    return canvas.markup


_FOREST_NAME, _FOREST_PLOT, _FOREST_NUMBERS, _FOREST_ROW = 230, 380, 290, 26

Differences: TypeAlias = Mapping[str, tuple[str, Difference]]
"""The name of a metric as it is shown -> its title, by which the samples know it, and its difference."""


def forest(texts: Texts, by_name: Differences, title: PageText, run: str) -> Markup:
    """Draw differences of one unit around a line at zero; a click lists the samples of ``run`` that changed most."""
    bottom = 8.0 + _FOREST_ROW * len(by_name)
    canvas = Canvas(texts, (_FOREST_NAME + _FOREST_PLOT + _FOREST_NUMBERS, bottom + 22), title, _described(by_name))
    scale = Scale(*_reach(by_name), _FOREST_NAME + 10, _FOREST_NAME + _FOREST_PLOT - 10)
    horizontal_axis(canvas, scale, 4, bottom)
    for place, (name, (metric, one)) in enumerate(by_name.items()):
        y = 8 + _FOREST_ROW * (place + 0.5)
        canvas.name((_FOREST_NAME - 6, y + 4), name, _FOREST_NAME - 12, "end")
        _difference(canvas, scale, y, one, most_changed(metric, run))
        x = _FOREST_NAME + _FOREST_PLOT + 4
        canvas.text((x, y + 4), signed(*one.shown), "figure")
        canvas.text((x + 56, y + 4), ends_text(one), "figure muted")
        _outcome(canvas, (x + 184, y + 4), one)
    return canvas.markup


_SMALL_WIDTH, _SMALL_ROW, _SMALL_OUTCOME = 340, 42, 100


def small_forest(texts: Texts, by_name: Differences, title: PageText, run: str) -> Markup:
    """Draw the same as `forest` for a phone: names and outcomes above the lines."""
    bottom = 4.0 + _SMALL_ROW * len(by_name)
    canvas = Canvas(texts, (_SMALL_WIDTH, bottom + 22), title, _described(by_name))
    scale = Scale(*_reach(by_name), 14, _SMALL_WIDTH - 14)
    horizontal_axis(canvas, scale, 4, bottom, 4)
    for place, (name, (metric, one)) in enumerate(by_name.items()):
        y, x = 4.0 + _SMALL_ROW * place, _SMALL_WIDTH - _SMALL_OUTCOME
        canvas.name((0, y + 16), name, x - 70)
        canvas.text((x - 8, y + 16), signed(*one.shown), "figure", "end")
        _outcome(canvas, (x, y + 16), one)
        _difference(canvas, scale, y + 31, one, most_changed(metric, run))
    return canvas.markup


def most_changed(metric: str, run: str) -> str:
    """Return the address that lists the samples of ``run`` by how much they changed under ``metric``."""
    return listing(("metric", metric), ("sort", "changed"), ("run", run))


def _described(by_name: Differences) -> str:
    return "; ".join(f"{name} {signed(*one.shown)}" for name, (_, one) in by_name.items())


def _reach(by_name: Differences) -> tuple[float, float]:
    ends = [end for _, one in by_name.values() for end in one.shown if isfinite(end)]
    reach = max(map(abs, ends), default=1.0) or 1.0
    return span([-reach, reach])


def _difference(canvas: Canvas, scale: Scale, y: float, one: Difference, address: str) -> None:
    value, low, high = one.shown
    if isfinite(low):
        canvas.line((scale(low), y, scale(high), y), f"interval {one.outcome}").set("data-show", address)
    if isfinite(value):
        circle = canvas.add("circle", cx=scale(value), cy=y, r=4.5, class_=f"mark {one.outcome}")
        circle.set("data-show", address)
        canvas.add("title", circle, f"{signed(*one.shown)} {ends_text(one)}")


def _outcome(canvas: Canvas, at: tuple[float, float], one: Difference) -> None:
    canvas.text(at, ARROWS[one.outcome], f"figure {one.outcome}")
    canvas.text((at[0] + 16, at[1]), message(f"page.outcome.{one.outcome}"), f"figure {one.outcome}")


_CURVES_WIDTH, _CURVES_HEIGHT = 300, 220
_CURVES_LEFT, _CURVES_RIGHT, _CURVES_TOP, _CURVES_BOTTOM = 42, _CURVES_WIDTH - 14, 14, _CURVES_HEIGHT - 40

_KEPT = 50
"""Points of a curve of risk."""

Curve: TypeAlias = Mapping[int, Score]  # cutoff k -> the score of a run there


def curves(texts: Texts, metric: str, names: Sequence[str], by_run: Mapping[int, Curve]) -> Markup:
    """Draw the curves of those runs that have one, by their places, from 0 to 1; cutoffs are on a logarithmic axis."""
    described = {
        run: ", ".join(f"k = {k} {number(score.value, score.low, score.high)}" for k, score in curve.items())
        for run, curve in by_run.items()
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


def risks(texts: Texts, metric: str, names: Sequence[str], by_run: Mapping[int, RiskCoverage]) -> Markup:
    """Draw for each run the risk of its most confident answers, from 0 to 1, by the share that is kept."""
    described = "; ".join(
        f"{names[run]}: " + ", ".join(f"{percentage(kept)} {number(curve.at(kept))}" for kept in (1.0, 0.5, 0.2))
        for run, curve in by_run.items()
    )
    canvas = Canvas(texts, (_CURVES_WIDTH, _CURVES_HEIGHT), message("page.confidence.figure", metric=metric), described)
    across, up = Scale(0.0, 1.0, _CURVES_LEFT, _CURVES_RIGHT), Scale(0.0, 1.0, _CURVES_BOTTOM, _CURVES_TOP)
    vertical_axis(canvas, up, _CURVES_LEFT, _CURVES_RIGHT)
    horizontal_axis(canvas, across, up.end, up.start)
    for run, curve in by_run.items():
        points = [(across(kept), up(curve.at(kept))) for kept in (place / _KEPT for place in range(1, _KEPT + 1))]
        canvas.add("path", d=_path(points), class_=f"curve run-{run % 6}")
        canvas.marker(run, points[-1], f"{names[run]}: {number(curve.whole)}")
    canvas.text((_CURVES_RIGHT, _CURVES_HEIGHT - 8), message("page.confidence.kept"), "label", "end")
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
        canvas.marker(run, at, f"{name}, k = {k}: {number(curve[k].value, curve[k].low, curve[k].high)}")


def _path(points: Iterable[tuple[float, float]]) -> str:
    return "M" + "L".join(f"{coordinate(x)} {coordinate(y)}" for x, y in points)
