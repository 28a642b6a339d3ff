"""The language of each text, by its script, and by its function words where the script is Latin."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ragauge.core.ragged import BoolArray
from ragauge.support._characters import LETTER, SCRIPT, SCRIPTS
from ragauge.support._letters import Letters
from ragauge.support._lexicon import LANGUAGES
from ragauge.support._tokens import WordRuns

LanguageArray = npt.NDArray[np.uint8]

# In this order; the share of the letters above which a script tells the language. Japanese is mostly Han.
_TOLD_BY = (
    ("kana", "ja", 0.05), ("hangul", "ko", 0.2), ("han", "zh", 0.2), ("thai", "th", 0.2), ("arabic", "ar", 0.2),
    ("devanagari", "hi", 0.2), ("cyrillic", "ru", 0.2),
)  # fmt: skip
_LATIN = ("en", "de", "es", "fr")


def detected(letters: Letters, words: WordRuns) -> LanguageArray:
    """Return the place in LANGUAGES of the language of each text, (n,)."""
    n = len(letters.origins)
    rows = letters.rows[words.start]
    bits = words.functions
    known = np.flatnonzero(bits)
    counts = [np.bincount(rows[known[_is_of(bits[known], one)]], minlength=n) for one in _LATIN]
    language: LanguageArray = numbered(_LATIN)[np.argmax(counts, axis=0)]
    script = (letters.alphabet >> np.uint32(SCRIPT)).astype(np.uint8)
    if not script.any():
        return language
    places = np.flatnonzero(script[letters.codes])
    keys = letters.rows[places] * len(SCRIPTS) + script[letters.codes[places]]
    of_text = np.bincount(keys, minlength=n * len(SCRIPTS)).reshape(n, len(SCRIPTS))
    total = np.maximum(np.add.reduceat(letters.has(LETTER), letters.offsets[:-1], dtype=np.int64), 1)
    for name, own, share in reversed(_TOLD_BY):
        language[of_text[:, SCRIPTS.index(name)] > share * total] = LANGUAGES.index(own)
    return language


def _is_of(bits: npt.NDArray[np.uint32], language: str) -> BoolArray:
    return np.asarray(bits >> np.uint32(LANGUAGES.index(language)) & np.uint32(1) == 1)


def numbered(languages: Sequence[str]) -> LanguageArray:
    """Return the place in LANGUAGES of each name."""
    return np.fromiter(map(LANGUAGES.index, languages), np.uint8, len(languages))
