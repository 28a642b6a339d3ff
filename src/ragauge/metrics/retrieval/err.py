"""``err@k``: expected reciprocal rank."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from ragauge.core.batch import Batch
from ragauge.core.options import Cutoff, Range
from ragauge.core.ragged import FloatArray, IntArray, Ragged
from ragauge.core.registry import register
from ragauge.core.statistics import Rows
from ragauge.errors import DataError
from ragauge.metrics.retrieval._rank_sums import View, powers_of_two
from ragauge.metrics.retrieval._ranked import Averaged, check_no_mean


@register("err", at="k")
@dataclass(frozen=True, kw_only=True)
class Err(Averaged):
    """Expected reciprocal rank: the mean of 1/rank over the ranks where a reader may stop, satisfied.

    Formula:
        ERR@k = sum over ranks i = 1..k of s(i) / i * product over j < i of (1 - s(j))
        s(i)  = (2^g - 1) / 2^max_grade, g = the grade at rank i

    Unit and range: one per rank, 0 to 1. A document satisfies with probability s, one of a grade below 0 never. The
    divisor is the same for every query, so that scores compare across queries; with one document of the highest grade
    at rank 1 it is just below 1. Passages: a passage has grade 1 if it matches a
    reference passage that no earlier passage matched; set ``max_grade=1`` there. ``undefined``: the query has no
    judgement above grade 0.

    Args:
        max_grade: the highest grade of the scale, not of the query; 4 as in gdeval.
        k: documents below rank k do not count; None: there is no cutoff.

    Raises:
        OptionError: max_grade is not above 0, ``ties=mean`` (there is no closed form), or another option has a value
            that it does not take.
        DataError: a grade is above ``max_grade``.

    >>> import pyarrow as pa
    >>> judged = [[{"id": "a", "grade": 1.0}, {"id": "b", "grade": 3.0}]]
    >>> batch = Batch(pa.table({"id": ["q"], "retrieved": [["a", "b", "c"]], "relevance": judged}))
    >>> Err(k=2).score(Err(k=2).measure(batch).totals()).round(4)
    np.float64(0.2676)

    Not for: relevance of 0 and 1 under the default ``max_grade=4``, where a hit at rank 1 scores 1/16: set
    ``max_grade=1``. Nor for questions that need several passages: after a satisfying one the others hardly count.

    Source: Chapelle, Metzler, Zhang and Grinspan 2009; ``err`` of gdeval.pl 1.3, which prints 5 digits.
    """

    max_grade: Annotated[float, Range(0, 1023, above=True)] = 4
    k: Cutoff = None

    def __post_init__(self) -> None:
        check_no_mean(self, "err has no closed form for the mean over the orders of tied documents")

    def measure(self, batch: Batch) -> Rows:
        """Follow a reader down each ranking."""
        view = self.views(batch).novel
        self._check(view)
        graded = np.bincount(view.judged_rows[view.judged_ranks.judged.values > 0], minlength=len(view)) > 0
        return self.rows(batch, graded, {"value": self._value(view)})

    def _value(self, view: View) -> FloatArray:
        return self.stops(view.rows, view.judged_ranks.ranks.values, view.judged_ranks.grades, view)

    def stops(self, rows: IntArray, ranks: IntArray, grades: FloatArray, view: View) -> FloatArray:
        """Add the chance to stop at each document, divided by its rank, of those up to k: (n,).

        Shapes: the query, the rank and the grade of each of m documents, by query and rank: (m,).
        """
        good = (grades > 0) & (ranks <= (self.k or view.depth))
        rows, ranks = rows[good], ranks[good]
        satisfied = (powers_of_two(grades[good]) - 1.0) / 2.0**self.max_grade
        lists = Ragged.from_lengths(satisfied, np.bincount(rows, minlength=len(view)))
        values = _not_before(lists) * satisfied / ranks
        return np.asarray(np.bincount(rows, weights=values, minlength=len(view)), dtype=np.float64)

    def _check(self, view: View) -> None:
        highest = view.judged_ranks.judged.values.max(initial=0.0)
        if highest > self.max_grade:
            raise DataError(
                "RG-METRIC-011 err: max_grade must be at least the highest grade of the data, {highest:g}; got "
                "{max_grade:g}. Write err:max_grade={highest:g}, or the highest grade of your scale.",
                highest,
                self.max_grade,
            )


def _not_before(satisfied: Ragged) -> FloatArray:
    """Return the chance that no earlier document of its list satisfied, beside ``satisfied.values``."""
    place = satisfied.positions + 1
    table = np.ones((len(satisfied), int(place.max(initial=0)) + 1))
    table[satisfied.rows, place] = 1.0 - satisfied.values
    return np.asarray(np.multiply.accumulate(table, axis=1)[satisfied.rows, place - 1])
