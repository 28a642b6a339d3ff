"""The scores of all samples of a run: a file for each array, into which workers write side by side."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ragauge.engines.part_files import writable
from ragauge.evaluation.score_file import ScoreKey, sample_scores, score_arrays
from ragauge.results.score import SampleScores

_Array: TypeAlias = npt.NDArray[Any]


class WrittenScores(NamedTuple):
    """The samples ``first`` to before ``last``: the type of each array, and ``reasons`` by place in the part."""

    first: int
    last: int
    types: Mapping[ScoreKey, str]
    reasons: Mapping[str, Mapping[int, str]]


@dataclass(frozen=True)
class ScoreColumns:
    """Arrays of one number per sample, as files in ``folder``; it pickles.

    Workers write the samples of a part to their place, so nobody has to put parts together. Parts may have an array in
    different types, as counts that fit into a byte and others: each type has a file of its own.
    """

    folder: Path

    def write(self, first: int, columns: Mapping[str, SampleScores]) -> WrittenScores:
        """Write the scores of samples that follow each other, of which ``first`` is the place of the first.

        Raises:
            UsageError: the folder cannot be written.
        """
        types, last = {}, first
        for metric, column in columns.items():
            last = first + len(column.scores)
            for key, array in score_arrays(metric, column):
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
        return sample_scores({key: self._array(key, ordered) for key in ordered[0].types}, reasons)

    def _array(self, key: ScoreKey, parts: Iterable[WrittenScores]) -> _Array:
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
        with writable(self.folder):
            path.touch()
            with path.open("r+b") as file:
                file.seek(first * array.itemsize)
                file.write(np.ascontiguousarray(array).data)

    def _path(self, key: ScoreKey, kind: str) -> Path:
        return self.folder / sha256(repr((*key, kind)).encode()).hexdigest()[:32]


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
