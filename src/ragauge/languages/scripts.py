"""Which script each character belongs to, from a table that is part of the package."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from sys import maxunicode

import numpy as np
import numpy.typing as npt

from ragauge.core.ragged import BoolArray, FloatArray
from ragauge.languages import content
from ragauge.languages.folding import folded

_NO_SCRIPT = ("gap", "digit", "mark", "ignored")
# A character of these scripts counts as four letters of an alphabet: it says about as much.
_CHARACTERS = ("bopomofo", "han", "hangul", "hiragana", "katakana")
_LETTERS = 4
# The least overlap of two texts of one language. Chinese and Japanese share about .33, by Han; a short question in
# another script that names a product in Latin letters shares up to .25 with a passage in English.
_SHARED = 0.25

# Scripts of one language, or of one that nearly all texts are in.
_LANGUAGES = {
    "armenian": "hy", "bengali": "bn", "ethiopic": "am", "georgian": "ka", "greek": "el", "gujarati": "gu",
    "gurmukhi": "pa", "hebrew": "he", "kannada": "kn", "khmer": "km", "lao": "lo", "malayalam": "ml", "myanmar": "my",
    "oriya": "or", "sinhala": "si", "tamil": "ta", "telugu": "te", "tibetan": "bo",
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class Scripts:
    """The script of each code point: ``of_point`` (0x110000,) holds the places of its name in ``names``."""

    names: tuple[str, ...]
    of_point: npt.NDArray[np.uint8]


@cache
def scripts() -> Scripts:
    """Read the table of scripts; ``gap`` is 0 and belongs to no word."""
    table = content("scripts.txt").decode("utf-8")
    runs = [line.split() for line in table.splitlines() if not line.startswith("#")]
    names = ("gap", *sorted({name for _, name in runs} - {"gap"}))
    starts = np.array([int(first, 16) for first, _ in runs])
    numbers = np.array([names.index(name) for _, name in runs], dtype=np.uint8)
    of_point = np.repeat(numbers, np.diff(starts, append=maxunicode + 1))
    of_point.flags.writeable = False
    return Scripts(names, of_point)


def overlap(left: FloatArray, right: FloatArray) -> BoolArray:
    """Return a mask of the pairs of `shares`, both (n, scripts), of which at least a quarter is common, shape (n,)."""
    return np.asarray(np.minimum(left, right).sum(axis=1) >= _SHARED)


def shares(texts: Sequence[str]) -> FloatArray:
    """Return the share of each script among the letters of n texts, (n, scripts); zeros where there are no letters.

    >>> of_text = shares(["Где Париж?", "Paris is in France.", "GPT-4 是什么?", "GPT-4 是模型"])
    >>> overlap(of_text[[0, 2]], of_text[[1, 3]])
    array([False,  True])
    """
    table = scripts()
    points = folded(texts)
    keys = points.rows * len(table.names) + table.of_point[points.values]
    counts = np.bincount(keys, minlength=len(texts) * len(table.names)).reshape(len(texts), len(table.names))
    counts[:, [table.names.index(name) for name in _CHARACTERS]] *= _LETTERS
    counts[:, [table.names.index(name) for name in _NO_SCRIPT]] = 0
    return np.asarray(counts / np.maximum(counts.sum(axis=1, keepdims=True), 1))


def share_of(texts: Sequence[str], names: Sequence[str]) -> FloatArray:
    """Return the share of the scripts ``names`` among the letters of n texts, (n,); 1 where there are no letters.

    >>> share_of(["Paris", "Παρίσι", "1974"], ["latin"])
    array([1., 0., 1.])
    """
    of_text = shares(texts)
    table = scripts().names
    known = of_text[:, [table.index(name) for name in names]].sum(axis=1)
    return np.where(of_text.any(axis=1), known, 1.0)


def by_script(texts: Sequence[str]) -> list[str]:
    """Return the code of the language that the most frequent script of each text is of, else ``other``.

    >>> by_script(["Το μουσείο", "המוזיאון", "The museum"])
    ['el', 'he', 'other']
    """
    names = scripts().names
    return [_LANGUAGES.get(names[place], "other") for place in shares(texts).argmax(axis=1).tolist()] if texts else []


def languages_of_scripts() -> tuple[str, ...]:
    """Return the codes of the languages that `by_script` names."""
    return tuple(_LANGUAGES.values())
