"""ROUGE-L: the harmonic mean of the shares of the longest common subsequence."""

from __future__ import annotations

import pytest

from ragauge import score


def test_a_value_worked_by_hand() -> None:
    # "police the gunman" is 3 of 4 words of both.
    found = score("rouge-l", answer="police kill the gunman", references=["police ended the gunman"])
    assert found == pytest.approx(0.75, rel=1e-12)


def test_order_counts() -> None:
    assert score("rouge-l", answer="gunman police", references=["police gunman"]) == 0.5
    assert score("rouge-1", answer="gunman police", references=["police gunman"]) == 1.0


def test_nothing_in_common_is_0() -> None:
    assert score("rouge-l", answer="tea", references=["coffee"]) == 0.0
