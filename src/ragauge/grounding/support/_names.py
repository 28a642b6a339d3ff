"""Which words and pairs of characters of texts look like names: of people, places, firms."""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt

from ragauge.core.hashing import HashArray
from ragauge.core.ragged import BoolArray, IntArray
from ragauge.grounding.support import _lexicon as lexicon
from ragauge.grounding.support._characters import ALNUM, HAN, LETTER, OPENS, UPPER, one_of
from ragauge.grounding.support._found import spans
from ragauge.grounding.support._languages import LanguageArray
from ragauge.grounding.support._letters import Letters
from ragauge.grounding.support._tokens import GramRuns, WordRuns

_ARABIC, _HINDI, _KOREAN, _CHINESE, _JAPANESE = map(lexicon.LANGUAGES.index, ("ar", "hi", "ko", "zh", "ja"))
_LONGEST_NAME = 4
# The copula of Japanese goes on so behind で.
_BEHIND_DE = "すあし"
# Characters of pronouns and particles, and "one" of "a firm", of which no name beside "is" consists.
_NO_PART = "一的这那该其此他她它我你有不没這該沒"
_SPACE = ord(" ")
_DASHES = "—–-"
# Endings of German articles, pronouns and adjectives besides -e: behind one of these a word with a capital is a noun.
_DECLINED = "nrsm"
_HANGUL = range(0xAC00, 0xD7A4)
_TAILS = 28
"""Syllables of Hangul with one beginning; the first of them has no final consonant."""
_VIRAMA, _CANDRA, _SILENT = 0x094D, 0x0949, 0x0E4C
"""Joins consonants of Devanagari; its vowel of borrowed words; marks a letter of Thai that is not spoken."""


def names_of(words: WordRuns, letters: Letters, language: LanguageArray) -> BoolArray:
    """Return a mask of the words that look like names, (w,); ``language`` (n,) is that of each text.

    These are katakana, and words with a capital inside a sentence; of German, where all nouns have capitals, only those
    behind no article and no adjective. The first word of a sentence counts where a capital, a dash or a verb like "is"
    follows: "Sydney is the capital." Arabic, Hindi and Korean have no capitals: see `_by_neighbours`.
    """
    own = language[letters.rows[words.start]]
    capital = letters.at(words.start, UPPER)
    opening = _opening(words, letters)
    inside = capital & ~opening
    german = np.flatnonzero(inside & (own == lexicon.GERMAN))
    names = inside.copy()
    names[german] = ~_behind_article(words, letters, german)
    first = np.flatnonzero(capital & opening)
    names[first] = _begins_a_name(words, letters, first, inside) | _quoted(words, letters, first)
    names |= _by_neighbours(words, letters, own)
    some = np.flatnonzero(names)
    function = (words.functions[some] >> own[some].astype(np.uint64) & np.uint64(1)) == 1
    names[some] = ~function & ~_is_listed(words.hashes[some], "names", "no_names")
    return np.asarray(names | words.katakana)


def _opening(words: WordRuns, letters: Letters) -> BoolArray:
    """Return a mask of the first words of sentences, (w,)."""
    first = letters.offsets[letters.rows[words.start]]
    return np.asarray(
        (words.start == first)
        | letters.at(words.start - 1, OPENS)
        | (words.start - 1 > first) & letters.at(words.start - 2, OPENS)
    )


def _behind_article(words: WordRuns, letters: Letters, some: IntArray) -> BoolArray:
    """Return a mask of the words that stand behind a German article, an adjective, a number or a mark, (s,)."""
    before = np.maximum(some - 1, 0)
    end = words.end[before]
    last, second = letters.points[end - 1], letters.points[end - 2]
    declined = (last == ord("e")) | (second == ord("e")) & one_of(last, _DECLINED)
    declined &= ~letters.at(words.start[before], UPPER)
    declined |= ~letters.at(words.start[before], LETTER) | _is_listed(words.hashes[before], "de", "articles")
    return np.asarray(declined | ~_linked(words, letters, before, some))


def _begins_a_name(words: WordRuns, letters: Letters, some: IntArray, inside: BoolArray) -> BoolArray:
    """Return a mask of the words that a word ``inside`` (w,) a sentence, a dash or a verb like "is" follows, (s,)."""
    behind = np.minimum(some + 1, len(words.start) - 1)
    follows = inside[behind] | _is_listed(words.hashes[behind], "names", "verbs")
    end = words.end[some]
    dash = (letters.points[end] == _SPACE) & one_of(letters.points[end + 1], _DASHES)
    return np.asarray(follows & _linked(words, letters, some, behind) | dash)


