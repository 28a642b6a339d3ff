"""The scores of many samples: arrays in a temporary file, mapped into memory where they are read."""

from __future__ import annotations

import mmap
import tempfile
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from ragauge.formats.rows import no_room
from ragauge.results.score import SampleScores

_ALIGNED = 64
_MANY = "the scores of so many samples are kept in a temporary file, not in memory"
ScoreKey: TypeAlias = tuple[str, str, str]
"""A metric, a field of `SampleScores`, and a name within it."""


class _StoredArray(NamedTuple):
    start: int
    dtype: np.dtype[Any]
    rows: int


class ScoreFile:
    """Scores of samples, added some at a time; the file has no name, and is gone when nothing refers to its arrays."""

    def __init__(self) -> None:
        folder = tempfile.gettempdir()
        try:
            self._file = tempfile.TemporaryFile(prefix="ragauge-")  # noqa: SIM115 - it lives as long as its arrays
        except OSError as error:
            raise no_room(_MANY, folder, error) from error
        self._blocks: dict[ScoreKey, list[_StoredArray]] = {}
        self._reasons: dict[str, dict[int, str]] = {}
        self._rows: dict[str, int] = {}

    @classmethod
    def where_possible(cls) -> ScoreFile | None:
        """Return an empty file; None where no folder can hold temporary files, DataError where TMPDIR cannot."""
        try:
            return cls()
        except FileNotFoundError:
            return None

    def take(self, columns: dict[str, list[SampleScores]]) -> None:
        """Add the samples of all metrics, each in blocks that follow each other, and empty ``columns``."""
        for metric in list(columns):
            for block in columns.pop(metric):
                self.add(metric, block)

    def add(self, metric: str, column: SampleScores) -> None:
        """Add samples after those that are here; DataError where the file cannot be written."""
        first = self._rows.setdefault(metric, 0)
        self._rows[metric] = first + len(column.scores)
        self._reasons.setdefault(metric, {}).update({first + row: why for row, why in column.reasons.items()})
        try:
            for key, array in score_arrays(metric, column):
                self._blocks.setdefault(key, []).append(_StoredArray(self._file.tell(), array.dtype, len(array)))
                self._file.write(np.ascontiguousarray(array).data)
        except OSError as error:
            raise no_room(_MANY, tempfile.gettempdir(), error) from error

    def columns(self) -> dict[str, SampleScores]:
        """Return all that was added, by metric; the arrays can be read only. Nothing can be added after this."""
        try:
            joined = {key: self._joined(blocks) for key, blocks in self._blocks.items()}
            self._file.flush()
        except OSError as error:
            raise no_room(_MANY, tempfile.gettempdir(), error) from error
        whole = mmap.mmap(self._file.fileno(), 0, access=mmap.ACCESS_READ)
        self._file.close()
        arrays = {key: np.frombuffer(whole, one.dtype, one.rows, one.start) for key, one in joined.items()}
        return sample_scores(arrays, self._reasons)

    def _joined(self, blocks: list[_StoredArray]) -> _StoredArray:
        """Write blocks again, one after the other, in the type that holds all of them, as `numpy.concatenate` does."""
        kind = np.result_type(*[one.dtype for one in blocks])
        end = self._file.seek(0, 2)
        start = -(-end // _ALIGNED) * _ALIGNED
        self._file.write(bytes(start - end))
        for one in blocks:
            self._file.seek(one.start)
            array = np.frombuffer(self._file.read(one.rows * one.dtype.itemsize), one.dtype)
            self._file.seek(0, 2)
            self._file.write(array.astype(kind).data)
        return _StoredArray(start, kind, sum([one.rows for one in blocks]))


def score_arrays(metric: str, column: SampleScores) -> Iterator[tuple[ScoreKey, npt.NDArray[Any]]]:
    """Yield the arrays of ``column``, each with its key."""
    yield (metric, "scores", ""), column.scores
    yield (metric, "status", ""), column.status
    yield (metric, "defaulted", ""), column.defaulted
    for name, part in column.parts.items():
        yield (metric, "parts", name), part
    for name, numbers in column.statistics.items():
        yield (metric, "statistics", name), numbers


def sample_scores(
    arrays: Mapping[ScoreKey, npt.NDArray[Any]], reasons: Mapping[str, dict[int, str]]
) -> dict[str, SampleScores]:
    """Undo `score_arrays`, for all metrics; ``reasons``: of each metric, by the place of the sample."""
    fields: dict[str, dict[str, dict[str, Any]]] = {}
    for (metric, field, name), array in arrays.items():
        fields.setdefault(metric, {}).setdefault(field, {})[name] = array
    return {
        metric: SampleScores(
            own["scores"][""], own["status"][""], own["defaulted"][""],
            own.get("parts", {}), own.get("statistics", {}), reasons.get(metric, {}),
        )
        for metric, own in fields.items()
    }  # fmt: skip
