"""``cer``: the characters to change, of those of the reference."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ragauge.core.protocol import Average, Direction
from ragauge.core.ragged import FloatArray, IntArray
from ragauge.core.registry import register
from ragauge.core.statistics import Statistics
from ragauge.metrics.text.edit_similarity import EditSimilarity


@register("cer", compat={"jiwer": {"case": "keep", "nfkc": "false", "whitespace": "keep"}})
@dataclass(frozen=True, kw_only=True)
class Cer(EditSimilarity):
    """Character error rate: the fewest characters to insert, delete or replace, over the length of the reference.

    Formula:
        CER = distance(answer, reference) / characters of the reference

    Characters are code points, and a space is one of them. Words are not needed, so every language is scored alike.

    Case is folded and repeated white space is one space; ``compat=jiwer`` keeps both, as jiwer does.

    Unit and range: characters to change for each one of the reference, 0 to infinity; lower is better. Identical text
    scores 0, an empty answer 1, an answer much longer than its reference more than 1. Against an empty reference the
    score is the length of the answer.

    Pooled by default: the distances of all samples over the lengths of all references. Of several references the one
    of lowest rate counts. ``undefined``: the sample has no reference. ``failed``: the texts are too long to compare,
    about 370,000 characters each or the same product of lengths.

    Args:
        average: ``pooled``, or ``samples`` for the mean of the samples' rates.

    Not for: answers that say the same in another order, or in other words.

    Source: Levenshtein 1966, "Binary codes capable of correcting deletions, insertions, and reversals".
    ``compat=jiwer`` equals ``jiwer.cer`` 4.0.0. Deviation: jiwer takes off white space at both ends of a text.

    >>> import pyarrow as pa
    >>> from ragauge.core.batch import Batch
    >>> metric = Cer()
    >>> batch = Batch(pa.table({"answer": ["Sitting"], "references": [["kitten"]]}))
    >>> metric.score(metric.measure(batch).totals())
    np.float64(0.5)
    """

    average: Average = "pooled"

    direction: ClassVar[Direction] = "lower"
    range: ClassVar[tuple[float, float]] = (0.0, math.inf)

    def divisor(self, answers: IntArray, references: IntArray) -> IntArray:  # noqa: ARG002 - as in the base
        """Return the length of each reference, (m,)."""
        return references

    def score(self, totals: Statistics) -> FloatArray:
        """Return the rate."""
        return totals["distance"] / np.maximum(totals["length"], 1)
