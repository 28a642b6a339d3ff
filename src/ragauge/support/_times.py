"""Times of the day, in minutes."""

from __future__ import annotations

import numpy as np

from ragauge.core.ragged import Array, BoolArray, FloatArray, IntArray
from ragauge.support import _lexicon as lexicon
from ragauge.support._characters import DIGIT, SPACED
from ragauge.support._digits import Runs
from ragauge.support._found import Found, leftmost
from ragauge.support._letters import Letters
from ragauge.support.kinds import Kind

_SPACE, _COLON = ord(" "), ord(":")
_NOON, _DUSK = 720, 1080
_HALVES = np.array([0, _NOON, _DUSK], dtype=np.float64)
"""Minutes from midnight to the halves of the day, in the order of ``halves`` in lexicon.toml."""
_UNNAMED, _CLOCK, _POINTED, _FRENCH = 0, 1, 2, 3
"""How hours are named: not at all, 14点30分, 14.30 Uhr, 14 h 30. The keys of ``hours`` in lexicon.toml."""
_HALF_PAST = [ord("半"), ord("반")]
_MINUTES = [ord("分"), ord("분")]


def times(runs: Runs, points: Array, french: BoolArray) -> Found:
    """Return the times of the day, in minutes: two values where it may be before or after noon.

    ``points`` are those not yet read, ``french`` (n,) the texts in French, where "h" is an hour.
    """
    rows = np.flatnonzero((runs.length <= 2) & (runs.value <= 24) & ~runs.decimals)
    following = np.minimum(rows + 1, len(runs.start) - 1)
    minute = runs.next_by(":.", 2)[rows] & (runs.value[following] < 60)
    at = np.where(minute, runs.end[following], runs.end[rows])
    colon = minute & (runs.after[rows] == _COLON)
    seconds = colon & runs.next_by(":", 2)[following]
    at = np.where(seconds, runs.end[np.minimum(rows + 2, len(runs.start) - 1)], at)
    kind, end = _named_hours(runs, points, at, french[runs.letters.rows[runs.start[rows]]])
    kind[minute & (kind == _CLOCK)] = _UNNAMED
    end = np.where(kind == _UNNAMED, at, end)
    value = runs.value[rows] * 60 + np.where(minute, runs.value[following], 0)
    more, end = _minutes_behind(runs, points, kind, end)
    start, before = _half_before(points, runs.start[rows], kind == _CLOCK)
    end, behind = _half_behind(runs.letters, points, end)
    is_time = (kind != _UNNAMED) | ~np.isnan(behind) | colon & ~runs.letters.at(at, DIGIT)
    shift = np.where(np.isnan(before), behind, before)
    first, second = _readings(value + more, shift, colon & (kind == _UNNAMED))
    kept = np.flatnonzero(is_time)
    kept = kept[leftmost(start[kept], end[kept])]
    return Found.of(Kind.TIME, start[kept], end[kept], first[kept], second[kept])


def _readings(value: FloatArray, shift: FloatArray, exact: BoolArray) -> tuple[FloatArray, FloatArray]:
    """Return the minutes of each time, and those of the other half of the day, NaN where its half is clear."""
    known = ~np.isnan(shift)
    first = np.where(known, value % _NOON + np.where(known, shift, 0), value)
    return first, np.where(~known & ~exact & (value < _NOON + 60), value + _NOON, np.nan)


def _named_hours(runs: Runs, points: Array, at: IntArray, french: BoolArray) -> tuple[IntArray, IntArray]:
    """Return how the hour before each place is named, and where the name ends."""
    hours = lexicon.shared("hours")
    end, entry = _next(points, at, hours)
    kind = np.where((entry >= 0) & ~hours.barred[entry], hours.values[entry], _UNNAMED).astype(np.int64)
    kind[(kind != _CLOCK) & runs.letters.at(end, SPACED) | (kind == _FRENCH) & ~french] = _UNNAMED
    return kind, end


def _next(points: Array, at: IntArray, words: lexicon.Lexicon) -> tuple[IntArray, IntArray]:
    """Return the end and the number of the longest word at each place, or behind a space there."""
    end, entry = words.trie.longest(points, at + (points[at] == _SPACE))
    return np.where(entry < 0, at, end), entry


def _minutes_behind(runs: Runs, points: Array, kind: IntArray, end: IntArray) -> tuple[FloatArray, IntArray]:
    """Return the minutes behind the name of an hour, and where they end: 14点30分, 14点半, 14 h 30."""
    begin = end + (points[end] == _SPACE)
    run = np.minimum(np.searchsorted(runs.start, begin), len(runs.start) - 1)
    there = (runs.start[run] == begin) & (runs.value[run] < 60)
    mark = runs.end[run] + (points[runs.end[run]] == _SPACE)
    dense = there & (kind == _CLOCK) & np.isin(points[mark], _MINUTES)
    spaced = there & np.isin(kind, [_POINTED, _FRENCH]) & (runs.length[run] == 2)
    half = (kind == _CLOCK) & np.isin(points[end], _HALF_PAST)
    far = np.where(dense, mark + 1, np.where(spaced, runs.end[run], end + half))
    return np.where(dense | spaced, runs.value[run], 30.0 * half), far


def _half_behind(letters: Letters, points: Array, end: IntArray) -> tuple[IntArray, FloatArray]:
    """Return where the half of the day behind each place ends, and its minutes, NaN without one."""
    halves = lexicon.shared("halves")
    ended, entry = _next(points, end, halves)
    some = (entry >= 0) & ~letters.at(ended, SPACED | DIGIT)
    minutes = _HALVES[halves.values[entry].astype(np.int64)]
    return np.where(some, ended, end), np.where(some, minutes, np.nan)


def _half_before(points: Array, start: IntArray, wanted: BoolArray) -> tuple[IntArray, FloatArray]:
    """Return where the half of the day before each wanted place begins, and its minutes, NaN without one: 下午2点."""
    halves = lexicon.shared("halves")
    behind = start - (points[start - 1] == _SPACE)
    begins, minutes = start.copy(), np.full(len(start), np.nan)
    for length in (2, 1):
        first = np.maximum(behind - length, 0)
        end, entry = halves.trie.longest(points, first)
        some = wanted & (entry >= 0) & (end == behind) & np.isnan(minutes)
        begins = np.where(some, first, begins)
        minutes = np.where(some, _HALVES[halves.values[entry].astype(np.int64)], minutes)
    return begins, minutes
