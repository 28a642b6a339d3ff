"""Intent-aware expected reciprocal rank."""

from __future__ import annotations

from math import log

import pytest

from ragauge import evaluate
from ragauge.errors import OptionError
from ragauge.metrics.parse import parse


@pytest.mark.parametrize(("spec", "retrieved", "wanted"), [
    ("err-ia@2", ["a", "b"], (2 + 0.5 / 2) / (2 * (1 + 0.5 / 2))),
    ("err-ia@1", ["a"], 1.0),
    ("err-ia@1", ["b"], 0.5),
    ("err-ia@2:alpha=.9", ["b", "a"], (1 + 1.1 / 2) / (2 * (1 + 0.1 / 2))),
    ("err-ia", ["x", "b"], (1 / 2) / (2 * 2 * log(2))),
    ("err-ia:alpha=1", ["x", "b", "a"], (1 / 2 + 1 / 3) / 2),
    ("err-ia@5", ["x"], 0.0),
])  # fmt: skip
def test_values_worked_by_hand(spec: str, retrieved: list[str], wanted: float) -> None:
    row = {"retrieved": retrieved, "subtopics": [["a", "b"], ["a"], []]}
    assert float(evaluate([row], spec, resamples=0)[spec].value) == pytest.approx(wanted, rel=1e-14)


def test_one_subtopic_is_err_of_two_grades_divided_by_its_highest() -> None:
    rows = [{"retrieved": ["x", "a", "y", "b"], "relevance": {"a": 1, "b": 1}, "subtopics": [["a", "b"]]}]
    result = evaluate(rows, ["err@4:max_grade=1", "err-ia@4"], resamples=0)
    highest = sum(0.5**rank / rank for rank in range(1, 5))
    assert result["err-ia@4"].value == pytest.approx(result["err@4:max_grade=1"].value / highest)


def test_readers_who_never_stop_have_no_highest_value() -> None:
    with pytest.raises(OptionError, match="'alpha' of err-ia must be a number above 0"):
        parse("err-ia:alpha=0")
