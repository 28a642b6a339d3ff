"""The base of retrieval metrics: their options, which documents are relevant, and which queries are scored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Annotated, ClassVar, Literal

import numpy as np
import pyarrow as pa

from ragauge.core.arrow import filled, to_arrow, to_numpy
from ragauge.core.batch import Batch
from ragauge.core.ingredients import Ingredient, Matcher, ingredient_field
from ragauge.core.messages import Message
from ragauge.core.options import Cutoff, Range, check
from ragauge.core.protocol import Average, Direction, Needs, Stage
from ragauge.core.ragged import BoolArray, FloatArray, IntArray, Ragged, distinct, offsets_of
from ragauge.core.sample import Duplicates
from ragauge.core.statistics import Rows, Statistics, Status, ratio
from ragauge.errors import DataError, worded
from ragauge.grounding.matchers import Contains
from ragauge.metrics.retrieval._rank_sums import Column, Gain, View
from ragauge.ranking import JudgedRanks, Rankings
from ragauge.ranking.from_arrow import ArrowRankings
from ragauge.ranking.ranks import ScoreDtype, TiedGroups, Ties


def check_no_mean(metric: ByIds, why: str) -> None:
    """Raise OptionError where ties are to be averaged over and ``metric`` has no such form."""
    check(
        metric,
        "ties",
        Message("docid-desc or docid-asc or input, since {why}", worded(why)),
        holds=metric.ties != "mean",
    )


def matched(batch: Batch, matcher: Matcher) -> tuple[View, View, View]:
    """Return the views of ``batch`` by text: relevant, covered and novel, see `Views`.

    Every passage is judged: it matches (grade 1) or does not (grade 0). Every reference has grade 1; one given twice
    counts twice. No two passages are tied.
    """
    passages, references = texts(batch, "contexts"), texts(batch, "reference_contexts")
    _check_pairs(batch, passages, references)
    passage, reference = _matches(passages, references, matcher)
    relevant = np.zeros(len(passages.values), dtype=bool)
    relevant[passage] = True
    first = np.full(len(references.values), -1, dtype=np.int64)
    # Backwards, because the last assignment stays: the first passage that matches a reference wins.
    first[reference[::-1]] = passage[::-1]
    novel = np.zeros_like(relevant)
    novel[first[first >= 0]] = True
    return (
        _graded(passages, references, relevant),
        _covered(passages, references, first),
        _graded(passages, references, novel),
    )


# Pairs of passages of one sample that are compared: 2,048 of each. All of them are in memory at once.
_MOST_PAIRS = 1 << 22


def _check_pairs(batch: Batch, passages: Ragged, references: Ragged) -> None:
    """Raise DataError for samples with more pairs of passages than can be compared."""
    many = np.flatnonzero(passages.lengths * references.lengths > _MOST_PAIRS).tolist()
    if many:
        ids = batch.column("id").take(to_arrow(many)).to_pylist() if "id" in batch.names else many
        sizes = zip(ids, passages.lengths[many].tolist(), references.lengths[many].tolist(), strict=True)
        problems = [
            Message("RG-METRIC-012 sample {name!r}: {n} contexts beside {m} reference_contexts", *one) for one in sizes
        ]
        raise DataError.of(
            "contexts", problems, advice=Message("At most {n:,} pairs are compared; give fewer passages", _MOST_PAIRS)
        )


def texts(batch: Batch, column: str) -> Ragged:
    """Return a column of lists of strings as n lists of str; null is an empty list, or an empty text."""

    def read() -> Ragged:
        lists = batch.column(column)
        return Ragged.from_lengths(to_numpy(filled(lists.flatten(), "")), to_numpy(filled(lists.value_lengths(), 0)))

    return batch.derived(("texts", column), read)


def _matches(passages: Ragged, references: Ragged, matcher: Matcher) -> tuple[IntArray, IntArray]:
    """Return the flat places of each matching passage and its reference, passages ascending."""
    # Pairs are numbered query by query; within a query passage by passage, each with all references of the query.
    matches = np.flatnonzero(matcher.match(passages, references))
    wide = references.lengths
    starts = offsets_of(passages.lengths * wide)
    rows = np.searchsorted(starts, matches, side="right") - 1
    inside = matches - starts[rows]
    return passages.offsets[rows] + inside // wide[rows], references.offsets[rows] + inside % wide[rows]


def _graded(passages: Ragged, references: Ragged, good: BoolArray) -> View:
    """Grade every passage 1 or 0; judged are the references, and the passages of grade 0."""
    ranks = Ragged(passages.positions + 1, passages.offsets)
    bad = np.bincount(passages.rows[~good], minlength=len(passages))
    lengths = references.lengths + bad
    judged = Ragged.without_values(lengths)
    ones = judged.positions < np.repeat(references.lengths, lengths)
    return _view(ranks, good.astype(np.float64), passages, Ragged(ones.astype(np.float64), judged.offsets))


def _covered(passages: Ragged, references: Ragged, first: IntArray) -> View:
    """Rank each reference as its first matching passage, several at one rank if need be."""
    has_match = first >= 0
    rows = references.rows[has_match]
    ranks = first[has_match] - passages.offsets[rows] + 1
    order = np.lexsort((ranks, rows))
    places = Ragged.from_lengths(ranks[order], np.bincount(rows, minlength=len(references)))
    judged = Ragged(np.ones(len(references.values)), references.offsets)
    return _view(places, np.ones(len(ranks)), passages, judged)


def _view(ranks: Ragged, grades: FloatArray, passages: Ragged, judged: Ragged) -> View:
    alone = np.ones(len(ranks.values), dtype=np.int64)
    return View.on(JudgedRanks(ranks, grades, ranks.values, alone, passages.lengths, judged))


@dataclass(frozen=True, eq=False)
class Views:
    """Three ways to say what is relevant; one and the same where documents are judged by their ids.

    ``relevant``: a passage that matches any reference. ``covered``: each reference, at the rank of the first passage
    that matches it. ``novel``: a passage that matches a reference that no earlier passage matched.
    """

    relevant: View
    covered: View
    novel: View


def _by_id(batch: Batch, metric: Ranked) -> Views:
    view = ranked_view(batch.derived("rankings", lambda: rankings(batch, batch.column("relevance"))), metric)
    return Views(view, view, view)


def ranked_view(rankings: Rankings, metric: ByIds) -> View:
    """Return the view of the judged documents of ``rankings`` under the options of ``metric``."""
    ranks = rankings.judged(ties=metric.ties, score_dtype=metric.score_dtype, duplicates=metric.duplicates)
    return View.on(condensed(ranks) if metric.unjudged == "drop" else ranks)


def condensed(ranks: JudgedRanks) -> JudgedRanks:
    """Return the ranks in the rankings of judged documents alone: unjudged ones, of grade below 0 too, are left out.

    Tied documents stay tied: leaving some out of orders that are equally likely leaves those of the others so.

    >>> one = np.ones(2, dtype=np.int64)
    >>> ranks = JudgedRanks(Ragged.of([[2, 5]]), np.array([1.0, 0.0]), one, one, np.array([9]), Ragged.of([[1.0]]))
    >>> condensed(ranks).ranks.to_lists(), condensed(ranks).retrieved
    ([[1, 2]], array([2]))
    """
    kept = ranks.grades >= 0
    rows, first = ranks.ranks.rows[kept], ranks.tie_first[kept]
    lengths = np.bincount(rows, minlength=len(ranks))
    places = Ragged.without_values(lengths).positions + 1
    begins = np.concatenate([[True], (first[1:] != first[:-1]) | (rows[1:] != rows[:-1])])[: len(first)]
    group = np.cumsum(begins) - 1
    return JudgedRanks(
        ranks=Ragged.from_lengths(places, lengths),
        grades=ranks.grades[kept],
        tie_first=places[begins][group],
        tie_size=np.bincount(group)[group],
        retrieved=lengths,
        judged=ranks.judged,
        tied=_condensed_groups(ranks, kept),
    )


def _condensed_groups(ranks: JudgedRanks, kept: BoolArray) -> TiedGroups:
    """Return the tied groups in the rankings of the documents that are ``kept``, (m,), alone."""
    tied, deepest = ranks.tied, int(ranks.retrieved.max(initial=0)) + 1
    # Ranks of all queries in one rising sequence, in which a group's own are neighbours.
    places = (ranks.ranks.rows * deepest + ranks.ranks.values)[kept]
    begin = tied.rows * deepest
    starts, first = np.searchsorted(places, begin), np.searchsorted(places, begin + tied.first)
    after = np.searchsorted(places, begin + tied.last, "right")
    grades = np.append(ranks.grades[kept], 0.0)
    lowest = np.minimum.reduceat(grades, np.column_stack([first, after]).ravel())[::2]
    mixed = tied.highest > lowest
    new_first, new_last = (first - starts + 1)[mixed], (after - starts)[mixed]
    return TiedGroups(tied.rows[mixed], new_first, new_last, tied.highest[mixed], lowest[mixed])


def rankings(batch: Batch, relevance: pa.Array) -> Rankings:
    """Return the rankings of ``batch`` with judgements as `ArrowRankings` takes them."""
    scores = batch.column("retrieved_scores") if "retrieved_scores" in batch.names else None
    return ArrowRankings(batch.column("id"), batch.column("retrieved"), scores, relevance)


@dataclass(frozen=True, kw_only=True)
class ByIds:
    """A metric of a ranking of documents whose ids are judged.

    Args:
        level: the grade from which a document counts as relevant, above 0; gains of nDCG, DCG and ERR do not depend
            on it. A matched passage has grade 1, any other 0.
        ties: the order of equally scored documents: ``docid-desc`` (as trec_eval: the greater id, by its UTF-8 bytes,
            comes first), ``docid-asc``, ``input``, or ``mean`` (the expected score over all their orders). Documents
            without scores, and passages, are in the order given, whatever ``ties`` is.
        score_dtype: ``float64``; or ``float32``, to which trec_eval 9 and pytrec_eval round scores.
        missing_queries: a judged query that the run lacks scores ``zero``, or is ``missing`` (``skip``).
        duplicates: a document retrieved twice for a query is an ``error``, or counts the ``first`` time only; without
            effect on passages.
        undefined: a query with nothing relevant to find scores ``zero``, or is ``undefined`` (``skip``).
        unjudged: retrieved documents without a judgement are ``keep``: they are not relevant; or ``drop``: they are
            left out first, and those below move up (a condensed list); without effect on passages.
    """

    level: Annotated[float, Range(0, above=True)] = 1
    ties: Ties = "docid-desc"
    score_dtype: ScoreDtype = "float64"
    missing_queries: Literal["zero", "skip"] = "zero"
    duplicates: Duplicates = "error"
    undefined: Literal["zero", "skip"] = "zero"
    # Added later: its default is not in the signature, so that saved runs keep theirs.
    unjudged: Literal["keep", "drop"] = field(default="keep", metadata={"later": True})

    stage: ClassVar[Stage] = "retrieval"
    direction: ClassVar[Direction] = "higher"
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    revision: ClassVar[int] = 1
    has_mean: ClassVar[bool] = True
    """Whether there is a closed form of the mean over the orders of tied documents."""

    def rows(self, batch: Batch, defined: BoolArray, columns: Mapping[str, Column]) -> Rows:
        """Return ``columns`` and a ``count`` of 1 a query, with the status of each.

        Shapes: ``defined`` (n,), whether there is anything to find; each column (n,), zero where a query is not
        defined.
        """
        status = np.zeros(len(batch), dtype=np.uint8)
        if self.undefined == "skip":
            status[~defined] = Status.UNDEFINED
        if self.missing_queries == "skip" and "in_run" in batch.names:
            status[~to_numpy(batch.column("in_run")).astype(bool)] = Status.MISSING
        count = np.ones(len(batch), dtype=np.int64)
        return Rows.of({**columns, "count": count}, status=status, defaulted=~defined)


@dataclass(frozen=True, kw_only=True)
class Ranked(ByIds):
    """A metric of a ranking against judged documents, or against reference passages.

    The judgements are document ids with grades (``retrieved`` and ``relevance``). Where the data have only texts
    (``contexts`` and ``reference_contexts``), ``matcher`` says which retrieved passage matches which reference
    passage. Ids win when both exist.

    Args:
        matcher: decides which passages match; without effect on ids.
        average: ``samples``: the mean of the queries' scores; ``pooled``: the score of the summed counts.
    """

    matcher: Ingredient[Matcher] = ingredient_field(Contains)
    average: Average = "samples"

    needs: ClassVar[Needs] = (("retrieved", "relevance"), ("contexts", "reference_contexts"))

    counts_alone: ClassVar[bool] = False
    """Whether the order of documents up to the cutoff has no effect."""
    first_alone: ClassVar[bool] = False
    """Whether documents behind the first relevant one have no effect."""

    def unsettled(self, batch: Batch) -> IntArray:
        """Return the queries, rising, whose value another order of equally scored documents could change."""
        view = self.views(batch).relevant
        tied, ranks = view.judged_ranks.tied, view.judged_ranks
        graded = hasattr(self, "gain") or hasattr(self, "max_grade")
        differs = tied.highest > tied.lowest
        touched = differs if graded else (tied.highest >= self.level) & (tied.lowest < self.level)
        cutoffs = self.cutoffs(view)[tied.rows]
        touched &= tied.first <= cutoffs
        if self.counts_alone:
            touched &= tied.last > cutoffs
        if self.first_alone:
            best = np.full(len(view), np.iinfo(np.int64).max)
            relevant = np.flatnonzero(ranks.grades >= self.level)[::-1]
            best[view.rows[relevant]] = ranks.ranks.values[relevant]
            touched &= tied.first <= best[tied.rows]
        return distinct(tied.rows[touched])

    def cutoffs(self, view: View) -> IntArray:
        """Return the last rank that counts for each query, (n,)."""
        return view.cutoffs(getattr(self, "k", None))

    def views(self, batch: Batch) -> Views:
        """Return what is relevant in each ranking of ``batch``, and where; made once for metrics of equal options."""
        if {"retrieved", "relevance"} <= set(batch.names):
            key = ("judged ranks", self.ties, self.score_dtype, self.duplicates, self.unjudged)
            return batch.derived(key, partial(_by_id, batch, self))
        return batch.derived(("matched ranks", self.matcher.signature), lambda: Views(*matched(batch, self.matcher)))


@dataclass(frozen=True, kw_only=True)
class Averaged(Ranked):
    """A metric of each ranking that has no pooled form: corpus scores are means over the queries."""

    average: Literal["samples"] = "samples"

    def score(self, totals: Statistics) -> FloatArray:
        """Return the mean of the queries' values."""
        return ratio(totals["value"], totals["count"])


@dataclass(frozen=True, kw_only=True)
class Graded(Averaged):
    """A metric of the discounted gains of a ranking.

    Args:
        gain: ``linear``: the grade; ``exp``: 2^grade - 1; or pairs grade:gain joined by ``/``, other grades being
            linear. A negative grade gains 0.
        k: the cutoff; None: no cutoff.
    """

    gain: Gain = "linear"
    k: Cutoff = None

    def __post_init__(self) -> None:
        once = isinstance(self.gain, str) or len(dict(self.gain)) == len(self.gain)
        check(self, "gain", "linear or exp or pairs grade:gain joined by '/', each grade once", holds=once)


def share(numerator: FloatArray, denominator: FloatArray, count: FloatArray) -> FloatArray:
    """Divide; 0/0 is 0, the worst value, where a query was counted, and NaN where none was.

    >>> share(np.array([1.0, 0.0, 0.0]), np.array([2.0, 0.0, 0.0]), np.array([1.0, 1.0, 0.0]))
    array([0.5, 0. , nan])
    """
    quotient = np.where(np.asarray(denominator) == 0, 0.0, ratio(numerator, denominator))
    return np.asarray(np.where(np.asarray(count) == 0, np.nan, quotient))
