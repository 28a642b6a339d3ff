"""Columns of a page as JSON: a value that many samples have is written once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from json import JSONEncoder
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from ragauge.core.ragged import IntArray

_ENCODER = JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False, check_circular=False)


@dataclass(frozen=True, eq=False)
class JsonColumn:
    """A column of n values as JSON: ``texts`` (d,), the JSON of each value, and ``codes`` (n,), places among these.

    >>> JsonColumn.of_numbers([0.5, None, True], np.array([1, 0, 2, 0])).json
    '[null,0.5,true,0.5]'
    """

    texts: npt.NDArray[np.object_]
    codes: IntArray

    @classmethod
    def of(cls, texts: Sequence[str], codes: IntArray) -> Self:
        """Return a column of values whose JSON is ``texts``."""
        return cls(np.array(texts, dtype=object), codes)

    @classmethod
    def of_numbers(cls, values: Sequence[float | None], codes: IntArray) -> Self:
        """Return a column of finite numbers, booleans and None, whose JSON has no comma."""
        return cls.of(json_of(list(values))[1:-1].split(","), codes)

    def at(self, places: IntArray) -> Self:
        """Return the values at ``places``, in their order."""
        return replace(self, codes=self.codes[places])

    @property
    def json(self) -> str:
        """The JSON of the column."""
        return f"[{','.join(self.texts[self.codes].tolist())}]"


def json_of(value: Any) -> str:
    """Return the JSON of a value, in which objects, lists of objects, and nothing else may hold columns.

    >>> json_of({"by_run": [{"n": JsonColumn.of_numbers([3], np.array([0, 0]))}, None], "ids": ["a"]})
    '{"by_run":[{"n":[3,3]},null],"ids":["a"]}'
    """
    if isinstance(value, JsonColumn):
        return value.json
    if isinstance(value, dict):
        return f"{{{','.join([f'{_ENCODER.encode(name)}:{json_of(one)}' for name, one in value.items()])}}}"
    if isinstance(value, list) and all(one is None or isinstance(one, dict) for one in value):
        return f"[{','.join(map(json_of, value))}]"
    return _ENCODER.encode(value)
