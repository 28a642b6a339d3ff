"""Runs by quality and by cost, and those that no other run beats in both."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import isfinite

from markupsafe import Markup

from ragauge.display.numbers import interval, number
from ragauge.reports.charts.canvas import Canvas, Scale, horizontal_axis, span, vertical_axis
from ragauge.reports.texts import Texts, message
from ragauge.results.score import Score, shown_name

_WIDTH, _HEIGHT, _LEFT, _TOP, _BELOW = 620, 300, 56, 26, 48
_NAME = 150
"""Pixels of the name of a run."""


def on_front(points: Sequence[tuple[float, float]]) -> list[int]:
    """Return the places of the points (cost, quality) that no other is as good as in both and better in one.

    They are in the order of their cost.

    >>> on_front([(1.0, 0.5), (2.0, 0.9), (2.0, 0.7), (3.0, 0.9), (1.0, 0.5)])
    [0, 4, 1]
    """
    best = [
        place
        for place, (cost, quality) in enumerate(points)
        if not any(one <= cost and other >= quality and (one, other) != (cost, quality) for one, other in points)
    ]
    return sorted(best, key=lambda place: points[place])


def front(texts: Texts, names: Sequence[str], costs: Sequence[Score], qualities: Sequence[Score]) -> Markup:
    """Draw runs as points with their names: those of the front as diamonds that a line joins.

    Of the scores of each run, ``costs`` are of one metric of which lower is better, ``qualities`` of another.
    """
    cost, quality = (shown_name(scores[0].metric) for scores in (costs, qualities))
    title = message("view.front.figure", quality=quality, cost=cost, n=len(names))
    canvas = Canvas(texts, (_WIDTH, _HEIGHT), title, "; ".join(map(_described, names, costs, qualities)))
    low, high = span(one.value for one in costs)
    across = Scale(low, high, _LEFT, _WIDTH - 14)
    up = Scale(*span(one.value for one in qualities), _HEIGHT - _BELOW, _TOP)
    horizontal_axis(canvas, across, up.end, up.start, gap=18)
    vertical_axis(canvas, up, across.start, across.end)
    points = [(one.value, other.value) for one, other in zip(costs, qualities, strict=True)]
    best = on_front(points)
    for place, other in pairwise(best):
        canvas.line(tuple(_at(points[place], across, up) + _at(points[other], across, up)), "diagonal")  # type: ignore[arg-type]
    for place, (name, point) in enumerate(zip(names, points, strict=True)):
        x, y = _at(point, across, up)
        canvas.shape(int(place in best), (x, y), "mark", _described(name, costs[place], qualities[place]))
        if place in best:
            room = x + _NAME < _WIDTH
            canvas.name((x + 9 if room else x - 9, y - 7), name, _NAME, "start" if room else "end", "tick")
    canvas.name((across.end, _HEIGHT - 8), cost, _WIDTH / 2, "end", "label")
    canvas.name((2, 12), quality, _WIDTH / 2, class_="label")
    return canvas.markup


def are_known(one: Score, other: Score) -> bool:
    """Return whether both scores are numbers."""
    return isfinite(one.value) and isfinite(other.value)


def _at(point: tuple[float, float], across: Scale, up: Scale) -> list[float]:
    return [across(point[0]), up(point[1])]


def _described(name: str, cost: Score, quality: Score) -> str:
    shown = [
        f"{shown_name(one.metric)} {number(one.value, one.low, one.high)} {interval(one.low, one.high)}".rstrip()
        for one in (quality, cost)
    ]
    return f"{name}: {', '.join(shown)}"
