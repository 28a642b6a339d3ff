"""Precision, recall and F of counts, with one reference or several."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ragauge.metrics.overlap import _references
from ragauge.metrics.overlap._references import References
from ragauge.ragged import FloatArray, IntArray
from ragauge.statistics import Rows, Statistics


@dataclass(frozen=True, slots=True, eq=False)
class Overlap:
    """What each of m references shares with its hypothesis, and how much there is on either side; all (m,)."""

    match: IntArray
    hypothesis: IntArray
    reference: IntArray
    owner: IntArray
    """The sample of each, ascending."""


def f_measure(precision: FloatArray, recall: FloatArray, beta: float) -> FloatArray:
    """Return (1 + beta^2) P R / (beta^2 P + R), 0 where both are 0. Shapes: any, equal.

    >>> f_measure(np.array([0.5]), np.array([1.0]), 1.0).round(4)
    array([0.6667])
    """
    below = beta**2 * precision + recall
    above = (1 + beta**2) * precision * recall
    return np.where(below > 0, above / np.where(below > 0, below, 1.0), 0.0)


def from_totals(totals: Statistics) -> tuple[FloatArray, FloatArray]:
    """Return precision and recall of summed counts, 0 where there is nothing to divide by."""
    match = totals["match"]
    return match / np.maximum(totals["hypothesis"], 1), match / np.maximum(totals["reference"], 1)


def rows_of(overlap: Overlap, n: int, references: References, beta: float) -> Rows:
    """Make the statistics of n samples: counts of one reference, or means over all of them.

    A sample without references is undefined.
    """
    undefined = np.bincount(overlap.owner, minlength=n) == 0
    precision = overlap.match / np.maximum(overlap.hypothesis, 1)
    recall = overlap.match / np.maximum(overlap.reference, 1)
    f = f_measure(precision, recall, beta)
    if references == "mean":
        values = {"f": f, "precision": precision, "recall": recall}
        means = {name: _references.mean(value, overlap.owner, n) for name, value in values.items()}
        return Rows.of({**means, "count": np.ones(n, dtype=np.int64)}, status=undefined)
    chosen = _references.best(f, overlap.owner, n) if references == "max" else _references.first(overlap.owner, n)
    names = ("match", "hypothesis", "reference")
    return Rows.of({name: _references.at(getattr(overlap, name), chosen) for name in names}, status=undefined)
