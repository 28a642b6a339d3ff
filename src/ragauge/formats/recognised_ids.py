"""Columns that list documents by their ids under names that do not say so: what was retrieved, and what is right."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ragauge.core.lazy import lazy_pattern
from ragauge.formats.column_names import (
    FOUND,
    GRADES,
    RELEVANT,
    RETRIEVED,
    folded,
    known_name,
    suggests_passages,
    suggests_right_documents,
)
from ragauge.formats.fields import is_list, is_missing, is_number, items, plain
from ragauge.formats.grade_words import grades_of_words
from ragauge.formats.source import Values
from ragauge.formats.splitting import BETWEEN_IDS

_LOOKED_AT = 100
"""Rows whose fields are looked at."""
_NAME = lazy_pattern(r"\w+://.*|[^\n]{0,200}\.[A-Za-z][A-Za-z0-9]{1,4}(?:#\S*)?|(?=\S*\d)[A-Za-z]\S*|\d+[._/:#-]\S*")
"""An address, the name of a file, or an id: a word of letters and digits."""
_HIGHEST_ID = 1 << 53
_AROUND = "[]{}()\"'"
_RIGHT = ("references", "reference_contexts")
_TRUTH = frozenset({"0", "1", "true", "false", "yes", "no"})
"""Fields of a column that says whether a row is relevant."""


def ids_of_retrieved(columns: Mapping[str, Values]) -> dict[str, str]:
    """Return those of ``columns`` -> ``retrieved`` whose names mean passages or ids, and whose fields are all ids.

    >>> ids_of_retrieved({"найденные документы": ["d1, d2", "d3"]}), ids_of_retrieved({"检索结果": ["茶产于云南。"]})
    ({'найденные документы': 'retrieved'}, {})
    """
    fields = {name: plain(values[:_LOOKED_AT]) for name, values in columns.items() if folded(name) in RETRIEVED}
    given = {name: [one for one in values if not is_missing(one)] for name, values in fields.items()}
    return {name: "retrieved" for name, some in given.items() if some and all(map(_are_ids, some))}


def ids_of_documents(columns: Mapping[str, Values]) -> dict[str, str]:
    """Return those of ``columns`` -> ``retrieved`` or ``relevance`` whose fields are ids, by their names and fields.

    A column of relevant documents or of right answers is ``relevance`` where it names retrieved documents of its row,
    or grades them; a column of results is ``retrieved`` beside one whose ids are among its own.

    >>> ids_of_documents({"retrieved": ["apple, fig", "3"], "relevant": ["fig", "7"]})
    {'relevant': 'relevance'}
    >>> ids_of_documents({"results": ["d1,d2", "d3"], "gold": ["d1", "d4"]})
    {'results': 'retrieved', 'gold': 'relevance'}
    >>> ids_of_documents({"results": ["It opened in 1990."], "gold": ["1990"]})
    {}
    >>> ids_of_documents({"retrieved": [["d1", "d2"]], "grades": [{"d1": 2}]})
    {'grades': 'relevance'}
    """
    found = ids_of_retrieved(columns)
    known = {known_name(name) for name in columns}
    if "relevance" in known:
        return found
    certain = [name for name in columns if name in found or known_name(name) == "retrieved"]
    possible = certain or [name for name in columns if _may_be_retrieved(folded(name))]
    answered = "answer" in known
    for name in possible:
        retrieved = _parts(columns[name])
        for other in [one for one in columns if one != name and _may_be_right(one)]:
            # An object of grades names its documents by its keys.
            judged = _parts([[*one] if isinstance(one, Mapping) else one for one in plain(columns[other])])
            if folded(other) in RELEVANT | GRADES:
                fits = _name_or_grade(judged, retrieved)
            else:
                fits = not (answered and known_name(other) == "references") and _are_of(judged, retrieved)
            if fits and (certain or _are_ids_alone(retrieved, judged)):
                return {**found, **({} if certain else {name: "retrieved"}), other: "relevance"}
    return found


def _may_be_retrieved(header: str) -> bool:
    return header in FOUND or (suggests_passages(header) and not suggests_right_documents(header))


def _may_be_right(name: str) -> bool:
    return folded(name) in RELEVANT | GRADES or known_name(name) in _RIGHT or suggests_right_documents(folded(name))


def _parts(values: Values) -> list[list[str]]:
    """Return the words of each field: the items of a list, the parts of a text."""
    return [_parts_of(one) for one in plain(values[:_LOOKED_AT])]


def _parts_of(field: Any) -> list[str]:
    if isinstance(field, Mapping) or is_missing(field):
        return []
    each = flat(field) if is_list(field) else [field]
    # A longer number is no id, and not each has a text.
    kept = [one for one in each if isinstance(one, str) or (is_number(one) and abs(one) < _HIGHEST_ID)]
    texts = [one if isinstance(one, str) else str(int(one) if one == int(one) else one) for one in kept]
    parts = [part.strip(_AROUND) for text in texts for part in BETWEEN_IDS.split(text)]
    return [part for part in parts if part]


def _name_or_grade(judged: Sequence[Sequence[str]], retrieved: Sequence[Sequence[str]]) -> bool:
    """Return whether a field names retrieved documents of its row, or all fields have a number for each of them."""
    pairs = [(ours, theirs) for ours, theirs in zip(judged, retrieved, strict=True) if ours and theirs]
    several = any(len(ours) > 1 for ours, _ in pairs)
    if not pairs or (not several and {one.lower() for ours, _ in pairs for one in ours} <= _TRUTH):
        return False
    graded = several and all(len(ours) == len(theirs) and _are_grades(ours) for ours, theirs in pairs)
    return graded or any(not set(theirs).isdisjoint(ours) for ours, theirs in pairs)


def _are_of(judged: Sequence[Sequence[str]], retrieved: Sequence[Sequence[str]]) -> bool:
    """Return whether all words of the fields are ids, and half of them are among those that were retrieved."""
    words = {one for ours in judged for one in ours}
    theirs = {one for each in retrieved for one in each}
    are_ids = are_names(sorted(words)) and all(_NAME.fullmatch(one) for one in words)
    # Numbers alone may be answers.
    in_lists = all(map(_is_digits, words)) and sum(len(each) > 1 for each in retrieved) * 2 > len(retrieved)
    return bool(words) and (are_ids or in_lists) and len(words & theirs) * 2 >= len(words)


def _are_ids_alone(*columns: Sequence[Sequence[str]]) -> bool:
    """Return whether all words of columns are ids or numbers."""
    return all(_NAME.fullmatch(one) or _is_digits(one) for column in columns for words in column for one in words)


def _are_grades(parts: Sequence[str]) -> bool:
    return all(map(_is_digits, parts)) or grades_of_words(parts) is not None


def _is_digits(text: str) -> bool:
    return text.replace(".", "", 1).isdecimal()


def _are_ids(field: Any) -> bool:
    """Return whether a field has ids alone, also several in a text."""
    texts = list(flat(field)) if is_list(field) else [field]
    if is_list(field) and texts and all(is_number(one) and one == one // 1 for one in texts):
        # Whole numbers in a list are no passages.
        return True
    parts = [
        part.strip("[]{}\"'") for text in texts for part in BETWEEN_IDS.split(text if isinstance(text, str) else " ")
    ]
    words = [part for part in parts if part]
    return bool(words) and all(are_names([word]) for word in words)


def flat(field: Sequence[Any]) -> Iterator[Any]:
    """Yield the items of a list, and of the lists within.

    >>> list(flat([1, [2, [3]]]))
    [1, 2, 3]
    """
    for one in items(field):
        if is_list(one):
            yield from flat(one)
        else:
            yield one


def are_names(values: Sequence[Any]) -> bool:
    """Return whether most texts are ids, addresses or names of files, and so no passages and no answers.

    >>> are_names(["doc_12", "faq.md"]), are_names(["https://example.org/a b"]), are_names(["Anna", "1990", "手册"])
    (True, True, False)
    >>> are_names([["doc_12"], None]), are_names([1, 2])
    (True, False)
    """
    texts = [one for one in flat(values[:_LOOKED_AT]) if isinstance(one, str)]
    return sum(_NAME.fullmatch(text.strip()) is not None for text in texts) * 2 > len(texts)
