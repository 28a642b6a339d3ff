"""A value with its interval, as a small bar that fits a cell of a table."""

from __future__ import annotations

from math import isfinite, isnan
from typing import TYPE_CHECKING

from ragauge.reporting.drawing.axis import Scale
from ragauge.reporting.drawing.canvas import Canvas
from ragauge.reporting.texts import Texts, say
from ragauge.scored import Score
from ragauge.wording import interval, number

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
