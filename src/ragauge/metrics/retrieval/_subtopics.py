"""Judgements by subtopic: which documents of a ranking cover which subtopics of a question."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ragauge.core.arrow import to_arrow, to_numpy, whole
from ragauge.core.batch import Batch
from ragauge.core.hashing import splitmix64
from ragauge.core.options import Cutoff, Range
from ragauge.core.protocol import Needs
from ragauge.core.ragged import FloatArray, IntArray, Lists, Ragged, distinct, listed
from ragauge.core.statistics import Statistics, ratio
from ragauge.errors import DataError
from ragauge.metrics.retrieval._rank_sums import View
from ragauge.metrics.retrieval._ranked import ByIds, check_no_mean, ranked_view, rankings
from ragauge.ranking.matching import Strings
from ragauge.ranking.ranks import TiedGroups

_SUBTOPICS = "subtopics"
_LISTS_OF_IDS = pa.list_(pa.list_(pa.string()))
_LOST = 2.0**-54


@dataclass(frozen=True, kw_only=True)
class Diverse(ByIds):
    """A metric of how many subtopics of a question the documents of a ranking cover.

    Args:
        k: documents below rank k do not count; None: there is no cutoff.
    """

    k: Cutoff = None

    needs: ClassVar[Needs] = (("retrieved", _SUBTOPICS),)
    has_mean: ClassVar[bool] = False
    counts_alone: ClassVar[bool] = False
    """Whether the order of documents up to the cutoff has no effect."""

    def __post_init__(self) -> None:
        check_no_mean(self, "metrics of subtopics have no closed form for the mean over the orders of tied documents")

    def coverage(self, batch: Batch) -> Coverage:
        """Return which documents cover which subtopics; made once for metrics of equal options."""
        key = (_SUBTOPICS, self.level, self.ties, self.score_dtype, self.duplicates, self.unjudged)
        return batch.derived(key, partial(_coverage, batch, self))

    def unsettled(self, batch: Batch) -> IntArray:
        """Return the queries, rising, whose value another order of equally scored documents could change.

        Those with documents of one score, above the cutoff or across it, that do not cover the same subtopics.
        """
        coverage = self.coverage(batch)
        tied = coverage.tied()
        cutoffs = coverage.view.cutoffs(self.k)[tied.rows]
        touched = tied.first <= cutoffs
        if self.counts_alone:
            touched &= tied.last > cutoffs
        return distinct(tied.rows[touched])


@dataclass(frozen=True, kw_only=True)
class Novel(Diverse):
    """A metric of what each document of a ranking adds, a subtopic counting less each time that it is covered.

    Args:
        alpha: by how much a subtopic counts less after each document that covers it: (1 - alpha)^n after n of them.
    """

    alpha: Annotated[float, Range(0, 1)] = 0.5
    average: Literal["samples"] = "samples"

    def score(self, totals: Statistics) -> FloatArray:
        """Return the mean of the queries' values."""
        return ratio(totals["value"], totals["count"])


@dataclass(frozen=True, eq=False)
class Coverage:
    """Documents of n rankings and what they cover.

    ``view``: of the m documents that are judged and retrieved. ``places`` and ``covered``, (p,): the place among the m
    of a document, never falling, and a subtopic that it covers. ``subtopics`` (n,): the subtopics of each query that
    some document covers, retrieved or not. ``pool``: for each document that covers any, by query and id, the subtopics
    that it covers; ``pool_rows``: its query. ``tied`` returns the groups of equally scored documents that
    differ in what they cover; another ranking, which scores do not need.
    """

    view: View
    places: IntArray
    covered: IntArray
    subtopics: IntArray
    pool: Ragged
    pool_rows: IntArray
    tied: Callable[[], TiedGroups]

    def earlier(self) -> IntArray:
        """Return how many documents before that of each pair cover its subtopic: (p,)."""
        order = np.lexsort((self.places, self.covered))
        counts = np.empty(len(order), dtype=np.int64)
        counts[order] = Ragged.without_values(np.bincount(self.covered)).positions
        return counts

    def gains(self, alpha: float) -> FloatArray:
        """Return the gain of each retrieved document, (m,): (1 - alpha)^n for each subtopic that n before it cover."""
        gained = np.bincount(self.places, (1.0 - alpha) ** self.earlier(), len(self.view.rows))
        return np.asarray(gained, dtype=np.float64)

    def ideal(self, alpha: float, discounts: FloatArray) -> FloatArray:
        """Add the discounted gains of the best order of all documents, a document at a time: (n,).

        ``discounts``: by rank from 1 on, as far as ranks count. The best order is that of the document that gains most
        next, of several the greatest by its id: to find the very best takes too long (Clarke et al. 2008).
        """
        worth = np.ones(int(self.pool.values.max(initial=-1)) + 1)
        pool, rows = self.pool, self.pool_rows
        total = np.zeros(len(self.view))
        for discount in discounts:
            if not len(rows):
                break
            gained = np.bincount(pool.rows, worth[pool.values], len(rows))
            starts = np.flatnonzero(np.diff(rows, prepend=-1))
            sizes = np.diff(starts, append=len(rows))
            is_best = gained == np.repeat(np.maximum.reduceat(gained, starts), sizes)
            best = np.maximum.reduceat(np.where(is_best, np.arange(len(rows)), -1), starts)
            more = gained[best] * discount
            total[rows[best]] += more
            worth[pool.take(best).values] *= 1.0 - alpha
            # Gains only fall: those that are lost in the rounding of the sum need not be found.
            left = np.repeat(more > _LOST * total[rows[best]], sizes)
            left[best] = False
            pool, rows = pool.take(np.flatnonzero(left)), rows[left]
        return total


