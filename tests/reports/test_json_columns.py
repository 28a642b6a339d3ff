"""Columns of a page as JSON."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from ragauge.reports.json_columns import JsonColumn, json_of

NUMBERS = JsonColumn.of_numbers([1e-40, None, -0.5, True, 3], np.array([4, 0, 0, 1, 2, 3]))
TEXTS = JsonColumn.of(['"a,b"', "[1,2]", json_of('\ud800 "q" \n')], np.array([2, 0, 1, 0]))


def test_a_column_has_the_values_of_its_codes() -> None:
    assert json.loads(NUMBERS.json) == [3, 1e-40, 1e-40, None, -0.5, True]
    assert json.loads(TEXTS.json) == ['\ud800 "q" \n', "a,b", [1, 2], "a,b"]
    assert json.loads(TEXTS.at(np.array([3, 2])).json) == ["a,b", [1, 2]]
    assert JsonColumn.of_numbers([], np.array([], dtype=np.int64)).json == "[]"


PLAIN: dict[str, Any] = {
    "a": [None, "x", {"b": (1, 2.5)}],
    '茶 "': {},
    "none": [],
    "flags": [True, None],
    "deep": [[{"c": 1}]],
}


@pytest.mark.parametrize("value", [*PLAIN.values(), PLAIN, [PLAIN, None], "茶", None, 0.1])
def test_what_holds_no_column_is_written_as_by_json(value: Any) -> None:
    assert json_of(value) == json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def test_columns_stand_in_objects_and_in_lists_of_objects() -> None:
    held = {"runs": [{"n": NUMBERS}, None, {"t": {"x": TEXTS}}], "ids": ["a"]}
    wanted = {"runs": [{"n": json.loads(NUMBERS.json)}, None, {"t": {"x": json.loads(TEXTS.json)}}], "ids": ["a"]}
    assert json.loads(json_of(held)) == wanted


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_what_json_has_no_number_for_is_refused(value: float) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        json_of({"x": [value]})
