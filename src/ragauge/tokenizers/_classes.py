"""Classes of characters from a table that is part of the package: the same on every machine."""

from __future__ import annotations

from enum import IntEnum
from functools import cache
from pathlib import Path
from sys import maxunicode

import numpy as np
import numpy.typing as npt

ClassArray = npt.NDArray[np.uint8]

UNICODE = "17.0"
"""The version of Unicode that the table was made from."""


class Kind(IntEnum):
    """What a character is to a tokenizer that knows no language."""

    SYMBOL = 0
    """Stands alone: punctuation, symbols, private use."""
    GAP = 1
    """White space, control characters, U+200B: belongs to no token."""
    WORD = 2
    """Letters and numbers of scripts that are written in words."""
    DIGIT = 3
    """Decimal digits: as WORD."""
    CHARACTER = 4
    """Letters of scripts that are written without spaces."""
    EXTEND = 5
    """Goes with the character before: marks, selectors, format characters."""
    JOINER = 6
    """U+200D: as EXTEND, and binds pictographs."""
    LINKER = 7
    """U+17D2 and U+1039: as EXTEND, and puts the next consonant below."""
    PICTOGRAPH = 8
    """Emoji."""
    REGIONAL = 9
    """Half a flag."""
    POINT = 10
    """Between two digits it is part of the number: . , and their Arabic and full-width like."""


@cache
def kinds() -> ClassArray:
    """Return the `Kind` of each code point, (0x110000,)."""
    table = Path(__file__).with_name("unicode_classes.txt").read_text("utf-8")
    runs = [line.split() for line in table.splitlines() if not line.startswith("#")]
    starts = np.array([int(first, 16) for first, _ in runs])
    values = np.array([Kind[name.upper()] for _, name in runs], dtype=np.uint8)
    lengths = np.diff(starts, append=maxunicode + 1)
    found = np.repeat(values, lengths)
    found.flags.writeable = False
    return found
