"""Months by name, and the days beside them: 3 March, the third of May, Sept. 21, du 3 au 5 mai."""

from __future__ import annotations

import numpy as np
import regex

from ragauge.core.ragged import Array, BoolArray, IntArray
from ragauge.grounding.support import _lexicon as lexicon
from ragauge.grounding.support._characters import DIGIT, LETTER, UPPER, one_of
from ragauge.grounding.support._date_words import DateWords
from ragauge.grounding.support._digits import CARDINAL, ORDINAL, Runs
from ragauge.grounding.support._found import Found
from ragauge.grounding.support._letters import Letters
from ragauge.grounding.support.kinds import Kind

_SPACE, _DOT = ord(" "), ord(".")
_LATEST = 31
_ORDINALS = ("st", "nd", "rd", "th", "er", ".", ".o", "o", "-го", "")
_BETWEEN = (" de ", " of ", " d'", " ", " من ", " เดือน", "de ", "of ", "d'", "-", "")
_DAY_GAPS = frozenset(ordinal + between for ordinal in _ORDINALS for between in _BETWEEN)
_LONGEST_GAP = max(map(len, _DAY_GAPS))
_DOUBTFUL = ("march", "mars", "may")
"""Other words too in English: there they are months only beside a day, a year or a preposition."""
_SHORT_ENGLISH = ("jan", "feb", "mar", "apr", "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec")
"""Short months that may stand before their day, as in Jan 7."""
_PREPOSITIONS = ("in", "since", "until", "of", "by", "from", "on", "to")
_TO = "to|and|bis(?: zum)?|und|al?|y(?: el)?|e|au|et|по|и|до|إلى|حتى|से|और"
_RANGE = regex.compile(
    rf"(?:st|nd|rd|th|er|\.?o|\.|-го)?"
    rf"(?: ?[-–—~] ?| (?:{_TO}) (?:the )?| و| ?ถึง(?:วันที่)? ?| และ(?:วันที่)? ?)"
)
"""What stands between two days of one month: 3 to 5 May, vom 3. bis 5. Mai."""
_RANGE_BEHIND = regex.compile(r"(?:st|nd|rd|th)?(?: ?[-–—] ?| to (?:the )?)")
_WIDEST_RANGE = 14


def months(
    runs: Runs, points: Array, free: BoolArray, words: DateWords, english: BoolArray
) -> tuple[Found, IntArray, IntArray]:
    """Return months by name with the days beside them, and what they cover.

    ``words``: the names of months; ``english`` (n,): a mask of texts.
    """
    letters = runs.letters
    at, value = words.at, words.value
    short = words.table == lexicon.DATE_TABLES.index("short_months")
    end = words.end + (short & (points[words.end] == _DOT))
    begin, before = _day_before(runs, free, at, english)
    far, after = _day_after(runs, points, free, end)
    alone = (before < 0) & (after < 0)
    kept = ~short | (before >= 0) | _year_behind(runs, end)
    some = np.flatnonzero(~kept & (after >= 0))
    kept[some] = _in_english(letters, at[some], words.end[some])
    verb = ~letters.at(at, UPPER)
    for place, letter in enumerate("may"):
        verb &= points[at + place] == ord(letter)
    doubtful = english[letters.rows[at]] & (alone | verb) & ~short
    doubtful[doubtful] = _doubtful(letters, at[doubtful], end[doubtful])
    kept &= ~doubtful | _year_behind(runs, end)
    days = np.unique(np.concatenate([before[kept], after[kept]]))
    days = days[days >= 0]
    ranged = _ranged(runs, free, days)
    units = [Found.of(Kind.MONTH, at[kept], end[kept], value[kept]), _days(runs, np.append(days, ranged))]
    start = np.concatenate([begin[kept], runs.start[ranged]])
    return Found.joined(units), start, np.concatenate([far[kept], runs.end[ranged]])


def _days(runs: Runs, rows: IntArray) -> Found:
    return Found.of(Kind.DAY, runs.start[rows], runs.end[rows], runs.value[rows])


