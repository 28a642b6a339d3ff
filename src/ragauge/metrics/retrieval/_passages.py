"""Ranks of passages that match reference passages."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ragauge.metrics.retrieval._view import View
from ragauge.ragged import Ragged
from ragauge.rankings import JudgedRanks

if TYPE_CHECKING:
    from ragauge.batch import Batch
    from ragauge.ingredients import Matcher
    from ragauge.ragged import BoolArray, FloatArray, IntArray


def matched(batch: Batch, matcher: Matcher) -> tuple[View, View, View]:
    """Return the views of ``batch`` by text: relevant, covered and novel, see `Views`.

    Every passage is judged: it matches (grade 1) or does not (grade 0). Every reference has grade 1; one given twice
    counts twice. No two passages are tied.
    """
    passages, references = texts(batch, "contexts"), texts(batch, "reference_contexts")
    passage, reference = _matches(passages, references, matcher)
    relevant = np.zeros(len(passages.values), dtype=bool)
    relevant[passage] = True
    first = np.full(len(references.values), -1, dtype=np.int64)
    first[reference[::-1]] = passage[::-1]
    novel = np.zeros_like(relevant)
    novel[first[first >= 0]] = True
    return (
        _graded(passages, references, relevant),
        _covered(passages, references, first),
        _graded(passages, references, novel),
    )


def texts(batch: Batch, column: str) -> Ragged:
    """Return a column of lists of strings as n lists of str; null is an empty list, or an empty text."""
    return batch.derived(("texts", column), lambda: _texts(batch, column))


def _texts(batch: Batch, column: str) -> Ragged:
    lists = batch.column(column)
    flat = lists.flatten().fill_null("").to_numpy(zero_copy_only=False)
    lengths = lists.value_lengths().fill_null(0).to_numpy(zero_copy_only=False)
    return Ragged.from_lengths(flat, lengths)


def _matches(passages: Ragged, references: Ragged, matcher: Matcher) -> tuple[IntArray, IntArray]:
    """Return the flat places of each matching passage and its reference, passages ascending."""
    cells = np.flatnonzero(matcher.match(passages, references))
    wide = references.lengths
    starts = Ragged.from_lengths(cells[:0], passages.lengths * wide).offsets
    rows = np.searchsorted(starts, cells, side="right") - 1
    inside = cells - starts[rows]
    return passages.offsets[rows] + inside // wide[rows], references.offsets[rows] + inside % wide[rows]


def _graded(passages: Ragged, references: Ragged, good: BoolArray) -> View:
    """Grade every passage 1 or 0; judged are the references, and the passages of grade 0."""
    ranks = Ragged(passages.positions + 1, passages.offsets)
    bad = np.bincount(passages.rows[~good], minlength=len(passages))
    lengths = references.lengths + bad
    judged = Ragged.from_lengths(np.zeros(int(lengths.sum())), lengths)
    ones = judged.positions < np.repeat(references.lengths, lengths)
    return _view(ranks, good.astype(np.float64), passages, Ragged(ones.astype(np.float64), judged.offsets))


def _covered(passages: Ragged, references: Ragged, first: IntArray) -> View:
    """Rank each reference where its first matching passage stands, several at one rank if need be."""
    found = first >= 0
    rows = references.rows[found]
    ranks = first[found] - passages.offsets[rows] + 1
    order = np.lexsort((ranks, rows))
    places = Ragged.from_lengths(ranks[order], np.bincount(rows, minlength=len(references)))
    judged = Ragged(np.ones(len(references.values)), references.offsets)
    return _view(places, np.ones(len(ranks)), passages, judged)


def _view(ranks: Ragged, grades: FloatArray, passages: Ragged, judged: Ragged) -> View:
    alone = np.ones(len(ranks.values), dtype=np.int64)
    return View(JudgedRanks(ranks, grades, ranks.values, alone, passages.lengths, judged))
