"""Numbers in words: sixty-two thousand, 八千, 이십 명, zwölftausendfünfhundert."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ragauge.core.ragged import Array, BoolArray, FloatArray, IntArray, Ragged
from ragauge.grounding.support import _lexicon as lexicon
from ragauge.grounding.support._characters import DIGIT, HANGUL, LETTER, MARK, one_of
from ragauge.grounding.support._found import leftmost
from ragauge.grounding.support._letters import Letters
from ragauge.grounding.support._numbers import is_fraction, percent_before, stands

_SPACE = ord(" ")
_JOINTS = " -"
_HAN = ("zh", "ja")
_AND = "und"
_PARTS_AT_MOST = 24
"""Of a German number word; more than the longest below a billion has, so that hostile text takes linear time."""
_NATIVE, _SINO = 1, 2
"""The keys of Korean counters in lexicon.toml."""
_PARTICLES, _LARGE = "이은을에의과도로여", 100
"""What may follow a Korean number without counter, if it is of at least a hundred."""
_DECIMALS = 6
_LARGEST_ALONE = 1000
"""Of a number in one character that is one before a counter: 百軒, but not 万人, which is everybody."""
_HALF, _DOZEN = 0.5, 12
_BEHIND_SINO = "년월일시분세"
_WORDS_TOO = "이일조"
"""Korean digits that are frequent words too, where a space follows: this, work, group."""


Listing = tuple[IntArray, IntArray, FloatArray]
"""Start, end and value of number words, or of the parts of German and Korean ones, rising."""


def listed_words(letters: Letters, points: Array, language: str, places: IntArray) -> Listing:
    """Return the number words of the texts of one language, of German and Korean those that words are made of.

    ``places``: where words begin in languages with spaces, all characters in others.
    """
    if language == "de":
        return _german(letters, points, places)
    listed = lexicon.numbers(language)
    end, entry = listed.trie.longest(points, places)
    known = np.flatnonzero((entry >= 0) & ~listed.barred[entry])
    if language not in lexicon.UNSPACED:
        known = known[~letters.at(end[known], LETTER | MARK)]
    start, end, entry = places[known], end[known], entry[known]
    kept = leftmost(start, end)
    return start[kept], end[kept], listed.values[entry[kept]]


def chains_of(points: Array, language: str, listing: Listing) -> Listing:
    """Return start, end and value of the numbers that listed words make, whatever stands beside them."""
    start, end, value = listing
    if not len(start):
        return listing
    chains = Ragged(value, _chains(points, language, start, end, value))
    first, last = chains.offsets[:-1], chains.offsets[1:] - 1
    return start[first], end[last], _totals(chains, language)


def korean_chains(letters: Letters, points: Array, places: IntArray, listing: Listing) -> Listing:
    """Return the numbers that Korean words make where a date or an hour may stand: 삼일 is the third, 세 시 an hour."""
    first, last, digits = listing
    chains = Ragged(digits, _chains(points, "ko", first, last, digits))
    start, end = first[chains.offsets[:-1]], last[chains.offsets[1:] - 1] if len(chains) else last
    day = (chains.lengths > 1) & (points[end - 1] == ord("일")) & ~one_of(points[end], _BEHIND_SINO)
    value = _totals(chains.where(chains.positions < np.repeat(chains.lengths - day, chains.lengths)), "ko")
    end = end - day
    behind = points[end + (points[end] == _SPACE)]
    kept = ~letters.at(start - 1, HANGUL | DIGIT) & (behind != ord("시"))
    native = _native(letters, points, places)
    start, end, value = (
        np.concatenate(pair) for pair in zip((start[kept], end[kept], value[kept]), native, strict=True)
    )
    order = np.lexsort((-end, start))
    start, end, value = start[order], end[order], value[order]
    kept = leftmost(start, end)
    return start[kept], end[kept], value[kept]


def spelled_numbers(letters: Letters, points: Array, language: str, listing: Listing, places: IntArray) -> Listing:
    """Return start, end and value of the numbers in words of the texts of one language.

    A lone "one" is none, because it is an article mostly.

    Args:
        letters: of the texts.
        points: those not yet read.
        language: of the texts.
        listing: the number words of these texts; what was read since is left out.
        places: where words begin in languages with spaces, all characters in others.
    """
    start, end, value = listing
    free = points[start] > lexicon.NUMBER_FILL
    start, end, value = start[free], end[free], value[free]
    if language == "ko":
        return _korean(letters, points, places, (start, end, value))
    chains = Ragged(value, _chains(points, language, start, end, value))
    first, last = chains.offsets[:-1], chains.offsets[1:] - 1
    start, end, total = start[first], end[last], _totals(chains, language)
    if language in _HAN:
        chains, start, end, total = _with_decimals(points, chains, start, end, total)
    good = total > 1
    if language in _HAN:
        zeros = list(map(ord, "零〇"))
        zero = (total == 0) & (np.isin(points[start], zeros) | np.isin(points[end - 1], zeros))
        good = (good | zero) & _is_number(points, chains, language, start, end)
    if language == "th":
        good &= value[first] <= 10
    return start[good], end[good], total[good]


def _chains(points: Array, language: str, start: IntArray, end: IntArray, value: FloatArray) -> IntArray:
    """Return where numbers of several words begin and end among the words, as offsets."""
    gap, before = start[1:] - end[:-1], end[:-1]
    if language == "ko":
        linked = (gap == 0) | (gap == 1) & (points[before] == _SPACE)
    elif language in lexicon.UNSPACED:
        linked = gap == 0
        if language == "th":
            linked &= ~_led_by_scale(np.append(True, ~linked), value)[:-1]
    else:
        linked = (gap == 1) & one_of(points[before], _JOINTS)
        for join in filter(None, lexicon.joins(language)):
            linked |= (gap == len(join) + 2) & stands(points, before, f" {join} ")
        if language == "de":
            linked |= (gap == 0) | (gap == len(_AND)) & stands(points, before, _AND)
    return np.flatnonzero(np.concatenate([[True], ~linked, [True]])) if len(start) else np.zeros(1, dtype=np.int64)


def _led_by_scale(heads: BoolArray, value: FloatArray) -> BoolArray:
    """Return a mask of the words of chains that are above ten, up to the first of each chain that is not."""
    small: IntArray = np.cumsum(value <= 10)
    before = np.maximum.accumulate(np.where(heads, small - (value <= 10), 0))
    return np.asarray(small == before)


def _totals(chains: Ragged, language: str) -> FloatArray:
    """Return the number that each list of values makes; each distinct list is added up once."""
    total = chains.values[chains.offsets[:-1]].copy() if len(chains) else np.empty(0)
    known: dict[tuple[float, ...], float] = {}
    add_up = {"zh": _characters, "ja": _characters, "ko": _characters, "th": _thai}.get(language, _words)
    for row in np.flatnonzero(chains.lengths > 1).tolist():
        values = tuple(chains[row].tolist())
        if values not in known:
            known[values] = add_up(values)
        total[row] = known[values]
    return total


def _words(values: Sequence[float]) -> float:
    """Return the number that words make: sixty-two thousand; ones may stand before tens.

    >>> _words((60, 2, 1000)), _words((4, 20)), _words((3, 1000, 5, 100))
    (62000.0, 24.0, 3500.0)
    >>> _words((19, 90, 8)), _words((20, 12))
    (1998.0, 2012.0)
    >>> _words((1, 0.5, 10**6)), _words((2, 1000, 10**6)), _words((2, 12))
    (1500000.0, 2000000000.0, 24.0)
    """
    total = current = 0.0
    scale = 1.0
    if _is_year(values):
        return float(values[0] * 100 + sum(values[1:]))
    for value in values:
        if value >= 1000:
            if 0 < total < value:  # dos mil millones
                total, current = 0.0, total + current
            # A quarter before a scale is more than one of it: सवा लाख.
            factor = current + 1 if 0 < current < 1 else max(current, 1)
            total, current, scale = total + factor * value, 0.0, value
        elif value == _HALF and total and not current:
            total += value * scale
        elif value == _DOZEN and 1 < current < _DOZEN:
            current *= value
        elif value == 100:
            current = max(current, 1) * value if current < 100 else current + value
        else:
            current += value
    return total + current


def _is_year(values: Sequence[float]) -> bool:
    """Return whether two numbers below a hundred stand as a year: nineteen ninety-eight, twenty twelve."""
    head, *tail = values
    return 11 <= head <= 20 and bool(tail) and 10 <= tail[0] < 100 and 10 <= sum(tail) < 100 and len(tail) <= 2


def _characters(values: Sequence[float]) -> float:
    """Return the number that characters make, each a digit or a power of ten: 一万二千五百.

    >>> _characters((1, 10**4, 2, 1000, 5, 100)), _characters((1, 9, 8, 4))
    (12500.0, 1984.0)
    """
    total = section = digit = 0.0
    for value in values:
        if value < 10:
            digit = digit * 10 + value
        elif value < 10**4:
            section, digit = section + max(digit, 1) * value, 0.0
        else:
            total, section, digit = total + max(section + digit, 1) * value, 0.0, 0.0
    return total + section + digit


def _thai(values: Sequence[float]) -> float:
    """Return the number that Thai words make.

    >>> _thai((2, 10, 7)), _thai((3, 100, 10**6))
    (27.0, 300000000.0)
    """
    total = section = digit = 0.0
    for value in values:
        if value < 10:
            digit = value
        elif value < 10**6:
            section, digit = section + max(digit, 1) * value, 0.0
        else:
            total, section, digit = (total + section + max(digit, 0 if section else 1)) * value, 0.0, 0.0
    return total + section + digit


def _german(letters: Letters, points: Array, places: IntArray) -> Listing:
    """Return the parts of German number words, which are written as one: zwölf-tausend-fünf-hundert."""
    listed, inside = lexicon.numbers("de"), letters.inside_words
    word, at = places, places
    parts = [np.empty((4, 0), dtype=np.int64)]
    for _ in range(_PARTS_AT_MOST):
        end, entry = listed.trie.longest(points, at)
        some = entry >= 0
        word, end = word[some], end[some]
        parts.append(np.stack([word, at[some], end, entry[some]]))
        at = end + len(_AND) * stands(points, end, _AND)
        word, at = word[inside[at]], at[inside[at]]
    table = np.concatenate(parts, axis=1)
    table = table[:, np.argsort(table[1], kind="stable")]
    last = np.flatnonzero(np.diff(table[0], append=-1))
    whole = ~inside[table[2, last]]
    _, start, end, entry = table[:, np.repeat(whole, np.diff(last, prepend=-1))]
    return start, end, listed.values[entry]


def _is_number(points: Array, chains: Ragged, language: str, start: IntArray, end: IntArray) -> BoolArray:
    """Return a mask of the runs of Han characters that are numbers: several, or one digit before a counter."""
    counters = lexicon.counters(language)
    several = chains.lengths > 1
    _, entry = counters.trie.longest(points, end)
    counted = (entry >= 0) & ~counters.barred[entry] & ~_very(points, start, end)
    first = chains.values[chains.offsets[:-1]]
    digit = (first <= 10) | (first <= _LARGEST_ALONE) & ~is_fraction(points, end)
    named = is_fraction(points, end) & one_of(points[end - 1], "三四") & ~several
    named &= one_of(points[end + 2], "一1")
    countless = (chains.lengths == 2) & (points[start] == ord("千")) & (points[end - 1] == ord("万"))
    _, percent = percent_before(points, start)
    return np.asarray((several | digit & (counted | percent)) & ~countless & ~named)


_POINTS = "点點・"


def _with_decimals(
    points: Array, chains: Ragged, start: IntArray, end: IntArray, total: FloatArray
) -> tuple[Ragged, IntArray, IntArray, FloatArray]:
    """Return chains, starts, ends and values of numbers, with the digits behind a point in them: 三点五, 三・五."""
    if len(start) < 2:
        return chains, start, end, total
    most = np.maximum.reduceat(chains.values, chains.offsets[:-1])
    digits = (most < 10) & (total < 10.0**_DECIMALS)
    joined = (start[1:] - end[:-1] == 1) & one_of(points[end[:-1]], _POINTS) & digits[1:]
    joined[1:] &= ~joined[:-1]
    head = np.flatnonzero(joined)
    total, end = total.copy(), end.copy()
    total[head] += total[head + 1] / 10.0 ** chains.lengths[head + 1]
    end[head] = end[head + 1]
    kept = np.append(True, ~joined)
    lengths = chains.lengths.copy()
    # Two parts are a number whatever follows, as two characters are.
    lengths[head] += chains.lengths[head + 1]
    return Ragged.from_lengths(chains.values, lengths[kept]), start[kept], end[kept], total[kept]


def _very(points: Array, start: IntArray, end: IntArray) -> BoolArray:
    """Return a mask of the places of 十分, which is "very" unless minutes are meant."""
    minutes = one_of(points[end + 1], "钟鐘間间")
    return np.asarray((points[start] == ord("十")) & (points[end] == ord("分")) & ~minutes)


def _korean(letters: Letters, points: Array, places: IntArray, listing: Listing) -> Listing:
    """Return native numbers and Sino-Korean ones, where a counter follows."""
    parts = [_native(letters, points, places), _sino(letters, points, listing)]
    start, end, value = (np.concatenate(pair) for pair in zip(*parts, strict=True))
    order = np.lexsort((-end, start))
    start, end, value = start[order], end[order], value[order]
    kept = leftmost(start, end) & (value > 1)
    return start[kept], end[kept], value[kept]


def _native(letters: Letters, points: Array, places: IntArray) -> Listing:
    """Return start, end and value of native numbers: 스물두 명."""
    first = places[letters.at(places, HANGUL) & ~letters.at(places - 1, HANGUL)]
    listed = lexicon.native()
    of, end, entry = listed.trie.matches(points, first)
    counted = _counter_behind(points, end) & _NATIVE > 0
    return first[of[counted]], end[counted], listed.values[entry[counted]]


def _sino(letters: Letters, points: Array, listing: Listing) -> Listing:
    """Return start, end and value of Sino-Korean numbers: 이십 년, 육만 이천 명.

    일 is one, and the counter of days too: 삼일 is three days.
    """
    places, _, value = listing
    gap = np.diff(places)
    linked = (gap == 1) | (gap == 2) & (points[places[:-1] + 1] == _SPACE)
    edges = np.flatnonzero(np.concatenate([[True], ~linked, [True]])) if len(places) else np.zeros(1, dtype=np.int64)
    chains = Ragged(value, edges)
    start, end = places[edges[:-1]], places[edges[1:] - 1] + 1 if len(places) else places
    counted = _counter_behind(points, end) & _SINO > 0
    days = ~counted & (chains.lengths > 1) & (points[end - 1] == ord("일"))
    # Of a number without counter the last 이 is the copula or a particle, not two: 삼만 오천이다.
    alone = ~counted & ~days & (chains.lengths > 2)
    days |= alone & (points[end - 1] == ord("이"))
    lengths = chains.lengths - days
    chains, end = chains.where(chains.positions < np.repeat(lengths, chains.lengths)), end - days
    word = (lengths == 1) & (points[end] == _SPACE) & one_of(points[start], _WORDS_TOO)
    total = _totals(chains, "ko")
    ended = ~letters.at(end, HANGUL) | one_of(points[end], _PARTICLES)
    large = (lengths > 1) & (total >= _LARGE) & ended
    days &= ~alone
    good = (counted | days | large) & ~letters.at(start - 1, HANGUL) & ~word & ~is_fraction(points, end)
    return start[good], end[good], total[good]


def _counter_behind(points: Array, end: IntArray) -> IntArray:
    """Return the bits of the Korean counter behind each place, 0 without one."""
    counters = lexicon.counters("ko")
    _, entry = counters.trie.longest(points, end + (points[end] == _SPACE))
    return np.where(entry >= 0, counters.values[entry], 0).astype(np.int64)
