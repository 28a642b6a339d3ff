"""The figures of a metric over runs: values with their intervals, and which run moved it; and small strokes of them."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, isfinite

from markupsafe import Markup

from ragauge.comparison.past_runs import Change, PastRun
from ragauge.display.numbers import interval, number
from ragauge.reports.charts.canvas import Canvas, Scale, coordinate, span, vertical_axis
from ragauge.reports.texts import Texts, message
from ragauge.results.score import Score, shown_name

_LEFT, _TOP, _PLOT, _BELOW = 52, 12, 190, 42
_WIDTH = 920
"""Pixels that the runs share; a figure of more runs than fit is wider, and scrolls."""
_NEAREST, _FARTHEST = 18, 96
"""Pixels between two runs."""
_LABEL = 88
"""Pixels that the label of a run takes; where runs are nearer than that, not each has one."""
_STROKES = (132, 34)
"""Pixels of strokes without axes."""
_SHAPES = {"better": 3, "worse": 4}
"""The shape of a run that a test decides, so that colour is not all that tells it."""


def over_runs(texts: Texts, metric: str, runs: Sequence[PastRun], changes: Sequence[Change | None]) -> Markup:
    """Draw the scores of ``runs`` under ``metric`` from left to right; the change of each run is that of its place.

    A line joins two neighbours whose change was computed; between others there is a gap.
    """
    scores = [run.scores[metric] for run in runs]
    step = min(max(_WIDTH / len(runs), _NEAREST), _FARTHEST)
    right, bottom = _LEFT + step * len(runs), _TOP + _PLOT
    title = message("page.history.figure", metric=shown_name(metric), n=len(runs))
    width = max(right + (_LABEL - step) / 2, right) + 4
    canvas = Canvas(texts, (max(width, 320), bottom + _BELOW), title, _described(runs, scores))
    up = Scale(*span(end for one in scores for end in (one.low, one.value, one.high)), bottom, _TOP)
    vertical_axis(canvas, up, _LEFT, right)
    places = [_LEFT + step * (place + 0.5) for place in range(len(runs))]
    _join(canvas, [(x, up(one.value)) if isfinite(one.value) else None for x, one in zip(places, scores, strict=True)],
          [change is not None and change.difference is not None for change in changes])  # fmt: skip
    for x, run, score, change in zip(places, runs, scores, changes, strict=True):
        _mark(canvas, up, x, run, score, change)
    _labels(canvas, places, runs, bottom, every=ceil(_LABEL / step))
    return canvas.markup


def strokes(texts: Texts, metric: str, scores: Sequence[tuple[str, Score]]) -> Markup:
    """Draw the values of runs, with their names, as points with intervals, without an axis.

    The table beside it has the numbers. A run without a value leaves a gap. No line joins the points: runs of a report
    may be any systems, in any order.
    """
    described = "; ".join(
        f"{name} {number(one.value, one.low, one.high)} {interval(one.low, one.high)}".rstrip() for name, one in scores
    )
    title = message("page.history.figure", metric=shown_name(metric), n=len(scores))
    canvas = Canvas(texts, _STROKES, title, described)
    width, height = _STROKES
    ends = [end for _, one in scores for end in (one.low, one.value, one.high) if isfinite(end)] or [0.0]
    low, high = min(ends), max(ends)
    up = Scale(low, high, height - 5, 5) if high > low else Scale(low - 1, low + 1, height - 5, 5)
    step = (width - 12) / max(1, len(scores) - 1)
    points = [
        (6 + step * place, up(one.value)) if isfinite(one.value) else None for place, (_, one) in enumerate(scores)
    ]
    for point, (_, one) in zip(points, scores, strict=True):
        if point is not None:
            if isfinite(one.low) and isfinite(one.high):
                canvas.line((point[0], up(one.low), point[0], up(one.high)), "spread")
            canvas.add("circle", cx=point[0], cy=point[1], r=2.6, class_="mark")
    return canvas.markup


def label_of(run: PastRun) -> str:
    """Return what a run is called in figures: its tag, or else its folder."""
    return run.tag or run.name


def _described(runs: Sequence[PastRun], scores: Sequence[Score]) -> str:
    return "; ".join(
        f"{label_of(run)} {number(score.value, score.low, score.high)} {interval(score.low, score.high)}".rstrip()
        for run, score in zip(runs, scores, strict=True)
    )


def _join(canvas: Canvas, points: Sequence[tuple[float, float] | None], compared: Sequence[bool]) -> None:
    for before, after, joined in zip(points, points[1:], compared[1:], strict=False):
        if joined and before is not None and after is not None:
            ends = "L".join(f"{coordinate(x)} {coordinate(y)}" for x, y in (before, after))
            canvas.add("path", d=f"M{ends}", class_="curve base")


def _mark(canvas: Canvas, up: Scale, x: float, run: PastRun, score: Score, change: Change | None) -> None:
    """Draw the value of a run, its interval as a line, and its name, day and change as a tooltip."""
    difference = change.difference if change is not None else None
    outcome = difference.outcome if difference is not None else ""
    if isfinite(score.low) and isfinite(score.high):
        canvas.line((x, up(score.low), x, up(score.high)), f"interval {outcome}".rstrip())
    if isfinite(score.value):
        ends = interval(score.low, score.high)
        shown = (label_of(run), run.created[:10], f"{number(score.value, score.low, score.high)} {ends}".rstrip())
        canvas.shape(_SHAPES.get(outcome, 0), (x, up(score.value)), f"mark {outcome}".rstrip(), ", ".join(shown))


def _labels(canvas: Canvas, places: Sequence[float], runs: Sequence[PastRun], bottom: float, every: int) -> None:
    """Write name and day of every so many runs, the last one among them."""
    for place, (x, run) in enumerate(zip(places, runs, strict=True)):
        if (len(runs) - 1 - place) % every == 0:
            canvas.name((x, bottom + 18), label_of(run), _LABEL - 8, "middle", "tick")
            canvas.text((x, bottom + 33), run.created[:10], "tick", "middle")
