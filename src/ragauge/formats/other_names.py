"""A known column whose fields are under one name in some rows and under another name in others."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

import numpy as np

from ragauge.core.messages import Joined, Message
from ragauge.errors import ColumnError
from ragauge.formats.column_names import PREDICTED, as_map, known_name
from ragauge.formats.fields import is_missing, plain
from ragauge.formats.inferred import Understood
from ragauge.formats.source import Chunk, Values

_ALSO = (
    "RG-NOTE-288 {column}: {fields} this column under the name {example!r}, which was read as the same column, because "
    "no row has both; if it is another one, rename it"
)
_BOTH = "RG-DATA-244 {names} are {known} in different rows, and a later row has both; choose one:\n{maps}"


def under_one_name(
    chunk: Chunk,
    sources: Mapping[str, str],
    merged: Mapping[str, set[str]],
    apart: Collection[str],
    mapping: Mapping[str, str],
) -> tuple[Chunk, dict[Understood, int]]:
    """Return ``chunk`` with a known column's fields under its name so far, where rows have one of several names.

    Names of which some row has two stay apart. The number of fields under each other name is returned too.

    Args:
        chunk: some rows.
        sources: known column -> its name in the rows before.
        merged: known column -> its other names in the rows before.
        apart: names of columns that stay: those of the rows before, and those that the user gave.
        mapping: the user's choice of a name for a known column, which has no other.

    Raises:
        ColumnError: a row has two names that were read as one in rows before.

    >>> rows = {"response": ["Anna.", None], "output": [None, "Lin."]}
    >>> under_one_name(Chunk(rows, [1, 2]), {}, {}, (), {})[0].columns
    {'response': ['Anna.', 'Lin.']}
    """
    alike: dict[str, list[str]] = {}
    for name in chunk.columns:
        known = known_name(name)
        if known not in (None, "id", *mapping) and name not in PREDICTED:
            alike.setdefault(str(known), []).append(name)
    columns = dict(chunk.columns)
    counts: dict[Understood, int] = {}
    for known, names in alike.items():
        first = sources.get(known, known if known in names else names[0])
        others = [one for one in names if one != first and (one not in apart or one in merged.get(known, ()))]
        if not others or known_name(first) != known or first in PREDICTED:
            continue
        present = {one: _present(columns[one]) for one in (first, *others) if one in columns}
        if np.sum([*present.values()], axis=0).max(initial=0) > 1:
            if not merged.get(known, set()).isdisjoint(others):
                maps = Joined([Message("  {map}", as_map(known, one)) for one in present], "\n")
                raise ColumnError(_BOTH, " and ".join(present), known, maps)
            continue
        if first in present and not all(one.any() for one in present.values()) and known not in merged:
            continue
        fields = {one: plain(columns.pop(one)) for one in present}
        rows = range(len(chunk.places))
        columns[first] = [next((some[row] for one, some in fields.items() if present[one][row]), None) for row in rows]
        counts |= {Understood(_ALSO, first, ("row has", "rows have"), one): int(present[one].sum()) for one in others}
    return (replace(chunk, columns=columns), counts) if counts else (chunk, {})


def _present(values: Values) -> np.ndarray:
    """Return which fields have a value, shape (rows,); an empty text, as of CSV, is none."""
    return np.array([not is_missing(one) and one != "" for one in plain(values)], dtype=bool)
