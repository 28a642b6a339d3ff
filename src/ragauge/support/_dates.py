"""Days, months and years, by value."""

from __future__ import annotations

import numpy as np

from ragauge.core.ragged import Array, BoolArray, FloatArray, IntArray, Ragged
from ragauge.support import _lexicon as lexicon
from ragauge.support._characters import DIGIT, LETTER, SPACED, UPPER
from ragauge.support._digits import Runs
from ragauge.support._found import Found, stacked
from ragauge.support._letters import Letters
from ragauge.support.kinds import Kind

_SPACE = ord(" ")


def numeric_dates(runs: Runs, free: BoolArray) -> Found:
    """Return the parts of dates in digits: 2024-03-14, 14.03.2024, 14/03/2024.

    14/03 and 03/14 are told apart where one is above 12; else both readings are kept.
    """
    first = np.flatnonzero(_triples(runs, free))
    second, third = first + 1, first + 2
    short = runs.length <= 2
    iso = (runs.length[first] == 4) & short[second] & short[third]
    units = [_date(runs, first[iso], second[iso], third[iso])]
    last = (runs.length[third] == 4) & short[second] & short[first]
    swapped = last & (runs.after[first] == ord("/")) & (runs.value[second] > 12)
    units.append(_date(runs, third[last & ~swapped], second[last & ~swapped], first[last & ~swapped]))
    units.append(_date(runs, third[swapped], first[swapped], second[swapped]))
    return Found.joined(units)


def _triples(runs: Runs, free: BoolArray) -> BoolArray:
    """Return a mask of the runs that begin three with one mark between them, and with none before or behind."""
    linked = runs.linked & np.isin(runs.after, list(map(ord, "-/.")))
    triples = np.zeros(len(free), dtype=bool)
    triples[:-2] = linked[:-2] & linked[1:-1] & ~linked[2:] & (runs.after[:-2] == runs.after[1:-1])
    triples[1:] &= ~linked[:-1]
    triples[:-2] &= free[:-2] & free[1:-1] & free[2:]
    return triples


def _date(runs: Runs, year: IntArray, month: IntArray, day: IntArray) -> Found:
    """Return the parts of dates by the runs that hold them, where they make one."""
    good = (runs.value[month] >= 1) & (runs.value[month] <= 12) & (runs.value[day] >= 1) & (runs.value[day] <= 31)
    year, month, day = year[good], month[good], day[good]
    either = (runs.after[day] == ord("/")) & (runs.value[day] <= 12)
    parts = [_parts(runs, year, Kind.YEAR)]
    for kind, own, other in ((Kind.MONTH, month, day), (Kind.DAY, day, month)):
        another = np.where(either, runs.value[other], np.nan)
        end = runs.end[own]
        before_time = (runs.after[own] == ord("t")) & runs.letters.at(end + 1, DIGIT)
        parts.append(Found.of(kind, runs.start[own], end + before_time, runs.value[own], another))
    return Found.joined(parts)


def _parts(runs: Runs, rows: IntArray, kind: Kind) -> Found:
    return Found.of(kind, runs.start[rows], runs.end[rows], runs.value[rows])


def unspaced_dates(runs: Runs, points: Array, free: BoolArray, texts: BoolArray) -> tuple[Found, IntArray, IntArray]:
    """Return months and days as Chinese, Japanese and Korean write them (3月14日), and what they cover.

    ``texts`` (n,): a mask of the texts in those languages.
    """
    rows = np.flatnonzero(free & (runs.length <= 2) & (runs.value <= 12) & texts[runs.letters.rows[runs.start]])
    rows = rows[np.isin(runs.after[rows], list(map(ord, "月월"))) & (points[runs.end[rows] + 1] != ord("間"))]
    end = runs.end[rows] + 1
    begin = end + (points[end] == _SPACE)
    following = np.minimum(rows + 1, len(runs.start) - 1)
    mark = runs.end[following] + (points[runs.end[following]] == _SPACE)
    day = (runs.start[following] == begin) & (runs.length[following] <= 2) & (runs.value[following] <= 31)
    day &= np.isin(points[mark], list(map(ord, "日일号號")))
    units = Found.joined([_parts(runs, rows, Kind.MONTH), _parts(runs, following[day], Kind.DAY)])
    return units, runs.start[rows], np.where(day, mark + 1, end)


