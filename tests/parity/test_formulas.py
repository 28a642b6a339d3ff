"""Retrieval metrics against their papers' formulas, written here as plain loops: golden numbers are our own output."""

from __future__ import annotations

import math
from collections.abc import Callable
from random import Random

import pytest

from tests import fresh
from tests.metrics.retrieval.rankings import by_grades, scores

Formula = Callable[[list[float]], float]


def err(grades: list[float], cutoff: int, highest: int = 4) -> float:
    """Chapelle, Metzler, Zhang and Grinspan 2009, algorithm 2: a reader goes down and stops when satisfied."""
    value, reads_on = 0.0, 1.0
    for rank, grade in enumerate(grades[:cutoff], 1):
        satisfied = (2**grade - 1) / 2**highest
        value += reads_on * satisfied / rank
        reads_on *= 1 - satisfied
    return value


def rbp(grades: list[float], persistence: float) -> float:
    """Moffat and Zobel 2008, formula 6: the rate at which a reader of this persistence finds relevant documents."""
    value = 0.0
    for rank, grade in enumerate(grades, 1):
        if grade >= 1:
            value += persistence ** (rank - 1)
    return (1 - persistence) * value


def dcg(grades: list[float], cutoff: int) -> float:
    """Järvelin and Kekäläinen 2002 with the discount log2(rank + 1), as trec_eval and Burges 2005 have it."""
    value = 0.0
    for rank, grade in enumerate(grades[:cutoff], 1):
        value += grade / math.log2(rank + 1)
    return value


def idcg(grades: list[float], cutoff: int) -> float:
    """The same of the best order of all judged documents."""
    return dcg(sorted(grades, reverse=True), cutoff)


def average_precision(grades: list[float]) -> float:
    """Buckley and Voorhees 2000: the mean over relevant documents of the precision at their ranks."""
    hits, total = 0, 0.0
    for rank, grade in enumerate(grades, 1):
        if grade >= 1:
            hits += 1
            total += hits / rank
    return total / hits


FORMULAS: dict[str, Formula] = {
    "err@20": lambda grades: err(grades, 20),
    "err@3": lambda grades: err(grades, 3),
    "err@5:max_grade=6": lambda grades: err(grades, 5, highest=6),
    "rbp": lambda grades: rbp(grades, 0.8),
    "rbp:p=.95": lambda grades: rbp(grades, 0.95),
    "dcg@5": lambda grades: dcg(grades, 5),
    "idcg@5": lambda grades: idcg(grades, 5),
    "idcg@100": lambda grades: idcg(grades, 100),
    "ndcg@10": lambda grades: dcg(grades, 10) / idcg(grades, 10),
    "map": average_precision,
}
# By hand, from the formulas: grades 3, 0, 1 of at most 4 satisfy with 7/16, 0 and 1/16.
BY_HAND = {
    "err@20": 7 / 16 + (9 / 16) * (1 / 16) / 3,
    "rbp": 0.2 * (1 + 0.64),
    "idcg@5": 3 + 1 / math.log2(3),
    "dcg@5": 3 + 1 / 2,
}


@pytest.mark.parametrize("spec", FORMULAS)
def test_formulas_of_the_papers(spec: str) -> None:
    print(f"repeat this with {fresh.VARIABLE}={fresh.seed()}")  # noqa: T201
    random = Random(fresh.seed())  # noqa: S311 - no secret is drawn
    rankings = [[float(random.choice([0, 0, 1, 2, 3, 4])) for _ in range(random.randint(1, 40))] for _ in range(100)]
    rankings = [grades for grades in rankings if any(grades)]
    expected = [FORMULAS[spec](grades) for grades in rankings]
    assert scores(spec, by_grades(*rankings)).tolist() == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("spec", BY_HAND)
def test_one_ranking_by_hand(spec: str) -> None:
    assert scores(spec, by_grades([3.0, 0.0, 1.0])).tolist() == pytest.approx([BY_HAND[spec]], rel=1e-14)
    assert FORMULAS[spec]([3.0, 0.0, 1.0]) == pytest.approx(BY_HAND[spec], rel=1e-14)
