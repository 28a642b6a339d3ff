"""METEOR: words matched as they are, by stem or by synonym, and a penalty for matches that are torn apart."""

from __future__ import annotations

import pytest

from ragauge import score


def test_a_value_worked_by_hand() -> None:
    # All 3 words match in one chunk: F = 1, penalty 0.5 * (1/3)^3.
    found = score("meteor", answer="green tea leaves", references=["green tea leaves"])
    assert found == pytest.approx(1 - 0.5 * (1 / 3) ** 3, rel=1e-12)


def test_matches_in_another_order_are_more_chunks() -> None:
    # Two words in two chunks: penalty 0.5 * 1.
    found = score("meteor", answer="tea green", references=["green tea"])
    assert found == pytest.approx(0.5, rel=1e-12)


def test_nothing_in_common_is_0() -> None:
    assert score("meteor", answer="tea", references=["coffee"]) == 0.0
