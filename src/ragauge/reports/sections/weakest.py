"""Where to look first: how many samples score worst, the group that does worst, and samples to open."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf, isfinite
from typing import Any
from urllib.parse import quote

import numpy as np

from ragauge.reports.metrics import Asked
from ragauge.reports.samples import Chosen, badness
from ragauge.reports.sections.scores import named
from ragauge.reports.texts import Said, Subject, say
from ragauge.results.score import Score
from ragauge.results.tables import interval, number

_SAMPLES = 3
"""Each is a stop on the way of who goes by keyboard."""
_LEAST = 5
"""Of fewer samples a bootstrap interval is too short to go by."""


@dataclass(frozen=True)
class Sample:
    """A sample to open: ``address`` is what the page's script follows."""

    id: str
    address: str


@dataclass(frozen=True)
class Weakest:
    """The group of ``column`` that does worst."""

    column: str
    group: Said | str
    value: str
    interval: str


@dataclass(frozen=True)
class Row:
    """A metric; ``worst`` says how many samples have the worst score there is, None where there is no such score."""

    metric: str
    lower: bool
    worst: Said | None
    groups: tuple[Weakest, ...]
    samples: tuple[Sample, ...]


def weakest(subject: Subject, chosen: Chosen) -> tuple[Row, ...]:
    """Look for what the last run does worst; metrics under which all samples have the best score are left out."""
    there = [one for one in subject.asked if one.names[-1] is not None]
    rows = (_row(subject, chosen, one) for one in there)
    return tuple(row for row in rows if row.samples or row.groups)


def _row(subject: Subject, chosen: Chosen, one: Asked) -> Row:
    columns = subject.runs[-1].result.options["by"]
    groups = [found for column in columns if (found := _group(one, column)) is not None]
    return Row(one.title, one.direction == "lower", _worst(one), tuple(groups), tuple(_samples(subject, chosen, one)))


def _ends(one: Asked) -> tuple[float, float]:
    """Return the worst and the best score there is."""
    return one.range if one.direction == "higher" else one.range[::-1]


def _worst(one: Asked) -> Said | None:
    scores, end = one.scores(-1), _ends(one)[0]
    if scores is None or not isfinite(end):
        return None
    return say("page.weak.of", n=f"{int((scores == end).sum()):,}", total=f"{int(np.isfinite(scores).sum()):,}")


def _group(one: Asked, column: str) -> Weakest | None:
    """Find the group that would do worst even at the better end of its interval: not one that is small and unlucky."""
    groups = one.runs[-1].result.groups(one.names[-1] or "", column)
    there = [(label, score) for label, score in groups.items() if score.scored >= _LEAST]
    if len(there) < 2:
        return None
    label, score = min(there, key=lambda item: _reach(one, item))
    if score.value == _ends(one)[1]:
        return None
    return Weakest(column, named(label), number(score.value), interval(score))


def _reach(one: Asked, item: tuple[Any, Score]) -> tuple[float, float]:
    """Order groups by the better end of their interval, worst first; without intervals by their value."""
    score, sign = item[1], -1.0 if one.direction == "lower" else 1.0
    better = score.low if one.direction == "lower" else score.high
    some = one.runs[-1].result.options["resamples"]
    return (sign * better if isfinite(better) else inf if some else 0.0), sign * score.value


def _samples(subject: Subject, chosen: Chosen, one: Asked) -> Iterator[Sample]:
    """Yield the samples of the page that score worst, but none of the best score."""
    bad = badness(one, subject.found)[chosen.rows]
    best = _ends(one)[1]
    bad[~np.isfinite(bad) | (bad == (best if one.direction == "lower" else -best))] = -inf
    for place in np.argsort(-bad, kind="stable")[:_SAMPLES]:
        if bad[place] > -inf:
            name = subject.found.ids[int(chosen.rows[place])].as_py()
            yield Sample(name, f"#sample={quote(name, safe='')}")