class _Judged(NamedTuple):
    """Judgements in lists by query: the document, the subtopic as a number, and the grade of each.

    ``subtopics``: (q,), equal within a query for one subtopic and never between queries.
    """

    lists: Lists
    documents: pa.Array
    subtopics: IntArray
    grades: FloatArray

    @property
    def rows(self) -> IntArray:
        """The query of each judgement, (q,)."""
        return np.repeat(np.arange(len(self.lists)), np.diff(self.lists.offsets))


def _coverage(batch: Batch, metric: Diverse) -> Coverage:
    judged = batch.derived(_SUBTOPICS, partial(_judged, batch))
    names, rows = judged.documents.dictionary_encode(), judged.rows
    by_bytes = Strings.of(names.dictionary).places(np.zeros(len(names.dictionary), dtype=np.int64))
    # Documents are numbered by query and, within it, by the bytes of their ids.
    numbers = rows * len(by_bytes) + by_bytes[to_numpy(names.indices)]
    _, first, document = np.unique(numbers, return_index=True, return_inverse=True)
    # A document of grades below 0 was not judged.
    pooled = distinct(document[judged.grades >= 0])
    ids, counts = judged.documents.take(to_arrow(first[pooled])), np.bincount(rows[first[pooled]], minlength=len(batch))

    def ranked(numbers: npt.NDArray[Any]) -> View:
        judgements = pa.StructArray.from_arrays([ids, to_arrow(numbers.astype(np.float64))], ["id", "grade"])
        return ranked_view(rankings(batch, listed(judgements, counts)), metric)

    view = ranked(pooled)
    good = judged.grades >= metric.level
    used, place, subtopic = np.unique(judged.subtopics[good], return_index=True, return_inverse=True)
    # A document may be judged twice for a subtopic.
    pairs = distinct(document[good] * max(len(used), 1) + subtopic)
    covering, covered = np.divmod(pairs, max(len(used), 1))
    covers = Ragged.from_lengths(covered, np.bincount(covering, minlength=len(first)))
    found = covers.take(view.judged_ranks.grades)
    some = np.flatnonzero(covers.lengths)
    return Coverage(
        view=view,
        places=found.rows,
        covered=found.values,
        subtopics=np.bincount(rows[good][place], minlength=len(batch)),
        pool=covers.take(some),
        pool_rows=rows[first[some]],
        tied=lambda: ranked(_alike(covers)[pooled]).judged_ranks.tied,
    )


def _alike(covers: Ragged) -> IntArray:
    """Return a number for each document, equal where they cover the same subtopics; 0 where it covers none.

    It has 52 bits of the sum of the subtopics' hashes, so that a float64 holds it.
    """
    sums = np.zeros(len(covers.values) + 1, dtype=np.uint64)
    np.cumsum(splitmix64(covers.values.astype(np.uint64)), out=sums[1:])
    return np.where(covers.lengths > 0, 1 + (np.diff(sums[covers.offsets]) >> np.uint64(12)).astype(np.int64), 0)


def _judged(batch: Batch) -> _Judged:
    """Read the column of subtopics; DataError where it has another form."""
    column, ids = whole(batch.column(_SUBTOPICS)), whole(batch.column("id"))
    if pa.types.is_null(column.type):
        column = column.cast(_LISTS_OF_IDS)
    if not _is_list(column.type):
        raise _other_form(column)
    lists = Lists.of(column, _SUBTOPICS, ids)
    items = lists.values.cast(_LISTS_OF_IDS.value_type) if pa.types.is_null(lists.values.type) else lists.values
    if _is_list(items.type):
        # A subtopic is a list of ids, whose problems are told by its question.
        owners = ids.take(to_arrow(lists.rows_of(np.arange(len(items)))))
        within = Lists.of(items, _SUBTOPICS, owners)
        documents, subtopics = within.values, within.rows_of(np.arange(len(within.values)))
        lists, grades = Lists(documents, within.offsets[lists.offsets]), np.ones(len(documents))
    elif pa.types.is_struct(items.type) and min(map(items.type.get_field_index, ("id", "subtopic"))) >= 0:
        documents, named = (lists.field(name, _SUBTOPICS, ids).values for name in ("id", "subtopic"))
        graded = items.type.get_field_index("grade") >= 0
        grades = lists.field("grade", _SUBTOPICS, ids).numbers(_SUBTOPICS, ids) if graded else np.ones(len(named))
        codes = _texts(named, column).dictionary_encode()
        subtopics = lists.rows_of(np.arange(len(named))) * len(codes.dictionary) + to_numpy(codes.indices)
    else:
        raise _other_form(column)
    return _Judged(lists, _texts(documents, column), subtopics, grades)


def _is_list(kind: pa.DataType) -> bool:
    return bool(pa.types.is_list(kind) or pa.types.is_large_list(kind))


def _texts(ids: pa.Array, column: pa.Array) -> pa.Array:
    """Return ids, which may be numbers, as texts; DataError where they are of another kind."""
    try:
        return ids.cast(pa.large_string())
    except pa.ArrowException:
        raise _other_form(column) from None


def _other_form(column: pa.Array) -> DataError:
    return DataError(
        "RG-METRIC-040 column {column} must list for each subtopic the ids of its documents, [[id, id], [id]], or "
        "objects with id and subtopic, and a grade where it is not 1; its type is {kind}",
        _SUBTOPICS,
        str(column.type),
    )
