"""Scores of groups with their intervals: a row for each group, a mark for each run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING

from ragauge.reporting.drawing.axis import Scale, across
from ragauge.reporting.drawing.canvas import Canvas
from ragauge.reporting.texts import Said, Texts, say
from ragauge.scored import Score
from ragauge.wording import interval, number

if TYPE_CHECKING:
    from markupsafe import Markup

_NAME, _WIDTH, _MARK = 110, 300, 11


@dataclass(frozen=True)
class Row:
    """A group: its name, and its score in each run that has it."""

    name: Said | str
    scores: tuple[Score | None, ...]


def dots(texts: Texts, metric: str, rows: Sequence[Row], ends: tuple[float, float]) -> Markup:
    """Draw groups between ``ends``."""
    tall = 12.0 + _MARK * max(1, len(rows[0].scores))
    bottom = 4 + tall * len(rows)
    canvas = Canvas(texts, (_WIDTH, bottom + 20), say("page.dots", metric=metric))
    scale = Scale(*ends, _NAME + 8, _WIDTH - 14)
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
