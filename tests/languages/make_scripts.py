"""Writes the table of scripts from the properties that the library ``regex`` knows; run as a script.

The table is part of the package so that ``lexical`` gives the same vectors under every version of Python and `regex`.
"""

from __future__ import annotations

import sys
from pathlib import Path

import regex

UNICODE = "17.0"
TABLE = Path(__file__).parents[2] / "src/ragauge/languages/scripts.txt"

# Scripts that people write in today; letters of all others go under "other".
SCRIPTS = (
    "Latin", "Cyrillic", "Greek", "Armenian", "Georgian", "Arabic", "Hebrew", "Syriac", "Thaana", "Devanagari",
    "Bengali", "Gurmukhi", "Gujarati", "Oriya", "Tamil", "Telugu", "Kannada", "Malayalam", "Sinhala", "Tibetan",
    "Ethiopic", "Cherokee", "Mongolian", "Thai", "Lao", "Khmer", "Myanmar", "Han", "Hiragana", "Katakana", "Hangul",
    "Bopomofo",
)  # fmt: skip

# The last that matches counts. Digits and signs of no script are "digit" and "mark"; "ignored" is as if it were not
# there: Arabic and Hebrew vowel points, the Arabic tatweel, and what has no shape of its own.
RULES = (
    ("gap", r"."),
    ("other", r"[\p{L}\p{M}\p{N}]"),
    *((script.lower(), rf"[\p{{L}}\p{{M}}\p{{N}}&&\p{{Script={script}}}]") for script in SCRIPTS),
    ("katakana", r"[\u30fc\uff70]"),
    ("han", r"[\u3005-\u3007]"),
    ("mark", r"[\p{M}&&\p{Script=Inherited}]"),
    ("digit", r"\p{Nd}"),
    ("ignored", r"[\p{Cf}\p{Variation_Selector}\u00ad\u0640\u064b-\u065f\u0670\u0591-\u05bd]"),
)


def lines() -> list[str]:
    """Return one line per run of code points of one class."""
    table = ["gap"] * (sys.maxunicode + 1)
    every = "".join(map(chr, [*range(0xD800), *range(0xE000, sys.maxunicode + 1)]))
    for name, pattern in RULES:
        for found in regex.finditer(pattern, every, regex.V1 | regex.S):
            table[ord(found[0])] = name
    changes = [point for point in range(len(table)) if point == 0 or table[point] != table[point - 1]]
    return [f"{point:x} {table[point]}" for point in changes]


def main() -> None:
    """Write the table."""
    head = f"# Unicode {UNICODE}: the script of letters, marks, numbers from the given code point on. See _scripts.py."
    TABLE.write_text("\n".join([head, *lines()]) + "\n")


if __name__ == "__main__":
    main()
