"""Quotations and parentheses in a line: where they open and close."""

from __future__ import annotations

import re
from typing import NamedTuple

_PAIRS = {
    "“": "”",
    "„": "“",
    "«": "»",
    "「": "」",
    "『": "』",
    "（": "）",
    "(": ")",
    "《": "》",
    "【": "】",
    "[": "]",
    "‹": "›",
}
_CLOSERS = frozenset(_PAIRS.values())
_MARKS = re.compile(r'["“”„«»‹›「」『』（）()《》【】\[\]]')
# A quotation longer than this is a passage of its own: sentences end in it.
_LONGEST = 200


class Enclosure(NamedTuple):
    """A pair of marks: where they stand, and whether it is a parenthesis and no quotation."""

    opens: int
    closes: int
    parenthesis: bool


def enclosures(line: str) -> list[Enclosure]:
    """Return the pairs in which no sentence ends: those that close in the line, and neither fill it nor are very long.

    >>> enclosures("He said “Stop. Now.” and (maybe) left.")
    [Enclosure(opens=8, closes=19, parenthesis=False), Enclosure(opens=25, closes=31, parenthesis=True)]
    """
    found: list[Enclosure] = []
    open_marks: list[tuple[int, str]] = []
    for match in _MARKS.finditer(line):
        mark, at = match.group(), match.start()
        place = _opener(open_marks, mark)
        if place is not None:
            found.append(Enclosure(open_marks[place][0], at, mark in "）)】]"))
            del open_marks[place:]
        elif mark in _PAIRS:
            open_marks.append((at, _PAIRS[mark]))
        elif mark == '"' and not line[at - 1 : at].isalnum() and not line[at + 1 : at + 2].isspace():
            open_marks.append((at, '"'))
    return [pair for pair in found if pair.closes - pair.opens <= _LONGEST and not _fills(line, pair)]


def _opener(open_marks: list[tuple[int, str]], mark: str) -> int | None:
    """Return which open mark ``mark`` closes: the last that waits for it."""
    if mark not in _CLOSERS and mark != '"':
        return None
    return next((place for place in range(len(open_marks) - 1, -1, -1) if open_marks[place][1] == mark), None)


def _fills(line: str, pair: Enclosure) -> bool:
    return not line[: pair.opens].strip() and not line[pair.closes + 1 :].strip()
