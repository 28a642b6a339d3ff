"""Token F1: the harmonic mean of the shares of tokens that answer and reference have in common."""

from __future__ import annotations

import pytest

from ragauge import score


def test_a_value_worked_by_hand() -> None:
    # 2 of 3 tokens are in the reference, 2 of its 4 in the answer: 2 * 2/3 * 1/2 / (7/6) = 4 / 7.
    found = score("token-f1", answer="green tea leaves", references=["black green tea house"])
    assert found == pytest.approx(4 / 7, rel=1e-12)


def test_a_token_counts_as_often_as_both_have_it() -> None:
    # One of three is shared: precision 1/3, recall 1.
    assert score("token-f1", answer="tea tea tea", references=["tea"]) == pytest.approx(0.5, rel=1e-12)


def test_the_best_reference_counts() -> None:
    assert score("token-f1", answer="green tea", references=["coffee", "green tea"]) == 1.0
