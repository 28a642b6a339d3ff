"""Writes the table of character classes from the properties that the library ``regex`` knows; run as a script.

The table is part of the package so that ``auto`` cuts alike under every version of Python and of ``regex``.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import regex

UNICODE = "17.0"
TABLE = Path(__file__).parents[2] / "src/ragauge/tokenizers/unicode_classes.txt"

_CHARACTER_SCRIPTS = ["Han", "Hiragana", "Katakana", "Bopomofo", "Tangut", "Nushu", "Khitan_Small_Script", "Yi"]
_COMPLEX = r"\p{Line_Break=Complex_Context}"
_CHARACTERS = "[" + "".join(rf"\p{{scx={script}}}" for script in _CHARACTER_SCRIPTS) + _COMPLEX + "]"

# The last that matches counts.
RULES = (
    ("symbol", r"."),
    ("word", r"[\p{L}\p{N}\p{GCB=Prepend}]"),
    ("character", rf"[[[\p{{L}}\p{{N}}]&&{_CHARACTERS}]--\p{{scx=Latin}}]"),
    ("digit", r"\p{Nd}"),
    ("pictograph", r"[\p{Extended_Pictographic}--[\p{L}\p{N}]]"),
    ("regional", r"\p{Regional_Indicator}"),
    ("extend", r"[\p{M}\p{GCB=Extend}\p{GCB=SpacingMark}[\p{Cf}&&\p{GCB=Control}]]"),
    ("joiner", "\u200d"),
    ("linker", "[\u17d2\u1039]"),
    ("point", "[.,\u066b\u066c\uff0e]"),
    ("gap", "[\\p{Z}\\p{Cc}\\s\u200b]"),
)


def classes() -> np.ndarray:
    """Return the class of each code point, as its place in RULES."""
    chars = "".join(chr(point) if not 0xD800 <= point < 0xE000 else "\ue000" for point in range(sys.maxunicode + 1))
    table = np.zeros(sys.maxunicode + 1, dtype=np.uint8)
    for place, (_, pattern) in enumerate(RULES):
        found = regex.compile(pattern, regex.V1 | regex.S).finditer(chars)
        table[[match.start() for match in found]] = place
    unassigned = regex.compile(r"[\p{Cn}--\p{Extended_Pictographic}]", regex.V1).finditer(chars)
    return _filled(table, [match.start() for match in unassigned])


def _filled(table: np.ndarray, unassigned: list[int]) -> np.ndarray:
    """Give unassigned code points the class of the one before: what is assigned later mostly belongs with it."""
    known = np.arange(len(table))
    known[unassigned] = 0
    return table[np.maximum.accumulate(known)]


def written() -> str:
    """Return the table as text."""
    table = classes()
    first = np.flatnonzero(np.diff(table, prepend=255))
    runs = "".join(f"{point:x} {RULES[table[point]][0]}\n" for point in first.tolist())
    return f"# Unicode {UNICODE}: the class of each code point from the given one on. See auto.py.\n{runs}"


if __name__ == "__main__":
    TABLE.write_text(written())
