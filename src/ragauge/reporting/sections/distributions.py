"""How the scores of samples are spread, metric by metric."""

from __future__ import annotations

from dataclasses import dataclass
from math import nan
from typing import TYPE_CHECKING

import numpy as np

from ragauge.reporting.asked import Asked
from ragauge.reporting.drawing.axis import span
from ragauge.reporting.drawing.histogram import Bars, histogram
from ragauge.reporting.subject import Subject

if TYPE_CHECKING:
    from markupsafe import Markup

_BINS = 20


@dataclass(frozen=True)
class Distribution:
    """A metric's histogram."""

    metric: str
    figure: Markup


def distributions(subject: Subject) -> tuple[Distribution, ...]:
    """Draw a histogram of each metric that any sample has a score under."""
    found = [(one, _figure(subject, one)) for one in subject.asked]
    return tuple(Distribution(one.title, figure) for one, figure in found if figure is not None)


def _figure(subject: Subject, one: Asked) -> Markup | None:
    scores = {place: one.scores(place) for place in range(len(subject.runs))}
    known = {place: found[~np.isnan(found)] for place, found in scores.items() if found is not None}
    if not any(len(found) for found in known.values()):
        return None
    extremes = [float(end) for found in known.values() if len(found) for end in (found.min(), found.max())]
    edges = np.linspace(*span(extremes, one.range), _BINS + 1)
    rows = [
        Bars(place, subject.names[place], np.histogram(found, edges)[0], _mean(one, place))
        for place, found in known.items()
    ]
    return histogram(subject.texts, one.title, edges, rows)


def _mean(one: Asked, place: int) -> float:
    """Return the mean of the samples; a pooled score is none."""
    score = one.score(place)
    return nan if score is None or one.pooled else score.value