_QUOTES = dict(zip(map(ord, '"“«„'), map(ord, '"”»“'), strict=True))
_LONGEST_TITLE = 40


def _quoted(words: WordRuns, letters: Letters, some: IntArray) -> BoolArray:
    """Return a mask of the words that begin a quotation of a few words: "Inception" is a film by Nolan, (s,)."""
    points, out = letters.points, np.zeros(len(some), dtype=bool)
    for opening, closing in _QUOTES.items():
        ends = np.append(np.flatnonzero(points == closing), len(points))
        closes = ends[np.searchsorted(ends, words.end[some])]
        own = (points[words.start[some] - 1] == opening) & (closes - words.start[some] <= _LONGEST_TITLE)
        last = np.minimum(closes, len(points) - 1)
        out |= own & (letters.rows[last] == letters.rows[words.start[some]])
    return out


def _linked(words: WordRuns, letters: Letters, one: IntArray, other: IntArray) -> BoolArray:
    """Return a mask of the words that one space parts from another behind it, (s,)."""
    end = words.end[one]
    return np.asarray((words.start[other] - end == 1) & (letters.points[end] == _SPACE))


def _by_neighbours(words: WordRuns, letters: Letters, own: LanguageArray) -> BoolArray:
    """Return a mask of the words of scripts without capitals that what stands beside them tells to be names, (w,).

    Arabic: two words behind "is" (هو) or "company" (شركة). Hindi: two words before the mark of who acts (ने), and
    words with sounds that Hindi has borrowed. Korean: the word that the copula is part of (이다).
    """
    out = np.zeros(len(words.start), dtype=bool)
    arabic = np.flatnonzero(own == _ARABIC)
    _mark(out, words, letters, arabic[_is_listed(words.hashes[arabic], "names", "behind_arabic")], 1)
    hindi = np.flatnonzero(own == _HINDI)
    _mark(out, words, letters, hindi[_is_listed(words.hashes[hindi], "names", "before_hindi")], -1)
    _mark(out, words, letters, _told(words, hindi), 1)
    out[hindi] |= _borrowed(letters, words.start[hindi], words.end[hindi])
    korean = np.flatnonzero((own == _KOREAN) & (words.end - words.start > 2))
    korean = korean[~letters.at(words.start[korean] - 1, ALNUM)]
    out[korean] = _with_copula(letters, words.end[korean])
    return out


def _told(words: WordRuns, hindi: IntArray) -> IntArray:
    """Return the Hindi words for what has a name, as "capital", behind which it stands; not those before a particle."""
    nouns = hindi[_is_listed(words.hashes[hindi], "names", "behind_hindi")]
    behind = np.minimum(nouns + 1, len(words.start) - 1)
    function = (words.functions[behind] >> np.uint64(_HINDI) & np.uint64(1)) == 1
    return np.asarray(nouns[~function])


def _mark(out: BoolArray, words: WordRuns, letters: Letters, places: IntArray, side: int) -> None:
    """Mark in ``out`` (w,) the two words behind (1) or before (-1) each of the places, where only spaces part them."""
    for _ in range(2):
        inside = (places + side >= 0) & (places + side < len(out))
        here, there = places[inside], places[inside] + side
        places = there[_linked(words, letters, np.minimum(here, there), np.maximum(here, there))]
        out[places] = True


def _borrowed(letters: Letters, start: IntArray, end: IntArray) -> BoolArray:
    """Return a mask of the words with consonants together that Hindi has in borrowed words and names only, (h,)."""
    if not len(start):
        return np.zeros(0, dtype=bool)
    points = letters.points.astype(np.int64)
    pairs = [ord(one) << 32 | ord(other) for one, other in lexicon.listed()["names"]["borrowed_hindi"].split(", ")]
    borrowed = points == _CANDRA
    some = np.flatnonzero(points[1:-1] == _VIRAMA) + 1
    borrowed[some] |= np.isin(points[some - 1] << 32 | points[some + 1], pairs)
    return _holds(borrowed, start, end)


