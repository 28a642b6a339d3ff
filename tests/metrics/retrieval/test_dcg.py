"""DCG: gains, each divided by the logarithm of its rank plus one."""

from __future__ import annotations

from math import log2

import pytest

from ragauge import score


def test_a_value_worked_by_hand() -> None:
    found = score("dcg", retrieved=["b", "x", "a"], relevance={"a": 3, "b": 2})
    assert found == pytest.approx(2 / log2(2) + 3 / log2(4), rel=1e-12)


def test_the_cutoff_ends_the_sum() -> None:
    assert score("dcg@2", retrieved=["b", "x", "a"], relevance={"a": 3, "b": 2}) == 2.0


def test_exponential_gains() -> None:
    assert score("dcg@1:gain=exp", retrieved=["a"], relevance={"a": 3}) == 7.0


def test_the_unit_is_that_of_the_grades() -> None:
    one, ten = (score("dcg", retrieved=["x", "a"], relevance={"a": grade}) for grade in (1, 10))
    assert ten == pytest.approx(10 * one, rel=1e-12)
