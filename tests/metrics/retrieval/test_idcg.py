"""IDCG: the DCG of the best order of all judged documents, whatever was retrieved."""

from __future__ import annotations

from math import log2

import pytest

from ragauge import score


@pytest.mark.parametrize("retrieved", [["a", "b"], ["b", "a"], ["x"], []])
def test_it_does_not_depend_on_the_ranking(retrieved: list[str]) -> None:
    found = score("idcg", retrieved=retrieved, relevance={"a": 3, "b": 2})
    assert found == pytest.approx(3 + 2 / log2(3), rel=1e-12)


def test_the_cutoff_ends_the_sum() -> None:
    assert score("idcg@1", retrieved=["b"], relevance={"a": 3, "b": 2}) == 3.0


@pytest.mark.parametrize("retrieved", [["a", "b"], ["b", "a"], ["b"]])
def test_dcg_over_it_is_ndcg(retrieved: list[str]) -> None:
    given = {"retrieved": retrieved, "relevance": {"a": 3, "b": 2}}
    ratio = score("dcg", **given) / score("idcg", **given)
    assert score("ndcg", **given) == pytest.approx(ratio, rel=1e-12)
