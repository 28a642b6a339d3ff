"""Lists of ids or texts that are written in one text, as pandas and Postgres write them into tables."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any
from unicodedata import normalize

import pyarrow as pa

from ragauge.core.lazy import lazy_pattern
from ragauge.formats.fields import CONTAINERS, TUPLE, BadFieldError, is_list, parsed, plain
from ragauge.formats.postgres import items_of_array
from ragauge.formats.source import Values

AN_ID = lazy_pattern(r"(?:\d+[.)]\s+)?\S*[\d._/:#-]\S*(?:\s+\([-+]?[\d.]+\))?")
"""A word that is an id rather than a word of a title, as "Texas" in "Paris, Texas"; with its rank before or its score
behind."""
A_NUMBER = lazy_pattern(r"[-+]?\d*\.?\d+(?:e[-+]?\d+)?", re.IGNORECASE)
_IN_A_CELL = lazy_pattern(
    r"(?:.*[:=(]\s*)?[^\d+.,()-]{0,6}(?P<number>[-+]?\d*[.,]?\d+(?:e[-+]?\d+)?)\.?[^\d.,]{0,6}\.?",
    re.IGNORECASE | re.DOTALL,
)
"""A number with a unit, a mark or a rank's word around it, or behind an id."""
_SIGNS = str.maketrans({"\u2212": "-", "\u066b": ".", "\u066a": "%"})
"""The minus, and Arabic's decimal mark and per cent -> as ASCII writes them."""
_LIST_IN_QUOTES = lazy_pattern(r"""\s*(?:[a-z_]+\()?[\[({]\s*["'].*[\])}]\s*\Z""", re.DOTALL)
"""A list or object in which items are in quotes."""
_BEGINS = lazy_pattern(rf"\s*(?:[\[({{]|(?:array|{CONTAINERS})\()")
_BARE = lazy_pattern(r"""\[([^\[\]{}"']*)\]|\{([^\[\]{}"':]*)\}|\(([^()\[\]{}"']*,[^()\[\]{}"']*)\)""")
"""A list without quotes, as Postgres writes arrays in braces."""


def are_written_lists(values: Values, *, objects: bool = False) -> bool:
    """Return whether all fields are texts of a list in brackets, as pandas writes lists into CSV and on from there.

    ``objects``: or of an object in braces.

    >>> are_written_lists(["['d1', 'd2']", None, "[d3]"]), are_written_lists(["[1] Tea.", "[d3]"])
    (True, False)
    """
    ends = ("[]", "{}") if objects else ("[]",)

    def is_list_in_text(one: Any) -> bool:
        text = one.strip() if isinstance(one, str) else ""
        return (text[:1] + text[-1:]) in ends or TUPLE.fullmatch(text) is not None

    given = [one for one in plain(values) if one is not None]
    return bool(given) and is_list_in_text(given[0]) and all(map(is_list_in_text, given))


def hold_lists_of_ids(values: Values) -> bool:
    """Return whether a field is a text of a list of several ids, or of one in quotes, as no id is written.

    >>> hold_lists_of_ids(["['d1']", "d2"]), hold_lists_of_ids(["[d1, d3]", "d2"]), hold_lists_of_ids(["[d1]", "d2"])
    (True, True, False)
    """
    if isinstance(values, pa.Array) and pa.types.is_nested(values.type):
        return False
    texts = [one for one in plain(values) if isinstance(one, str) and _BEGINS.match(one)]
    return any(_LIST_IN_QUOTES.match(one) or _holds_several(one) for one in texts)


def _holds_several(text: str) -> bool:
    parts = _bare(text)
    return len(parts) > 1 and all(map(AN_ID.fullmatch, parts))


