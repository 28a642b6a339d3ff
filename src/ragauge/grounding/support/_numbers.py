"""Numbers in digits, with scales (84.6 million) and measures (680 cm)."""

from __future__ import annotations

import numpy as np

from ragauge.core.ragged import Array, BoolArray, FloatArray, IntArray, Ragged
from ragauge.grounding.support import _lexicon as lexicon
from ragauge.grounding.support._characters import ALNUM, CLAUSE, DIGIT, SPACED, UPPER, one_of
from ragauge.grounding.support._conventions import MarkArray
from ragauge.grounding.support._digits import Runs, plain_numbers
from ragauge.grounding.support._found import Found, rounded, scaled_hash, stacked
from ragauge.grounding.support._letters import Letters
from ragauge.grounding.support.kinds import Kind

_JOINTS = " -"
_NO_MEASURE = -1
_DEGREES = "度도"
_MYRIADS = {"万萬만": 1e4, "億亿억": 1e8, "兆조": 1e12}
"""Powers of ten behind which smaller ones may follow."""
_SCALES_AT_MOST = 4
_SPACE, _DOT, _MINUS = ord(" "), ord("."), "-\u2212"
# Capital letters behind digits: 8M users, 2B parameters. A small m is a metre.
_CAPITALS = {"m": 1e6, "b": 1e9}


def numbers_in_digits(runs: Runs, points: Array, free: BoolArray, marks: MarkArray) -> Found:
    """Return the numbers of the ``free`` runs (r,) of digits; ``marks`` (n,): what the commas of each text may be."""
    start, end, first, second = plain_numbers(runs, free & ~_of_fractions(runs, points), marks)
    second[_behind_currency(points, start)] = np.nan  # no price has three decimals
    scales = lexicon.shared("scales")
    live = np.arange(len(start))
    for _ in range(_SCALES_AT_MOST):
        begin = end[live] + one_of(points[end[live]], _JOINTS)
        far, entry = scales.trie.longest(points, begin)
        some = (entry >= 0) & ~runs.letters.at(far, SPACED)
        live, far, entry = live[some], far[some], entry[some]
        if not len(live):
            break
        factor = scales.values[entry]
        first[live], second[live] = rounded(first[live] * factor), rounded(second[live] * factor)
        end[live] = far
    for letter, power in _CAPITALS.items():
        million = runs.letters.at(end, UPPER) | _behind_currency(points, start)
        some = (points[end] == ord(letter)) & million & ~runs.letters.at(end + 1, ALNUM)
        first[some], second[some] = rounded(first[some] * power), rounded(second[some] * power)
        end[some] += 1
    kept = _added_up(points, start, end, first, second)
    far, entry = lexicon.shared("ordinal_endings").trie.longest(points, end)
    end = np.where((entry >= 0) & ~runs.letters.at(far, SPACED | DIGIT), far, end)
    return measured(runs.letters, points, start[kept], end[kept], stacked(first[kept], second[kept]))


def _added_up(points: Array, start: IntArray, end: IntArray, first: FloatArray, second: FloatArray) -> BoolArray:
    """Add to numbers of myriads what follows them, in place, and return a mask without that: 3万5千, 1억 5000만.

    Korean writes a space between.
    """
    kept = np.ones(len(start), dtype=bool)
    if len(start) < 2:
        return kept
    last = points[end[:-1] - 1]
    scale = np.zeros(len(last))
    for chars, power in _MYRIADS.items():
        scale[one_of(last, chars)] = power
    gap = start[1:] - end[:-1]
    spaced = (gap == 1) & (points[end[:-1]] == _SPACE) & one_of(last, "만억조")
    added = np.flatnonzero(((gap == 0) | spaced) & (scale > 0) & (first[1:] < scale) & (points[end[1:]] != _DOT))
    for place in added[::-1].tolist():
        first[place] += first[place + 1]
        second[place] = np.nan
        end[place] = end[place + 1]
        kept[place + 1] = False
    return kept


def _behind_currency(points: Array, start: IntArray) -> BoolArray:
    """Return a mask of the numbers behind the sign of a currency: $5m is no length."""
    before = start - 1 - (points[start - 1] == _SPACE)
    return one_of(points[before], "".join(lexicon.currencies()))


