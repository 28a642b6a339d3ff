"""Rankings and judgements in Python dicts."""

from __future__ import annotations

import math
import struct
from bisect import bisect_left
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, islice, repeat
from typing import NoReturn, TypeAlias

import numpy as np

from ragauge.core import native
from ragauge.core.messages import Message
from ragauge.core.ragged import FloatArray, IntArray, Ragged, offsets_of
from ragauge.core.sample import Duplicates
from ragauge.errors import DataError, worded
from ragauge.ranking.ranks import Hits, JudgedRanks, Order, ScoreDtype, Ties, highest_first

Scored: TypeAlias = Mapping[str, float]

_NOTHING: Scored = {}
_NOT_RETRIEVED = repeat(math.nan)
_SHOWN = 60
"""Characters of a wrong value that a message shows."""


@dataclass(frozen=True, slots=True, eq=False)
class Numbers:
    """The numbers in the dicts of ``n`` queries.

    ``scores``, ``grades``: (n) lists of float64, in the order of the dicts. ``judged_scores``: (m,) the score
    of each judged document beside ``grades.values``, NaN where it was not retrieved.
    """

    scores: Ragged
    grades: Ragged
    judged_scores: FloatArray

    @classmethod
    def of(cls, run: Mapping[str, Scored], qrels: Mapping[str, Scored], rows: list[Scored]) -> Numbers:
        """Read all numbers in one pass, in which each dict is still in cache; ``rows``: what each query retrieved.

        A score or a grade that is not a number, and an id that is not a string, raise DataError.
        """
        judgements = list(qrels.values())
        lengths = [_lengths(each) for each in (rows, judgements)]
        columns = _columns(rows, judgements)
        # The least value is NaN where any value is.
        if columns is None or any(np.isnan(each.min(initial=0)) for each in columns[:2]):
            _refuse_other_numbers(run, qrels)
        scores, grades = map(Ragged.from_lengths, columns[:2], lengths)
        return cls(scores, grades, columns[2])


def _lengths(dicts: list[Scored]) -> IntArray:
    return np.fromiter(map(len, dicts), np.int64, len(dicts))


def _columns(rows: list[Scored], judgements: list[Scored]) -> tuple[FloatArray, FloatArray, FloatArray] | None:
    """Return all scores, all grades, and the score of each judged document; None where one is not a number."""
    packed: list[bytes] = []
    judged_scores: list[float] = []
    pack = {length: struct.Struct(f"{length}d").pack for length in {*map(len, rows)}}
    try:
        for retrieved, judged in zip(rows, judgements, strict=True):
            # The fastest way from Python numbers to an array; it refuses text.
            packed.append(pack[len(retrieved)](*retrieved.values()))
            judged_scores.extend(map(retrieved.get, judged, _NOT_RETRIEVED))
        grades = [*chain.from_iterable(judged.values() for judged in judgements)]
        scores, worth = np.frombuffer(b"".join(packed)), np.frombuffer(struct.pack(f"{len(grades)}d", *grades))
    except struct.error:
        return None
    return scores, worth, np.frombuffer(struct.pack(f"{len(judged_scores)}d", *judged_scores))


def _refuse_other_numbers(run: Mapping[str, Scored], qrels: Mapping[str, Scored]) -> NoReturn:
    scores = [(query, run.get(query, _NOTHING)) for query in qrels]
    problems = _other_numbers("score", scores)
    if problems:
        raise DataError.of("run", problems, advice=_advice("run", "score"))
    problems = _other_numbers("grade", qrels.items())
    raise DataError.of("qrels", problems, advice=_advice("qrels", "grade"))


def _advice(name: str, kind: str) -> Message:
    each = "{document: float(number) for document, number in each.items()}"
    code = f"{name} = {{query: {each} for query, each in {name}.items()}}"
    return Message("Give each document a number as its {kind}; where texts hold them: {code}", worded(kind), code)


def _other_numbers(kind: str, rows: Iterable[tuple[str, Scored]]) -> list[str]:
    return [
        Message(
            "RG-RANK-004 query {query!r}, document {document!r}: {kind} {got} is not a number",
            query,
            document,
            Message(kind),
            repr(value)[:_SHOWN],
        )
        for query, row in rows
        for document, value in row.items()
        if not _is_number(value)
    ]


def _is_number(value: object) -> bool:
    """Return whether a value is a number that 64 bits hold, and not NaN."""
    try:
        return not np.isnan(struct.unpack("d", struct.pack("d", value))[0])
    except (struct.error, OverflowError):
        return False


def _refuse_other_types(name: str, rows: Mapping[str, Scored], *, documents: int | None = 1) -> None:
    """Raise DataError if what a query has is not a dict, or an id is not a string: 7 never equals "7".

    ``documents``: of the first dict so many ids are looked at; all ids of all dicts if None.
    """
    if not all(issubclass(kind, Mapping) for kind in set(map(type, rows.values()))):
        others = {query: repr(row)[:_SHOWN] for query, row in rows.items() if not isinstance(row, Mapping)}
        problems = [Message("RG-RANK-005 query {query!r} must have a dict; got {got}", *one) for one in others.items()]
        raise DataError.of(name, problems, advice="Write {query: {document: number}}.")
    problems = []
    if not all(issubclass(kind, str) for kind in set(map(type, rows))):
        template = "RG-RANK-006 query {query!r}: a query id must be a string"
        problems = [Message(template, query) for query in rows if not isinstance(query, str)]
    filled = ((query, row) for query, row in rows.items() if row)
    problems += [
        Message("RG-RANK-007 query {query!r}: document {document!r}: a document id must be a string", query, document)
        for query, row in (filled if documents is None else islice(filled, 1))
        for document in islice(row, documents)
        if not isinstance(document, str)
    ]
    if problems:
        raise DataError.of(name, problems, advice="Turn ids into strings: {str(id): ...}.")


