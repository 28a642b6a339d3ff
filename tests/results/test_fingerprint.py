"""Fingerprints: equal for equal samples in any order and any batches, and for nothing else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest

from ragauge.core.hashing import hash_array
from ragauge.formats import read
from ragauge.results.fingerprint import OUTPUT, TASK, fingerprint
from tests.toys import in_batches, shuffled

Rows = list[dict[str, Any]]


def rows() -> Rows:
    return [
        {
            "id": f"q{i}",
            "question": f"何 {i}?",
            "references": ["a", "b"][: i % 3],
            "relevance": {"d1": 1, "d2": i},
            "answer": f"answer {i}",
            "contexts": [f"passage {i}", "x"],
        }
        for i in range(9)
    ]


def both(found: Rows) -> tuple[str, str]:
    data = read(found)
    return fingerprint(data, TASK), fingerprint(data, OUTPUT)


def test_order_and_batches_do_not_matter() -> None:
    [batch] = read(rows()).batches()
    table = batch.table()
    for columns in (TASK, OUTPUT):
        plain = fingerprint(in_batches(table, [9]), columns)
        assert fingerprint(in_batches(shuffled(table, 1), [2, 3, 4]), columns) == plain
        assert len(plain) == 16


@pytest.mark.parametrize(
    ("change", "moved"),
    [
        (lambda row: row.update(question="else"), (True, False)),
        (lambda row: row.update(references=["b", "a"]), (True, False)),
        (lambda row: row.update(references=None), (True, False)),
        (lambda row: row["relevance"].update(d2=7), (True, False)),
        (lambda row: row.update(answer=""), (False, True)),
        (lambda row: row.update(contexts=["x", "passage 3"]), (False, True)),
        (lambda row: row.update(id="other"), (True, True)),
        (lambda row: row.update(topic="new"), (False, False)),
    ],
)
def test_a_change_moves_the_fingerprint_of_its_side(
    change: Callable[[dict[str, Any]], None], moved: tuple[bool, bool]
) -> None:
    changed = rows()
    change(changed[3])
    assert tuple(a != b for a, b in zip(both(rows()), both(changed), strict=True)) == moved


def test_null_empty_and_absent_lists_differ() -> None:
    hashes = hash_array(pa.array([None, [], [""], [None]], pa.list_(pa.string()))).tolist()
    assert len(set(hashes)) == 4


def test_a_slice_hashes_as_its_values() -> None:
    column = pa.array([["a"], ["b", "c"], [], ["d"]])
    assert hash_array(column.slice(1, 2)).tolist() == hash_array(column).tolist()[1:3]
    structs = pa.array([[{"id": "a", "grade": 1.0}], [{"id": "b", "grade": None}]])
    assert hash_array(structs.slice(1)).tolist() == hash_array(structs).tolist()[1:]


def test_the_order_of_judgements_and_the_sign_of_zero_do_not_matter() -> None:
    changed = rows()
    changed[3]["relevance"] = {"d2": 3.0, "d1": 1}
    assert both(changed) == both(rows())
    changed[0]["relevance"] = {"d1": 1, "d2": -0.0}
    assert both(changed) == both(rows())
    assert len(set(hash_array(pa.array([1, 0, -1])).tolist())) == 3