def _of_fractions(runs: Runs, points: Array) -> BoolArray:
    """Return a mask of the runs that are part of a fraction with a word of its own: 3分の1, 100分の5."""
    of = is_fraction(points, runs.end)
    part = of & np.isin(runs.value, [3, 4])
    out = of & np.isin(runs.value, [3, 4, 100])
    out[1:] |= part[:-1] & (runs.start[1:] - runs.end[:-1] <= 3) & (runs.value[1:] == 1)
    return out


def is_fraction(points: Array, end: IntArray) -> BoolArray:
    """Return a mask of the places where a number becomes the parts of a whole: 分之, 分の, 분의."""
    second = one_of(points[end + 1], "の之의")
    return np.asarray(second & one_of(points[end], "分분"))


def measured(letters: Letters, points: Array, start: IntArray, end: IntArray, values: Ragged) -> Found:
    """Return the numbers with the measures behind them, and with the words for percent before them."""
    begin = end + one_of(points[end], _JOINTS)
    begin += 3 * stands(points, begin, "de ") + 2 * stands(points, begin, "d'")
    far, entry = lexicon.shared("measures").trie.longest(points, begin)
    some = (entry >= 0) & ~letters.at(far, SPACED)
    of = np.array([*lexicon.measures().values(), (_NO_MEASURE, 1.0)])
    place = np.where(some, lexicon.shared("measures").values[entry], -1).astype(np.int64)
    halved = np.where(some, far, end)
    behind, half = lexicon.shared("and_a_half").trie.longest(points, halved + (points[halved] == _SPACE))
    whole = (half >= 0) & some & ~letters.at(behind, SPACED)
    values = Ragged(values.values + np.where(whole, 0.5, 0.0)[values.rows], values.offsets)
    far = np.where(whole, behind, far)
    begins, percent = percent_before(points, start)
    place[percent] = list(lexicon.measures()).index("percent 1")
    begins, far = _temperatures(points, begins, np.where(some, far, end), place)
    begins, place = _currency_before(points, begins, place)
    begins, negative = _sign_before(letters, points, begins)
    values = _negated(values, negative, place == list(lexicon.measures()).index("percent 1"))
    measure, factor = of[place, 0].astype(np.int64), of[place, 1]
    values = Ragged(rounded(values.values), values.offsets)
    scaled = values.where((measure != _NO_MEASURE)[values.rows])
    row = scaled.rows
    hashes = Ragged(scaled_hash(measure[row], scaled.values * factor[row]), scaled.offsets)
    kinds = np.full(len(start), int(Kind.NUMBER))
    return Found(kinds, begins, far, values, hashes)


def percentages(shares: Found) -> Found:
    """Return shares in words, whose values are hundredths, as the percentages that they are: half is 50 %."""
    percent, factor = lexicon.measures()["percent 1"]
    values = shares.values
    hashes = scaled_hash(np.full(len(values.values), percent), values.values * factor)
    return Found(shares.kind, shares.start, shares.end, values, Ragged(hashes, values.offsets))


def _temperatures(points: Array, start: IntArray, end: IntArray, place: IntArray) -> tuple[IntArray, IntArray]:
    """Return where numbers with a scale of temperature before them begin and end, and set their measures: 摄氏5度."""
    listed, begins, ends = lexicon.shared("temperatures"), start.copy(), end.copy()
    for length in lexicon.lengths("temperatures"):
        first = np.maximum(start - length, 0)
        behind, entry = listed.trie.longest(points, first)
        some = (entry >= 0) & (behind == start) & (place < 0)
        begins[some] = first[some]
        ends[some] += one_of(points[end[some]], _DEGREES)
        for scale, name in enumerate(("celsius 1", "fahrenheit 1"), 1):
            place[some & (listed.values[entry] == scale)] = list(lexicon.measures()).index(name)
    return begins, ends


def _currency_before(points: Array, start: IntArray, place: IntArray) -> tuple[IntArray, IntArray]:
    """Return where numbers with a sign of currency before them begin, and the places of their measures: $5, € 5."""
    at = start - 1 - (points[start - 1] == _SPACE)
    begins, place = start.copy(), place.copy()
    for sign, measure in lexicon.currencies().items():
        some = (points[at] == ord(sign)) & (place < 0)
        begins[some], place[some] = at[some], measure
    return begins, place


