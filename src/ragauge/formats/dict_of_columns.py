"""A dict whose values are columns rather than the fields of one row."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from ragauge.core.sample import SCHEMA
from ragauge.formats.column_names import known_name
from ragauge.formats.fields import is_list, is_missing


def is_columns(one: Mapping[str, Any]) -> bool:
    """Return whether a dict holds columns, which are lists of equal length, rather than one row.

    A row too may hold nothing but lists; then a column that should hold lists has texts or numbers in it.

    Several texts of a question or an answer, as many as each other list has items, are always a column.

    >>> is_columns({"question": ["Who?"]}), is_columns({"question": "Who?"}), is_columns({"retrieved": ["d1", "d2"]})
    (True, False, False)
    >>> is_columns({"questions": ["Who?", "Where?"], "contexts": ["Anna.", "Here."]})
    True
    """
    if not one or _has_column_of_texts(one):
        return bool(one)
    return all(_is_column(str(name), values) for name, values in one.items())


def _has_column_of_texts(one: Mapping[str, Any]) -> bool:
    lists = list(one.values())
    if not all(map(is_list, lists)) or len({len(each) for each in lists}) > 1 or len(lists[0]) < 2:
        return False
    texts = [values for name, values in one.items() if SCHEMA.get(known_name(str(name)) or "") == "text"]
    return any(all(isinstance(text, str) for text in values) for values in texts)


def _is_column(name: str, values: Any) -> bool:
    if not is_list(values):
        return isinstance(values, pa.Array | pa.ChunkedArray) or hasattr(values, "to_list")
    known = known_name(name)
    should_hold_lists = known is not None and SCHEMA[known] != "text" and known != "references"
    return not (should_hold_lists and any(isinstance(one, str | int | float) and not is_missing(one) for one in values))


def singular_names(columns: Mapping[str, Any]) -> dict[str, str]:
    """Return known column of one text -> the column that has its name in the plural, whose fields are all texts.

    It is so beside ``questions`` only: of one row, ``answers`` may be right ones.

    >>> singular_names({"questions": ["Who?"], "answers": ["Anna."]}), singular_names({"answers": ["Anna."]})
    ({'answer': 'answers'}, {})
    """
    taken = {known_name(name) for name in columns}
    plurals = {f"{known}s": known for known, kind in SCHEMA.items() if kind == "text" and known not in taken}
    there = {known: name for name, known in plurals.items() if "questions" in columns and name in columns}
    return {known: name for known, name in there.items() if all(isinstance(one, str | None) for one in columns[name])}
