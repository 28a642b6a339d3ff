"""Unicode's forms of a text, in time that grows with its length."""

from __future__ import annotations

import unicodedata
from functools import cache
from itertools import groupby
from typing import Any, Literal

# Combining marks in a row from which they are put in order first; words of no language have so many.
_MANY = 64


def normalize(form: Literal["NFC", "NFKC"], text: str) -> str:
    r"""Return ``text`` in a form of Unicode, as `unicodedata.normalize` does, but never in quadratic time.

    Python puts marks that stand in a row in order one by one: 80,000 unordered marks take it seconds. So long rows are
    put in order before.

    >>> normalize("NFKC", "ﬁne e\u0301")
    'fine é'

    Source: Unicode Standard Annex #15, canonical ordering.
    """
    if text.isascii():
        return text
    return unicodedata.normalize(form, _many().sub(_in_order, text))


def is_normalized(form: Literal["NFC", "NFKC"], text: str) -> bool:
    """Return whether a text has this form; a text with a long row of marks counts as one that has not."""
    return text.isascii() or (not _many().search(text) and unicodedata.is_normalized(form, text))


@cache
def _many() -> Any:
    import regex

    return regex.compile(rf"\p{{M}}{{{_MANY},}}")


def _in_order(match: Any) -> str:
    """Return marks in canonical order: decomposed, and sorted by their class between those of class 0."""
    marks = "".join([unicodedata.normalize("NFD", mark) for mark in match.group()])
    rows = groupby(marks, key=lambda mark: unicodedata.combining(mark) > 0)
    return "".join([mark for _, row in rows for mark in sorted(row, key=unicodedata.combining)])
