"""The scores of many samples in files: one for each array, which the result maps into memory."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ragauge.results.score import SampleScores

_Array: TypeAlias = npt.NDArray[Any]
ScoreKey: TypeAlias = tuple[str, str, str]
"""A metric, a field of `SampleScores`, and a name within it."""


class WrittenScores(NamedTuple):
    """The samples ``first`` to before ``last``: the type of each array, and ``reasons`` by place among them."""

    first: int
    last: int
    types: Mapping[ScoreKey, str]
    reasons: Mapping[str, Mapping[int, str]]


@dataclass(frozen=True)
class ScoreFiles:
    """Arrays of one number per sample, as files in ``folder``; it pickles.

    Several processes write samples to their place, in any order, so nobody has to put them together. Some samples may
    have an array in another type, as counts that fit into a byte: each type has a file of its own.
    """

    folder: Path

    def write(self, first: int, columns: Mapping[str, SampleScores]) -> WrittenScores:
        """Write the scores of samples that follow each other; ``first``: the place of the first among all."""
        types, last = {}, first
        for metric, column in columns.items():
            last = first + len(column.scores)
            for key, array in _arrays(metric, column):
                types[key] = array.dtype.str
                self._put(key, first, array)
        return WrittenScores(first, last, types, {name: one.reasons for name, one in columns.items() if one.reasons})

    def read(self, parts: Iterable[WrittenScores]) -> dict[str, SampleScores]:
        """Return the scores of all samples from their files, which are then removed; the arrays can be read only.

        Args:
            parts: all that was written, in any order.
        """
        ordered = sorted(parts, key=lambda one: one.first)
        reasons: dict[str, dict[int, str]] = {}
        for part in ordered:
            for metric, own in part.reasons.items():
                reasons.setdefault(metric, {}).update({part.first + row: why for row, why in own.items()})
        fields: dict[str, dict[str, dict[str, _Array]]] = {}
        for key in ordered[0].types:
            metric, field, name = key
            fields.setdefault(metric, {}).setdefault(field, {})[name] = self._array(key, ordered)
        return {
            metric: SampleScores(
                own["scores"][""], own["status"][""], own["defaulted"][""],
                own.get("parts", {}), own.get("statistics", {}), reasons.get(metric, {}),
            )
            for metric, own in fields.items()
        }  # fmt: skip

    def _array(self, key: ScoreKey, parts: list[WrittenScores]) -> _Array:
        """Return one array of all samples, in the type that holds all of them, as `numpy.concatenate` does."""
        widest = np.result_type(*{np.dtype(one.types[key]) for one in parts}).str
        for one in parts:
            kind = one.types[key]
            if kind != widest:
                size = np.dtype(kind).itemsize
                values = np.fromfile(self._path(key, kind), kind, one.last - one.first, offset=one.first * size)
                self._put(key, one.first, values.astype(widest))
        for kind in {one.types[key] for one in parts} - {widest}:
            self._path(key, kind).unlink()
        return _taken(self._path(key, widest), widest)

    def _put(self, key: ScoreKey, first: int, array: _Array) -> None:
        path = self._path(key, array.dtype.str)
        path.touch()
        with path.open("r+b") as file:
            file.seek(first * array.itemsize)
            file.write(np.ascontiguousarray(array).data)

    def _path(self, key: ScoreKey, kind: str) -> Path:
        return self.folder / sha256(repr((*key, kind)).encode()).hexdigest()[:32]


def _arrays(metric: str, column: SampleScores) -> Iterator[tuple[ScoreKey, _Array]]:
    """Yield the arrays of ``column``, each with its key."""
    yield (metric, "scores", ""), column.scores
    yield (metric, "status", ""), column.status
    yield (metric, "defaulted", ""), column.defaulted
    for name, part in column.parts.items():
        yield (metric, "parts", name), part
    for name, numbers in column.statistics.items():
        yield (metric, "statistics", name), numbers


def _taken(path: Path, kind: str) -> _Array:
    """Return the content of a file, and remove it; the content stays as long as something refers to the array."""
    if sys.platform == "win32":
        # Windows removes no file that is mapped into memory.
        array = np.fromfile(path, kind)
    else:
        with pa.memory_map(str(path)) as file:
            array = np.frombuffer(file.read_buffer(), kind)
    path.unlink()
    return array
