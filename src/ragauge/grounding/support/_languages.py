"""The language of each text, by its script, and by its function words where the script is Latin."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ragauge.core.ragged import BoolArray, IntArray
from ragauge.grounding.support._characters import LETTER, SCRIPT, SCRIPTS
from ragauge.grounding.support._letters import Letters
from ragauge.grounding.support._lexicon import LANGUAGES, NUMBER_WORDS
from ragauge.grounding.support._tokens import WordRuns

LanguageArray = npt.NDArray[np.uint8]

# In this order; the share of the letters above which a script tells the language. Japanese is mostly Han.
_TOLD_BY = (
    ("kana", "ja", 0.05), ("hangul", "ko", 0.2), ("han", "zh", 0.2), ("thai", "th", 0.2), ("arabic", "ar", 0.2),
    ("devanagari", "hi", 0.2), ("cyrillic", "ru", 0.2),
)  # fmt: skip
_LATIN = ("en", "de", "es", "fr")
# Letters that one of these has: of a text whose function words are of two languages, they tell which.
_LETTERS = {"de": "äöüß", "es": "ñáíóú¿¡", "fr": "çèêëîïôûœà"}
_OF_WORD, _OF_NUMBER = 4, 3
"""Weights of a function word and of a number word; a letter weighs 1."""


def detected(letters: Letters, words: WordRuns) -> tuple[LanguageArray, BoolArray]:
    """Return the place in LANGUAGES of the language of each text, and whether anything tells it, (n,) each.

    Nothing tells it where no word is listed, or as many of two languages; such a text is taken for English.
    """
    n = len(letters.origins)
    counts = _of_latin(letters, words, n)
    language: LanguageArray = numbered(_LATIN)[np.argmax(counts, axis=0)]
    first, second = np.sort(counts, axis=0)[:-3:-1]
    certain: BoolArray = first > second
    script = (letters.alphabet >> np.uint32(SCRIPT)).astype(np.uint8)
    if not script.any():
        return language, certain
    places = np.flatnonzero(script[letters.codes])
    keys = letters.rows[places] * len(SCRIPTS) + script[letters.codes[places]]
    of_text = np.bincount(keys, minlength=n * len(SCRIPTS)).reshape(n, len(SCRIPTS))
    total = np.maximum(np.add.reduceat(letters.has(LETTER), letters.offsets[:-1], dtype=np.int64), 1)
    for name, own, share in reversed(_TOLD_BY):
        some = of_text[:, SCRIPTS.index(name)] > share * total
        language[some], certain[some] = LANGUAGES.index(own), True
    return language, certain


def _of_latin(letters: Letters, words: WordRuns, n: int) -> IntArray:
    """Return how much in each text is of each language of `_LATIN`, (4, n)."""
    rows = letters.rows[words.start]
    known = np.flatnonzero(words.functions)
    rows, bits = rows[known], words.functions[known]
    counts = np.zeros((len(_LATIN), n), dtype=np.int64)
    for place, name in enumerate(_LATIN):
        for shift, weight in ((0, _OF_WORD), (NUMBER_WORDS, _OF_NUMBER)):
            own = (bits >> np.uint32(LANGUAGES.index(name) + shift) & np.uint32(1)) == 1
            counts[place] += weight * np.bincount(rows[own], minlength=n)
        code = np.flatnonzero(np.isin(letters.small, list(map(ord, _LETTERS.get(name, "")))))
        if len(code):
            counts[place] += np.bincount(letters.rows[np.flatnonzero(np.isin(letters.codes, code))], minlength=n)
    return counts


def numbered(languages: Sequence[str]) -> LanguageArray:
    """Return the place in LANGUAGES of each name."""
    return np.fromiter(map(LANGUAGES.index, languages), np.uint8, len(languages))
