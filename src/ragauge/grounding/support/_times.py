"""Times of the day, in minutes."""

from __future__ import annotations

import numpy as np

from ragauge.core.ragged import Array, BoolArray, FloatArray, IntArray
from ragauge.grounding.support import _lexicon as lexicon
from ragauge.grounding.support._characters import DIGIT, SPACED, one_of
from ragauge.grounding.support._date_words import DateWords
from ragauge.grounding.support._digits import ORDINAL, Runs
from ragauge.grounding.support._found import Found, leftmost
from ragauge.grounding.support._letters import Letters
from ragauge.grounding.support._numbers import stands
from ragauge.grounding.support.kinds import Kind

_SPACE, _COLON = ord(" "), ord(":")
_DASHES = "-–"
TIME = 2.0**-20
"""Added to minutes, so that no time is equal to a number."""
_NOON, _DUSK = 720, 1080
_HALVES = np.array([0, _NOON, _DUSK], dtype=np.float64)
"""Minutes from midnight to the halves of the day, in the order of ``halves`` in lexicon.toml."""
_UNNAMED, _CLOCK, _POINTED, _FRENCH, _PREPOSED, _SPANISH, _ARABIC = 0, 1, 2, 3, 5, 6, 7
"""How hours are named: not at all, 14点30分, 14.30 Uhr, 14 h 30, в 17 часов, las 17 horas: the keys of ``hours``.

The last is of ``hour_prepositions`` alone: في التاسعة.
"""
_FEMININE, _OF_AGE = ord("ة"), " من عمر"
_MINUTES = [ord("分"), ord("분")]
_DEVANAGARI = np.arange(0x0900, 0x0980)
_HALF = 0.5
_RANGE = 5
"""Characters between the numbers of a range, at most."""
_NAMED_ONLY = "点點"
"""Hours of Chinese, which are points and "a bit" too: in words they are hours only beside a half of the day."""


def times(runs: Runs, points: Array, french: BoolArray, words: DateWords) -> Found:
    """Return the times of the day, in minutes: two values where it may be before or after noon.

    Args:
        runs: of digits, and of numbers in words.
        points: those not yet read.
        french: the texts in French, where "h" is an hour, (n,).
        words: times without a number, minutes before an hour, and words that tell an hour.
    """
    rows = np.flatnonzero((runs.length <= 2) & (runs.value <= 24) & ~runs.decimals)
    following = np.minimum(rows + 1, len(runs.start) - 1)
    digits = runs.in_digits[rows]
    minute = runs.next_by(":.", 2)[rows] | _unpadded(runs, points)[rows]
    minute &= (runs.value[following] < 60) & digits & runs.in_digits[following]
    at = np.where(minute, runs.end[following], runs.end[rows])
    colon = minute & (runs.after[rows] == _COLON)
    seconds = colon & runs.next_by(":", 2)[following]
    at = np.where(seconds, runs.end[np.minimum(rows + 2, len(runs.start) - 1)], at)
    kind, end = _named_hours(runs, points, rows, at, french[runs.letters.rows[runs.start[rows]]])
    kind[minute & (kind == _CLOCK)] = _UNNAMED
    end = np.where(kind == _UNNAMED, at, end)
    value = runs.value[rows] * 60 + np.where(minute, runs.value[following], 0)
    more, end = _minutes_behind(runs, points, kind, end)
    parts, end, parted = _parts_behind(runs.letters, points, end)
    start, before = _half_before(points, runs.start[rows], kind == _CLOCK)
    end, behind = _half_behind(runs.letters, points, end)
    start, earlier, led = _led(words.of_table("minutes_before", "clocks"), points, start, kind != _UNNAMED)
    is_time = (kind != _UNNAMED) | ~np.isnan(behind) | colon & ~runs.letters.at(at, DIGIT) | led
    # Nueve y media is read as nine and a half.
    led |= (parted | (runs.value[rows] - np.floor(runs.value[rows]) == _HALF)) & _preposed(points, start, _SPANISH)
    feminine = (runs.spelled[rows] == ORDINAL) & (points[end - 1] == _FEMININE) & (value < 13 * 60)
    led |= feminine & _preposed(points, start, _ARABIC) & ~stands(points, end, _OF_AGE)
    is_time |= led
    bare = ~digits & (kind == _CLOCK) & one_of(points[runs.end[rows]], _NAMED_ONLY) & (more + parts == 0)
    is_time &= ~(bare & np.isnan(before)) & (digits | ~np.isnan(behind) | ~np.isnan(before) | (kind != _UNNAMED) | led)
    shift = np.where(np.isnan(before), behind, before)
    exact = colon & (kind == _UNNAMED)
    padded = (runs.length[rows] == 2) & (runs.value[rows] < 10) | (runs.value[rows] > 12)
    first, second = _readings(value + more, shift, exact, exact & padded)
    added = parts + earlier
    first, second = first + added + TIME, second + np.where(second < 0, -added, added) + TIME
    kept = np.flatnonzero(is_time)
    kept = kept[np.argsort(start[kept], kind="stable")]
    kept = kept[leftmost(start[kept], end[kept])]
    units = Found.of(Kind.TIME, start[kept], end[kept], first[kept], second[kept])
    named = words.of_table("times")
    midnight = np.where(named.value, np.nan, 1440.0)
    return Found.joined([units, Found.of(Kind.TIME, named.at, named.end, named.value + TIME, midnight + TIME)])


