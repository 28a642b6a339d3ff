"""Subtopic recall, and the forms in which subtopics may be given."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from ragauge import evaluate
from ragauge.errors import DataError, OptionError
from ragauge.metrics.parse import parse


def test_the_share_of_subtopics_up_to_a_cutoff_and_of_all_questions() -> None:
    rows = [
        {"retrieved": ["x", "a", "c"], "subtopics": [["a", "b"], ["c"], ["d"], []]},
        {"retrieved": ["a"], "subtopics": [["a"]]},
    ]
    result = evaluate(rows, ["st-recall@2", "st-recall", "st-recall:average=pooled"], resamples=0)
    assert result.scores("st-recall@2").tolist() == [1 / 3, 1.0]
    assert result.scores("st-recall").tolist() == [2 / 3, 1.0]
    assert result["st-recall:average=pooled"].value == 3 / 4


@pytest.mark.parametrize(
    "subtopics",
    [
        [["1", "2"], ["3"]],
        [[1, 2], [3]],
        [{"id": "1", "subtopic": "s"}, {"id": "2", "subtopic": "s"}, {"id": "3", "subtopic": "t"}],
        [{"id": one, "subtopic": other, "grade": 1} for one, other in ((1, 7), (2, 7), (3, 8))],
        [{"id": one, "subtopic": other, "grade": 1} for one, other in (("1", "s"), ("1", "s"), ("3", "t"))],
        [{"id": one, "subtopic": other, "grade": g} for one, other, g in (("1", "s", 1), ("3", "t", 1), ("1", "u", 0))],
    ],
)
def test_forms_of_subtopics(subtopics: Any) -> None:
    rows = [{"retrieved": ["1", "x"], "subtopics": subtopics}, {"retrieved": [], "subtopics": subtopics}]
    assert evaluate(rows, "st-recall", resamples=0).scores("st-recall").tolist() == [0.5, 0.0]
    large = pa.table({"retrieved": [["1", "x"]], "subtopics": pa.array([subtopics])})
    assert evaluate(large, "st-recall", resamples=0).scores("st-recall").tolist() == [0.5]


def test_the_level_from_which_a_document_covers_a_subtopic() -> None:
    judged = [{"id": "a", "subtopic": "s", "grade": 1}, {"id": "b", "subtopic": "t", "grade": 2}]
    result = evaluate([{"retrieved": ["a"], "subtopics": judged}], ["st-recall", "st-recall:level=2"], resamples=0)
    assert (result["st-recall"].value, result["st-recall:level=2"].value) == (0.5, 0.0)


@pytest.mark.parametrize("subtopics", ["a b", ["a", "b"], [{"id": "a"}], [[["a"]]], 3, [{"id": "a", "subtopic": [1]}]])
def test_another_form_is_refused_with_the_two_that_are_taken(subtopics: Any) -> None:
    with pytest.raises(DataError, match=r"column subtopics must list for each subtopic the ids of its documents"):
        evaluate([{"retrieved": ["a"], "subtopics": subtopics}], "st-recall", resamples=0)


def test_a_null_within_is_refused() -> None:
    with pytest.raises(DataError, match="query 'q' has a null in its list"):
        evaluate([{"id": "q", "retrieved": ["a"], "subtopics": [["a", None]]}], "st-recall", resamples=0)


def test_the_mean_over_orders_of_ties_is_refused() -> None:
    with pytest.raises(OptionError, match="since metrics of subtopics have no closed form"):
        parse("st-recall:ties=mean")
