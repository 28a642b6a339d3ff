"""What a comma and a point within a number mean: 1,500 is 1500 in English and 1.5 in German."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import regex

from ragauge.core.ragged import BoolArray, FloatArray
from ragauge.grounding.support._lexicon import LANGUAGES

MarkArray = npt.NDArray[np.uint8]

COMMA_GROUPS, COMMA_DECIMAL, POINT_GROUPS, POINT_DECIMAL = 1, 2, 4, 8
"""Bits: a comma may part thousands, or decimals; and so may a point."""
_ENGLISH, _GERMAN = COMMA_GROUPS | POINT_DECIMAL, COMMA_DECIMAL | POINT_GROUPS
_ANY = _ENGLISH | _GERMAN
# Russian and French part thousands by spaces; Spanish and Arabic differ by country.
_OF = {
    **dict.fromkeys(("en", "hi", "zh", "ja", "ko", "th"), _ENGLISH), "de": _GERMAN,
    "ru": _GERMAN | POINT_DECIMAL, "fr": _GERMAN | POINT_DECIMAL, "es": _ANY, "ar": _ANY,
}  # fmt: skip
_OF_LANGUAGE = np.array([_OF[name] for name in LANGUAGES], dtype=np.uint8)
_MARKS = regex.compile(r"[.,]")
_GROUP = 3
"""Digits between marks of thousands."""


def by_text(language: npt.NDArray[np.uint8], certain: BoolArray) -> MarkArray:
    """Return what commas and points may be in n texts by their languages, bits (n,); anything where none is certain."""
    return np.where(certain, _OF_LANGUAGE[language], np.uint8(_ANY))


def readings(digits: Sequence[str], texts: npt.NDArray[np.int32], marks: MarkArray) -> FloatArray:
    """Return the values that numbers may have, NaN where there is no second, (k, 2).

    A number that leaves no doubt, as 1,234.5 does, shows how its text writes all of them; 3.5 does where the language
    does not tell.

    Args:
        digits: k numbers as they are written.
        texts: the text of each, (k,).
        marks: what commas and points may be in each text, (n,).

    >>> readings(["1,500", "2.345,6"], np.array([0, 0]), np.array([15], dtype=np.uint8))
    array([[1.5000e+00,        nan],
           [2.3456e+03,        nan]])
    """
    known = dict.fromkeys(digits)
    if any(len(_MARKS.findall(one)) == 1 and len(_MARKS.split(one)[-1]) == _GROUP for one in known):
        marks = _shown(digits, texts, marks)
    values: dict[tuple[str, int], tuple[float, float]] = {}
    out = np.empty((len(digits), 2))
    for row, key in enumerate(zip(digits, marks[texts].tolist(), strict=True)):
        if key not in values:
            values[key] = meanings(*key)
        out[row] = values[key]
    return out


def _shown(digits: Sequence[str], texts: npt.NDArray[np.int32], marks: MarkArray) -> MarkArray:
    """Return ``marks`` (n,) with those of texts that show theirs in a number."""
    marks = marks.copy()
    shown: dict[tuple[int, bool], int] = {}
    for one, text in zip(digits, texts.tolist(), strict=True):
        convention, sure = _convention(one)
        shown[text, sure] = shown.get((text, sure), 0) | convention
    for sure in (False, True):
        for (text, of), convention in shown.items():
            if of is sure and convention in (_ENGLISH, _GERMAN):
                marks[text] = convention if sure or convention & marks[text] == convention else marks[text]
    return marks


def _convention(digits: str) -> tuple[int, bool]:
    """Return the bits that a number shows, 0 for none, and whether nothing else can be meant.

    >>> _convention("1,234.5") == (_ENGLISH, True), _convention("3,5") == (_GERMAN, False), _convention("1,500")
    (True, True, (0, False))
    """
    parting = _MARKS.findall(digits)
    if len(parting) > 1:
        decimal = parting[-1] if len(set(parting)) > 1 else "," if parting[0] == "." else "."
        return (_ENGLISH if decimal == "." else _GERMAN), True
    if not parting or len(_MARKS.split(digits)[-1]) == _GROUP:
        return 0, False
    return (_ENGLISH if parting[0] == "." else _GERMAN), False


def meanings(digits: str, marks: int = _ANY) -> tuple[float, float]:
    """Return what a written number may mean, NaN where it is clear: 1.240 is 1240 or 1.24 by language.

    >>> meanings("8,849"), meanings("1.240,5"), meanings("0.125"), meanings("1,500", COMMA_GROUPS | POINT_DECIMAL)
    ((8849.0, 8.849), (1240.5, nan), (0.125, nan), (1500.0, nan))
    """
    plain = digits.replace(" ", "").replace("'", "")
    parting = _MARKS.findall(plain)
    whole = float(_MARKS.sub("", plain))
    if not parting or (len(parting) > 1 and len(set(parting)) == 1):
        return whole, float("nan")
    head, tail = plain[: plain.rindex(parting[-1])], plain.rpartition(parting[-1])[2]
    decimal = float(f"{_MARKS.sub('', head)}.{tail}")
    if len(parting) > 1 or len(tail) != _GROUP or head == "0" or len(head) > _GROUP:
        return decimal, float("nan")
    groups, parts = (COMMA_GROUPS, COMMA_DECIMAL) if parting[0] == "," else (POINT_GROUPS, POINT_DECIMAL)
    either = [value for bit, value in ((groups, whole), (parts, decimal)) if marks & bit]
    return either[0], either[1] if len(either) > 1 else float("nan")
