"""CG: gains added up, whatever their order."""

from __future__ import annotations

import pytest

from ragauge import score


@pytest.mark.parametrize(("spec", "value"), [("cg", 5.0), ("cg@2", 2.0), ("cg:gain=exp", 10.0), ("cg@1", 2.0)])
def test_values_worked_by_hand(spec: str, value: float) -> None:
    assert score(spec, retrieved=["b", "x", "a"], relevance={"a": 3, "b": 2, "n": 0}) == value


def test_tied_documents_share_the_ranks_within_the_cutoff() -> None:
    tied = {"retrieved": ["a", "x"], "retrieved_scores": [1.0, 1.0], "relevance": {"a": 3}}
    assert score("cg@1:ties=mean", **tied) == 1.5