def are_lists_of_texts(values: Values, answers: pa.Array | None) -> bool:
    """Return whether fields are texts of lists of texts, and no answers that are to be lists themselves.

    Most are such lists or one is written as Python does, which no JSON is, and no answer is a list in a text; without
    ``answers``, both.

    >>> are_lists_of_texts(["['tea', 'jam']", '["a"]', None, "rum"], None), are_lists_of_texts(['["a"]'], None)
    (True, False)
    >>> are_lists_of_texts(['["a"]'], pa.array(["a"])), are_lists_of_texts(['["a"]'], pa.array(['["b"]']))
    (True, False)
    """
    given = [one for one in plain(values) if one is not None]
    written = [one for one in given if isinstance(one, str) and _BEGINS.match(one)]
    lists = [(one, within) for one in written if is_list(within := list_in(one)) and within and _are_texts(within)]
    if not lists:
        return False
    are_most = len(lists) * 2 > len(given) - written.count("[]")
    by_python = any(one.strip().strip("[({ ")[:1] == "'" or one.lstrip()[:1] != "[" for one, _ in lists)
    texts = [] if answers is None else [one for one in answers.to_pylist() if isinstance(one, str)]
    if any(is_written(one) and is_list(list_in(one)) for one in texts):
        return False
    return (are_most or by_python) if texts else (are_most and by_python)


def _are_texts(values: Sequence[Any]) -> bool:
    return all(one is None or isinstance(one, str) for one in values)


def with_bare_lists(values: Values) -> list[Any]:
    """Return fields of ids with each list in brackets without quotes as a list, and each object; other JSON stays.

    >>> with_bare_lists(["[d1, d2]", "{d1,7}", "[1, 2]", '["d1"]', "[Draft]", None])
    [['d1', 'd2'], ['d1', '7'], '[1, 2]', '["d1"]', '[Draft]', None]
    """
    return [(_bare(one) or _scored(one)) if isinstance(one, str) and is_written(one) else one for one in plain(values)]


def _scored(text: str) -> Any:
    """Return an object id -> number that is written as JSON; any other text as it is."""
    within = list_in(text) if text.lstrip().startswith("{") else None
    return within if isinstance(within, dict) else text


def _bare(text: str) -> list[str]:
    if TUPLE.fullmatch(text):
        within = list_in(f"[{text.strip()[1:-1]}]")
        return within if is_list(within) and all(isinstance(one, str) for one in within) else []
    found = _BARE.fullmatch(text.strip())
    quoted = items_of_array(text)
    if quoted is not None:
        return quoted
    inner = (found[1] or found[2] or found[3] or "") if found else ""
    parts = [part.strip() for part in inner.split(",") if part.strip()]
    if found and found[1] and all(map(A_NUMBER.fullmatch, parts)):
        return []
    return parts if all(AN_ID.fullmatch(one) or (len(parts) > 1 and " " not in one) for one in parts) else []


def is_written(text: str) -> bool:
    """Return whether a text is written as a list or an object.

    >>> is_written("[d1"), is_written("('d1',)"), is_written("(see below)")
    (True, True, False)
    """
    if not text.lstrip().startswith("("):
        return text.lstrip().startswith(("[", "{"))
    return TUPLE.fullmatch(text) is not None or (_BARE.fullmatch(text.strip()) is not None and bool(_bare(text)))


def number_in(text: str) -> float | None:
    """Return the one number of a text, also with a per cent sign, a mark or a decimal comma; None where it has no one.

    >>> (
    ...     number_in("85 %"),
    ...     number_in("#2"),
    ...     number_in("10,5"),
    ...     number_in("２位"),
    ...     number_in("d1: ٠٫٩"),
    ...     number_in("3/10"),
    ... )
    (85.0, 2.0, 10.5, 2.0, 0.9, None)
    """
    found = _IN_A_CELL.fullmatch(normalize("NFKC", text.strip()).translate(_SIGNS))
    return float(found["number"].replace(",", ".")) if found else None


def list_in(text: str) -> Any:
    """Return the list or object that a text is; None where it cannot be read.

    >>> list_in('["d1"]'), list_in("{'d1': 2}"), list_in("['d1'")
    (['d1'], {'d1': 2}, None)
    """
    try:
        return parsed(text, "judgements")
    except BadFieldError:
        return None
