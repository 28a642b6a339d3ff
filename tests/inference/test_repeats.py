"""Several answers to each question: chances to pass by counting all draws, and components of variance."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from ragauge.inference.repeats import all_of, any_of, flips, variances


@pytest.mark.parametrize("k", [1, 2, 3, 5])
def test_the_chances_are_those_of_all_draws(k: int) -> None:
    for answers in range(1, 6):
        for passed in range(answers + 1):
            marks = [True] * passed + [False] * (answers - passed)
            draws = list(combinations(marks, k))
            found = [float(chance(np.array([passed]), np.array([answers]), k)[0]) for chance in (any_of, all_of)]
            if not draws:
                assert np.isnan(found).all()
            else:
                assert found == pytest.approx([np.mean([*map(any, draws)]), np.mean([*map(all, draws)])], abs=1e-15)


def test_a_flip_is_a_draw_of_two_that_differ() -> None:
    for answers in range(2, 6):
        for passed in range(answers + 1):
            draws = list(combinations([1] * passed + [0] * (answers - passed), 2))
            expected = np.mean([one != other for one, other in draws])
            assert flips(np.array([passed]), np.array([answers]))[0] == pytest.approx(expected)
    assert np.isnan(flips(np.array([1]), np.array([1]))[0])


@pytest.mark.parametrize("sizes", [[4] * 60, [1, 2, 3, 6] * 15])
def test_variances_are_those_that_the_scores_were_drawn_with(sizes: list[int]) -> None:
    random = np.random.default_rng(5)
    question = np.repeat(np.arange(len(sizes)), sizes)
    drawn = []
    for _ in range(400):
        means = random.normal(0, 2, len(sizes))
        drawn.append(variances(means[question] + random.normal(0, 1, len(question)), question))
    between, within = np.mean(drawn, axis=0)
    assert between == pytest.approx(4, rel=0.05)
    assert within == pytest.approx(1, rel=0.02)


def test_the_error_is_that_of_means_of_such_draws() -> None:
    random = np.random.default_rng(6)
    means = [(random.normal(0, 2, (30, 1)) + random.normal(0, 3, (30, 5))).mean() for _ in range(4000)]
    spread = variances(np.zeros(4), np.array([0, 0, 1, 1]))._replace(between=4.0, within=9.0)
    assert spread.error(30, 5) == pytest.approx(np.std(means), rel=0.05)


def test_an_estimate_below_0_is_0() -> None:
    assert variances(np.array([0.0, 1.0, 1.0, 0.0]), np.array([0, 0, 1, 1])).between == 0.0


@pytest.mark.parametrize("question", [[], [0], [0, 0], [0, 1, 2]])
def test_what_cannot_be_known_is_nan(question: list[int]) -> None:
    assert np.isnan(variances(np.ones(len(question)), np.array(question, dtype=np.int64))).all()