def _sign_before(letters: Letters, points: Array, start: IntArray) -> tuple[IntArray, BoolArray]:
    """Return where numbers with a minus or a word for it before them begin, and a mask of these: -5, 零下5, minus 5."""
    marked = (
        one_of(points[start - 1], _MINUS)
        & ~letters.at(start - 2, SPACED | DIGIT | CLAUSE)
        & (points[start - 2] != _DOT)
    )
    begins, negative = np.where(marked, start - 1, start), marked
    for length, entries in lexicon.minus().items():
        first = np.maximum(start - length, 0)
        for word in entries:
            some = stands(points, first, word) & ~negative
            begins, negative = np.where(some, first, begins), negative | some
    return begins, negative


def _negated(values: Ragged, negative: BoolArray, percent: BoolArray) -> Ragged:
    """Return the values with their signs; a negative percentage is also a positive one that something fell by."""
    lengths = values.lengths
    sign = np.where(negative, -1.0, 1.0)
    both = negative & percent
    if not both.any():
        return Ragged(values.values * sign[values.rows], values.offsets)
    first = Ragged(values.values * sign[values.rows], values.offsets)
    order = np.argsort(np.concatenate([first.rows, first.rows[both[first.rows]]]), kind="stable")
    joined = np.concatenate([first.values, values.values[both[values.rows]]])[order]
    return Ragged.from_lengths(joined, lengths + np.where(both, lengths, 0))


_FRACTION = ord("\u2044")
"""What ½ becomes: 1⁄2."""
_PARTS = (1 / 2, 1 / 3, 1 / 4)
"""Shares in words too; with a plain stroke others may be dates or pages."""


def fractions(runs: Runs, points: Array, free: BoolArray) -> Found:
    """Return the fractions of digits: ½ and 1/4 as percentages, as in words, 2½ and ¾ as numbers."""
    heads = runs.linked & free & runs.in_digits & (runs.value > 0)
    heads &= (runs.after == _FRACTION) | (runs.after == ord("/")) & (runs.length == 1) & (runs.value == 1)
    first = np.flatnonzero(heads[:-1] & (free & runs.in_digits)[1:]) if len(heads) else np.flatnonzero(heads)
    first = first[(runs.value[first + 1] >= 2) & ~runs.linked[first + 1]]
    first = first[(first == 0) | ~runs.linked[first - 1] | (runs.after[first - 1] == _SPACE)]
    share = runs.value[first] / runs.value[first + 1]
    start, end = runs.start[first], runs.end[first + 1]
    before = np.maximum(first - 1, 0)
    whole = (first > 0) & (runs.end[before] + 1 == start) & (points[runs.end[before]] == _SPACE) & free[before]
    whole &= (runs.after[first] == _FRACTION) & runs.in_digits[before]
    values = np.where(whole, runs.value[before], 0.0) + share
    start = np.where(whole, runs.start[before], start)
    named = np.isin(share, _PARTS) & ~whole
    parts = percentages(Found.of(Kind.NUMBER, start[named], end[named], np.floor(100 * share[named])))
    plain = ~named & (runs.after[first] == _FRACTION)
    return Found.joined([parts, measured(runs.letters, points, start[plain], end[plain], stacked(values[plain]))])


def stands(points: Array, at: IntArray, text: str) -> BoolArray:
    """Return a mask of the places at which the text stands."""
    here = np.ones(len(at), dtype=bool)
    for place, char in enumerate(text):
        here &= points[at + place] == ord(char)
    return here


def percent_before(points: Array, start: IntArray) -> tuple[IntArray, BoolArray]:
    """Return where the words for percent before each number begin, and a mask of the numbers with such: 百分之四."""
    begins, percent = start.copy(), np.zeros(len(start), dtype=bool)
    for length in (8, 7, 6, 5, 4, 3):
        first = np.maximum(start - length, 0)
        end, entry = lexicon.shared("percentages").trie.longest(points, first)
        some = (entry >= 0) & (end == start) & ~percent
        begins, percent = np.where(some, first, begins), percent | some
    return begins, percent
