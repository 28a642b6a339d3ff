"""The scores of samples that come part by part: those of many are in files, which the result maps into memory."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from hashlib import sha256
from math import inf
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ragauge.core.temporary import temporary_folder
from ragauge.formats.rows import no_room
from ragauge.results.score import SampleScores

HELD = 1 << 17
"""Samples whose scores are held in memory; those of more are in temporary files."""
_MANY = "the scores of so many samples are kept in temporary files, not in memory"
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

    Several processes write samples to their place, in any order, so they need not be put together. Some samples may
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


class GrowingScores(ExitStack):
    """The scores of samples that come one after the other; those of more than `HELD` go to files."""

    def __init__(self) -> None:
        super().__init__()
        self._blocks: dict[str, list[SampleScores]] = {}
        self._held, self._most = 0, float(HELD)
        self._files: ScoreFiles | None = None
        self._written: list[WrittenScores] = []

    def add(self, columns: Mapping[str, SampleScores]) -> None:
        """Add samples after those that are here."""
        for name, column in columns.items():
            # Joined with those before it that are no longer: few blocks, each copied few times. Many small arrays,
            # freed late, would leave gaps in memory that are not given back.
            blocks = self._blocks.setdefault(name, [])
            while blocks and len(blocks[-1].scores) <= len(column.scores):
                column = _joined([blocks.pop(), column])  # noqa: PLW2901 - it grows
            blocks.append(column)
        self._held = sum([len(block.scores) for block in next(iter(self._blocks.values()), [])])
        if self._held >= self._most:
            self._to_files()

    def joined(self) -> dict[str, SampleScores]:
        """Return the scores of all samples, by metric."""
        if self._written:
            self._to_files()
        if self._files is not None:
            return self._files.read(self._written)
        return self._in_memory()

    def _in_memory(self) -> dict[str, SampleScores]:
        # One at a time: memory need not hold all columns twice.
        blocks = self._blocks
        return {name: _joined(own) if len(own := blocks.pop(name)) > 1 else own[0] for name in list(blocks)}

    def _to_files(self) -> None:
        """Move what is held to files; where no folder holds temporary files, it stays in memory."""
        import tempfile

        try:
            folder = tempfile.gettempdir()
        except FileNotFoundError:
            self._most = inf
            return
        try:
            self._files = self._files or ScoreFiles(Path(self.enter_context(temporary_folder())))
            if self._held:
                first = self._written[-1].last if self._written else 0
                self._written.append(self._files.write(first, self._in_memory()))
                self._held = 0
        except OSError as error:
            raise no_room(_MANY, folder, error) from error


def _joined(columns: Sequence[SampleScores]) -> SampleScores:
    first = columns[0]
    starts = np.cumsum([0, *(len(column.scores) for column in columns)])
    return SampleScores(
        np.concatenate([column.scores for column in columns]),
        np.concatenate([column.status for column in columns]),
        np.concatenate([column.defaulted for column in columns]),
        {name: np.concatenate([column.parts[name] for column in columns]) for name in first.parts},
        {name: np.concatenate([column.statistics[name] for column in columns]) for name in first.statistics},
        {
            int(start) + row: why
            for start, column in zip(starts, columns, strict=False)
            for row, why in column.reasons.items()
        },
    )
