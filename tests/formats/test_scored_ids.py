"""Ids with a score behind."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from ragauge.core.batch import concatenated
from ragauge.formats import read


@pytest.mark.parametrize(
    ("retrieved", "ids"),
    [
        ("d1 (0.91), d2 (0.5)", ["d1", "d2"]),
        ("d1 (.5), d2 (.4)", ["d1", "d2"]),
        ("d1:0.9; d2:0.8", ["d1", "d2"]),
        ("d1:0.9 d2:0.8", ["d1", "d2"]),
        ("d1 (17.25), d2 (-3.5)", ["d1", "d2"]),
        ("手册 (0.9)、菜单 (0.5)", ["手册", "菜单"]),
        ("d1:2, d2:1", ["d1:2", "d2:1"]),
        ("d1:1.0, d2:0.8", ["d1", "d2"]),
        ("manual:2.1, manual:2.2", ["manual:2.1", "manual:2.2"]),
        ("manual:1.2, manual:1.3", ["manual:1.2", "manual:1.3"]),
        ("manual:1.0, faq:1.0", ["manual:1.0", "faq:1.0"]),
        (["d1 (0.91)", "d2 (0.5)"], ["d1 (0.91)", "d2 (0.5)"]),
    ],
)
def test_a_score_is_no_part_of_the_id(retrieved: str | list[str], ids: list[str]) -> None:
    data = read([{"retrieved_ids": retrieved, "relevant_ids": ["d1"]}] * 2)
    assert concatenated(data.batches()).column("retrieved").to_pylist() == [ids] * 2
    noted = any("was read as its score" in note for note in data.notes)
    assert noted == (isinstance(retrieved, str) and not set(ids) & set(retrieved.split(", ")))


@pytest.mark.parametrize("kind", [np.array, tuple])
def test_ids_in_arrays_are_ids(kind: Callable[[list[str]], Any]) -> None:
    [batch] = read([{"retrieved_ids": kind(["d1", "d2"]), "relevant_ids": kind(["d2"])}]).batches()
    assert batch.column("retrieved").to_pylist() == [["d1", "d2"]]
    assert [one["id"] for one in batch.column("relevance").to_pylist()[0]] == ["d2"]
