"""Rows within a document of JSON or a dict: in a list under a key, deep in it, by their ids, or each under a key."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

from ragauge.core.messages import Message
from ragauge.errors import DataError
from ragauge.formats.column_names import known_name
from ragauge.formats.header_rows import rows_below
from ragauge.formats.sources import export_of

_NO_WRAPPERS = ("inputs", "outputs", "expectations")
"""Keys of a row of mlflow: what is in them is read under their names."""
_BELOW = "RG-NOTE-255 the rows under {path} were read, the only ones with a known column; for others, save them apart"
_BESIDE = (
    "RG-NOTE-287 the rows under {names} were not read, but those of another list beside them; if they are samples too, "
    "put all into one list"
)
_SEVERAL = (
    "RG-DATA-245 {name}: rows are in several lists: {lists}; give one of them, in Python {first}; of a file, save its "
    "list apart"
)
_PAGES = ("data", "items", "rows", "samples", "records", "traces")
"""Names of the list in a page of an API, which has the number of the page and the like beside it."""
_CASES = ("testCases", "test_cases", "test_results", "qa_pairs")
"""Names of the list of cases in what DeepEval writes, and of pairs, beside lists of other things."""
_EACH = "RG-NOTE-297 the rows under {key} were read, which each row has alone"


class WithinDocument(NamedTuple):
    """The rows within a document, and what to know about them."""

    rows: Sequence[Any]
    notes: Sequence[Message] = ()


def within(document: Mapping[str, Any], name: str) -> WithinDocument | None:
    """Return the rows within a document called ``name``; None where it has none, or is a framework's export.

    DataError where rows are in several lists.

    >>> within({"train": [{"question": "Who?"}]}, "a.json")
    WithinDocument(rows=[{'question': 'Who?'}], notes=())
    """
    if export_of(document) is not None:
        return None
    rows = _rows_within(document) or _rows_by_key(document)
    if rows is not None:
        beside = [name for name, one in document.items() if one is not rows and _has_known(one)]
        return WithinDocument(rows, [Message(_BESIDE, ", ".join(beside))] if beside else ())
    found = rows_below(document)
    if len(found) > 1:
        first = "".join([f"[{step!r}]" for step in next(iter(found)).split(".")])
        raise DataError(_SEVERAL, name, ", ".join(found), f"data{first}")
    return next((WithinDocument(rows, [Message(_BELOW, path)]) for path, rows in found.items()), None)


def unwrapped(rows: Iterator[Any], notes: list[str]) -> Iterator[Any]:
    """Return rows that are each within a dict of one key as themselves, with a note; other rows as they are.

    >>> list(unwrapped(iter([{"row": {"question": "Who?"}}]), []))
    [{'question': 'Who?'}]
    """
    first = next(rows, None)
    if first is None:
        return rows
    rows = chain([first], rows)
    key = _wrapping(first)
    if not key:
        return rows
    notes.append(Message(_EACH, key))
    return (row[key] if _wrapping(row) == key else row for row in rows)


def _wrapping(row: Any) -> str:
    """Return the one key of a dict whose value is a row; empty for any other."""
    if not isinstance(row, dict) or len(row) != 1:
        return ""
    [(key, inner)] = row.items()
    is_own = not isinstance(key, str) or known_name(key) is not None or key in _NO_WRAPPERS
    return "" if is_own or not isinstance(inner, dict) or not any(map(known_name, map(str, inner))) else key


def _rows_by_key(document: Mapping[str, Any]) -> list[dict[str, Any]] | None:
    """Return the rows of an object of rows by their ids, or of columns by the numbers of rows, as of pandas."""
    inner = list(document.values())
    if not inner or not all(isinstance(one, dict) and one.keys() == inner[0].keys() for one in inner):
        return None
    is_numbered = all(key.isdecimal() for key in inner[0])
    if is_numbered and any(map(known_name, document)):
        return [{name: one[key] for name, one in document.items()} for key in inner[0]]
    if len(inner) > 1 and any(map(known_name, inner[0])) and not any(map(known_name, document)):
        return [{"id": key, **one} for key, one in document.items()]
    return None


def _rows_within(document: Mapping[str, Any]) -> list[Any] | None:
    """Return the rows of RAGChecker's results, of an object around a list of rows alone, or of an API's page."""
    results = document.get("results")
    if isinstance(results, list):
        return results
    if any(map(known_name, document)):
        return None
    if len(document) == 1 and isinstance(inner := next(iter(document.values())), dict) and export_of(inner) is None:
        return _rows_within(inner) if any(isinstance(inner.get(name), list) for name in (*_PAGES, *_CASES)) else None
    lists = {name: one for name, one in document.items() if isinstance(one, list)}
    cases = next((name for name in _CASES if _are_rows(lists.get(name))), None)
    if cases is not None:
        return lists[cases]
    [name, inner] = next(iter(lists.items()), ("", None))
    return inner if _are_rows(inner) and len(lists) == 1 and (len(document) == 1 or name in _PAGES) else None


def _has_known(value: Any) -> bool:
    return _are_rows(value) and any(map(known_name, value[0]))


def _are_rows(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(row, dict) for row in value)
