"""Columns as the known columns: maps, and values of several kinds."""

from __future__ import annotations

import pyarrow as pa
import pytest

from ragauge.errors import DataError
from ragauge.formats import read

MAPS = [[("文書1", 1), ("d2", 0)], None, [], [("d2", 2)]]


@pytest.mark.parametrize("grade", [pa.float64(), pa.float32(), pa.int32()])
@pytest.mark.parametrize("key", [pa.string(), pa.large_string()])
def test_grades_in_a_map_column(grade: pa.DataType, key: pa.DataType) -> None:
    grades = pa.array([[("left out", 1)], *MAPS], pa.map_(key, grade))[1:]
    data = read(pa.table({"retrieved": [["d1"]] * 4, "relevance": grades}))
    [batch] = data.batches()
    assert batch.column("relevance").to_pylist() == [
        [{"id": "文書1", "grade": 1.0}, {"id": "d2", "grade": 0.0}], None, [], [{"id": "d2", "grade": 2.0}],
    ]  # fmt: skip


def test_maps_that_are_no_judgements_are_converted_one_by_one() -> None:
    twice = pa.array([[("d1", 1.0), ("d1", 2.0)]], pa.map_(pa.string(), pa.float64()))
    [batch] = read(pa.table({"relevance": twice})).batches()
    assert batch.column("relevance").to_pylist() == [[{"id": "d1", "grade": 2.0}]]
    numbers = pa.array([[(7, 1.0)]], pa.map_(pa.int64(), pa.float64()))
    [batch] = read(pa.table({"relevance": numbers})).batches()
    assert batch.column("relevance").to_pylist() == [[{"id": "7", "grade": 1.0}]]
    for wrong in (float("nan"), None):
        grades = pa.array([[("d1", wrong)]], pa.map_(pa.string(), pa.float64()))
        with pytest.raises(DataError, match="row 1: relevance must have a finite number as grade; got"):
            read(pa.table({"relevance": grades}))
