"""Numbers of passages in the column ``citations``: where they count from 0 they are made to count from 1."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from ragauge.core.arrow import to_arrow
from ragauge.core.batch import Batch, Dataset
from ragauge.core.messages import Counted, Message
from ragauge.grounding.citations import beside

_COLUMN = "citations"
_FROM_ZERO = (
    "RG-NOTE-331 citations count passages from 0, as {rows} a 0, the first of them {first}: 0 is the first passage and "
    "1 the second; they were read as 1 and 2. If they count from 1, correct each 0"
)
_FEWEST = 0.05
"""Of the samples that cite, the share that have a 0 where numbers count from 0; fewer are slips."""


def counted_from_one(data: Dataset) -> Dataset:
    """Return ``data`` with numbers of passages in ``citations`` that count from 1, and a note where they did not.

    >>> import pyarrow as pa
    >>> cited = [{"text": "It opened.", "citations": [0, 1]}]
    >>> rows = pa.table({"id": ["a"], "contexts": [["One.", "Two."]], "citations": [cited]})
    >>> next(counted_from_one(Dataset.of(Batch(rows), "rows")).batches()).column("citations").to_pylist()
    [[{'text': 'It opened.', 'citations': [1, 2]}]]
    """
    notes = notes_on_zero(data)

    def batches() -> Iterator[Batch]:
        return map(counted_on, data.batches())

    return replace(data, batches=batches, notes=(*data.notes, *notes)) if notes else data


def notes_on_zero(data: Dataset) -> list[Message]:
    """Return a note where the numbers in ``citations`` count from 0, over all samples of ``data``.

    They do where one in twenty samples that cite has a 0, and more than have a number that is that of their passages or
    more.
    """
    cite = beyond = 0
    zero: list[str] = []
    if _COLUMN in data.columns:
        for batch in data.batches():
            for sample, (value, ids, passages) in zip(batch.column("id").to_pylist(), _cited(batch), strict=True):
                numbers = [int(name) for _, names in beside(value) for name in names if _is_number(name, ids)]
                if numbers and passages:
                    cite += 1
                    beyond += max(numbers) >= passages
                    zero += [sample] if 0 in numbers else []
    if len(zero) <= max(beyond, _FEWEST * cite):
        return []
    return [Message(_FROM_ZERO, Counted(len(zero), "sample has", "samples have"), zero[0])]


def counted_on(batch: Batch) -> Batch:
    """Return ``batch`` with each number of a passage in ``citations`` one higher; ids of passages stay."""
    column = batch.column(_COLUMN)
    values = [_moved(value, ids) for value, ids, _ in _cited(batch)]
    table = batch.table()
    return Batch(table.set_column(table.column_names.index(_COLUMN), _COLUMN, to_arrow(values, column.type)))


def _cited(batch: Batch) -> Iterator[tuple[Any, list[str], int]]:
    """Yield the citations of each sample, the ids of its passages, and how many passages it has."""
    ids, texts = [
        batch.column(name).to_pylist() if name in batch.names else [None] * len(batch)
        for name in ("retrieved", "contexts")
    ]
    for value, own, passages in zip(batch.column(_COLUMN).to_pylist(), ids, texts, strict=True):
        yield value, own or [], len(passages or own or ())


def _is_number(name: str, ids: list[str]) -> bool:
    return name.isdecimal() and name not in ids


def _moved(value: Any, ids: list[str]) -> Any:
    if not beside(value):
        return value
    items = json.loads(value) if isinstance(value, str) else value
    for one in items:
        if isinstance(one, dict) and isinstance(one.get("citations"), list):
            one["citations"] = [
                type(name)(int(name) + 1) if _is_number(str(name), ids) else name for name in one["citations"]
            ]
    return json.dumps(items, ensure_ascii=False) if isinstance(value, str) else items