def _unpadded(runs: Runs, points: Array) -> BoolArray:
    """Return a mask of the hours before minutes of one digit, which are times in a range only: 7:0-22:0."""
    there = runs.next_by(":", 1)
    end = runs.end[np.minimum(np.arange(len(there)) + 1, len(there) - 1)]
    to = one_of(points[end], _DASHES) & runs.letters.at(end + 1, DIGIT)
    since = one_of(points[runs.start - 1], _DASHES) & runs.letters.at(runs.start - 2, DIGIT)
    return np.asarray(there & (to | since))


def with_hours(letters: Letters, units: Found) -> Found:
    """Return typed units where numbers beside a preposition have the times of that hour as values too: at nine, 9 to 5.

    ``units``: in the order of their places. A number with a measure, or before what it may count, is no hour.
    """
    points, lengths = letters.points, units.values.lengths
    some = np.flatnonzero((units.kind == Kind.NUMBER) & (lengths == 1) & (units.scaled.lengths == 0))
    value = units.values.values[units.values.offsets[some]]
    hour = (value > 0) & (value <= 24) & (value == np.floor(value))
    some, value = some[hour], value[hour]
    behind = lexicon.shared("behind_hours").trie.longest(points, units.end[some])[1] >= 0
    beside = behind | _preceded(letters, units.start[some], "before_hours")
    beside &= ~_counting(letters, units.end[some])
    # Of 9 to 12 dollars neither is an hour.
    alike = units.kind != Kind.NUMBER
    alike[some[beside]] = True
    following = np.minimum(some + 1, len(alike) - 1)
    near = units.start[following] - units.end[some] <= _RANGE
    beside &= alike[following] | ~near | (letters.rows[units.start[following]] != letters.rows[units.start[some]])
    some, minutes = some[beside], value[beside] * 60
    if not len(some):
        return units
    other = np.where(minutes <= _NOON, minutes + _NOON, np.nan)
    hours = Found.of(Kind.NUMBER, units.start[some], units.end[some], value[beside], minutes + TIME, other + TIME)
    order = np.arange(len(units.start))
    order[some] = len(order) + np.arange(len(some))
    return Found.joined([units, hours]).where(order)


def _counting(letters: Letters, end: IntArray) -> BoolArray:
    """Return a mask of the numbers before a word of a language with spaces that may be what they count: 9 stores."""
    points = letters.points
    begin = end + (points[end] == _SPACE)
    counting = letters.at(begin, SPACED)
    for table in ("after_hours", "weekdays"):
        far, entry = lexicon.shared(table).trie.longest(points, begin)
        counting &= (entry < 0) | letters.at(far, SPACED)
    return counting


def _preceded(letters: Letters, start: IntArray, table: str) -> BoolArray:
    """Return a mask of the places right behind a word of a table, of languages with spaces a whole one."""
    listed, found = lexicon.shared(table), np.zeros(len(start), dtype=bool)
    for length in lexicon.lengths(table):
        first = np.maximum(start - length, 0)
        end, entry = listed.trie.longest(letters.points, first)
        found |= (entry >= 0) & (end == start) & ~letters.at(first - 1, SPACED)
    return found


