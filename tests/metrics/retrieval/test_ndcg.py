"""nDCG: the discounted gain of the ranking over that of the ideal one."""

from __future__ import annotations

from math import log2

import pytest

from ragauge import score

GRADES = {"a": 3, "b": 2, "c": 0, "d": 1}


def test_a_value_worked_by_hand() -> None:
    # DCG of b, c, a: 2 / log2(2) + 0 + 3 / log2(4) = 3.5; of a, b, d: 3 + 2 / log2(3) + 1 / log2(4).
    ideal = 3 + 2 / log2(3) + 0.5
    assert score("ndcg", retrieved=["b", "c", "a"], relevance=GRADES) == pytest.approx(3.5 / ideal, rel=1e-12)


def test_a_cutoff_cuts_the_ideal_ranking_too() -> None:
    assert score("ndcg@1", retrieved=["b", "a"], relevance=GRADES) == pytest.approx(2 / 3, rel=1e-12)
    assert score("ndcg@2", retrieved=["a", "b", "c"], relevance=GRADES) == 1.0


def test_exponential_gains() -> None:
    # 2^2 - 1 at rank 1 of an ideal 2^3 - 1.
    assert score("ndcg@1:gain=exp", retrieved=["b"], relevance=GRADES) == pytest.approx(3 / 7, rel=1e-12)


def test_documents_that_nobody_judged_gain_nothing_and_keep_their_rank() -> None:
    found = score("ndcg", retrieved=["x", "a"], relevance={"a": 1})
    assert found == pytest.approx(1 / log2(3), rel=1e-12)


def test_the_best_order_is_1_and_nothing_retrieved_is_0() -> None:
    assert score("ndcg", retrieved=["a", "b", "d", "c"], relevance=GRADES) == 1.0
    assert score("ndcg", retrieved=[], relevance=GRADES) == 0.0
