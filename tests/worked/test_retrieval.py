"""Retrieval metrics that a person can check by hand."""

from __future__ import annotations

from itertools import permutations
from math import sqrt

import pytest

from tests.metrics.retrieval.rankings import by_grades, by_texts, mean

GRADES = by_grades([3, 2, 3, 0, 1])
DEPTHS = (1, 2, 3, 4, 5)

# Gain / log2(rank + 1) at ranks 1 to 5: 3, 2/1.58496, 3/2, 0, 1/2.58496; the best order is 3 3 2 1 0.
LINEAR = {
    "dcg": (3, 4.261860, 5.761860, 5.761860, 6.148713),
    "idcg": (3, 4.892789, 5.892789, 6.323466, 6.323466),
    "ndcg": (1, 0.871049, 0.977781, 0.911187, 0.972365),
}
# Gains 7, 3, 7, 0, 1; the best order is 7 7 3 1 0.
EXP = {
    "dcg": (7, 8.892789, 12.392789, 12.392789, 12.779642),
    "idcg": (7, 11.416508, 12.916508, 13.347184, 13.347184),
    "ndcg": (1, 0.778941, 0.959454, 0.928495, 0.957479),
}


@pytest.mark.parametrize("name", LINEAR)
def test_graded_relevance(name: str) -> None:
    assert [mean(f"{name}@{k}", GRADES) for k in DEPTHS] == pytest.approx(LINEAR[name], abs=1e-6)
    assert [mean(f"{name}@{k}:gain=exp", GRADES) for k in DEPTHS] == pytest.approx(EXP[name], abs=1e-6)


@pytest.mark.parametrize("ideal", ["judged", "retrieved"])
def test_the_number_of_the_tutorials(ideal: str) -> None:
    assert mean(f"ndcg@3:gain=exp,ideal={ideal}", GRADES) == pytest.approx(0.9594535145926796, abs=1e-15)


def test_binary_relevance() -> None:
    batch = by_grades([1, 0, 1, 0, 1])
    assert mean("precision@2", batch) == 1 / 2
    assert mean("recall@2", batch) == 1 / 3
    assert mean("map", batch) == pytest.approx((1 + 2 / 3 + 3 / 5) / 3)
    assert f"{mean('map', batch):.4f}" == "0.7556"


def test_reciprocal_ranks() -> None:
    batch = by_grades([1, 1, 1], [0, 0, 1, 1], [0, 1, 1, 1])
    assert mean("mrr", batch) == pytest.approx((1 + 1 / 3 + 1 / 2) / 3)
    assert f"{mean('mrr', batch):.3f}" == "0.611"


def test_hit_rate() -> None:
    assert mean("hit-rate@1", by_grades(*[[1.0]] * 7, *[[0.0, 1.0]] * 3)) == 0.7


def test_passages_and_their_orders() -> None:
    references = ["Lin Wan opened it.", "It closes at ten.", "Mondays it rests."]
    passages = ["Lin Wan opened it.", *(f"Nothing, {i}." for i in range(8)), "It closes at ten."]
    names = ("precision@10", "recall@10", "f1@10", "hit-rate@10")
    orders = [
        passages[::-1],
        passages[5:] + passages[:5],
        *([*order, *passages[3:]] for order in permutations(passages[:3])),
    ]
    for order in [passages, *orders]:
        batch = by_texts([order], [references])
        assert [round(mean(name, batch), 2) for name in names] == [0.2, 0.67, 0.31, 1.0]


@pytest.mark.parametrize(("hits", "places", "relevant", "arithmetic", "geometric", "harmonic"), [
    (2, 4, 4, 0.5, 0.5, 0.5),
    (8, 40, 10, 0.5, 0.4, 0.32),
    (9, 90, 10, 0.5, 0.3, 0.18),
    (99, 9900, 100, 0.5, 0.0995, 0.0198),
])  # fmt: skip
def test_f1_is_the_harmonic_mean(
    hits: int, places: int, relevant: int, arithmetic: float, geometric: float, harmonic: float
) -> None:
    found = [1.0] * hits + [0.0] * (places - hits) + [1.0] * (relevant - hits)
    batch = by_grades(found)
    precision, recall = mean(f"precision@{places}", batch), mean(f"recall@{places}", batch)
    assert (precision + recall) / 2 == pytest.approx(arithmetic)
    assert sqrt(precision * recall) == pytest.approx(geometric, abs=5e-5)
    assert mean(f"f1@{places}", batch) == pytest.approx(harmonic)
