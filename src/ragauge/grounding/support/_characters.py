"""How single characters are written in one form, and what they are."""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from ragauge.core.lazy import lazy_pattern
from ragauge.languages.scripts import scripts

LETTER, MARK, DIGIT, NUMBER, ALNUM, UPPER, ENDS, CLAUSE, OPENS = (1 << place for place in range(9))
HAN, LIGHT, KANA, DENSE, COMPLEX, HANGUL, SPACED, KATAKANA = (1 << place for place in range(9, 17))
SCRIPT = 24
"""Bits of characters. Of them ALNUM to LIGHT and KANA decide positions; DENSE is Han or hiragana, COMPLEX Thai and
its kin, KATAKANA with its long mark, SPACED a letter or mark of the scripts with spaces. From bit SCRIPT on stands the
number of a script of `SCRIPTS`."""

SCRIPTS = ("", "kana", "hangul", "han", "thai", "arabic", "devanagari", "cyrillic", "other")
"""Scripts that tell a language; the first is Latin, and all that is no letter."""

GAP = "\n"
"""Stands behind each text."""

_END_MARKS = "。!?！？।؟\n…"
_CLAUSE_MARKS = ',;:，、；：()（）،؛—–«»“”"「」『』'
_OPENING_MARKS = '.!?\n:"“«„'
# One kind of apostrophe, of space, of Arabic decimal marks and of Cyrillic е.
_SAME = {"’": "'", "‘": "'", "ё": "е", "Ё": "Е", "٫": ".", "٬": ",", "\u202f": " ", "\u00a0": " "}
# Invisible marks; the vowels and the stretch of Arabic.
_DROPPED = lazy_pattern("[\u200b-\u200f\u064b-\u0652\u0640\ufeff]")
# Control characters, private and unassigned ones, halves of pairs.
_NO_FORM = frozenset({"Cc", "Cn", "Co", "Cs"})
_KEPT = 1 << 16
"""Characters whose form is remembered."""
_UNSPACED = {"han": DENSE, "hiragana": DENSE, "katakana": KATAKANA, "hangul": HANGUL}
_UNSPACED |= dict.fromkeys(("thai", "lao", "khmer", "myanmar"), COMPLEX)


def normalised(text: str) -> str:
    """Return a short text as `ragauge.grounding.support._letters.Letters` writes it.

    >>> normalised("Ｔél ٥")
    'tél 5'
    """
    points = map(ord, unicodedata.normalize("NFC", text))
    return "".join(chr(lower(ord(one))) for point in points for one in written(point))


def one_of(points: npt.NDArray[Any], chars: str) -> npt.NDArray[np.bool_]:
    """Return a mask of the code points that are one of the characters; a table is far faster than `numpy.isin`.

    >>> one_of(np.array([ord("a"), ord("年"), 0x10FFFF]), "年년")
    array([False,  True, False])
    """
    return _table(chars).take(points, mode="clip")


@lru_cache
def _table(chars: str) -> npt.NDArray[np.bool_]:
    points = [ord(char) for char in chars]
    table = np.zeros(max(points) + 2, dtype=bool)  # all beyond the last are clipped to a place without a character
    table[points] = True
    return table


@lru_cache(_KEPT)
def written(point: int) -> str:
    """Return one code point in the one written form, of any length."""
    char = chr(point)
    if char == GAP:
        return char
    category = unicodedata.category(char)
    if category in _NO_FORM:
        return " " if category == "Cc" else char
    text = "".join(_SAME.get(one, one) for one in unicodedata.normalize("NFKC", _SAME.get(char, char)))
    if unicodedata.decomposition(char).startswith("<fraction>"):
        text = f" {text}"  # 2½ is not 21⁄2
    return "".join(str(unicodedata.decimal(one)) if one.isdecimal() else one for one in _DROPPED.sub("", text))


@lru_cache(_KEPT)
def lower(point: int) -> int:
    """Return the code point of the small letter, its first where it has several."""
    return ord(chr(point).lower()[0])


@lru_cache(_KEPT)
def flags_of(point: int) -> int:
    """Return the bits of one character."""
    char = chr(point)
    category = unicodedata.category(char)
    if category in _NO_FORM:
        return ENDS * (char == GAP) | OPENS * (char == GAP)
    table = scripts()
    script = table.names[table.of_point[point]]
    letter, mark = category[0] == "L", category[0] == "M"
    flags = LETTER * letter | MARK * mark | NUMBER * (category[0] == "N") | DIGIT * ("0" <= char <= "9")
    flags |= ALNUM * char.isalnum() | UPPER * char.isupper()
    flags |= ENDS * (char in _END_MARKS) | CLAUSE * (char in _CLAUSE_MARKS) | OPENS * (char in _OPENING_MARKS)
    flags |= HAN * ("\u4e00" <= char <= "\u9fff") | KANA * ("\u30a0" <= char <= "\u30ff")
    flags |= LIGHT * ("\u3040" <= char <= "\u309f" or "\u0e00" <= char <= "\u0e7f")
    if char == "ー":
        script = "katakana"
    name = "kana" if script in ("hiragana", "katakana") else script
    if name not in SCRIPTS and letter and script not in ("latin", "common", "inherited"):
        name = "other"
    flags |= SCRIPTS.index(name) << SCRIPT if name in SCRIPTS else 0
    return flags | (_UNSPACED.get(script, SPACED) if letter or mark else 0)
