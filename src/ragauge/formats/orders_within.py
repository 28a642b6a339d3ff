"""Scores, distances and ranks within the documents of a list that say another order than the list."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, pairwise
from typing import Any, NamedTuple

import pyarrow as pa

from ragauge.formats.column_names import order_of
from ragauge.formats.fields import is_list, is_number, items, plain
from ragauge.formats.inferred import Inferred, Understood
from ragauge.formats.source import Values
from ragauge.formats.written_lists import list_in, number_in

_LOOKED_AT = 1000
"""Rows of a chunk whose fields are looked at."""
_WITHIN = (
    *("metadata", "meta", "kwargs", "node", "document", "doc", "_additional", "rerank", "payload", "entity", "fields"),
    *("_source", "point", "extra_info", "properties"),
)
"""Keys that hold the rest of a document in LangChain, LlamaIndex, Haystack, Weaviate, Qdrant, Milvus, Elasticsearch."""
_DEEPEST = 3
_READ = ("score", "distance", "rank")
"""Keys of a document by which `retrieved` is ranked."""
_PAIRED = "score of each pair"
_OTHERWISE = (
    "RG-NOTE-250 {column}: in {fields}, {key} of the documents says another order than their list; the order of the "
    "list was read, best first; if {key} ranks them, sort them by it first"
)
_REORDERED = {
    True: "RG-NOTE-251 {column}: in {fields}, {key} of the documents says another order than their list; {key} was "
    "read, highest first; if the lowest is best, name it distance; to read the order of the list, leave it out",
    False: "RG-NOTE-252 {column}: in {fields}, {key} of the documents says another order than their list; {key} was "
    "read, lowest first; if the highest is best, name it score; to read the order of the list, leave it out",
}
_FIELDS = ("field", "fields")


class _Key(NamedTuple):
    """The keys that lead to a number within a document; whether the highest is best, None: unknown; and if it is read.

    What is read ranks the documents.
    """

    path: tuple[str, ...]
    descending: bool | None
    is_read: bool = False


def of_orders(columns: Mapping[str, Values], sources: Mapping[str, str]) -> Inferred:
    """Return how many fields list documents in another order than a number within each says.

    ``sources``: known column -> its name among ``columns``. The number that is read decides; of several others that of
    a reranker, else the first.

    >>> documents = [{"id": "d1", "metadata": {"similarity": 0.1}}, {"id": "d2", "metadata": {"similarity": 0.9}}]
    >>> list(of_orders({"retrieved": [documents, documents[::-1]]}, {"retrieved": "retrieved"}).values())
    [1]
    """
    ranked = next((name for name in ("retrieved", "contexts") if sources.get(name) in columns), None)
    if ranked is None:
        return {}
    by_id = ranked == "retrieved" or "relevance" in sources
    kinds: dict[str, str | None] = {}
    found: dict[Understood, int] = {}
    for documents in _lists_of_objects(columns[sources[ranked]], in_pairs=ranked == "retrieved"):
        key = _deciding(documents[0], kinds)
        if key is None or (key.is_read and not by_id):
            continue
        given = [number for one in documents if (number := _number(one, key.path)) is not None]
        if len(given) == len(documents) and not _is_ordered(given, descending=key.descending):
            template = _REORDERED[bool(key.descending)] if key.is_read else _OTHERWISE
            note = Understood(template, sources[ranked], _FIELDS, ".".join(key.path))
            found[note] = found.get(note, 0) + 1
    return found


def _lists_of_objects(values: Values, *, in_pairs: bool) -> Iterator[list[Mapping[str, Any]]]:
    """Yield the fields that list several objects, also as texts of JSON; of lists in lists, all objects in order.

    A pair of a document and its score is an object with that score, which is read ``in_pairs`` alone.
    """
    kind = values.type if isinstance(values, pa.Array) else None
    if kind is not None and pa.types.is_list(kind) and not pa.types.is_nested(kind.value_type):
        return
    for one in plain(values[:_LOOKED_AT]):
        field = list_in(one) if isinstance(one, str) and one.lstrip()[:2] in ("[{", "[[") else one
        listed = items(field) if is_list(field) else []
        if listed and is_list(listed[0]):
            pairs = [items(step) if is_list(step) else [] for step in listed]
            if all(len(pair) == 2 and isinstance(pair[1], float) for pair in pairs):
                listed = [{"score" if in_pairs else _PAIRED: pair[1]} for pair in pairs]
            else:
                listed = list(chain.from_iterable(pairs))
        if len(listed) > 1 and all(isinstance(document, Mapping) for document in listed):
            yield listed


def _deciding(document: Mapping[str, Any], kinds: dict[str, str | None]) -> _Key | None:
    """Return the key that ranks documents such as this one; None where there is none."""
    if _PAIRED in document:
        return _Key((_PAIRED,), None)
    read = next((key for key in _READ if is_number(document.get(key))), None)
    if read is not None:
        return _Key((read,), read == "score", is_read=True)
    keys = list(_keys(document, (), kinds))
    return next((key for key in keys if "rerank" in ".".join(key.path).lower()), next(iter(keys), None))


def _keys(document: Mapping[str, Any], path: tuple[str, ...], kinds: dict[str, str | None]) -> Iterator[_Key]:
    """Yield the keys of numbers that rank a document, those of its outer objects first; ``kinds``: of known names."""
    for name in document:
        kind = _kind(name, kinds) if isinstance(name, str) else None
        # A position among the metadata is one in the text that a passage is from.
        fits = kind is not None and (kind != "rank" or not path or "rank" in name.lower())
        if fits and _number(document, (name,)) is not None:
            yield _Key((*path, name), kind == "score")
    for name in _WITHIN if len(path) < _DEEPEST else ():
        within = document.get(name)
        if isinstance(within, Mapping):
            yield from _keys(within, (*path, name), kinds)


def _kind(name: str, kinds: dict[str, str | None]) -> str | None:
    if name not in kinds:
        kinds[name] = order_of(name)
    return kinds[name]


def _number(document: Mapping[str, Any], path: Sequence[str]) -> float | None:
    value: Any = document
    for name in path:
        value = value.get(name) if isinstance(value, Mapping) else None
    if isinstance(value, str):
        return number_in(value)
    return float(value) if is_number(value) else None


def _is_ordered(numbers: Sequence[float], *, descending: bool | None) -> bool:
    """Return whether numbers fall, or rise; None: one of both."""
    falls, rises = ([one >= two for one, two in pairwise(some)] for some in (numbers, numbers[::-1]))
    return (descending is not False and all(falls)) or (descending is not True and all(rises))
