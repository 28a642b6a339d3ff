"""Metrics of which one says nothing beside another: on these samples they are equal, or one a multiple of the other."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from math import isclose

import numpy as np

from ragauge.comparison.difference import PairedRuns
from ragauge.core.messages import Message
from ragauge.core.ragged import FloatArray

_CLOSE = 1e-9
"""Relative difference of scores that are equal but for rounding."""
_TINY = 1e-12
"""Difference of those that are nearly 0."""
_FIRST = slice(100)


@dataclass(frozen=True)
class EqualColumns:
    """A metric, and others that are its multiples here: name -> how often each has to be taken to be equal to it."""

    metric: str
    others: Mapping[str, float]

    def sentence(self, titles: Mapping[str, str]) -> str:
        """Return an equation: ``hit-rate@3 = recall@5 = 3 x precision@3 here``."""
        terms = [titles[self.metric]]
        for name, factor in self.others.items():
            terms.append(titles[name] if isclose(factor, 1) else f"{factor:.6g} × {titles[name]}")
        return Message("{equation} here", " = ".join(terms))


def equal_columns(scores: Mapping[str, FloatArray], kept: Collection[str] = ()) -> list[EqualColumns]:
    """Return the metrics whose n scores are multiples of those of another; those of ``kept`` are multiples of none.

    ``scores``: metric -> (n,), NaN where there is none. Columns without a score or with zeros alone are left out.

    >>> hits, thirds = np.array([1.0, 0.0, 1.0]), np.array([1 / 3, 0.0, 1 / 3])
    >>> [one] = equal_columns({"hit-rate@3": hits, "mrr": hits / [1, 1, 2], "precision@3": thirds})
    >>> one.sentence({"hit-rate@3": "hit-rate@3", "precision@3": "precision@3"})
    'hit-rate@3 = 3 × precision@3 here'
    """
    found: dict[str, dict[str, float]] = {}
    sums = {name: float(np.nansum(np.abs(column))) for name, column in scores.items()}
    for name in sorted(scores, key=lambda name: name not in kept):
        if not sums[name]:
            continue
        factors = ((own, sums[own] / sums[name]) for own in found)
        of = next(((own, factor) for own, factor in factors if _equal(scores[own], factor * scores[name])), None)
        if of is None or name in kept:
            found[name] = {}
        else:
            found[of[0]][name] = of[1]
    return [EqualColumns(name, others) for name, others in found.items() if others]


def _equal(own: FloatArray, other: FloatArray) -> bool:
    """Return whether two columns, (n,), are equal but for rounding; nearly all differ among the first samples."""
    return all(
        np.allclose(own[some], other[some], rtol=_CLOSE, atol=_TINY, equal_nan=True) for some in (_FIRST, slice(None))
    )


def of_pairs(runs: PairedRuns, primary: Collection[str]) -> list[EqualColumns]:
    """Return the metrics that say the same of two runs; those of the corpus are never equal.

    A ``primary`` metric is always shown.
    """
    found = []
    for direction in ("higher", "lower"):
        scores = {
            one.name: np.where(one.ok, one.scores, np.nan).ravel()
            for one in runs.metrics
            if not one.pooled and one.direction == direction
        }
        found += equal_columns(scores, primary)
    return found
