"""Every score by stage: value, interval, how many samples it rests on, and what did not count."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING

from ragauge.protocol import STAGES, Stage
from ragauge.reporting.asked import Asked
from ragauge.reporting.drawing.axis import span
from ragauge.reporting.drawing.interval import interval_bar
from ragauge.reporting.subject import Subject
from ragauge.reporting.texts import Said, say
from ragauge.scored import Score
from ragauge.wording import interval, number

if TYPE_CHECKING:
    from markupsafe import Markup


@dataclass(frozen=True)
class Line:
    """The score of one run; ``notes`` say what did not count and what that could change."""

    run: str
    place: int
    value: str
    bar: Markup
    interval: str
    counted: str
    notes: tuple[Said | str, ...]


@dataclass(frozen=True)
class Card:
    """A metric and its scores in each run that has it."""

    metric: str
    lower: bool
    pooled: bool
    lines: tuple[Line, ...]


@dataclass(frozen=True)
class Part:
    """The metrics of a stage."""

    stage: Stage
    cards: tuple[Card, ...]


def scorecard(subject: Subject) -> tuple[Part, ...]:
    """Put all scores over all samples in order."""
    parts = [(stage, [one for one in subject.asked if one.stage == stage]) for stage in STAGES]
    return tuple(Part(stage, tuple(_card(subject, one) for one in found)) for stage, found in parts if found)


def ends_of(one: Asked, scores: list[Score]) -> tuple[float, float]:
    """Return between which values ``scores`` are drawn: the metric's range, or what they and their intervals need."""
    ends = [end for score in scores for end in (score.value, score.low, score.high)]
    # A count or a time begins at 0, and a bar of it should.
    least = [0.0] if not one.bounded and all(end >= 0 for end in ends if isfinite(end)) else []
    return span([*ends, *least], one.range)


def _card(subject: Subject, one: Asked) -> Card:
    scores = [(place, score) for place in range(len(subject.runs)) if (score := one.score(place)) is not None]
    ends = ends_of(one, [score for _, score in scores])
    lines = [
        Line(
            subject.runs[place].name,
            place,
            number(score.value),
            interval_bar(subject.texts, score, ends, place),
            interval(score),
            f"{score.counted:,} / {score.total:,}",
            tuple(_notes(score)),
        )
        for place, score in scores
    ]
    return Card(one.title, one.direction == "lower", one.pooled, tuple(lines))


def _notes(score: Score) -> Iterator[Said | str]:
    for state in ("failed", "missing", "undefined"):
        if getattr(score, state):
            yield say(f"page.note.{state}", n=f"{getattr(score, state):,}")
    if score.bounds is not None and score.bounds[0] < score.bounds[1]:
        yield say("page.note.bounds", low=number(score.bounds[0]), high=number(score.bounds[1]))
    if score.undefined_scored:
        yield say("page.note.zero", n=f"{score.undefined_scored:,}")
    yield from (f"{count:,} {name}" for name, count in score.noted.items())
    yield from score.notes
    for name, part in score.parts.items():
        yield f"{name} {number(part) if part < 2 or part % 1 else f'{part:.0f}'}"