@dataclass(frozen=True, eq=False)
class DictRankings:
    """A run and its judgements as dicts: query id to document id to score, and to grade.

    There is a row for each query of ``qrels``, in its order; a query that the run lacks retrieved nothing, and a
    query of the run without judgements is ignored. A dict holds no document twice, so ``duplicates`` has no effect.

    Work that does not depend on options is done once: do not change the dicts between two uses.

    Raises:
        DataError: on use, where a score or a grade is not a number, or an id is not a string.

    >>> rankings = DictRankings({"q1": {"a": 0.1, "b": 0.7, "c": 0.7}}, {"q1": {"b": 1, "x": 2}})
    >>> ranks = rankings.judged(ties="docid-desc", score_dtype="float64", duplicates="error")
    >>> ranks.ranks.to_lists(), ranks.judged.to_lists()
    ([[2]], [[2.0, 1.0]])
    """

    run: Mapping[str, Scored]
    qrels: Mapping[str, Scored]

    def judged(
        self,
        *,
        ties: Ties,
        score_dtype: ScoreDtype,
        duplicates: Duplicates,  # noqa: ARG002 - a dict has none
    ) -> JudgedRanks:
        """Rank the judged documents; see `Rankings.judged`."""
        named = {"run": self.run, "qrels": self.qrels}
        for name, rows in named.items():
            _refuse_other_types(name, rows)
        try:
            return self._served(ties, score_dtype) or self._ranked(ties, score_dtype)
        except TypeError:
            for name, rows in named.items():
                _refuse_other_types(name, rows, documents=None)
            raise

    def _served(self, ties: str, score_dtype: str) -> JudgedRanks | None:
        """Return the ranks, where the kernel serves these dicts."""
        judgements = list(self.qrels.values())
        retrieved, judged = (offsets_of(_lengths(each)) for each in (self._retrieved, judgements))
        places = native.dict_ranks(self._retrieved, judgements, int(judged[-1]), ties, score_dtype)
        if places is None:
            return None
        grades, (_, greater, equal, before) = Ragged(places[0], judged), places
        chosen = np.flatnonzero(greater >= 0)
        rows = grades.rows[chosen]
        first = retrieved[rows] + greater[chosen]
        hits = Hits(rows, grades.values[chosen], first, first + equal[chosen])
        return hits.ranked(retrieved, before[chosen], highest_first(grades), ties=ties)

    def _ranked(self, ties: str, score_dtype: str) -> JudgedRanks:
        scores, grades = self._numbers.scores, self._numbers.grades
        with np.errstate(over="ignore"):
            order = Order.of(Ragged(scores.values.astype(score_dtype, copy=False), scores.offsets))
            judged_scores = self._numbers.judged_scores.astype(score_dtype, copy=False)
        chosen = np.flatnonzero(~np.isnan(judged_scores))
        rows = grades.rows[chosen]
        hits = Hits(rows, grades.values[chosen], *order.ties(rows, order.find(rows, judged_scores[chosen])))
        before = np.zeros(len(chosen), dtype=np.int64)
        tied = np.flatnonzero(hits.last - hits.first > 1)
        if len(tied):
            before[tied] = self._before(order, hits, chosen, tied, ties)
        return hits.ranked(scores.offsets, before, self._highest_first, ties=ties)

    @cached_property
    def _numbers(self) -> Numbers:
        return Numbers.of(self.run, self.qrels, self._retrieved)

    @cached_property
    def _retrieved(self) -> list[Scored]:
        return list(map(self.run.get, self.qrels, repeat(_NOTHING)))

    @cached_property
    def _highest_first(self) -> Ragged:
        return highest_first(self._numbers.grades)

    def _before(self, order: Order, hits: Hits, chosen: IntArray, tied: IntArray, ties: str) -> list[int]:
        """Return how many documents of equal score come before each of the ``tied`` hits.

        ``chosen`` (m,) is the place of each hit among all judgements. Python compares strings by code points, which is
        the order of their UTF-8 bytes.
        """
        rows, first, last = (column[tied] for column in (hits.rows, hits.first, hits.last))
        judged = list(chain.from_iterable(self.qrels.values()))
        documents = [judged[place] for place in chosen[tied].tolist()]
        source = order.source(rows) if len(order.unordered) else None
        starts = order.scores.offsets[rows]
        columns = (rows, starts, first - starts, last - starts)
        groups: dict[int, list[str]] = {}
        names: list[str] = []
        before, named = [], -1
        for row, start, low, high, document in zip(*(column.tolist() for column in columns), documents, strict=True):
            if row != named:
                names, named, groups = list(self._retrieved[row]), row, {}
                if source is not None:
                    names = [names[place - start] for place in source[start : start + len(names)].tolist()]
            if low not in groups:
                groups[low] = names[low:high] if ties in ("input", "mean") else sorted(names[low:high])
            group = groups[low]
            if ties == "docid-desc":
                before.append(high - low - 1 - bisect_left(group, document))
            else:
                before.append(bisect_left(group, document) if ties == "docid-asc" else group.index(document))
        return before
