"""Alpha-nDCG: new subtopics, as a share of the best order."""

from __future__ import annotations

from math import log2
from typing import Any

import pytest

from ragauge import evaluate

SUBTOPICS = [["a", "b"], ["a", "c"]]


def value(spec: str, retrieved: list[str], subtopics: Any = SUBTOPICS) -> float:
    return float(evaluate([{"retrieved": retrieved, "subtopics": subtopics}], spec, resamples=0)[spec].value)


BEST = 2 + 0.5 / log2(3) + 0.5 / log2(4)


@pytest.mark.parametrize(("spec", "retrieved", "wanted"), [
    # a covers both, then b and c repeat one each.
    ("alpha-ndcg", ["a", "b", "c"], 1.0),
    ("alpha-ndcg", ["b", "a"], (1 + 1.5 / log2(3)) / BEST),
    ("alpha-ndcg", ["b", "x", "c"], (1 + 1 / log2(4)) / BEST),
    ("alpha-ndcg@1", ["b", "a"], 0.5),
    ("alpha-ndcg:alpha=1", ["b", "a"], (1 + 1 / log2(3)) / 2),
    ("alpha-ndcg:alpha=0", ["b", "a"], (1 + 2 / log2(3)) / (2 + 1 / log2(3) + 1 / 2)),
    ("alpha-ndcg", ["x"], 0.0),
    ("alpha-ndcg", [], 0.0),
    ("alpha-ndcg:unjudged=drop", ["x", "a", "y", "b", "c"], 1.0),
])  # fmt: skip
def test_values_worked_by_hand(spec: str, retrieved: list[str], wanted: float) -> None:
    assert value(spec, retrieved) == pytest.approx(wanted, rel=1e-14)


def test_the_best_order_takes_the_greater_id_of_two_that_gain_alike() -> None:
    # b, c and d all cover two subtopics. d is taken first, then c and b, which each repeat one.
    subtopics = [["d", "b"], ["d", "c"], ["b", "c"]]
    assert value("alpha-ndcg@2", ["d", "c"], subtopics) == 1.0
    assert value("alpha-ndcg@2", ["d", "文"], subtopics) == pytest.approx(2 / (2 + 1.5 / log2(3)))


def test_no_subtopic_that_a_document_covers() -> None:
    forms: tuple[Any, ...] = ([], [[]], [[], []], None, [{"id": "a", "subtopic": "s", "grade": 0}])
    for subtopics in forms:
        rows = [{"retrieved": ["a"], "subtopics": subtopics}, {"retrieved": ["a"], "subtopics": subtopics}]
        score = evaluate(rows, "alpha-ndcg:undefined=skip", resamples=0)["alpha-ndcg:undefined=skip"]
        assert score.scored == 0, subtopics


def test_a_gain_lost_in_rounding_ends_the_search() -> None:
    many = [f"d{number}" for number in range(20_000)]
    assert value("alpha-ndcg", sorted(many, reverse=True), [many]) == pytest.approx(1.0)
