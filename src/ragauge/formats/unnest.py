"""Values within objects as columns of their own: `inputs.question`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ragauge.formats.chunk import Chunk, Values


def unnested(chunk: Chunk, wanted: Iterable[str]) -> Chunk:
    """Open the objects that hold columns: mlflow's rows, and what a dotted name in ``wanted`` points into.

    >>> rows = Chunk({"inputs": [{"question": "Who?"}], "outputs": ["Anna"]}, range(1, 2))
    >>> unnested(rows, []).columns
    {'outputs': ['Anna'], 'inputs.question': ['Who?']}
    """
    columns = dict(chunk.columns)
    for name in _groups(columns, wanted):
        inner = _fields(columns[name])
        if inner:
            del columns[name]
            columns.update({f"{name}.{field}": values for field, values in inner.items()})
    return chunk if columns.keys() == chunk.columns.keys() else Chunk(columns, chunk.places, chunk.problems)


def _groups(columns: Mapping[str, Values], wanted: Iterable[str]) -> list[str]:
    pointed = {name.partition(".")[0] for name in wanted if "." in name and name not in columns}
    mlflow = {"inputs", "outputs", "expectations"} if "inputs" in columns else set()
    return [name for name in columns if name in pointed | mlflow]


def _fields(values: Values) -> dict[str, Values]:
    if isinstance(values, pa.Array):
        if not pa.types.is_struct(values.type):
            return {}
        return {field.name: pc.struct_field(values, field.name) for field in values.type}
    if not all(value is None or isinstance(value, dict) for value in values):
        return {}
    objects: list[dict[str, Any]] = [value or {} for value in values]
    names = dict.fromkeys(chain.from_iterable(objects))
    return {name: [one.get(name) for one in objects] for name in names}
