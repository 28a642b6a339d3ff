"""Rank-biased precision: a reader who goes on to the next rank with probability p."""

from __future__ import annotations

import pytest

from ragauge import score


def test_a_value_worked_by_hand() -> None:
    # (1 - p) * (p^0 + p^2) with p = 0.5.
    found = score("rbp:p=0.5", retrieved=["a", "x", "b"], relevance={"a": 1, "b": 1})
    assert found == pytest.approx(0.5 * (1 + 0.25), rel=1e-12)


def test_the_share_of_each_rank_is_the_one_before_times_p() -> None:
    values = [score("rbp:p=0.8", retrieved=[f"x{i}" for i in range(n)] + ["a"], relevance={"a": 1})
              for n in range(4)]  # fmt: skip
    assert values == pytest.approx([0.2 * 0.8**n for n in range(4)], rel=1e-12)