_ORDINALS = ("st", "nd", "rd", "th", "er", ".", "º", "-го", "")
_BETWEEN = (" de ", " of ", " d'", " ", "de ", "of ", "d'", "")
_DAY_GAPS = frozenset(ordinal + between for ordinal in _ORDINALS for between in _BETWEEN)
_LONGEST_GAP = max(map(len, _DAY_GAPS))
_DOUBTFUL = ("march", "mars", "may")
"""Other words too in English: there they are months only beside a day, a year or a preposition."""
_PREPOSITIONS = ("in", "since", "until", "of", "by", "from", "on", "to")


def months(
    runs: Runs, points: Array, free: BoolArray, starts: IntArray, thai: IntArray, english: BoolArray
) -> tuple[Found, IntArray, IntArray]:
    """Return months by name with the days beside them, and what they cover.

    ``starts``: where words begin, ``thai``: all places of texts in Thai; ``english`` (n,): a mask of texts.
    """
    letters, named = runs.letters, lexicon.shared("months")
    at = np.concatenate([starts, thai])
    end, entry = named.trie.longest(points, at)
    known = np.flatnonzero((entry >= 0) & ((np.arange(len(at)) >= len(starts)) | ~letters.at(end, LETTER)))
    known = known[np.argsort(at[known], kind="stable")]
    at, end, value = at[known], end[known], named.values[entry[known]]
    begin, before = _day_before(runs, free, at)
    far, after = _day_after(runs, points, free, end)
    verb = ~letters.at(at, UPPER)
    for place, letter in enumerate("may"):
        verb &= points[at + place] == ord(letter)
    doubtful = english[letters.rows[at]] & ((before < 0) & (after < 0) | verb)
    doubtful[doubtful] = _doubtful(letters, at[doubtful], end[doubtful])
    kept = ~doubtful | _year_behind(runs, end)
    days = np.unique(np.concatenate([before[kept], after[kept]]))
    units = [Found.of(Kind.MONTH, at[kept], end[kept], value[kept]), _parts(runs, days[days >= 0], Kind.DAY)]
    return Found.joined(units), begin[kept], far[kept]


def _day_before(runs: Runs, free: BoolArray, at: IntArray) -> tuple[IntArray, IntArray]:
    """Return where the day before each month begins, and its run or -1: 3 March, the 3rd of March, 3 de marzo."""
    run = np.maximum(np.searchsorted(runs.start, at) - 1, 0)
    if not len(runs.start):
        return at, np.full(len(at), -1)
    fits = free[run] & (runs.length[run] <= 2) & (runs.value[run] <= 31) & (runs.start[run] < at) & ~runs.decimals[run]
    fits &= (at - runs.end[run] <= _LONGEST_GAP) & ~runs.letters.at(runs.start[run] - 1, SPACED)
    rows = np.flatnonzero(fits)
    text = runs.letters.text
    gaps = (text[first:last] for first, last in zip(runs.end[run[rows]].tolist(), at[rows].tolist(), strict=True))
    fits[rows] = [gap in _DAY_GAPS for gap in gaps]
    return np.where(fits, runs.start[run], at), np.where(fits, run, -1)


def _day_after(runs: Runs, points: Array, free: BoolArray, end: IntArray) -> tuple[IntArray, IntArray]:
    """Return where the day behind each month ends, and its run or -1: March 3, March 3rd."""
    if not len(runs.start):
        return end, np.full(len(end), -1)
    run = np.minimum(np.searchsorted(runs.start, end), len(runs.start) - 1)
    fits = free[run] & (runs.start[run] == end + 1) & (points[end] == _SPACE)
    fits &= (runs.length[run] <= 2) & (runs.value[run] <= 31)
    behind = runs.end[run]
    ordinal = np.zeros(len(end), dtype=bool)
    for pair in ("st", "nd", "rd", "th"):
        ordinal |= (points[behind] == ord(pair[0])) & (points[behind + 1] == ord(pair[1]))
    behind = behind + 2 * ordinal
    fits &= ~runs.letters.at(behind, LETTER)
    fits &= ~(np.isin(points[behind], list(map(ord, ".,:"))) & runs.letters.at(behind + 1, DIGIT))
    return np.where(fits, behind, end), np.where(fits, run, -1)


