"""What metrics have against the means that are compared, as of a judge that stands in for another metric."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ragauge.comparison.metric_tests import PairedMetric
from ragauge.core.messages import Joined, Message
from ragauge.core.statistics import Totals, split
from ragauge.display.numbers import label
from ragauge.errors import worded
from ragauge.results.result import Result

_DOUBT = "RG-CMP-112 {run}: {metrics}: {doubt}; the interval of the difference does not show how far that is off"
_MOST_NAMED = 5


def notes_on_doubts(
    base: Result, names: Sequence[str], compared: Sequence[tuple[Mapping[str, Any] | None, Sequence[PairedMetric]]]
) -> Iterator[Message]:
    """Yield a note for each run and each doubt of its means on paired samples, with its metrics and groups.

    ``names``: of the base and of the candidate. ``compared``: each group of samples, None for all, and its metrics.
    """
    for place, run in enumerate(names):
        found: dict[str, list[str]] = {}
        for group, metrics in compared:
            for one in metrics:
                for doubt in _doubts(base.metrics[one.name], one, place):
                    shown = found.setdefault(doubt, [])
                    # A doubt of all samples need not be named again for each group.
                    if one.name not in shown:
                        shown.append(one.name if group is None else f"{one.name} ({label(group)})")
        for doubt, shown_of in found.items():
            more = ["..."] if len(shown_of) > _MOST_NAMED else []
            yield Message(_DOUBT, run, Joined([*shown_of[:_MOST_NAMED], *more], ", "), worded(doubt))


def _doubts(metric: Any, paired: PairedMetric, place: int) -> Sequence[str]:
    if not hasattr(metric, "doubts_on") or not paired.pooled:
        return ()
    statistics = (paired.base, paired.candidate)[place][paired.ok]
    parts = split(statistics, np.zeros(len(paired.names), dtype=bool))
    doubts: Sequence[str] = metric.doubts_on(Totals(paired.names, parts.sum(axis=1)))
    return doubts
