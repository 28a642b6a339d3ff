"""Passages that are numbered within one field, as "[1] tea [2] jam"."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

from ragauge.core.lazy import lazy_pattern
from ragauge.formats.column_names import folded, suggests_passages

_NUMBERINGS = {
    "[1] … [2]": lazy_pattern(r"\[(\d{1,3})\]"),
    "【1】 … 【2】": lazy_pattern(r"【(\d{1,3})】"),
    "1) … 2)": lazy_pattern(r"(?m)^[ \t]*(\d{1,3})\)\s"),
}
"""How a numbering is shown -> its pattern, whose group is the number."""
_OPENED = lazy_pattern(r"\s*([^\s\d:：()\[\]]{1,20}) ?1\s?([:：])")
"""A word and the number 1, with which the first of several passages opens."""
_BY_WORD = lazy_pattern(r"(\S+) 1([:：]) … \1 2\2")
_OTHER_WORDS = lazy_pattern(r"資料|자료|段落|来源|來源|出典|абзац")
"""Words for passages that as headers of columns mean too much."""


def numbered_passages(text: str, numbering: str) -> list[str]:
    """Return the passages of a text that starts with number 1 and counts up without gap; none of any other text.

    >>> numbered_passages("[1] tea [2] jam", "[1] … [2]"), numbered_passages("[1] as in [3]", "[1] … [2]")
    (['tea', 'jam'], [])
    >>> numbered_passages("Quelle 1: Tee Quelle 2: Rum", "Quelle 1: … Quelle 2:")
    ['Tee', 'Rum']
    """
    by_word = _BY_WORD.fullmatch(numbering)
    words = rf"(?i)(?<!\w){re.escape(by_word[1])}\s*(\d{{1,3}})\s*[:：]" if by_word else ""
    before, *rest = re.split(words, text) if words else _NUMBERINGS[numbering].split(text)
    if before.strip() or [int(one) for one in rest[::2]] != list(range(1, len(rest) // 2 + 1)):
        return []
    return [one.strip() for one in rest[1::2] if one.strip()]


def is_numbering(separator: str) -> bool:
    """Return whether a separator is the name of a numbering, as `numbering_of` returns it.

    >>> is_numbering("[1] … [2]"), is_numbering("文档 1： … 文档 2："), is_numbering("|")
    (True, True, False)
    """
    return separator in _NUMBERINGS or _BY_WORD.fullmatch(separator) is not None


def numbering_of(values: Sequence[Any]) -> str | None:
    r"""Return the numbering of most fields, where at least two have several passages; None if a field is a list.

    >>> numbering_of(["1) tea\n2) jam", "1) rum\n2) gin"]), numbering_of(["1) tea\n2) jam", "rum"])
    ('1) … 2)', None)
    """
    texts = [value for value in values if isinstance(value, str)]
    if len(texts) < sum(value is not None for value in values):
        return None
    opened = Counter((match[1], match[2]) for text in texts if (match := _OPENED.match(text)))
    words = [
        f"{word} 1{colon} … {word} 2{colon}"
        for (word, colon), _ in opened.most_common(1)
        if suggests_passages(folded(word)) or _OTHER_WORDS.search(word)
    ]
    for numbering in (*_NUMBERINGS, *words):
        counts = [len(numbered_passages(text, numbering)) for text in texts]
        if sum(map(bool, counts)) * 2 > len(texts) and sum(count > 1 for count in counts) > 1:
            return numbering
    return None
