"""Quotations and parentheses in a line: where they open and close."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
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

    They are sorted by where they open.

    >>> enclosures("He said “Stop. Now.” and (maybe) left.")
    [Enclosure(opens=8, closes=19, parenthesis=False), Enclosure(opens=25, closes=31, parenthesis=True)]
    """
    found: list[Enclosure] = []
    open_marks: list[tuple[int, str]] = []
    # The places in `open_marks` of those that wait for each closing mark: a search would be slow in long lines.
    waiting: defaultdict[str, list[int]] = defaultdict(list)
    for match in _MARKS.finditer(line):
        mark, at = match.group(), match.start()
        if waiting[mark]:
            place = waiting[mark][-1]
            found.append(Enclosure(open_marks[place][0], at, mark in "）)】]"))
            for _, closer in open_marks[place:]:
                waiting[closer].pop()
            del open_marks[place:]
        elif mark in _PAIRS or (mark == '"' and _opens(line, at)):
            closer = _PAIRS.get(mark, mark)
            waiting[closer].append(len(open_marks))
            open_marks.append((at, closer))
    first, last = len(line) - len(line.lstrip()), len(line.rstrip()) - 1
    return sorted(
        pair
        for pair in found
        if pair.closes - pair.opens <= _LONGEST and not (pair.opens <= first and pair.closes >= last)
    )


def around(pairs: list[Enclosure], at: int) -> list[Enclosure]:
    """Return those of ``pairs``, as `enclosures` gives them, that open before ``at`` and close there or later."""
    near = pairs[bisect_left(pairs, (at - _LONGEST,)) : bisect_left(pairs, (at,))]
    return [pair for pair in near if at <= pair.closes]


def _opens(line: str, at: int) -> bool:
    """Say whether the straight quotation mark at ``at`` can open a quotation."""
    return not line[at - 1 : at].isalnum() and not line[at + 1 : at + 2].isspace()
