"""The language of each text, by its script and by frequent words: one that is read, or another that is recognised."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ragauge.core.ragged import IntArray
from ragauge.grounding.support import _lexicon as lexicon
from ragauge.grounding.support._characters import LETTER, SCRIPT, SCRIPTS, flags_of, one_of
from ragauge.grounding.support._letters import Letters
from ragauge.grounding.support._lexicon import LANGUAGES, NUMBER_WORDS
from ragauge.grounding.support._tokens import WordRuns

LanguageArray = npt.NDArray[np.uint8]

NO_LETTERS, NOT_TOLD, OTHER, SEVERAL, LISTED = range(5)
"""What a text tells of its language.

It has no letters; nothing; it is not one of LANGUAGES; it is one of several of these; or which of these it is.
"""
READ = np.array([[1, 0, 0, 1, 1], [0, 0, 0, 1, 1], [0, 0, 0, 1, 1], [1, 1, 0, 1, 1], [1, 1, 0, 1, 1]], dtype=bool)
"""Whether a claim (rows) is read beside a passage (columns): one tells the language, rather the passage."""

# In this order; the share of the letters above which a script tells the language. Japanese is mostly Han.
_TOLD_BY = (
    ("kana", "ja", 0.05), ("hangul", "ko", 0.2), ("han", "zh", 0.2), ("thai", "th", 0.2), ("arabic", "ar", 0.2),
    ("devanagari", "hi", 0.2), ("cyrillic", "ru", 0.2), ("other", None, 0.2),
)  # fmt: skip
# Letters that one of these has: of a text whose function words are of two languages, they tell which.
_LETTERS = {"de": "äöüß", "es": "ñáéíóúü¿¡", "fr": "éçèêëîïôûœàùâ"}
_OF_WORD, _OF_NUMBER = 4, 3
"""Weights of a function word and of a number word; a letter weighs 1."""


class _Language(NamedTuple):
    """A language that can be recognised.

    ``place``: in LANGUAGES, or of others behind it; ``bits``: those of its words, with their weights; ``letters``: that
    it has and others have not; ``script``: the place of its script.
    """

    place: int
    bits: tuple[tuple[int, int], ...]
    letters: str
    script: int


@cache
def _known() -> list[_Language]:
    """Return the languages that words tell."""
    scripts = {language: SCRIPTS.index(name) for name, language, _ in _TOLD_BY if language}
    more, n = list(lexicon.more()), len(LANGUAGES)
    found = []
    for place, name in enumerate(LANGUAGES):
        bits = [(place, _OF_WORD)]
        bits += [(n + more.index(name), _OF_WORD)] if name in more else []
        bits += [(NUMBER_WORDS + place, _OF_NUMBER)] if name in lexicon.LATIN else []
        found.append(_Language(place, tuple(bits), _LETTERS.get(name, ""), scripts.get(name, 0)))
    for place, other in enumerate(lexicon.others().values(), n):
        script = flags_of(ord(other["words"][-1])) >> SCRIPT
        found.append(_Language(place, ((place + len(more), _OF_WORD),), other.get("letters", ""), script))
    return found


class Detected(NamedTuple):
    """The language of each of n texts, (n,) each.

    ``language``: the place in LANGUAGES that it is read in; ``told``: what it tells of its language; ``others``: a
    bit for each of the other languages that as much or more speaks for, in the order of `lexicon.others`.
    """

    language: LanguageArray
    told: LanguageArray
    others: npt.NDArray[np.uint64]


def detected(letters: Letters, words: WordRuns) -> Detected:
    """Return the language of each text.

    Nothing tells it where no word is known, or as many of two languages of LANGUAGES; such a text is taken for English,
    or for the most likely language of its script.
    """
    n = len(letters.origins)
    counts = dict(_counted(letters, words, n))
    language, told, others = _by_words(counts, 0, n)
    lettered = np.add.reduceat(letters.has(LETTER), letters.offsets[:-1], dtype=np.int64)
    script = (letters.alphabet >> np.uint32(SCRIPT)).astype(np.uint8)
    if script.any():
        places = np.flatnonzero(script[letters.codes])
        keys = letters.rows[places] * len(SCRIPTS) + script[letters.codes[places]]
        of_text = np.bincount(keys, minlength=n * len(SCRIPTS)).reshape(n, len(SCRIPTS))
        for name, own, share in reversed(_TOLD_BY):
            some = of_text[:, SCRIPTS.index(name)] > share * np.maximum(lettered, 1)
            if not some.any():
                continue
            if own is None:
                told[some], others[some] = OTHER, 0
            else:
                by_words = _by_words(counts, SCRIPTS.index(name), n)
                language[some], others[some] = LANGUAGES.index(own), by_words.others[some]
                told[some] = np.where(by_words.told[some] == OTHER, OTHER, LISTED)
    told[lettered == 0] = NO_LETTERS
    return Detected(language, told, others)


def _by_words(counts: dict[int, IntArray], script: int, n: int) -> Detected:
    """Return the most likely listed language of each of n texts of a script, what tells it, and the other languages."""
    of_script = [one.place for one in _known() if one.script == script]
    listed = [place for place in of_script if place < len(LANGUAGES)]
    none = np.zeros(n, dtype=np.int64)
    own = np.stack([counts.get(place, none) for place in listed])
    best = np.max(own, axis=0)
    second = np.sort(own, axis=0)[-2] if len(listed) > 1 else none
    others = {place: counts.get(place, none) for place in of_script if place not in listed}
    other = np.max([*others.values()] or [none], axis=0)
    several = np.where(best > 0, SEVERAL, NOT_TOLD)
    told = np.where(other > best, OTHER, np.where(best > second, LISTED, several))
    # A script tells several languages where none of their words occurs.
    bits, spoken = np.zeros(n, dtype=np.uint64), other > 0
    for place, count in others.items():
        bits |= ((count == other) & (other >= best) & (spoken | (script > 0))).astype(np.uint64) << np.uint64(
            place - len(LANGUAGES)
        )
    return Detected(np.array(listed, dtype=np.uint8)[np.argmax(own, axis=0)], told.astype(np.uint8), bits)


def _counted(letters: Letters, words: WordRuns, n: int) -> Iterator[tuple[int, IntArray]]:
    """Yield how much in each of n texts is of each language, for those that something is of."""
    rows = letters.rows[words.start]
    known = np.flatnonzero(words.functions)
    rows, bits = rows[known], words.functions[known]
    occurring = int(np.bitwise_or.reduce(bits)) if len(bits) else 0
    for one in _known():
        found = []
        for bit, weight in one.bits:
            if occurring >> bit & 1:
                own = rows[(bits >> np.uint64(bit) & np.uint64(1)) == 1]
                found.append(weight * np.bincount(own, minlength=n))
        if one.letters and (own := one_of(letters.small, one.letters)).any():
            found.append(np.bincount(letters.rows[own[letters.codes]], minlength=n))
        if found:
            yield one.place, np.sum(found, axis=0)


def numbered(languages: Sequence[str]) -> LanguageArray:
    """Return the place in LANGUAGES of each name."""
    return np.fromiter(map(LANGUAGES.index, languages), np.uint8, len(languages))
