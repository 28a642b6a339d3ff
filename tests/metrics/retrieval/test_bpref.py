"""Bpref: how few documents judged not relevant come before each relevant one."""

from __future__ import annotations

import pytest

from ragauge import score


def test_a_value_worked_by_hand() -> None:
    # R = 2, N = 2: a has no n before it, b has one: (1 + (1 - 1/2)) / 2.
    found = score("bpref", retrieved=["a", "n", "b", "m"], relevance={"a": 1, "b": 1, "n": 0, "m": 0})
    assert found == pytest.approx(0.75, rel=1e-12)


def test_documents_that_nobody_judged_change_nothing() -> None:
    grades = {"a": 1, "b": 1, "n": 0, "m": 0}
    one, other = (score("bpref", retrieved=found, relevance=grades) for found in (["n", "a"], ["x", "n", "y", "a"]))
    assert one == other == pytest.approx(0.25, rel=1e-12)


def test_relevant_documents_that_were_not_retrieved_count_as_0() -> None:
    assert score("bpref", retrieved=["a"], relevance={"a": 1, "b": 1, "n": 0}) == 0.5
