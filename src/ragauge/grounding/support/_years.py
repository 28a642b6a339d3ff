"""Years, decades and centuries, also of other eras: 1998, 44 BC, 平成24年, the 1990s, XIX век, 20世纪90年代."""

from __future__ import annotations

import numpy as np
import regex

from ragauge.core.ragged import Array, BoolArray, FloatArray, IntArray, Ragged
from ragauge.grounding.support import _lexicon as lexicon
from ragauge.grounding.support._characters import DIGIT, SPACED, one_of
from ragauge.grounding.support._date_words import DateWords
from ragauge.grounding.support._digits import Runs
from ragauge.grounding.support._found import Found, stacked
from ragauge.grounding.support._letters import Letters
from ragauge.grounding.support.kinds import Kind

_SPACE = ord(" ")
_REIGNS = 1000
"""What is added to years of an emperor is more, what to those of other eras is less."""
_BUDDHIST = -543
_CLOSED = "年년"
_LATEST_CENTURY, _LATEST_BEFORE_CHRIST = 21, 4000


def years(runs: Runs, points: Array, free: BoolArray, thai: BoolArray) -> Found:
    """Return the years, also of the Buddhist and of Japanese eras, and before Christ.

    A decade has the values of all its years; a Thai year without an era may be of either. ``thai`` (n,): the texts.
    """
    letters = runs.letters
    rows = np.flatnonzero(free & ~runs.decimals & (runs.length <= 4))
    begin, era = _era(points, runs.start[rows])
    value, length, digits = runs.value[rows], runs.length[rows], runs.in_digits[rows]
    buddhist = np.isnan(era) & thai[letters.rows[runs.start[rows]]] & (value >= 2300) & (value <= 2700)
    counted = (length == 4) & ~(era > _REIGNS) & (~np.isnan(era) | buddhist | (value >= 1000) & (value <= 2100))
    decade, end = _decade_behind(letters, points, runs.end[rows])
    before, begin = _decade_before(points, begin)
    decade |= before & (value % 10 == 0)
    closed = one_of(points[end], _CLOSED)
    year = end + (points[end] == _SPACE)
    russian = (points[year] == ord("г")) & (points[year + 1] == ord("."))
    known = counted | (length <= 3) & (era > _REIGNS)
    known &= ~(np.isnan(era) & ~closed & ~russian & ~decade & _counts(letters, points, end))
    known &= ~letters.at(end, DIGIT) & (points[end] != ord("%")) & (digits | ~np.isnan(era) | closed & (value >= 1000))
    known &= ~(one_of(points[end], ".,") & letters.at(end + 1, DIGIT))
    known |= _of_two_digits(runs, points, rows, end, closed)
    end = np.where(russian, year + 2, end + closed)
    first = value + np.where(np.isnan(era), 0.0, era)
    second = np.where(buddhist, value + _BUDDHIST, np.nan)
    short = np.isnan(era) & (length == 2) & (value >= 30)
    first, second = np.where(short, value + 1900, first), np.where(short, value + 2000, second)
    ancient, begin, end = _before_christ(letters, points, begin, end)
    known |= ancient & (value <= _LATEST_BEFORE_CHRIST)
    first, second = np.where(ancient, -value, first), np.where(ancient, np.nan, second)
    units = Found.of(Kind.YEAR, begin[known], end[known], first[known])
    values = _decades(first[known], second[known], decade[known])
    return Found.joined(
        [Found(units.kind, units.start, units.end, values, units.scaled), _seasons(runs, free, rows[known])]
    )


def _of_two_digits(runs: Runs, points: Array, rows: IntArray, end: IntArray, closed: BoolArray) -> BoolArray:
    """Return a mask of the years without their century: those before a month that is read, 98년 9월."""
    at = end + 1 + (points[end + 1] == _SPACE)
    return np.asarray(closed & (runs.length[rows] == 2) & (runs.value[rows] >= 30) & (points[at] == lexicon.OTHER_FILL))


def _seasons(runs: Runs, free: BoolArray, rows: IntArray) -> Found:
    """Return the second years of seasons: 2010/11, 1998-99."""
    following = rows + 1
    rows = rows[following < len(runs.start)]
    following = rows + 1
    within = runs.value[rows] % 100
    some = free[following] & runs.linked[rows] & (runs.length[following] == 2) & (runs.value[following] > within)
    some &= one_of(runs.after[rows], "-–/") & ~runs.linked[following] & (runs.length[rows] == 4)
    rows, following = rows[some], following[some]
    return Found.of(
        Kind.YEAR, runs.start[following], runs.end[following], runs.value[rows] - within[some] + runs.value[following]
    )


