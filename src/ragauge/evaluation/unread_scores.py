"""Scores and ranks beside documents that say another order than the one that is read."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from ragauge.core import compute as pc
from ragauge.core.arrow import to_numpy, whole
from ragauge.core.batch import Dataset
from ragauge.core.messages import Argument, Message
from ragauge.formats.column_names import OF_A_DOCUMENT, folded

_LOOKED_AT = 1000
"""Samples, the first."""
_OTHERWISE = (
    "RG-NOTE-231 {scores} says another order than {ranked} in {n} of {total} samples looked at; the order of {ranked} "
    "was read, best first; {advice}"
)


def notes_on_unread_scores(data: Dataset, needed: set[str]) -> list[Message]:
    """Return a note for each list of scores or ranks that is not in the order of the documents beside it.

    ``needed``: known columns that metrics read. The scores of `retrieved` are read, and need no note.

    >>> from ragauge.formats import read
    >>> row = {"retrieved": ["d1", "d2"], "scores": [0.1, 0.9], "relevance": {"d2": 1}}
    >>> [note] = notes_on_unread_scores(read([row]), {"retrieved"})
    >>> note.rpartition("; ")[2]
    "to rank by it: map={'retrieved_scores': 'scores'}"
    """
    ranked = next((name for name in ("retrieved", "contexts") if name in needed and name in data.columns), None)
    if ranked is None or (ranked == "retrieved" and "retrieved_scores" in data.columns):
        return []
    kinds = {name: _kind(folded(name)) for name in data.columns}
    if ranked == "contexts":
        kinds["retrieved_scores"] = "score"
    table = next(iter(data.batches())).table().slice(0, _LOOKED_AT)
    notes = []
    for name, kind in kinds.items():
        if name not in table.column_names or kind in (None, "grade"):
            continue
        wrong = _in_another_order(whole(table[name]), whole(table[ranked]), descending=kind == "score")
        if wrong:
            of_retrieved = ranked == "retrieved" and kind == "score"
            advice = (
                Message("to rank by it: {map}", Argument("map", {"retrieved_scores": name}))
                if of_retrieved
                else Message("if it ranks them, sort them by it first")
            )
            shown = Message("the score within {ranked}", ranked) if name == "retrieved_scores" else name
            notes.append(Message(_OTHERWISE, shown, data.mapping.get(ranked, ranked), wrong, len(table), advice))
    return notes


def _kind(header: str) -> str | None:
    return OF_A_DOCUMENT.get(header) or OF_A_DOCUMENT.get(header.removesuffix("s"))


def _in_another_order(numbers: pa.Array, ranked: pa.Array, *, descending: bool) -> int:
    """Return in how many samples a later number is better; 0 where the lists are not numbers, one for each document."""
    if not pa.types.is_list(numbers.type) or not _are_numbers(numbers.type.value_type):
        return 0
    lengths, others = (pc.list_value_length(one) for one in (numbers, ranked))
    if pc.all(pc.equal(lengths, others)).as_py() is not True:
        return 0
    flat = to_numpy(pc.list_flatten(numbers)).astype(np.float64)
    rows = to_numpy(pc.list_parent_indices(numbers))
    better = np.diff(flat) > 0 if descending else np.diff(flat) < 0
    return len(np.unique(rows[1:][better & (rows[1:] == rows[:-1])]))


def _are_numbers(kind: pa.DataType) -> bool:
    return bool(pa.types.is_floating(kind) or pa.types.is_integer(kind))
