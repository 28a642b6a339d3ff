"""Rows as lists below a list of their names, and lists of rows deep in a document of JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any

from ragauge.formats.column_names import known_name

_DEEPEST = 4
"""Keys that lead to the rows of a document at most."""


def named_rows(rows: Iterator[Any]) -> Iterator[Any]:
    """Return rows that are lists below one of distinct names as objects; other rows as they are.

    A list of another length than the names stays one.

    >>> list(named_rows(iter([["question", "answer"], ["Who?", "Anna."]])))
    [{'question': 'Who?', 'answer': 'Anna.'}]
    >>> list(named_rows(iter([{"question": "Who?"}])))
    [{'question': 'Who?'}]
    """
    first = next(rows, None)
    if first is None:
        return rows
    if not is_header(first):
        return chain([first], rows)
    return (
        dict(zip(first, row, strict=True)) if isinstance(row, list | tuple) and len(row) == len(first) else row
        for row in rows
    )


def is_header(row: Any) -> bool:
    """Return whether a row is a list of distinct names.

    A named tuple has names of its own.

    >>> is_header(["question", "answer"]), is_header(["question", 3]), is_header(["a", "a"]), is_header("ab")
    (True, False, False, False)
    """
    names = row if isinstance(row, list | tuple) and not hasattr(row, "_fields") else []
    return len(names) > 0 and all(isinstance(one, str) and one.strip() for one in names) and len({*names}) == len(names)


def rows_below(document: Mapping[str, Any]) -> dict[str, list[Any]]:
    """Return the lists of rows with a known column in the objects of a document, by the paths to them.

    >>> rows_below({"results": {"items": [{"question": "Who?", "answer": "Anna."}]}})
    {'results.items': [{'question': 'Who?', 'answer': 'Anna.'}]}
    >>> rows_below({"results": {"items": [{"name": "Who?"}]}}), rows_below({"question": {"items": [{"answer": "a"}]}})
    ({}, {})
    """
    return {".".join(path): rows for path, rows in _lists_in(document, ())}


def _lists_in(document: Mapping[str, Any], path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], list[Any]]]:
    if any(map(known_name, document)):
        return
    for name, inner in document.items():
        if isinstance(inner, dict) and len(path) < _DEEPEST:
            yield from _lists_in(inner, (*path, name))
        elif isinstance(inner, list) and _are_rows(inner):
            yield (*path, name), inner


def _are_rows(rows: list[Any]) -> bool:
    """Return whether a list has objects, or lists below names, and one of the names is a known column beside ids."""
    names = rows[0] if rows and is_header(rows[0]) and len(rows) > 1 and all(map(_is_list, rows)) else None
    if names is None and rows and all(isinstance(one, dict) for one in rows):
        names = rows[0]
    return any(known_name(one) not in (None, "id") for one in names or ())


def _is_list(row: Any) -> bool:
    return isinstance(row, list)
