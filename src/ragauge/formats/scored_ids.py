"""Ids with their score behind, in one field: ``d1 (0.91)`` or ``d2:0.87``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from ragauge.core.lazy import lazy_pattern
from ragauge.core.messages import Message

_SCORED = lazy_pattern(r"(\S.*?)\s*(?:\([-+]?\d*\.\d+\)|[:=]\s*[-+]?(?:0?\.\d+|1\.0+))", re.DOTALL)
"""A score has a decimal point, and behind a colon it is at most 1: ``faq:12`` and ``faq:1.2`` are parts of a text."""
_WHOLE = lazy_pattern(r".*[:=]\s*[-+]?1\.0+", re.DOTALL)
"""It may be the first part of a document, where no other of the field is below 1."""
_TAKEN = (
    "RG-NOTE-065 {column}: the number behind an id, as in {example!r}, was read as its score and not as a part of the "
    "id, and the order of the list was kept; if it is a part of the id, write ids as JSON lists"
)


def without_scores(given: Sequence[Any], split: Sequence[Any]) -> Sequence[Any]:
    """Return fields of ids without the scores behind, where each of a field has one; fields without scores stay.

    ``given``: the fields as they were; one that is a list stays, too. ``split``: the same, with texts as lists of ids.

    >>> without_scores(["d1 (0.9)", "d2:0.8, d3: 0.5", "d4:2"], ["d1 (0.9)", ["d2:0.8", "d3: 0.5"], "d4:2"])
    ['d1', ['d2', 'd3'], 'd4:2']
    >>> without_scores([["d1 (0.9)"], None], [["d1 (0.9)"], None])
    [['d1 (0.9)'], None]
    """
    if str not in set(map(type, given)):
        return split
    return [_without(one) if isinstance(text, str) and one else one for text, one in zip(given, split, strict=True)]


def _without(field: str | list[str]) -> str | list[str]:
    parts = [field] if isinstance(field, str) else field
    ends = [_SCORED.fullmatch(one) if one[-1:] in ")0123456789" else None for one in parts]
    names = [end[1] for end in ends if end]
    if len(names) < len(parts) or all(map(_WHOLE.fullmatch, parts)):
        return field
    return names[0] if isinstance(field, str) else names


def note_on_scores(column: str, before: Sequence[Any], after: Sequence[Any]) -> list[Message]:
    """Return the note that scores were taken from ids; none where the fields are as before.

    >>> note_on_scores("found", ["d1", ["d2 (0.5)"]], ["d1", ["d2"]])[0].partition(", was")[0]
    "found: the number behind an id, as in 'd2 (0.5)'"
    """
    pairs = zip(before, after, strict=True)
    changed = next((old for old, new in pairs if isinstance(old, str | list) and old != new), None)
    if changed is None:
        return []
    return [Message(_TAKEN, column, changed if isinstance(changed, str) else changed[0])]