def _day_before(runs: Runs, free: BoolArray, at: IntArray, english: BoolArray) -> tuple[IntArray, IntArray]:
    """Return where the day before each month begins, and its run or -1: 3 March, the 3rd of March, 3 de marzo."""
    run = np.maximum(np.searchsorted(runs.start, at) - 1, 0)
    if not len(runs.start):
        return at, np.full(len(at), -1)
    fits = free[run] & (runs.length[run] <= 2) & (runs.value[run] <= _LATEST) & (runs.value[run] >= 1)
    fits &= (runs.start[run] < at) & ~runs.decimals[run]
    fits &= (at - runs.end[run] <= _LONGEST_GAP) & ~runs.in_words[run]
    # "Five May elections" are no fifth of May, and "un mai" is any.
    fits &= (runs.spelled[run] != CARDINAL) | ~english[runs.letters.rows[at]] & (runs.value[run] > 1)
    rows = np.flatnonzero(fits)
    text = runs.letters.text
    gaps = (text[first:last] for first, last in zip(runs.end[run[rows]].tolist(), at[rows].tolist(), strict=True))
    fits[rows] = [gap in _DAY_GAPS for gap in gaps]
    return np.where(fits, runs.start[run], at), np.where(fits, run, -1)


def _day_after(runs: Runs, points: Array, free: BoolArray, end: IntArray) -> tuple[IntArray, IntArray]:
    """Return where the day behind each month ends, and its run or -1: March 3, March 3rd, May the third."""
    if not len(runs.start):
        return end, np.full(len(end), -1)
    run = np.minimum(np.searchsorted(runs.start, end), len(runs.start) - 1)
    begin = end + 4 * _the(points, end)
    fits = free[run] & (runs.start[run] == begin + 1) & (points[begin] == _SPACE) & (runs.spelled[run] != CARDINAL)
    fits &= (runs.length[run] <= 2) & (runs.value[run] <= _LATEST)
    behind = runs.end[run]
    ordinal = np.zeros(len(end), dtype=bool)
    for pair in ("st", "nd", "rd", "th"):
        ordinal |= (points[behind] == ord(pair[0])) & (points[behind + 1] == ord(pair[1]))
    behind = behind + 2 * ordinal
    fits &= ~runs.letters.at(behind, LETTER) & ((begin == end) | ordinal | (runs.spelled[run] == ORDINAL))
    fits &= ~(one_of(points[behind], ".,:") & runs.letters.at(behind + 1, DIGIT))
    return np.where(fits, behind, end), np.where(fits, run, -1)


def _the(points: Array, end: IntArray) -> BoolArray:
    the = np.ones(len(end), dtype=bool)
    for place, letter in enumerate(" the"):
        the &= points[end + place] == ord(letter)
    return the


def _ranged(runs: Runs, free: BoolArray, days: IntArray) -> IntArray:
    """Return the runs that are the other day of a range: the 3 of "3 to 5 May", the 5 of "May 3 to 5"."""
    text, out = runs.letters.text, []
    known = set(days.tolist())
    for day in days.tolist():
        for other, pattern in ((day - 1, _RANGE), (day + 1, _RANGE_BEHIND)):
            if not 0 <= other < len(free) or other in known or not free[other]:
                continue
            if runs.length[other] > 2 or not 1 <= runs.value[other] <= _LATEST:
                continue
            first, last = min(day, other), max(day, other)
            gap = (
                text[runs.end[first] : runs.start[last]]
                if runs.start[last] - runs.end[first] <= _WIDEST_RANGE
                else "\n"
            )
            if pattern.fullmatch(gap) and not (other > day and text[runs.end[other] : runs.end[other] + 1].isalpha()):
                out.append(other)
    return np.array(sorted(set(out)), dtype=np.int64)


def _in_english(letters: Letters, at: IntArray, end: IntArray) -> BoolArray:
    """Return a mask of the short months that English writes before their day."""
    text = letters.text
    return np.array([text[a:b] in _SHORT_ENGLISH for a, b in zip(at.tolist(), end.tolist(), strict=True)], dtype=bool)


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
    """Return a mask of the months behind which a year stands: May 2012, Sept. 1998, мая, 2012, mayo de 2012."""
    if not len(runs.start):
        return np.zeros(len(end), dtype=bool)
    run = np.minimum(np.searchsorted(runs.start, end), len(runs.start) - 1)
    gap = runs.start[run] - end
    year = (runs.length[run] == 4) & runs.in_digits[run]
    return np.asarray(
        (gap >= 1) & (gap <= 4) & year & (runs.letters.rows[runs.start[run]] == runs.letters.rows[end - 1])
    )