def _led(
    leading: DateWords, points: Array, start: IntArray, named: BoolArray
) -> tuple[IntArray, FloatArray, BoolArray]:
    """Return where hours begin with the words before them, the minutes these add, and a mask of those that have any.

    Half past nine, halb zehn, الساعة الخامسة; of the Hindi words only beside an hour.
    """
    place = np.searchsorted(leading.end, start, side="right") - 1
    if not len(leading.at):
        return start, np.zeros(len(start)), np.zeros(len(start), dtype=bool)
    near = np.maximum(place, 0)
    gap = start - leading.end[near]
    led = (place >= 0) & ((gap == 0) | (gap == 1) & (points[leading.end[near]] == _SPACE))
    led &= named | ~np.isin(points[leading.at[near]], _DEVANAGARI)
    clock = leading.table[near] == lexicon.DATE_TABLES.index("clocks")
    minutes = np.where(led & ~clock, leading.value[near], 0.0)
    return np.where(led, leading.at[near], start), minutes, led


def _parts_behind(letters: Letters, points: Array, end: IntArray) -> tuple[FloatArray, IntArray, BoolArray]:
    """Return the minutes that words behind hours add, where these end, and a mask of the hours with such: y media."""
    listed = lexicon.shared("minutes_behind")
    ended, entry = _next(points, end, listed)
    some = (entry >= 0) & ~letters.at(ended, SPACED)
    return np.where(some, listed.values[entry], 0.0), np.where(some, ended, end), some


def _readings(
    value: FloatArray, shift: FloatArray, exact: BoolArray, whole_day: BoolArray
) -> tuple[FloatArray, FloatArray]:
    """Return the minutes of each time, and those that it may be too, NaN where nothing else can be meant.

    9 o'clock is 21:00 too. 9:00 is not, but it may be 9:00 p.m.: such a time below 0 is one whose half of the day
    is written. ``whole_day``: as 09:00 and 21:00 are written.
    """
    known = ~np.isnan(shift)
    first = np.where(known, value % _NOON + np.where(known, shift, 0), value)
    half = np.where(exact, -1 - (value + _NOON) % (2 * _NOON), value + _NOON)
    other = np.where(known, -1 - first, np.where(~whole_day & (value < _NOON + 60), half, np.nan))
    return first, other


def _named_hours(
    runs: Runs, points: Array, rows: IntArray, at: IntArray, french: BoolArray
) -> tuple[IntArray, IntArray]:
    """Return how the hour before each place is named, and where the name ends; ``rows`` are the runs of the hours."""
    hours = lexicon.shared("hours")
    end, entry = _next(points, at, hours)
    kind = np.where((entry >= 0) & ~hours.barred[entry], hours.values[entry], _UNNAMED).astype(np.int64)
    kind[(kind != _CLOCK) & runs.letters.at(end, SPACED) | (kind == _FRENCH) & ~french] = _UNNAMED
    kind[(entry >= 0) & (hours.values[entry] == _FRENCH) & ~french & ~runs.letters.at(end, SPACED)] = _SPANISH
    for own in (_PREPOSED, _SPANISH):
        some = np.flatnonzero(kind == own)
        kind[some[~_preposed(points, runs.start[rows[some]], own)]] = _UNNAMED
    return kind, end


def _preposed(points: Array, start: IntArray, own: int) -> BoolArray:
    """Return a mask of the hours behind one of the prepositions that tell them: в 17 часов, las 17 horas."""
    listed = lexicon.shared("hour_prepositions")
    preposed = np.zeros(len(start), dtype=bool)
    for length in lexicon.lengths("hour_prepositions"):
        first = np.maximum(start - length, 0)
        end, entry = listed.trie.longest(points, first)
        preposed |= (entry >= 0) & (end == start) & (listed.values[entry] == own)
    return preposed


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
    worded = there & (kind == _PREPOSED) & (points[mark] == ord("м")) & (points[mark + 1] == ord("и"))
    minutes = runs.letters.word_ends
    word = minutes[np.searchsorted(minutes, mark).clip(0, len(minutes) - 1)] if len(minutes) else mark
    far = np.where(dense, mark + 1, np.where(worded, word, np.where(spaced, runs.end[run], end)))
    return np.where(dense | spaced | worded, runs.value[run], 0.0), far


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
    for length in lexicon.lengths("halves"):
        first = np.maximum(behind - length, 0)
        end, entry = halves.trie.longest(points, first)
        some = wanted & (entry >= 0) & (end == behind) & np.isnan(minutes)
        begins = np.where(some, first, begins)
        minutes = np.where(some, _HALVES[halves.values[entry].astype(np.int64)], minutes)
    return begins, minutes
