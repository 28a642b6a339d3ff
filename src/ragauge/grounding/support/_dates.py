"""Days, months and years in digits or in characters: 2024-03-14, 14.03.24, 05/2012, 3月14日."""

from __future__ import annotations

import numpy as np

from ragauge.core.ragged import Array, BoolArray, IntArray
from ragauge.grounding.support._characters import DIGIT, one_of
from ragauge.grounding.support._digits import Runs
from ragauge.grounding.support._found import Found
from ragauge.grounding.support.kinds import Kind

_SPACE, _DOT, _SLASH = ord(" "), ord("."), ord("/")
_LATEST_DAY, _LATEST_MONTH = 31, 12
_YEARS = range(1000, 2700)
"""Years of four digits, also of the Buddhist era."""
_BUDDHIST = 543
_BUDDHIST_YEARS = range(2400, 2700)


def numeric_dates(runs: Runs, free: BoolArray, dotted: BoolArray, day_first: BoolArray) -> Found:
    """Return the parts of dates in digits: 2024-03-14, 14.03.2024, 14/03/24, 05/2012.

    14/03 and 03/14 are told apart where one is above 12; else both readings are kept, but for texts in languages that
    write the ``day_first`` (n,). Both centuries of '24 are kept. ``dotted`` (n,): a mask of the texts in languages that
    write 3.5.12, which elsewhere is a version.
    """
    first = np.flatnonzero(_triples(runs, free))
    second, third = first + 1, first + 2
    short = runs.length <= 2
    iso = (runs.length[first] == 4) & short[second] & short[third]
    units = [_date(runs, first[iso], second[iso], third[iso], day_first)]
    last = short[second] & short[first] & ((runs.length[third] == 4) | _of_two_digits(runs, first, third, dotted))
    swapped = last & (runs.after[first] == _SLASH) & (runs.value[second] > _LATEST_MONTH)
    units.append(_date(runs, third[last & ~swapped], second[last & ~swapped], first[last & ~swapped], day_first))
    units.append(_date(runs, third[swapped], first[swapped], second[swapped], day_first))
    units.append(_months_of_years(runs, free))
    return Found.joined(units)


def _of_two_digits(runs: Runs, first: IntArray, third: IntArray, dotted: BoolArray) -> BoolArray:
    """Return a mask of the triples that end in a year of two digits: 21/09/98, 21.9.98, 03.05.12, but not 3.5.12."""
    padded = (runs.length[first] == 2) & (runs.length[first + 1] == 2)
    sure = (runs.after[first] == _SLASH) | (runs.value[third] > _LATEST_DAY) | padded
    sure |= dotted[runs.letters.rows[runs.start[first]]]
    return np.asarray((runs.length[third] == 2) & sure)


def _triples(runs: Runs, free: BoolArray) -> BoolArray:
    """Return a mask of the runs that begin three with one mark between them, and with none before or behind.

    The mark may be a point and a space: 3. 5. 2012.
    """
    linked = runs.linked & one_of(runs.after, "-/.")
    linked[:-1] |= (runs.start[1:] - runs.end[:-1] == 2) & _dotted(runs)[:-1]
    triples = np.zeros(len(free), dtype=bool)
    triples[:-2] = linked[:-2] & linked[1:-1] & ~linked[2:] & (runs.after[:-2] == runs.after[1:-1])
    triples[1:] &= ~linked[:-1]
    free = free & runs.in_digits
    triples[:-2] &= free[:-2] & free[1:-1] & free[2:]
    return triples


def _dotted(runs: Runs) -> BoolArray:
    """Return a mask of the runs of at most four digits behind which stand a point and a space."""
    points = runs.letters.points
    return np.asarray((runs.after == _DOT) & (points[runs.end + 1] == _SPACE) & (runs.length <= 4))


def _months_of_years(runs: Runs, free: BoolArray) -> Found:
    """Return the months of 05/2012 and 2012-05."""
    linked = runs.linked & free & runs.in_digits
    alone = linked.copy()
    alone[:-1] &= ~linked[1:] & (free & runs.in_digits)[1:]
    alone[1:] &= ~linked[:-1]
    first = np.flatnonzero(alone)
    first = first[first + 1 < len(runs.start)]
    second = first + 1
    year = (runs.length == 4) & (runs.value >= _YEARS.start) & (runs.value < _YEARS.stop)
    month = (runs.length <= 2) & (runs.value >= 1) & (runs.value <= _LATEST_MONTH)
    before = (runs.after[first] == _SLASH) & month[first] & year[second]
    behind = (runs.after[first] == ord("-")) & (runs.length[second] == 2) & month[second] & year[first]
    behind &= runs.value[second] <= runs.value[first] % 100  # 2010-11 is a season.
    return _parts(runs, np.concatenate([first[before], second[behind]]), Kind.MONTH)


