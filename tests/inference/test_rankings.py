"""Likeness of rankings: against the paper's formulas as plain loops, the package rbo, and scipy."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from ragauge.core.ragged import Ragged
from ragauge.inference.rankings import SharedRanks
from tests import fresh
from tests.skips import PEERS


def pairs(seed: int, many: int = 200) -> list[tuple[list[int], list[int]]]:
    """Rankings of different lengths with some documents in common; a few are empty."""
    random = Random(seed)  # noqa: S311 - no secret is drawn
    made = [
        (random.sample(range(30), random.randint(0, 25)), random.sample(range(30), random.randint(0, 25)))
        for _ in range(many)
    ]
    return [*made, ([], []), ([], [1]), ([2], [2]), ([1, 2, 3], [1, 2, 3]), ([1, 2], [3, 4])]


def shared(lists: list[tuple[list[int], list[int]]]) -> SharedRanks:
    one, other = zip(*lists, strict=True)
    return SharedRanks.of(Ragged.of(one, np.int64), Ragged.of(other, np.int64))


def agreement(one: list[int], other: list[int], depth: int) -> float:
    return len({*one[:depth]} & {*other[:depth]}) / depth


def extrapolated(one: list[int], other: list[int], p: float) -> float:
    """Equation 32 of Webber, Moffat and Zobel 2010, term by term."""
    short, long = sorted((one, other), key=len)
    s, l = len(short), len(long)  # noqa: E741
    if not s:
        return float(not l)
    overlap = {depth: agreement(short, long, depth) * depth for depth in range(1, l + 1)}
    first = sum(overlap[d] / d * p**d for d in range(1, l + 1))
    second = sum(overlap[s] * (d - s) / (s * d) * p**d for d in range(s + 1, l + 1))
    return (1 - p) / p * (first + second) + ((overlap[l] - overlap[s]) / l + overlap[s] / s) * p**l


@pytest.mark.parametrize("seed", [3, fresh.seed()], ids=["known", "fresh"])
@pytest.mark.parametrize("p", [0.5, 0.9, 0.98])
def test_formulas_of_the_paper(seed: int, p: float) -> None:
    lists = pairs(seed)
    ranks = shared(lists)
    assert ranks.rbo_ext(p) == pytest.approx([extrapolated(*both, p) for both in lists])
    seen = [
        (1 - p) * sum(p ** (d - 1) * agreement(*both, d) for d in range(1, min(map(len, both)) + 1)) for both in lists
    ]
    empty = [float(not one and not other) for one, other in lists]
    assert ranks.rbo(p) == pytest.approx(np.add(seen, empty))
    for depth in (1, 3, 10):
        expected = [
            len({*one[:depth]} & {*other[:depth]}) / (min(depth, max(len(one), len(other))) or 1)
            for one, other in lists
        ]
        assert ranks.overlap(depth) == pytest.approx(np.add(expected, empty))


def test_the_example_by_hand() -> None:
    """Agreements 0, 1/2, 2/3: (1 - p) (0 + p / 2 + 2 p^2 / 3) with p = 1/2, and 2/3 p^3 beyond."""
    ranks = shared([([1, 2, 3], [2, 4, 1])])
    assert ranks.rbo(0.5) == pytest.approx([0.5 * (0.25 + 1 / 6)])
    assert ranks.rbo_ext(0.5) == pytest.approx([0.5 * (0.25 + 1 / 6) + 2 / 3 / 8])
    assert ranks.tau().tolist() == [-1]
    assert np.isnan(shared([([1, 2], [2, 3])]).tau()).all()


@pytest.mark.parametrize("seed", [5, fresh.seed()], ids=["known", "fresh"])
def test_tau_counts_pairs(seed: int) -> None:
    lists = pairs(seed)
    expected = []
    for one, other in lists:
        common = [name for name in one if name in other]
        signs = [
            1 if other.index(left) < other.index(right) else -1
            for place, left in enumerate(common)
            for right in common[place + 1 :]
        ]
        expected.append(float(np.mean(signs)) if signs else np.nan)
    assert shared(lists).tau() == pytest.approx(expected, nan_ok=True)


def test_as_the_packages() -> None:
    rbo = pytest.importorskip("rbo", reason="pip install --no-deps rbo, as the environment 'peers' does")
    stats = pytest.importorskip("scipy.stats", reason=PEERS)
    lists = [both for both in pairs(11) if min(map(len, both)) > 1]
    ranks = shared(lists)
    theirs = [rbo.RankingSimilarity(*both) for both in lists]
    assert ranks.rbo(0.9) == pytest.approx([one.rbo(p=0.9) for one in theirs])
    assert ranks.rbo_ext(0.9) == pytest.approx([one.rbo_ext(p=0.9) for one in theirs])
    taus = []
    for one, other in lists:
        common = [name for name in one if name in other]
        places = range(len(common)), [other.index(name) for name in common]
        taus.append(stats.kendalltau(*places).statistic if len(common) > 1 else np.nan)
    assert ranks.tau() == pytest.approx(taus, nan_ok=True)


def test_no_questions_and_no_documents() -> None:
    none = Ragged.of([], np.int64)
    assert len(SharedRanks.of(none, none).rbo_ext(0.9)) == 0
    assert shared([([], []), ([], [1])]).rbo_ext(0.9).tolist() == [1, 0]