def _doubtful(letters: Letters, at: IntArray, end: IntArray) -> BoolArray:
    """Return a mask of the months that are other words too and stand behind no preposition."""
    text, out = letters.text, np.zeros(len(at), dtype=bool)
    for place, (first, last) in enumerate(zip(at.tolist(), end.tolist(), strict=True)):
        head = text[max(first - 6, 0) : first].split(" ")
        out[place] = text[first:last] in _DOUBTFUL and not (
            len(head) > 1 and head[-1] == "" and head[-2] in _PREPOSITIONS
        )
    return out


def _year_behind(runs: Runs, end: IntArray) -> BoolArray:
    if not len(runs.start):
        return np.zeros(len(end), dtype=bool)
    run = np.minimum(np.searchsorted(runs.start, end), len(runs.start) - 1)
    return np.asarray((runs.start[run] == end + 1) & (runs.length[run] == 4))


_REIGNS = 1000
"""What is added to years of an emperor is more, what to those of other eras is less."""
_BUDDHIST = -543


def years(runs: Runs, points: Array, free: BoolArray, thai: BoolArray) -> Found:
    """Return the years, also of the Buddhist and of Japanese eras.

    A decade has the values of all its years; a Thai year without an era may be of either. ``thai`` (n,): the texts.
    """
    letters = runs.letters
    rows = np.flatnonzero(free & ~runs.decimals & (runs.length <= 4))
    begin, era = _era(points, runs.start[rows])
    value, length = runs.value[rows], runs.length[rows]
    buddhist = np.isnan(era) & thai[letters.rows[runs.start[rows]]] & (value >= 2300) & (value <= 2700)
    counted = (length == 4) & ~(era > _REIGNS) & (~np.isnan(era) | buddhist | (value >= 1000) & (value <= 2100))
    decade, end = _decade_behind(letters, points, runs.end[rows])
    closed = np.isin(points[end], list(map(ord, "年년")))
    russian = (points[end] == ord("г")) & (points[end + 1] == ord("."))
    known = counted | (length <= 2) & (era > _REIGNS)
    known &= ~(np.isnan(era) & ~closed & ~russian & ~decade & _counts(letters, points, end))
    known &= ~letters.at(end, DIGIT) & (points[end] != ord("%"))
    known &= ~(np.isin(points[end], list(map(ord, ".,"))) & letters.at(end + 1, DIGIT))
    end = end + closed + 2 * russian
    first = value + np.where(np.isnan(era), 0.0, era)
    second = np.where(buddhist, value + _BUDDHIST, np.nan)
    units = Found.of(Kind.YEAR, begin[known], end[known], first[known])
    return Found(units.kind, units.start, units.end, _decades(first[known], second[known], decade[known]), units.scaled)


def _decade_behind(letters: Letters, points: Array, end: IntArray) -> tuple[BoolArray, IntArray]:
    """Return a mask of the years that are decades, and where each ends: 1990s, 1990年代."""
    after, entry = lexicon.shared("decades").trie.longest(points, end)
    decade = (entry >= 0) & ~letters.at(after, SPACED)
    return decade, np.where(decade, after, end)


def _decades(first: FloatArray, second: FloatArray, decade: BoolArray) -> Ragged:
    if not decade.any():
        return stacked(first, second)
    ten = [np.where(decade | (add == 0), value + add, np.nan) for value in (first, second) for add in range(10)]
    return stacked(*ten)


def _era(points: Array, start: IntArray) -> tuple[IntArray, FloatArray]:
    """Return where the era before each place begins, and the years to add, NaN without one."""
    eras = lexicon.shared("eras")
    begins, era = start.copy(), np.full(len(start), np.nan)
    for length in (5, 4, 2):
        first = np.maximum(start - length, 0)
        end, entry = eras.trie.longest(points, first)
        some = (entry >= 0) & (end == start) & np.isnan(era)
        begins, era = np.where(some, first, begins), np.where(some, eras.values[entry], era)
    return begins, era


_COUNTED = list(map(ord, "万萬億亿만억名人명户戸只羽"))


def _counts(letters: Letters, points: Array, end: IntArray) -> BoolArray:
    """Return a mask of the places behind which something is counted or measured: 1200 metres, 2000 people."""
    at = end + (points[end] == _SPACE)
    counted = np.isin(points[at], _COUNTED)
    for table in ("measures", "scales"):
        ended, entry = lexicon.shared(table).trie.longest(points, at)
        counted |= (entry >= 0) & ~letters.at(ended, SPACED)
    return counted
