"""ERR: the expected reciprocal rank at which a reader is satisfied."""

from __future__ import annotations

import pytest

from ragauge import score


def test_a_value_worked_by_hand() -> None:
    # Satisfied by grade g of 4 with probability (2^g - 1) / 16: 15/16 at rank 1, then 1/16 * 3/16 / 2 at rank 2.
    found = score("err", retrieved=["a", "b"], relevance={"a": 4, "b": 2})
    assert found == pytest.approx(15 / 16 + (1 / 16) * (3 / 16) / 2, rel=1e-12)


def test_the_scale_may_be_another() -> None:
    # (2^1 - 1) / 2^1 at rank 1.
    assert score("err:max_grade=1", retrieved=["a"], relevance={"a": 1}) == pytest.approx(0.5, rel=1e-12)


def test_beyond_the_cutoff_nobody_reads() -> None:
    assert score("err@1", retrieved=["x", "a"], relevance={"a": 4}) == 0.0
