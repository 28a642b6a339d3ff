"""The worst samples of a run under one metric, with their texts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ragauge.core.arrow import to_arrow
from ragauge.core.hashing import hash_strings
from ragauge.core.ragged import IntArray
from ragauge.writers.writer import FinishedRun

_TEXTS = ("question", "answer", "references", "contexts", "retrieved", "relevance")


@dataclass(frozen=True)
class WorstSample:
    """A sample with its score, or why it has none, and its texts by the name of their column."""

    id: str
    score: float
    """NaN where it has none."""
    reason: str
    """Why it failed; empty where it did not."""
    texts: dict[str, str]


def worst_samples(run: FinishedRun, metric: str, count: int) -> list[WorstSample]:
    """Return up to ``count`` samples, the worst first: those that failed, then those with the worst scores.

    Samples that are missing or undefined are left out, and so are those with the best value that the metric has. Equal
    ones are in the order of a hash of their ids, so that the order of the data does not decide.

    >>> import ragauge
    >>> from ragauge.writers.writer import finished
    >>> rows = [{"id": answer, "answer": answer, "references": ["茶"]} for answer in ("茶", "酒", "茶水")]
    >>> run = finished(ragauge.evaluate(rows, "token-f1"))
    >>> [(one.id, round(one.score, 2)) for one in worst_samples(run, "token-f1", 5)]
    [('酒', 0.0), ('茶水', 0.67)]
    """
    result = run.result
    column, direction = result.columns[metric], result[metric].direction
    best = result.range(metric)[0 if direction == "lower" else 1]
    badness = column.badness(direction)
    chosen = np.flatnonzero((badness > -np.inf) & (column.scores != best))
    ids = result.sample_ids()
    keys = hash_strings(ids.take(to_arrow(chosen)))
    places = chosen[np.lexsort((keys, -badness[chosen]))][:count]
    texts = _texts(run, places)
    return [
        WorstSample(ids[place].as_py(), float(column.scores[place]), column.reasons.get(place, ""), of_it)
        for place, of_it in zip(places.tolist(), texts, strict=True)
    ]


def _texts(run: FinishedRun, places: IntArray) -> list[dict[str, str]]:
    """Return the texts of the samples at ``places`` (m,), m dicts without those that are null."""
    names = [name for name in _TEXTS if name in run.result.data.columns]
    columns = {name: run.result.column(name).take(to_arrow(places)).to_pylist() for name in names}
    return [{name: text for name in names if (text := _joined(columns[name][row]))} for row in range(len(places))]


def _joined(value: Any) -> str:
    """Return a text, or those of a list below each other, judgements as ``id: grade``; empty for null."""
    if not isinstance(value, list):
        return "" if value is None else str(value)
    return "\n".join(f"{one['id']}: {one['grade']:g}" if isinstance(one, dict) else str(one) for one in value)
