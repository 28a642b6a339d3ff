"""Scores and ranks beside documents that say another order than the one that is read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from ragauge.core import compute as pc
from ragauge.core.arrow import filled, to_arrow, to_numpy, whole
from ragauge.core.batch import Dataset
from ragauge.core.messages import Argument, Message
from ragauge.core.ragged import listed
from ragauge.core.sample import SCHEMA
from ragauge.formats.column_names import order_of
from ragauge.formats.source import NUMBERS
from ragauge.formats.splitting import OF_IDS, as_numbers, numbers_in, split_fields
from ragauge.formats.written_lists import list_in

_LOOKED_AT = 1000
"""Samples, the first."""
_OTHERWISE = (
    "RG-NOTE-231 {scores} says another order than {ranked} in {n} of {total} samples looked at; the order of {ranked} "
    "was read, best first; {advice}"
)
_BY_SCORES = "to rank by it: {map}"
_BY_SPLIT = "to rank by it: {map} and {split}"
_SORTED = "if it ranks them, sort them by it first"


def notes_on_unread_scores(data: Dataset, needed: set[str]) -> list[Message]:
    """Return a note for each list of scores or ranks that is not in the order of the documents beside it.

    ``needed``: known columns that metrics read. The scores of `retrieved` are read, and need no note.

    >>> from ragauge.formats import read
    >>> row = {"retrieved": ["d1", "d2"], "scores": [0.1, 0.9], "relevance": {"d2": 1}}
    >>> [note] = notes_on_unread_scores(read([row]), {"retrieved"})
    >>> note.rpartition("; ")[2]
    "to rank by it: map={'retrieved_scores': 'scores'}"
    """
    there = [name for name in ("retrieved", "contexts") if name in needed and name in data.columns]
    # Passages with ids are ranked by their texts where no ids are judged.
    by_text = len(there) > 1 and "relevance" not in data.columns
    ranked = there[-1 if by_text else 0] if there else None
    if ranked is None or (ranked == "retrieved" and "retrieved_scores" in data.columns):
        return []
    kinds = {name: order_of(name) for name in data.columns if name not in SCHEMA}
    if ranked == "contexts":
        kinds["retrieved_scores"] = "score"
    table = next(iter(data.batches())).table().slice(0, _LOOKED_AT)
    for name, (kind, numbers) in _gathered(table).items():
        kinds[name] = kind
        table = table.append_column(name, numbers)
    documents = whole(table[ranked])
    notes = []
    for name, kind in kinds.items():
        if name not in table.column_names or kind is None:
            continue
        values = whole(table[name])
        numbers = values if _are_numbers(values.type) else _read(values, documents)
        wrong = _in_another_order(numbers, documents, descending=kind == "score")
        if wrong:
            by_scores = ranked == "retrieved" and kind == "score" and name in data.columns
            advice = _advice(name, values, documents) if by_scores else Message(_SORTED)
            shown = Message("the score within {ranked}", ranked) if name == "retrieved_scores" else name
            notes.append(Message(_OTHERWISE, shown, data.mapping.get(ranked, ranked), wrong, len(table), advice))
    return notes


def _in_another_order(numbers: pa.Array, documents: pa.Array, *, descending: bool) -> int:
    """Return in how many samples a later number is better; 0 where most do not have one for each document."""
    lengths, others = (filled(pc.list_value_length(one), -1) for one in (numbers, documents))
    fitting = to_numpy(pc.equal(lengths, others)) & (to_numpy(lengths) >= 0)
    both = (to_numpy(lengths) >= 0) & (to_numpy(others) >= 0)
    if np.count_nonzero(fitting) * 2 <= np.count_nonzero(both):
        return 0
    flat = to_numpy(pc.list_flatten(numbers)).astype(np.float64)
    rows = to_numpy(pc.list_parent_indices(numbers))
    better = np.diff(flat) > 0 if descending else np.diff(flat) < 0
    return len(np.unique(rows[1:][better & (rows[1:] == rows[:-1]) & fitting[rows[1:]]]))


def _read(values: pa.Array, documents: pa.Array) -> pa.Array:
    """Return the numbers that fields hold in texts, in lists of texts, or in objects id -> number; null for others."""
    pairs = zip(values.to_pylist(), documents.to_pylist(), strict=True)
    return to_arrow([_numbers(field, ids) if ids else None for field, ids in pairs], NUMBERS)


def _gathered(table: pa.Table) -> dict[str, tuple[str | None, pa.Array]]:
    """Return lists of numbers that lists of objects hold, or columns with a number at their ends, with their kinds."""
    found: dict[str, tuple[str | None, pa.Array]] = {}
    numbered: dict[str, list[str]] = {}
    for name in [one for one in table.column_names if one not in SCHEMA]:
        found |= {f"{name}.{key}": (order_of(key), one) for key, one in _within(whole(table[name])).items()}
        base = name.rstrip("0123456789")
        kind = table[name].type
        if base != name and order_of(base) and (pa.types.is_floating(kind) or pa.types.is_integer(kind)):
            numbered.setdefault(base, []).append(name)
    for base, names in numbered.items():
        rows = zip(*[table[name].to_pylist() for name in names], strict=True)
        lists = to_arrow([[one for one in row if one is not None] for row in rows], NUMBERS)
        found[", ".join(names)] = order_of(base), lists
    return found


def _within(values: pa.Array) -> dict[str, pa.Array]:
    """Return the numbers within a column of lists of objects, as lists, by their keys that rank documents."""
    if not pa.types.is_list(values.type) or not pa.types.is_struct(values.type.value_type):
        return {}
    flat, lengths = pc.list_flatten(values), to_numpy(filled(pc.list_value_length(values), 0))
    keys = [field.name for field in values.type.value_type if order_of(field.name) is not None]
    return {key: listed(pc.struct_field(flat, key), lengths) for key in keys}


def _numbers(field: Any, documents: Sequence[str]) -> list[float] | None:
    within = list_in(field) if isinstance(field, str) and field.lstrip().startswith("{") else field
    pairs = list_in(field) if isinstance(field, str) and field.lstrip().startswith("[[") else field
    if isinstance(pairs, list) and pairs and all(isinstance(one, list) and len(one) == 2 for one in pairs):
        within = dict(pairs) if isinstance(pairs[0][0], str) else within
    by_id = isinstance(within, Mapping)
    return numbers_in([within.get(one) for one in documents] if by_id else field, len(documents))


def _advice(name: str, values: pa.Array, documents: pa.Array) -> Message:
    """Return what ranks `retrieved` by the scores of a column: sorting, where they cannot be read as they are."""
    mapped = Argument("map", {"retrieved_scores": name})
    if _are_numbers(values.type):
        return Message(_BY_SCORES, mapped)
    fields = values.to_pylist() if pa.types.is_string(values.type) else []
    lengths = pc.list_value_length(documents).to_pylist()
    lists = [list_in(one) if isinstance(one, str) else None for one in fields]
    if fields and _lengths(lists) == lengths:
        return Message(_BY_SCORES, mapped)
    for separator in OF_IDS if fields else ():
        if _lengths(as_numbers(split_fields(fields, separator))) == lengths:
            return Message(_BY_SPLIT, mapped, Argument("split", {"retrieved_scores": separator}))
    return Message(_SORTED)


def _lengths(lists: Sequence[Any]) -> list[int | None]:
    """Return the length of each list of numbers, None for what is none."""
    return [len(one) if isinstance(one, list) and set(map(type, one)) <= {int, float} else None for one in lists]


def _are_numbers(kind: pa.DataType) -> bool:
    within = kind.value_type if pa.types.is_list(kind) else kind
    return pa.types.is_list(kind) and bool(pa.types.is_floating(within) or pa.types.is_integer(within))
