"""Rankings and judgements in Python dicts, used as they are: few document ids are turned into anything else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from ragauge.ragged import Ragged
from ragauge.rankings._dict_numbers import Scored, numbers, refuse_other_ids
from ragauge.rankings._hits import Hits, highest_first
from ragauge.rankings._order import Order
from ragauge.rankings.judged import JudgedRanks, check_options

if TYPE_CHECKING:
    import pyarrow as pa

    from ragauge.ragged import Array, FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class DictRankings:
    """A run and its judgements as dicts: query id to document id to score, and to grade.

    There is a row for each query of ``qrels``, in its order; a query that the run lacks retrieved nothing, and a
    query of the run without judgements is not looked at. A dict holds no document twice, so ``duplicates`` has
    nothing to do.

    What does not depend on options is worked out once: do not change the dicts between two uses.

    Raises:
        DataError: on use, where a score or a grade is not a number, or an id is not a string.

    >>> rankings = DictRankings({"q1": {"a": 0.1, "b": 0.7, "c": 0.7}}, {"q1": {"b": 1, "x": 2}})
    >>> ranks = rankings.judged(ties="docid-desc", score_dtype="float64", duplicates="error")
    >>> ranks.ranks.to_lists(), ranks.judged.to_lists()
    ([[2]], [[2.0, 1.0]])
    """

    run: Mapping[str, Scored]
    qrels: Mapping[str, Scored]

    def judged(self, *, ties: str, score_dtype: str, duplicates: str) -> JudgedRanks:
        """Rank the judged documents; see `Rankings.judged`."""
        check_options(ties=ties, score_dtype=score_dtype, duplicates=duplicates)
        with np.errstate(over="ignore"):
            scores = self._scores.values.astype(score_dtype, copy=False)
            found = self._found.astype(score_dtype, copy=False)
        order = Order.of(Ragged(scores, self._scores.offsets))
        hits = np.flatnonzero(~np.isnan(found))
        rows = self._grades.rows[hits]
        places = self._places(order, rows, hits, found[hits])
        return Hits(rows, places, self._grades.values[hits]).ranked(order, self._highest_first, ties, self._names)

    @cached_property
    def _retrieved(self) -> list[Scored]:
        refuse_other_ids("run", self.run)
        nothing: Scored = {}
        return [self.run.get(query, nothing) for query in self.qrels]

    @cached_property
    def _scores(self) -> Ragged:
        return numbers("run", "score", self.qrels, self._retrieved)

    @cached_property
    def _grades(self) -> Ragged:
        refuse_other_ids("qrels", self.qrels)
        return numbers("qrels", "grade", self.qrels, list(self.qrels.values()))

    @cached_property
    def _highest_first(self) -> Ragged:
        return highest_first(self._grades)

    @cached_property
    def _found(self) -> FloatArray:
        """The score of each judged document, NaN where it was not retrieved."""
        pairs = zip(self._retrieved, self.qrels.values(), strict=True)
        scores = chain.from_iterable(map(retrieved.get, judged) for retrieved, judged in pairs)
        return np.fromiter(scores, dtype=np.float64, count=len(self._grades.values))

    def _places(self, order: Order, rows: IntArray, hits: IntArray, scores: Array) -> IntArray:
        """Return the flat places of the hits in the order; only where scores are equal are ids looked at."""
        places = order.find(rows, scores)
        first, last = order.ties(rows, places)
        tied = np.flatnonzero(last - first > 1)
        documents = list(chain.from_iterable(self.qrels.values())) if len(tied) else []
        starts = order.scores.offsets[rows[tied]]
        low, high = (first[tied] - starts, last[tied] - starts)
        if order.source is not None:
            low, high = np.zeros_like(starts), order.scores.lengths[rows[tied]]
        names = self._lists(rows[tied])
        within = [
            names[row].index(documents[hit], *span)
            for row, hit, *span in zip(
                rows[tied].tolist(), hits[tied].tolist(), low.tolist(), high.tolist(), strict=True
            )
        ]
        places[tied] = order.placed(starts + np.array(within, dtype=np.int64))
        return places

    def _names(self, flat: IntArray) -> pa.Array:
        """Return the ids of the documents at flat indices of all scores."""
        import pyarrow as pa

        rows = np.searchsorted(self._scores.offsets, flat, side="right") - 1
        within = flat - self._scores.offsets[rows]
        names = self._lists(rows)
        return pa.array([names[row][i] for row, i in zip(rows.tolist(), within.tolist(), strict=True)], pa.string())

    def _lists(self, rows: IntArray) -> dict[int, list[str]]:
        """Return the ids of the documents retrieved for each of ``rows``."""
        return {row: list(self._retrieved[row]) for row in np.unique(rows).tolist()}
