"""Passages that are numbered within one field, as "[1] tea [2] jam"."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ragauge.core.lazy import lazy_pattern

NUMBERINGS = {
    "[1] … [2]": lazy_pattern(r"\[(\d{1,3})\]"),
    "【1】 … 【2】": lazy_pattern(r"【(\d{1,3})】"),
    "Passage 1: … Passage 2:": lazy_pattern(r"(?i)\b(?:passage|document|context|source)\s*(\d{1,3})\s*[:：]"),
    "1) … 2)": lazy_pattern(r"(?m)^[ \t]*(\d{1,3})\)\s"),
}
"""How a numbering is shown -> its pattern, whose group is the number."""


def numbered_passages(text: str, numbering: str) -> list[str]:
    """Return the passages of a text that starts with number 1 and counts up without gap; none of any other text.

    >>> numbered_passages("[1] tea [2] jam", "[1] … [2]"), numbered_passages("[1] as in [3]", "[1] … [2]")
    (['tea', 'jam'], [])
    """
    before, *rest = NUMBERINGS[numbering].split(text)
    if before.strip() or [int(one) for one in rest[::2]] != list(range(1, len(rest) // 2 + 1)):
        return []
    return [one.strip() for one in rest[1::2] if one.strip()]


def numbering_of(values: Sequence[Any]) -> str | None:
    r"""Return the numbering of most fields, where at least two have several passages; None if a field is a list.

    >>> numbering_of(["1) tea\n2) jam", "1) rum\n2) gin"]), numbering_of(["1) tea\n2) jam", "rum"])
    ('1) … 2)', None)
    """
    texts = [value for value in values if isinstance(value, str)]
    if len(texts) < sum(value is not None for value in values):
        return None
    for numbering in NUMBERINGS:
        counts = [len(numbered_passages(text, numbering)) for text in texts]
        if sum(map(bool, counts)) * 2 > len(texts) and sum(count > 1 for count in counts) > 1:
            return numbering
    return None