def _decade_behind(letters: Letters, points: Array, end: IntArray) -> tuple[BoolArray, IntArray]:
    """Return a mask of the years that are decades, and where each ends: 1990s, 1990年代."""
    after, entry = lexicon.shared("decades").trie.longest(points, end)
    decade = (entry >= 0) & ~letters.at(after, SPACED)
    return decade, np.where(decade, after, end)


def _decade_before(points: Array, begin: IntArray) -> tuple[BoolArray, IntArray]:
    """Return a mask of the numbers behind a word for ten years, and where it begins: les années 1990."""
    return _word_before(points, begin, "decades_before")


def _word_before(points: Array, begin: IntArray, table: str) -> tuple[BoolArray, IntArray]:
    """Return a mask of the places that a word of a table ends right before, and where it begins."""
    listed = lexicon.shared(table)
    begins, known = begin.copy(), np.zeros(len(begin), dtype=bool)
    for length in lexicon.lengths(table):
        first = np.maximum(begin - length, 0)
        end, entry = listed.trie.longest(points, first)
        some = (entry >= 0) & (end == begin) & ~known
        begins, known = np.where(some, first, begins), known | some
    return known, begins


def _decades(first: FloatArray, second: FloatArray, decade: BoolArray) -> Ragged:
    if not decade.any():
        return stacked(first, second)
    ten = [np.where(decade | (add == 0), value + add, np.nan) for value in (first, second) for add in range(10)]
    return stacked(*ten)


def _era(points: Array, start: IntArray) -> tuple[IntArray, FloatArray]:
    """Return where the era before each place begins, and the years to add, NaN without one."""
    eras = lexicon.shared("eras")
    begins, era = start.copy(), np.full(len(start), np.nan)
    for length in lexicon.lengths("eras"):
        first = np.maximum(start - length, 0)
        end, entry = eras.trie.longest(points, first)
        some = (entry >= 0) & (end == start) & np.isnan(era)
        begins, era = np.where(some, first, begins), np.where(some, eras.values[entry], era)
    return begins, era


def _before_christ(
    letters: Letters, points: Array, begin: IntArray, end: IntArray
) -> tuple[BoolArray, IntArray, IntArray]:
    """Return a mask of the years that are before Christ, and where they begin and end: 44 BC, 公元前44年."""
    far, entry = lexicon.shared("bc_behind").trie.longest(points, end + (points[end] == _SPACE))
    behind = (entry >= 0) & ~letters.at(far, SPACED)
    before, begins = _word_before(points, begin, "bc_before")
    return before | behind, begins, np.where(behind, far, end)


_COUNTED = "万萬億亿만억名人명户戸只羽"


def _counts(letters: Letters, points: Array, end: IntArray) -> BoolArray:
    """Return a mask of the places behind which something is counted or measured: 1200 metres, 2000 people."""
    at = end + (points[end] == _SPACE)
    counted = one_of(points[at], _COUNTED)
    for table in ("measures", "scales"):
        ended, entry = lexicon.shared(table).trie.longest(points, at)
        counted |= (entry >= 0) & ~letters.at(ended, SPACED)
    return counted


_BETWEEN = regex.compile(r"(?:st|nd|rd|th|er|e|ème|\.|-?го|-?м|-?й|-?ом|वीं|वी|वें)?[ -]?")
_LONGEST_BETWEEN, _LONGEST_MARK = 6, 3


