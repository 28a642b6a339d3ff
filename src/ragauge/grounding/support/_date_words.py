"""Words that belong to dates and times: months, centuries, noon; and numbers in words that may stand beside them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ragauge.core.ragged import Array, BoolArray, FloatArray, IntArray
from ragauge.grounding.support import _lexicon as lexicon
from ragauge.grounding.support._characters import LETTER, MARK
from ragauge.grounding.support._digits import CARDINAL, ORDINAL, Runs
from ragauge.grounding.support._found import leftmost
from ragauge.grounding.support._letters import Letters
from ragauge.grounding.support._spelled import Listing, chains_of, korean_chains

_FIRST_YEAR = tuple(map(ord, "元年"))
"""The first year of an era."""
_ORDINAL_BESIDE = ("months", "centuries", "clocks", "beside_hours", "minutes_before", "ordered")
"""Tables of words beside which an ordinal is a day, a century or an hour, or counts quarters."""


@dataclass(frozen=True, eq=False)
class DateWords:
    """The words of the tables `DATE_TABLES` in texts. Shapes: ``at``, ``end``, ``table``, ``value`` (d,); rising."""

    at: IntArray
    end: IntArray
    table: IntArray
    value: FloatArray

    @classmethod
    def of(cls, letters: Letters, points: Array, starts: IntArray, dense: IntArray) -> DateWords:
        """Return the date words at ``starts`` of words, and at the ``dense`` places of texts without spaces."""
        listed = lexicon.date_words()
        at = np.concatenate([starts, dense])
        end, entry = listed.trie.longest(points, at)
        known = np.flatnonzero((entry >= 0) & ((np.arange(len(at)) >= len(starts)) | ~letters.at(end, LETTER | MARK)))
        known = known[np.argsort(at[known], kind="stable")]
        entry = entry[known]
        return cls(at[known], end[known], listed.kinds[entry], listed.values[entry])

    def of_table(self, *names: str) -> DateWords:
        """Return those of some tables."""
        some = np.isin(self.table, [lexicon.DATE_TABLES.index(name) for name in names])
        return DateWords(self.at[some], self.end[some], self.table[some], self.value[some])

    def where(self, kept: BoolArray) -> DateWords:
        """Return those of a mask (d,)."""
        return DateWords(self.at[kept], self.end[kept], self.table[kept], self.value[kept])


def with_words(
    runs: Runs, points: Array, words: DateWords, listings: Mapping[str, tuple[IntArray, Listing]], starts: IntArray
) -> Runs:
    """Return the runs of digits and the numbers in words: those listed, and ordinals beside date words.

    ``listings``: by language the places of its texts, and its number words. ``starts``: where words begin in languages
    with spaces.
    """
    columns = [np.empty((4, 0))]
    for name, (places, listing) in listings.items():
        if name == "ko":
            start, end, value = korean_chains(runs.letters, points, places, listing)
        else:
            start, end, value = chains_of(points, name, listing)
        columns.append(np.stack([start, end, value, np.full(len(start), CARDINAL)]))
    start, end, value = _ordinals(runs.letters, points, words, starts)
    columns.append(np.stack([start, end, value, np.full(len(start), ORDINAL)]))
    first = np.flatnonzero((points[:-1] == _FIRST_YEAR[0]) & (points[1:] == _FIRST_YEAR[1]))
    columns.append(np.stack([first, first + 1, np.ones(len(first)), np.full(len(first), CARDINAL)]))
    table = np.concatenate(columns, axis=1)
    # Twenty-first begins as twenty does, and ends as first: of those that overlap the longer counts.
    table = table[:, np.lexsort((table[0] - table[1], table[0]))]
    start, end, value, spelled = table[:, leftmost(table[0], table[1])]
    return runs.with_words(start.astype(np.int64), end.astype(np.int64), value, spelled.astype(np.int64))


def _ordinals(
    letters: Letters, points: Array, words: DateWords, starts: IntArray
) -> tuple[IntArray, IntArray, FloatArray]:
    """Return start, end and value of the ordinals of texts that have a word beside which they mean a date."""
    texts = letters.rows[words.of_table(*_ORDINAL_BESIDE).at]
    if not len(texts):
        return starts[:0], starts[:0], np.empty(0)
    some = np.zeros(len(letters.origins), dtype=bool)
    some[texts] = True
    starts = starts[some[letters.rows[starts]]]
    listed = lexicon.shared("ordinals")
    end, entry = listed.trie.longest(points, starts)
    known = (entry >= 0) & ~letters.at(end, LETTER | MARK)
    return starts[known], end[known], listed.values[entry[known]]
