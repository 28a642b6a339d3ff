"""Rankings and judgements in Arrow columns."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ragauge.core.arrow import to_arrow, to_numpy
from ragauge.core.ragged import Lists, Ragged, whole
from ragauge.errors import DataError
from ragauge.ranking.matching import Hashed, hashed, match, places_of, suspects
from ragauge.ranking.ranks import Hits, JudgedRanks, Order, before, check_options, highest_first

if TYPE_CHECKING:
    import pyarrow as pa

    from ragauge.core.ragged import BoolArray, FloatArray, IntArray


class Repeat(NamedTuple):
    """A document that was retrieved more than once for one query, at these flat indices, rising."""

    row: int
    document: str
    places: list[int]


@dataclass(frozen=True, slots=True, eq=False)
class Join:
    """``found``: (m,) the flat index at which each judged document was retrieved, or -1.

    Of a document in ``repeats``, ``found`` has one of the places.
    """

    found: IntArray
    repeats: list[Repeat]

    @classmethod
    def of(cls, documents: Lists, judgements: Judgements) -> Join:
        """Match documents by hash, confirm each match, and match doubtful rows by string."""
        judged = judgements.documents
        matches = match(documents, judgements.hashes)
        rows = np.union1d(matches.suspects, judged.rows_of(_wrong(matches.found, documents, judged)))
        join = cls(matches.found, [])
        for row in rows.tolist():
            join._settle(row, documents, judged)
        return join

    def refuse_repeats(self, ids: pa.Array) -> None:
        """Raise DataError that lists all documents that were retrieved twice for one query."""
        problems = [
            f"query {ids[repeat.row].as_py()!r}: document {repeat.document!r} is retrieved {len(repeat.places)} times"
            for repeat in self.repeats
        ]
        if problems:
            advice = "Remove the repeats, or choose duplicates=first to count only the best ranked of each."
            raise DataError.of("retrieved", problems, advice=advice)

    def best_only(self, scores: FloatArray) -> BoolArray:
        """Return a mask of documents to keep, (n,): of a repeated document the best ranked one."""
        kept = np.ones(len(scores), dtype=np.bool_)
        for repeat in self.repeats:
            kept[repeat.places] = False
            kept[repeat.places[int(scores[repeat.places].argmax())]] = True
        return kept

    def _settle(self, row: int, documents: Lists, judged: Lists) -> None:
        start, first, last = (int(documents.offsets[row]), *map(int, judged.offsets[row : row + 2]))
        places = places_of(documents[row])
        self.found[first:last] = [places[document][0] + start if document in places else -1 for document in judged[row]]
        for document, again in places.items():
            if len(again) > 1:
                self.repeats.append(Repeat(row, document, [place + start for place in again]))


def _wrong(found: IntArray, documents: Lists, judged: Lists) -> IntArray:
    """Return the flat indices of judged documents whose match is another document, or stands in another row."""
    import pyarrow.compute as pc

    hits = np.flatnonzero(found >= 0)
    left, right = documents.values.take(to_arrow(found[hits])), judged.values.take(to_arrow(hits))
    if left.type != right.type:
        left, right = left.cast("large_string"), right.cast("large_string")
    other: BoolArray = to_numpy(pc.not_equal(left, right))
    wrong: IntArray = hits[other | (documents.rows_of(found[hits]) != judged.rows_of(hits))]
    return wrong


@dataclass(frozen=True, slots=True, eq=False)
class Judgements:
    """``documents``: (n) lists of string, each document once. ``grades``, ``hashes``: beside its values."""

    documents: Lists
    grades: FloatArray
    hashes: Hashed

    @classmethod
    def of(cls, relevance: pa.Array | pa.ChunkedArray, ids: pa.Array) -> Judgements:
        """Read a column of list<struct<id, grade>>; a repeated judgement counts once.

        Raises:
            DataError: a document is judged twice in one query with different grades.
        """
        lists = Lists.of(relevance, "relevance", ids)
        documents = Lists(lists.field("id", "relevance", ids).strings(), lists.offsets)
        grades = lists.field("grade", "relevance", ids).numbers("relevance", ids)
        judgements = cls(documents, grades, hashed(documents))
        rows = suspects(judgements.hashes)
        return judgements._once(rows, ids) if len(rows) else judgements

    @property
    def highest_first(self) -> Ragged:
        """The grades of each query from high to low."""
        return highest_first(Ragged(self.grades, self.documents.offsets))

    def _once(self, rows: IntArray, ids: pa.Array) -> Judgements:
        problems: list[str] = []
        again: list[int] = []
        for row in rows.tolist():
            start = int(self.documents.offsets[row])
            for document, places in places_of(self.documents[row]).items():
                grades = self.grades[[start + place for place in places]].tolist()
                if len(set(grades)) > 1:
                    values = " and ".join(f"{grade:g}" for grade in grades)
                    problems.append(f"query {ids[row].as_py()!r}: document {document!r} is judged {values}")
                again.extend(start + place for place in places[1:])
        if problems:
            raise DataError.of("relevance", problems, advice="Keep one judgement of each document.")
        return self._without(np.array(again, dtype=np.int64))

    def _without(self, dropped: IntArray) -> Judgements:
        kept = np.ones(len(self.grades), dtype=np.bool_)
        kept[dropped] = False
        documents = self.documents.where(kept)
        return Judgements(documents, self.grades[kept], hashed(documents))


@dataclass(frozen=True, eq=False)
class ArrowRankings:
    """Rankings of ``n`` queries as columns, one row a query.

    ``ids``: (n,) the queries' ids. ``retrieved``: (n,) list<string>, the ids of the retrieved documents.
    ``scores``: (n,) list<double> beside it; where the list, or all of it, is null, the order given is the ranking.
    ``relevance``: (n,) list<struct<id: string, grade: double>>, the judgements. A null list is an empty one.

    Work that does not depend on options is done once, so that ranking again under other options is cheap.

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
        """The flat scores; in lists without scores, numbers that fall."""
        # From 0 in each list, so that float32 can still tell them apart.
        documents = Ragged(np.empty(len(self._documents.values)), self._documents.offsets)
        if self.scores is None:
            return -documents.positions.astype(np.float64)
        lists = Lists.of(self.scores, "retrieved_scores", self._ids)
        unscored = to_numpy(whole(self.scores).is_null())
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
                for row, name in zip(rows.tolist(), self._ids.take(to_arrow(rows)).to_pylist(), strict=True)
            ]
            raise DataError.of("retrieved_scores", problems, advice="Give one score for each document.")


def _names(documents: Lists, order: Order, places: IntArray) -> pa.Array:
    """Return the ids of the documents at flat places of the order."""
    return documents.values.take(to_arrow(order.given_at(places)))