def centuries(runs: Runs, free: BoolArray, words: DateWords) -> tuple[Found, FloatArray]:
    """Return the centuries, with all their years, and the first year of each: 19th century, XIX век, siglo XIX.

    ``free`` (r,): a mask of the runs that are not read yet; ``words``: the names for a century.
    """
    text = runs.letters.text
    rows: list[tuple[int, int, float]] = []
    for at, end, side in zip(words.at.tolist(), words.end.tolist(), words.value.tolist(), strict=True):
        place = int(np.searchsorted(runs.start, at))
        run = place - 1 if side == 1 else int(np.searchsorted(runs.start, end))
        if not 0 <= run < len(runs.start) or not free[run] or not 1 <= runs.value[run] <= _LATEST_CENTURY:
            continue
        gap = text[runs.end[run] : at] if side == 1 else text[end : runs.start[run]]
        if len(gap) > _LONGEST_BETWEEN or "\n" in gap:
            continue
        if (side == 1 and _BETWEEN.fullmatch(gap)) or (side == 2 and gap in ("", " ", " ال", " الـ")):
            start = int(runs.start[run]) if side == 1 else at
            rows.append((start, end if side == 1 else int(runs.end[run]), float(runs.value[run])))
    table = np.array(rows, dtype=np.float64).reshape(-1, 3)
    first = (table[:, 2] - 1) * 100
    order = np.argsort(table[:, 0], kind="stable")
    table, first = table[order], first[order]
    values = Ragged.from_lengths((first[:, None] + np.arange(100)).ravel(), np.full(len(rows), 100))
    units = Found.of(Kind.YEAR, table[:, 0].astype(np.int64), table[:, 1].astype(np.int64), first)
    return Found(units.kind, units.start, units.end, values, units.scaled), first


def tens(runs: Runs, points: Array, free: BoolArray, words: DateWords, hundreds: tuple[IntArray, FloatArray]) -> Found:
    """Return decades without their century: the 90s, 90年代, les années 90, the nineties.

    They are of the last century, those up to the twenties also of this one; but of the century that stands before them.

    Args:
        runs: of digits and words.
        points: those not yet read.
        free: a mask of the runs that are not read yet, (r,).
        words: decades in one word.
        hundreds: where centuries end, rising, and their first years.
    """
    letters = runs.letters
    rows = np.flatnonzero(free & (runs.length == 2) & np.isin(runs.value, _TENS) & ~runs.decimals)
    end = runs.end[rows]
    far, entry = lexicon.shared("tens").trie.longest(points, end + (points[end] == _SPACE))
    behind = (entry >= 0) & ~letters.at(far, SPACED)
    quoted = points[runs.start[rows] - 1] == ord("'")
    plural = behind & (points[end] == ord("s")) | (points[end] == ord("'")) & (points[end + 1] == ord("s"))
    behind &= ~plural | quoted | _led(letters, runs.start[rows] - quoted)
    before, begin = _word_before(points, runs.start[rows], "decades_before")
    kept = behind | before
    start, end, value = begin[kept], np.where(behind, far, end)[kept], runs.value[rows][kept]
    led = _led(letters, words.at)
    latin = letters.points[words.at] < 0x250
    english = latin & (points[words.end - 1] == ord("s"))
    some = ~english | led
    start = np.concatenate([start, words.at[some]])
    end = np.concatenate([end, words.end[some]])
    value = np.concatenate([value, words.value[some]])
    order = np.argsort(start, kind="stable")
    start, end, value = start[order], end[order], value[order]
    known = _century_before(points, start, *hundreds)
    recent = np.isnan(known) & (value <= 20)
    first = np.where(np.isnan(known), 1900, known) + value
    units = Found.of(Kind.YEAR, start, end, first)
    second = np.where(recent, first + 100, np.nan)
    return Found(units.kind, start, end, _decades(first, second, np.ones(len(start), dtype=bool)), units.scaled)


def _century_before(points: Array, start: IntArray, ends: IntArray, first: FloatArray) -> FloatArray:
    """Return the first year of the century that ends right before each place, NaN without one."""
    if not len(ends):
        return np.full(len(start), np.nan)
    place = np.maximum(np.searchsorted(ends, start, side="right") - 1, 0)
    near = (ends[place] == start) | (ends[place] + 1 == start) & (points[ends[place]] == _SPACE)
    return np.where(near, first[place], np.nan)


_TENS = np.arange(10, 100, 10)
_LEADING = ("the", "early", "late", "mid")


def _led(letters: Letters, start: IntArray) -> BoolArray:
    """Return a mask of the places behind "the" and its like, where "90s" are years, not seconds."""
    text = letters.text
    heads = (text[max(place - 7, 0) : place] for place in start.tolist())
    return np.array(
        [head[-1:] in (" ", "-") and head[:-1].split(" ")[-1].split("-")[-1] in _LEADING for head in heads], dtype=bool
    )
