"""Rankings and judgements in Arrow columns."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from ragauge.core import compute as pc
from ragauge.core.arrow import to_arrow, to_numpy, whole
from ragauge.core.hashing import HashArray
from ragauge.core.messages import Argument, Counted, Joined, Message
from ragauge.core.ragged import BoolArray, FloatArray, IntArray, Lists, Ragged, distinct, runs
from ragauge.core.sample import Duplicates
from ragauge.errors import DataError
from ragauge.ranking.matching import Rounds, Strings, hashed, match, places_of
from ragauge.ranking.ranks import Hits, JudgedRanks, Order, ScoreDtype, Ties, highest_first


class Repeat(NamedTuple):
    """A document that was retrieved more than once for one query, at these flat indices, rising."""

    row: int
    document: str
    places: list[int]


@dataclass(frozen=True, slots=True, eq=False)
class Join:
    """``places``: (m,) the flat index at which each judged document was retrieved, or -1.

    Of a document in ``repeats``, ``places`` has one of the places.
    """

    places: IntArray
    repeats: list[Repeat]

    @classmethod
    def of(cls, documents: Lists, judgements: Judgements) -> Join:
        """Match documents by hash, confirm each match, and match doubtful rows by string."""
        judged = judgements.documents
        matches = match(documents, judged, judgements.hashes)
        hits = np.flatnonzero(matches.places >= 0)
        places = matches.places[hits]
        left, right = pc.take(documents.values, to_arrow(places)), pc.take(judged.values, to_arrow(hits))
        rows = judged.rows_of(hits)
        wrong = to_numpy(pc.not_equal(left, right)) | (documents.rows_of(places) != rows)
        join = cls(matches.places, [])
        for row in distinct(np.concatenate([matches.suspects, rows[wrong]])).tolist():
            join._settle(row, documents, judged)
        return join

    def refuse_repeats(self, ids: pa.Array) -> None:
        """Raise DataError that lists all documents that were retrieved twice for one query."""
        problems = [
            Message(
                "RG-RANK-001 query {query!r}: document {document!r} is retrieved {n} times",
                ids[repeat.row].as_py(),
                repeat.document,
                len(repeat.places),
            )
            for repeat in self.repeats
        ]
        if problems:
            template = "Remove the repeats, or pass {first} to count only the best ranked of each."
            advice = Message(template, Argument("duplicates", "first"))
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
        retrieved_at = [places[document][0] + start if document in places else -1 for document in judged[row]]
        self.places[first:last] = retrieved_at
        for document, again in places.items():
            if len(again) > 1:
                self.repeats.append(Repeat(row, document, [place + start for place in again]))


@dataclass(frozen=True, slots=True, eq=False)
class Judgements:
    """``documents``: (n) lists of string, each document once. ``grades``, ``hashes``: beside its values."""

    documents: Lists
    grades: FloatArray
    hashes: HashArray

    @classmethod
    def of(cls, relevance: pa.Array | pa.ChunkedArray, ids: pa.Array) -> Judgements:
        """Read a column of list<struct<id, grade>>; repeats count once, and with different grades raise DataError."""
        lists = Lists.of(relevance, "relevance", ids)
        documents = Lists(lists.field("id", "relevance", ids).strings(), lists.offsets)
        grades = lists.field("grade", "relevance", ids).numbers("relevance", ids)
        judgements = cls(documents, grades, hashed(documents))
        rounds = Rounds(judgements.hashes)
        rounds.enter(judgements.hashes, np.arange(len(grades)), slice(0, 0))
        rows = rounds.matches(documents.offsets).suspects
        return judgements._once(rows, ids) if len(rows) else judgements

    def _once(self, rows: IntArray, ids: pa.Array) -> Judgements:
        problems: list[str] = []
        again: list[int] = []
        for row in rows.tolist():
            start = int(self.documents.offsets[row])
            for document, places in places_of(self.documents[row]).items():
                grades = self.grades[[start + place for place in places]].tolist()
                if len(set(grades)) > 1:
                    values = Joined([f"{grade:g}" for grade in grades], " and ")
                    template = "RG-RANK-002 query {query!r}: document {document!r} is judged {grades}"
                    problems.append(Message(template, ids[row].as_py(), document, values))
                again.extend(start + place for place in places[1:])
        if problems:
            raise DataError.of("relevance", problems, advice="Keep one judgement of each document.")
        kept = np.ones(len(self.grades), dtype=np.bool_)
        kept[again] = False
        documents = self.documents.where(kept)
        return Judgements(documents, self.grades[kept], hashed(documents))


@dataclass(frozen=True, slots=True, eq=False)
class Read:
    """The work that does not depend on options: the columns as `ArrowRankings` has them, read and checked.

    ``highest_first``: the grades of each query from high to low.
    """

    ids: pa.Array
    documents: Lists
    judgements: Judgements
    highest_first: Ragged
    join: Join
    scores: FloatArray


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

    def judged(self, *, ties: Ties, score_dtype: ScoreDtype, duplicates: Duplicates) -> JudgedRanks:
        """Rank the judged documents; see `Rankings.judged`."""
        read = self._read
        documents, join = read.documents, read.join
        with np.errstate(over="ignore"):
            scores = read.scores.astype(score_dtype, copy=False)
        if join.repeats and duplicates == "error":
            join.refuse_repeats(read.ids)
        if join.repeats:
            kept = join.best_only(scores)
            documents, scores = documents.where(kept), scores[kept]
            join = Join.of(documents, read.judgements)
        order = Order.of(Ragged(scores, documents.offsets))
        chosen = np.flatnonzero(join.places >= 0)
        rows = read.judgements.documents.rows_of(chosen)
        places = join.places[chosen]
        if len(order.unordered):
            places = order.placed(rows, places)
        hits = Hits(rows, read.judgements.grades[chosen], *order.ties(rows, places))
        before = places - hits.first
        tied = np.flatnonzero(hits.last - hits.first > 1)
        if ties.startswith("docid") and len(tied):
            before[tied] = _before(documents, order, hits, places, tied, descending=ties == "docid-desc")
        return hits.ranked(documents.offsets, before, read.highest_first, ties=ties)

    @cached_property
    def _read(self) -> Read:
        ids = whole(self.ids)
        lists = Lists.of(self.retrieved, "retrieved", ids)
        documents = Lists(lists.strings(), lists.offsets)
        judgements = Judgements.of(self.relevance, ids)
        grades = highest_first(Ragged(judgements.grades, judgements.documents.offsets))
        return Read(
            ids,
            documents,
            judgements,
            grades,
            Join.of(documents, judgements),
            scores_beside(self.scores, documents, ids),
        )


def scores_beside(scores: pa.Array | pa.ChunkedArray | None, documents: Lists, ids: pa.Array) -> FloatArray:
    """Return the flat scores of ``documents``, n lists; in lists without scores, numbers that fall.

    Raises:
        DataError: a list of scores is not as long as its list of documents, or holds a null or NaN.
    """
    flat = Ragged(np.empty(len(documents.values)), documents.offsets)
    if scores is None:
        # From 0 in each list, so that float32 can still tell them apart.
        return -flat.positions.astype(np.float64)
    lists = Lists.of(scores, "retrieved_scores", ids)
    unscored = to_numpy(whole(scores).is_null())
    lengths, score_counts = np.diff(documents.offsets), np.diff(lists.offsets)
    wrong = np.flatnonzero((lengths != score_counts) & ~unscored)
    if len(wrong):
        problems = [
            Message(
                "RG-RANK-003 query {query!r} has {documents} and {scores}",
                ids[row].as_py(),
                Counted(lengths[row], "document"),
                Counted(score_counts[row], "score"),
            )
            for row in wrong.tolist()
        ]
        raise DataError.of("retrieved_scores", problems, advice="Give one score for each document.")
    numbers = lists.numbers("retrieved_scores", ids)
    if len(numbers) == len(flat.values):
        return numbers
    falling: FloatArray = -flat.positions.astype(np.float64)
    falling[~unscored[flat.rows]] = numbers
    return falling


# Documents are compared in pairs where there are at most so many times as many pairs as documents to sort.
_PAIRS = 12
_PAIRS_AT_ONCE = 1 << 18
_BYTES_AT_ONCE = 1 << 26


def _before(
    documents: Lists, order: Order, hits: Hits, places: IntArray, tied: IntArray, *, descending: bool
) -> IntArray:
    """Return how many documents of equal score come, by the bytes of their ids, before each of the ``tied`` hits.

    Shapes: ``places`` (m,), the flat place of each hit in the order; ``tied`` (t,), the hits that share their score.
    Under ``descending`` a greater id comes first.
    """
    first, last, source = hits.first[tied], hits.last[tied], None
    values = documents.values
    if len(order.unordered):
        source = order.source(hits.rows[tied])

    def names(lists: Ragged, starts: IntArray) -> Strings:
        flat = lists.positions + np.repeat(starts, lists.lengths)
        taken = to_arrow(flat if source is None else source[flat])
        try:
            return Strings.of(values.take(taken))
        except pa.ArrowInvalid:
            # Ids that are taken several times may make more bytes than 32 bits count.
            return Strings.of(values.cast(pa.large_string()).take(taken))

    starts, index, group = np.unique(first, return_index=True, return_inverse=True)
    members, pairs = (Ragged.without_values(sizes) for sizes in ((last - first)[index], last - first))
    if pairs.offsets[-1] <= _PAIRS * members.offsets[-1]:
        own = names(Ragged.without_values(np.ones_like(first)), places[tied])
        before = np.zeros(len(tied), dtype=np.int64)
        at_once = min(_PAIRS_AT_ONCE, _BYTES_AT_ONCE * len(values) // max(values.nbytes, 1) + 1)
        for begin, end in runs(pairs.offsets[1:], at_once):
            some = Ragged.without_values(pairs.lengths[begin:end])
            signs = names(some, first[begin:end]).compared(own, begin + some.rows)
            wins = some.rows[signs == (1 if descending else -1)]
            before[begin:end] = np.bincount(wins, minlength=end - begin)
        return before
    rising = names(members, starts).places(members.rows)[members.offsets[group] + places[tied] - first]
    return np.asarray(members.lengths[group] - 1 - rising if descending else rising)