def _date(runs: Runs, year: IntArray, month: IntArray, day: IntArray, day_first: BoolArray) -> Found:
    """Return the parts of dates by the runs that hold them, where they make one."""
    good = (runs.value[month] >= 1) & (runs.value[month] <= 12) & (runs.value[day] >= 1) & (runs.value[day] <= 31)
    year, month, day = year[good], month[good], day[good]
    either = (runs.after[day] == _SLASH) & (runs.value[day] <= _LATEST_MONTH)
    either &= ~day_first[runs.letters.rows[runs.start[day]]]
    value, short = runs.value[year], runs.length[year] == 2
    buddhist = (value >= _BUDDHIST_YEARS.start) & (value < _BUDDHIST_YEARS.stop)
    other = np.where(short, value + 2000, np.where(buddhist, value - _BUDDHIST, np.nan))
    first = np.where(short, value + 1900, value)
    parts = [Found.of(Kind.YEAR, runs.start[year], runs.end[year], first, other)]
    for kind, own, swapped in ((Kind.MONTH, month, day), (Kind.DAY, day, month)):
        another = np.where(either, runs.value[swapped], np.nan)
        end = runs.end[own]
        before_time = (runs.after[own] == ord("t")) & runs.letters.at(end + 1, DIGIT)
        parts.append(Found.of(kind, runs.start[own], end + before_time, runs.value[own], another))
    return Found.joined(parts)


def _parts(runs: Runs, rows: IntArray, kind: Kind) -> Found:
    return Found.of(kind, runs.start[rows], runs.end[rows], runs.value[rows])


_DAY_MARKS, _MONTH_MARKS = "日일号號", "月월"
_PARTED = "、。，,\n"
_FAR = 6
"""Characters between the days of a range: 3日から5日まで."""


def unspaced_dates(runs: Runs, points: Array, free: BoolArray, texts: BoolArray) -> tuple[Found, IntArray, IntArray]:
    """Return months and days as Chinese, Japanese and Korean write them (3月14日, 三月十四日), and what they cover.

    ``texts`` (n,): a mask of the texts in those languages.
    """
    own = free & (runs.length <= 2) & texts[runs.letters.rows[runs.start]]
    marks = runs.end + (points[runs.end] == _SPACE)
    rows = np.flatnonzero(own & (runs.value >= 1) & (runs.value <= _LATEST_MONTH) & one_of(points[marks], _MONTH_MARKS))
    rows = rows[points[marks[rows] + 1] != ord("間")]
    end = marks[rows] + 1
    begin = end + (points[end] == _SPACE)
    following = np.minimum(rows + 1, len(runs.start) - 1)
    dated = own & (runs.value <= _LATEST_DAY) & one_of(points[marks], _DAY_MARKS)
    dated &= ~one_of(points[marks + 1], "間间")
    day = (runs.start[following] == begin) & dated[following]
    days = following[day]
    later = _later_days(runs, points, own, dated, days)
    units = Found.joined([_parts(runs, rows, Kind.MONTH), _parts(runs, np.append(days, later), Kind.DAY)])
    start = np.concatenate([runs.start[rows], runs.start[later]])
    ends = np.concatenate(
        [np.where(day, marks[following] + 1, end), np.where(dated[later], marks[later] + 1, runs.end[later])]
    )
    return units, start, ends


def _later_days(runs: Runs, points: Array, own: BoolArray, dated: BoolArray, days: IntArray) -> IntArray:
    """Return the runs that are days of the same month as the day before them: 3日から5日まで; and 3 of 5月3~5日."""
    known = np.zeros(len(runs.start), dtype=bool)
    known[days] = True
    following = np.flatnonzero(dated & ~known)
    following = following[following > 0]
    gap = runs.start[following] - runs.end[following - 1]
    parted = np.zeros(len(following), dtype=bool)
    for step in range(_FAR):
        parted |= (step < gap) & one_of(points[runs.end[following - 1] + step], _PARTED)
    later = following[known[following - 1] & (gap <= _FAR) & ~parted]
    # The first day of 5月3~5日 has no mark of its own.
    tilde = np.flatnonzero(own & ~dated & one_of(points[runs.end], "~～〜-–—"))
    tilde = tilde[tilde + 1 < len(runs.start)]
    tilde = tilde[dated[tilde + 1] & (runs.start[tilde + 1] == runs.end[tilde] + 1)]
    tilde = tilde[one_of(points[runs.start[tilde] - 1 - (points[runs.start[tilde] - 1] == _SPACE)], _MONTH_MARKS)]
    return np.unique(np.concatenate([later, tilde, tilde + 1]))


_WEEKDAYS = "月火水木金土日월화수목금토일"


def weekdays_in_brackets(points: Array, ends: IntArray) -> Found:
    """Return the weekdays in one character behind days: 5月3日（木）, 5월 3일(목)."""
    inside = one_of(points[ends + 1], _WEEKDAYS) & (points[ends] == ord("(")) & (points[ends + 2] == ord(")"))
    start = ends[inside] + 1
    place = np.array([_WEEKDAYS.index(chr(point)) % 7 for point in points[start].tolist()], dtype=np.float64)
    return Found.of(Kind.WEEKDAY, start, start + 1, place)