def _with_copula(letters: Letters, end: IntArray) -> BoolArray:
    """Return a mask of the Korean words that end as a noun with "is" does, in 다 or 입니다, (k,)."""
    last, second, third = (letters.points[end - place].astype(np.int64) for place in (1, 2, 3))
    is_open = (second >= _HANGUL.start) & (second < _HANGUL.stop) & ((second - _HANGUL.start) % _TAILS == 0)
    plain = is_open & ~one_of(second, lexicon.listed()["names"]["verb_stems_korean"])
    polite = (second == ord("니")) & (third == ord("입"))
    return np.asarray((last == ord("다")) & (plain | polite))


def gram_names(grams: GramRuns, letters: Letters, language: LanguageArray) -> BoolArray:
    """Return a mask of the neighbouring characters that look like a name, or part of one, (g,).

    Chinese: two characters that write foreign names by their sound; and two to four of a clause beside "is" (是) that
    are all that stands there. Japanese: two to four between "wa" (は) and "desu" (です). Thai: those with the mark of a
    letter that is not spoken, which borrowed words have.
    """
    out = np.zeros(len(grams.start), dtype=bool)
    own = language[letters.rows[grams.start]]
    some = np.flatnonzero((own == _CHINESE) & (grams.end - grams.start == 2))
    for place in (0, 1):
        some = some[np.isin(letters.points[grams.start[some] + place], _transcribing())]
    out[some] = True
    start, end = _named_by_is(letters, language)
    if len(start):
        inside = np.zeros(len(letters.points), dtype=bool)
        inside[spans(start, end)] = True
        out |= inside[grams.start] & inside[grams.end - 1] & (grams.end - grams.start == 2)
    silent = letters.points == _SILENT
    return out | _holds(silent, grams.start, grams.end) if silent.any() else out


def _named_by_is(letters: Letters, language: LanguageArray) -> tuple[IntArray, IntArray]:
    """Return where two to four Han characters begin and end that alone stand on one side of "is"."""
    points, breaks = letters.points, letters.breaks
    verb = np.flatnonzero(points == ord("是"))
    verb = verb[language[letters.rows[verb]] == _CHINESE]
    topic = np.flatnonzero(points == ord("は"))
    topic = topic[language[letters.rows[topic]] == _JAPANESE]
    if not len(verb) + len(topic):
        return verb, verb
    before = np.append(-1, breaks)[np.searchsorted(breaks, verb)] + 1
    behind = np.append(breaks, len(points))[np.searchsorted(breaks, verb)]
    # "价格是合理的" says how the price is; its subject is a word like any other.
    before = np.where(points[behind - 1] == ord("的"), verb, before)
    others = np.flatnonzero(~letters.has(HAN))
    close = others[np.searchsorted(others, topic + 1).clip(0, len(others) - 1)]
    copula = (points[close] == ord("だ")) | (points[close] == ord("で")) & one_of(points[close + 1], "すあし")
    start = np.concatenate([before, verb + 1, topic[copula] + 1])
    end = np.concatenate([verb, behind, close[copula]])
    of = np.concatenate([[0], np.cumsum(letters.has(HAN) & ~one_of(points, _NO_PART))])
    short = (end - start >= 2) & (end - start <= _LONGEST_NAME)
    start, end = start[short], end[short]
    whole = of[end] - of[start] == end - start
    return start[whole], end[whole]


def _holds(marked: BoolArray, start: IntArray, end: IntArray) -> BoolArray:
    """Return a mask of the spans that have a character of the mask ``marked`` (m + PAD,), (s,)."""
    places = np.flatnonzero(marked)
    if not len(places):
        return np.zeros(len(start), dtype=bool)
    return np.asarray(np.searchsorted(places, start) < np.searchsorted(places, end))


@cache
def _listed(table: str, key: str) -> HashArray:
    """Return the hashes of the words that the lexicon lists."""
    own = Letters.of(lexicon.listed()[table][key].split(", "))
    return own.hashes(own.offsets[:-1], own.offsets[1:] - 1)


def _is_listed(hashes: HashArray, table: str, key: str) -> BoolArray:
    return np.isin(hashes, _listed(table, key))


def conjunction_hashes() -> HashArray:
    """Return the hashes of the words for "and" and "but"."""
    return _listed("clauses", "conjunctions")


@cache
def _transcribing() -> npt.NDArray[np.uint32]:
    return np.array(sorted(map(ord, lexicon.listed()["names"]["transcribing"])), dtype=np.uint32)
