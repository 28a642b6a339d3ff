"""The column ``nuggets``: each form of it says the same, and what is wrong is named."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import ragauge
from ragauge.core.batch import Batch
from ragauge.errors import DataError
from ragauge.metrics.nuggets import Nuggets, nuggets_of

GIVEN = [{"text": "林婉开办", "importance": "okay", "assignment": "Partial support"}, {"text": "В 1990"}]


def read(nuggets: Any) -> Nuggets:
    return nuggets_of(Batch(pa.table({"id": ["a"], "nuggets": [nuggets]})))


@pytest.mark.parametrize("written", [GIVEN, json.dumps(GIVEN), json.dumps(GIVEN, ensure_ascii=False)])
def test_text_importance_and_assignment(written: Any) -> None:
    nuggets = read(written)
    assert nuggets.texts.to_lists() == [["林婉开办", "В 1990"]]
    assert nuggets.vital.tolist() == [False, True]
    np.testing.assert_array_equal(nuggets.given, [0.5, np.nan])
    assert nuggets.claims.strings.values.tolist() == ["В 1990"]


@pytest.mark.parametrize(
    ("nuggets", "message"),
    [
        (
            [{"text": "a", "importance": "important"}],
            "importance of each nugget must be vital or okay; not a \\('important'\\)",
        ),
        (
            [{"text": "a", "assignment": "yes"}],
            "assignment of each nugget must be support or partial_support or not_support",
        ),
        ([{"text": " ", "importance": "vital"}], "column nuggets must have a list in each row, .*; not a \\(' '\\)"),
        ([3], "column nuggets must have a list in each row"),
        ({"a": 1}, "column nuggets must have a list in each row"),
        ([{"importance": "vital"}], "column nuggets must have a list in each row"),
    ],
)
def test_wrong_nuggets(nuggets: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        read(nuggets)


@pytest.mark.parametrize("mark", [";", "~", " | ", "；"])
def test_nuggets_in_one_text_are_noted(mark: str) -> None:
    rows = [
        {"answer": "茶馆九点开门。", "nuggets": f"茶馆九点开门{mark}门票五元"},
        {"answer": "Tea.", "nuggets": "It has tea."},
    ]
    found = ragauge.evaluate(rows, "nugget-all")["nugget-all"]
    assert found.noted["nuggets that may be several"] == 1
    split = ragauge.evaluate(rows[:1], "nugget-all", split={"nuggets": mark})["nugget-all"]
    assert "nuggets that may be several" not in split.noted
    assert split.value == 0.5
