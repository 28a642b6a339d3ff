"""The metrics of all runs, those that are the same number lined up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, isfinite
from typing import cast

from ragauge.core.protocol import Direction, Metric, Stage
from ragauge.core.ragged import FloatArray
from ragauge.core.registry import parse
from ragauge.errors import UsageError
from ragauge.reports.run import Run
from ragauge.results.score import Score


@dataclass(frozen=True, eq=False)
class Asked:
    """One metric. ``names`` holds what each run calls it, None where a run does not have it."""

    title: str
    stage: Stage
    direction: Direction
    range: tuple[float, float]
    """Infinite where there is no end, or where it is not known: a function's metric, read from disk."""
    names: tuple[str | None, ...]
    runs: tuple[Run, ...]
    pooled: bool

    @property
    def bounded(self) -> bool:
        """Whether both ends of the range are known."""
        return isfinite(self.range[0]) and isfinite(self.range[1])

    @property
    def everywhere(self) -> bool:
        """Whether all runs have it."""
        return None not in self.names

    def score(self, place: int) -> Score | None:
        """Return the score of the run at ``place`` over all its samples."""
        name = self.names[place]
        return None if name is None else self.runs[place].result[name]

    def scores(self, place: int) -> FloatArray | None:
        """Return the score of each sample of the run at ``place``, (n,)."""
        name = self.names[place]
        return None if name is None else self.runs[place].result.columns[name].scores


def asked_of(runs: tuple[Run, ...]) -> tuple[Asked, ...]:
    """List the metrics of all ``runs`` in the order they were asked for; other options make another metric."""
    names: dict[tuple[str, int], list[str | None]] = {}
    for place, run in enumerate(runs):
        seen: Counter[str] = Counter()
        for name in run.result.metrics:
            identity = run.result[name].signature.rpartition("|ragauge=")[0]
            names.setdefault((identity, seen[identity]), [None] * len(runs))[place] = name
            seen[identity] += 1
    titles: list[str] = []
    return tuple(_asked(runs, found, titles) for found in names.values())


def _asked(runs: tuple[Run, ...], names: Sequence[str | None], titles: list[str]) -> Asked:
    place = next(place for place, name in enumerate(names) if name is not None)
    name = cast(str, names[place])
    score, title = runs[place].result[name], name
    while title in titles:
        title = f"{title} ({runs[place].name})"
    titles.append(title)
    metric = metric_of(runs[place], name)
    ends = (-inf, inf) if metric is None else metric.range
    return Asked(title, score.stage, score.direction, ends, tuple(names), runs, score.average == "pooled")


def metric_of(run: Run, name: str) -> Metric | None:
    """Make the metric that ``run`` calls ``name``; None where its name is not known here, as that of a function."""
    try:
        return parse(run.result.metrics[name])
    except UsageError:
        return None
