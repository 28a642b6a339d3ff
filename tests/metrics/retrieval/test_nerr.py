"""Normalized ERR: that of the best order is 1."""

from __future__ import annotations

from itertools import permutations

import pytest

from ragauge import score
from tests.repeats import others_long


def test_a_value_worked_by_hand() -> None:
    """Grades 1 then 3 satisfy with 1/16 and 7/16."""
    found = score("nerr", retrieved=["a", "b"], relevance={"a": 1, "b": 3})
    assert found == pytest.approx((1 / 16 + 15 / 16 * 7 / 16 / 2) / (7 / 16 + 9 / 16 / 16 / 2), rel=1e-14)


@pytest.mark.parametrize("k", others_long([3, 1, 2, 5]))
def test_it_is_err_over_the_highest_of_all_orders(k: int) -> None:
    relevance = {"a": 4, "b": 1, "c": 2, "d": 0, "e": 3}
    every = {order: score(f"err@{k}", retrieved=order, relevance=relevance) for order in permutations(relevance)}
    for order in list(every)[::7]:
        found = score(f"nerr@{k}", retrieved=order, relevance=relevance)
        assert found == pytest.approx(every[order] / max(every.values()), rel=1e-14)


def test_passages_of_a_scale_of_one() -> None:
    passages = {"contexts": ["今天下雨。", "林婉开了茶馆。"], "reference_contexts": ["林婉开了茶馆。"]}
    assert score("nerr:max_grade=1", **passages) == 0.5
