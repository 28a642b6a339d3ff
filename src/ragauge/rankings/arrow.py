"""Rankings and judgements that lie in Arrow columns."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING

import numpy as np

from ragauge.errors import DataError
from ragauge.ragged import Ragged
from ragauge.rankings._hits import Hits
from ragauge.rankings._join import Join
from ragauge.rankings._judgements import Judgements
from ragauge.rankings._lists import Lists, whole
from ragauge.rankings._order import Order
from ragauge.rankings._ties import before
from ragauge.rankings.judged import JudgedRanks, check_options

if TYPE_CHECKING:
    import pyarrow as pa

    from ragauge.ragged import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class ArrowRankings:
    """Rankings of ``n`` queries as columns, one row a query.

    ``ids``: (n,) the queries' ids. ``retrieved``: (n,) list<string>, the ids of the retrieved documents.
    ``scores``: (n,) list<double> beside it; where the list, or all of it, is null, the order given is the ranking.
    ``relevance``: (n,) list<struct<id: string, grade: double>>, the judgements. A null list is an empty one.

    What does not depend on options is worked out once, so ranking again under other options is cheap.

    Raises:
        DataError: on use, where a list of scores is not as long as its list of documents, a document is judged
            twice with different grades, a list holds a null, or a score or grade is NaN.

    >>> import pyarrow as pa
    >>> rankings = ArrowRankings(
    ...     ids=pa.array(["q1"]),
    ...     retrieved=pa.array([["a", "b", "c"]]),
    ...     scores=pa.array([[0.1, 0.7, 0.7]]),
    ...     relevance=pa.array([[{"id": "b", "grade": 1.0}, {"id": "x", "grade": 2.0}]]),
    ... )
    >>> ranks = rankings.judged(ties="docid-desc", score_dtype="float64", duplicates="error")
    >>> ranks.ranks.to_lists(), ranks.judged.to_lists()
    ([[2]], [[2.0, 1.0]])
    """

    ids: pa.Array | pa.ChunkedArray
    retrieved: pa.Array | pa.ChunkedArray
    scores: pa.Array | pa.ChunkedArray | None
    relevance: pa.Array | pa.ChunkedArray

    def judged(self, *, ties: str, score_dtype: str, duplicates: str) -> JudgedRanks:
        """Rank the judged documents; see `Rankings.judged`."""
        check_options(ties=ties, score_dtype=score_dtype, duplicates=duplicates)
        documents, join = self._documents, self._join
        with np.errstate(over="ignore"):
            scores = self._scores.astype(score_dtype, copy=False)
        if join.repeats and duplicates == "error":
            join.refuse_repeats(self._ids)
        if join.repeats:
            kept = join.best_only(scores)
            documents, scores = documents.where(kept), scores[kept]
            join = Join.of(documents, self._judgements)
        order = Order.of(Ragged(scores, documents.offsets))
        chosen = np.flatnonzero(join.found >= 0)
        rows = self._judgements.documents.rows_of(chosen)
        places = order.placed(rows, join.found[chosen])
        hits = Hits(rows, self._judgements.grades[chosen], *order.ties(rows, places))
        count = places - hits.first
        if ties.startswith("docid"):
            names = partial(_names, documents, order)
            count = before(places, hits.first, hits.last, names, descending=ties == "docid-desc")
        return hits.ranked(order, count, self._highest_first, ties=ties)

    @cached_property
    def _ids(self) -> pa.Array:
        return whole(self.ids)

    @cached_property
    def _documents(self) -> Lists:
        lists = Lists.of(self.retrieved, "retrieved", self._ids)
        return Lists(lists.strings(), lists.offsets)

    @cached_property
    def _scores(self) -> FloatArray:
        """The flat scores; numbers that fall along the lists that have none."""
        # From 0 in each list, so that float32 can still tell them apart.
        documents = Ragged(np.empty(len(self._documents.values)), self._documents.offsets)
        if self.scores is None:
            return -documents.positions.astype(np.float64)
        lists = Lists.of(self.scores, "retrieved_scores", self._ids)
        unscored = whole(self.scores).is_null().to_numpy(zero_copy_only=False)
        self._refuse_lengths(lists, unscored)
        numbers = lists.numbers("retrieved_scores", self._ids)
        if len(numbers) == len(documents.values):
            return numbers
        falling = -documents.positions.astype(np.float64)
        falling[~unscored[documents.rows]] = numbers
        return falling

    @cached_property
    def _judgements(self) -> Judgements:
        return Judgements.of(self.relevance, self._ids)

    @cached_property
    def _highest_first(self) -> Ragged:
        return self._judgements.highest_first

    @cached_property
    def _join(self) -> Join:
        return Join.of(self._documents, self._judgements)

    def _refuse_lengths(self, scores: Lists, unscored: BoolArray) -> None:
        documents, given = np.diff(self._documents.offsets), np.diff(scores.offsets)
        rows = np.flatnonzero((documents != given) & ~unscored)
        if len(rows):
            problems = [
                f"query {name!r} has {documents[row]} documents and {given[row]} scores"
                for row, name in zip(rows.tolist(), self._ids.take(rows).to_pylist(), strict=True)
            ]
            raise DataError.of("retrieved_scores", problems, advice="Give one score for each document.")


def _names(documents: Lists, order: Order, places: IntArray) -> pa.Array:
    """Return the ids of the documents at flat places of the order."""
    return documents.values.take(order.given_at(places))
