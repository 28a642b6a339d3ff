"""``Score``, and ``BootstrapAggregator`` for the means of many scores."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from ragauge.core.ragged import FloatArray
from ragauge.errors import DataError

Score = NamedTuple("Score", [("precision", float), ("recall", float), ("fmeasure", float)])  # noqa: UP014 - `Score` is a class elsewhere
AggregateScore = NamedTuple("AggregateScore", [("low", Score), ("mid", Score), ("high", Score)])  # noqa: UP014 - as above

# Numbers of samples drawn at a time, to keep memory low.
_BLOCK = 1 << 22


class BootstrapAggregator:
    """The mean of scores with an interval from bootstrap replicates.

    They are drawn from a fixed seed, so that equal scores give equal intervals; rouge-score draws from numpy's global
    generator.

    Args:
        confidence_interval: the level of the interval, 0 to 1.
        n_samples: how many replicates are drawn.

    Raises:
        ValueError: an argument is out of range.

    >>> aggregator = BootstrapAggregator()
    >>> for recall in (0.0, 1.0, 1.0):
    ...     aggregator.add_scores({"rouge1": Score(1.0, recall, 0.5)})
    >>> aggregator.aggregate()["rouge1"].low
    Score(precision=1.0, recall=0.0, fmeasure=0.5)
    """

    def __init__(self, confidence_interval: float = 0.95, n_samples: int = 1000) -> None:
        if not 0 <= confidence_interval <= 1:
            raise ValueError(f"confidence_interval must be from 0 to 1; got {confidence_interval!r}")
        if n_samples <= 0:
            raise ValueError(f"n_samples must be 1 or more; got {n_samples!r}")
        self._level, self._replicates = confidence_interval, n_samples
        self._scores: dict[str, list[Score]] = {}

    def add_scores(self, scores: Mapping[str, Score]) -> None:
        """Add the scores of one sample, by their types."""
        for name, score in scores.items():
            self._scores.setdefault(name, []).append(score)

    def aggregate(self) -> dict[str, AggregateScore]:
        """Return for each type the low end, the middle and the high end of the replicates' means."""
        return {name: self._aggregated(np.array(scores, dtype=np.float64)) for name, scores in self._scores.items()}

    def _aggregated(self, scores: FloatArray) -> AggregateScore:
        """Return the percentiles of the means of replicates of ``scores``, (n, 3)."""
        if not len(scores):
            raise DataError("RG-COMPAT-005 there are no scores to aggregate; add some first")
        random, n = np.random.default_rng(0), len(scores)
        step = max(1, _BLOCK // n)
        means = [
            scores[random.integers(0, n, (min(step, self._replicates - first), n))].mean(axis=1)
            for first in range(0, self._replicates, step)
        ]
        below = 50 * (1 - self._level)
        low, mid, high = np.percentile(np.concatenate(means), [below, 50, 100 - below], axis=0).tolist()
        return AggregateScore(Score(*low), Score(*mid), Score(*high))
