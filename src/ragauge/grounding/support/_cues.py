"""Weekdays, and cues of what a sentence claims: negations, quantifiers, comparisons."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

import numpy as np
import regex

from ragauge.core.ragged import Array, BoolArray, IntArray
from ragauge.grounding.support import _lexicon as lexicon
from ragauge.grounding.support._characters import LETTER, MARK, SPACED
from ragauge.grounding.support._found import Found, leftmost, overwrite, spans
from ragauge.grounding.support._letters import Letters
from ragauge.grounding.support.kinds import Kind

ALSO_WORDS = (Kind.TREND, Kind.RANK, Kind.DOOR, Kind.ORDER, Kind.MORE, Kind.ENDS, Kind.STATE, Kind.CHANGE)
"""Cues that are words like others too, and stay in the text for them."""


def cues(letters: Letters, points: Array, places: Mapping[str, IntArray]) -> Found:
    """Return weekdays and cues of texts, and overwrite those in ``points`` that are no words.

    ``places``: by language of the texts, where words begin, or all characters in languages without spaces.
    """
    none = np.zeros(0, dtype=np.int64)
    units, ranks = [Found.of(Kind.NEGATION, none, none, np.empty(0))], [none]
    for language, own in places.items():
        some, rank = _listed_cues(letters, points, language, own)
        units += some
        ranks += rank
    return _in_turn(Found.joined(units), np.concatenate(ranks), points)


def _listed_cues(
    letters: Letters, points: Array, language: str, places: IntArray
) -> tuple[list[Found], list[IntArray]]:
    """Return the cues that the lexicon lists, in the texts of one language, and their ranks; they may overlap."""
    listed = lexicon.words(language)
    of, end, entry = listed.trie.matches(points, places)
    start = places[of]
    opened = listed.opened[entry]
    inside = letters.at(end, LETTER | MARK)
    if language in lexicon.UNSPACED:
        whole = ~(letters.at(end, SPACED) & letters.at(end - 1, SPACED))
    else:
        whole = ~inside | opened | (listed.follows[entry] > 0)
    longer = np.flatnonzero(opened & inside)
    end[longer] = letters.word_ends[np.searchsorted(letters.word_ends, end[longer])]
    start, end, entry = start[whole], end[whole], entry[whole]
    kept = _longest(listed, start, end, entry)
    start, end, entry = start[kept], end[kept], entry[kept]
    units = [Found.of(listed.kinds[entry], start, end - listed.follows[entry], listed.values[entry])]
    ranks = [listed.ranks[entry]]
    for own in listed.gapped:
        begins, ends = _gapped(letters, own, language)
        if len(begins):
            here = np.isin(letters.rows[begins], letters.rows[places])
            begins, ends = begins[here], ends[here]
        units.append(Found.of(own.kind, begins, ends, np.full(len(begins), own.value)))
        ranks.append(np.full(len(begins), own.rank))
    return units, ranks


def _longest(listed: lexicon.Lexicon, start: IntArray, end: IntArray, entry: IntArray) -> IntArray:
    """Return which matches to keep: of each class and start the longest, unless it is barred."""
    group = listed.kinds[entry] * 32 + listed.values[entry].astype(np.int64)
    order = np.lexsort((~listed.barred[entry], end, group, start))
    start, group = start[order], group[order]
    last = np.ones(len(order), dtype=bool)
    last[:-1] = (start[1:] != start[:-1]) | (group[1:] != group[:-1])
    kept = order[last]
    return np.asarray(kept[~listed.barred[entry[kept]]])


def _gapped(letters: Letters, own: lexicon.Form, language: str) -> tuple[IntArray, IntArray]:
    """Return where the texts of a language have a form of two parts with some characters between."""
    between = r"[^、。\n]{1,8}?" if language in lexicon.UNSPACED else r" \w+ "
    if own.form not in letters.text:
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    pattern = regex.compile(regex.escape(own.form) + between + regex.escape(own.gapped))
    rows = np.array([match.span() for match in pattern.finditer(letters.text)], dtype=np.int64).reshape(-1, 2)
    return rows[:, 0], rows[:, 1]


def _in_turn(units: Found, ranks: IntArray, points: Array) -> Found:
    """Return the matches that no class before theirs has overwritten, and overwrite those that are no words too."""
    order = np.argsort(units.start, kind="stable")
    units, ranks = units.where(order), ranks[order]
    beside = units.start[1:] < np.maximum.accumulate(units.end)[:-1]
    contested = np.append(beside, False) | np.append(False, beside) if len(order) else beside
    alone = units.where(~contested)
    _overwrite(alone.kind, alone.start, alone.end, points)
    contested[contested] = ~_nested(units.where(contested))
    rows = np.flatnonzero(contested)
    start, end, kind = units.start, units.end, units.kind
    classes = ranks[rows] * 10_000 + kind[rows] * 100 + units.values.values[units.values.offsets[rows]].astype(np.int64)
    by_class = np.argsort(classes, kind="stable")
    rows, edges = rows[by_class], np.flatnonzero(np.diff(classes[by_class], prepend=-1, append=-1))
    chosen = [rows[:0]]
    for first, last in pairwise(edges.tolist()):
        some = rows[first:last]
        some = some[_free(start[some], end[some], points)]
        some = some[leftmost(start[some], end[some])]
        _overwrite(kind[some], start[some], end[some], points)
        chosen.append(some)
    return Found.joined([alone, units.where(np.concatenate(chosen))])


def _nested(units: Found) -> BoolArray:
    """Return a mask of the matches, by their starts, that are part of a longer one of their kind: more in less than."""
    nested = np.zeros(len(units.kind), dtype=bool)
    for kind in np.unique(units.kind).tolist():
        own = np.flatnonzero(units.kind == kind)
        own = own[np.lexsort((-units.end[own], units.start[own]))]
        start, end = units.start[own], units.end[own]
        reach = np.maximum.accumulate(end)
        same = (start[1:] == start[:-1]) & (end[1:] == end[:-1])
        nested[own[1:]] = (reach[:-1] >= end[1:]) & ~same
    return nested


def _overwrite(kind: IntArray, start: IntArray, end: IntArray, points: Array) -> None:
    gone = ~np.isin(kind, ALSO_WORDS)
    overwrite(points, start[gone], end[gone], lexicon.OTHER_FILL)


def _free(start: IntArray, end: IntArray, points: Array) -> BoolArray:
    """Return a mask of the matches of which nothing is overwritten yet."""
    places = spans(start, end)
    blank = np.concatenate([[0], np.cumsum(points[places] <= lexicon.NUMBER_FILL)])
    ends = np.cumsum(end - start)
    return np.asarray(blank[ends] == blank[ends - (end - start)])
