"""Shares are exact, each stratum has its own, and the draw depends on nothing but the texts and the seed."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragauge.testsets import draw
from ragauge.testsets.strata import drawn_from, lengths_of, shares_of


@pytest.mark.parametrize(
    ("sizes", "n", "shares"),
    [
        ([10, 10], 4, [2, 2]),
        ([90, 10], 10, [9, 1]),
        ([98, 1, 1], 10, [8, 1, 1]),
        ([50, 30, 20], 7, [4, 2, 1]),
        ([3, 2], 5, [3, 2]),
        ([1], 1, [1]),
    ],
)
def test_worked_shares(sizes: list[int], n: int, shares: list[int]) -> None:
    assert shares_of(sizes, n) == shares


@given(st.lists(st.integers(1, 10_000), min_size=1, max_size=40), st.data())
def test_shares_add_up_and_are_next_to_proportional(sizes: list[int], data: st.DataObject) -> None:
    n = data.draw(st.integers(len(sizes), sum(sizes)))
    shares = shares_of(sizes, n)
    assert sum(shares) == n
    assert all(1 <= share <= size for share, size in zip(shares, sizes, strict=True))
    if all(n * size >= sum(sizes) for size in sizes):
        exact = [Fraction(n * size, sum(sizes)) for size in sizes]
        assert all(abs(share - quota) < 1 for share, quota in zip(shares, exact, strict=True))
    larger = sorted(zip(sizes, shares, strict=True))
    assert all(one <= other for (a, one), (b, other) in pairwise(larger) if a < b)


def test_lengths_are_thirds_of_each_language() -> None:
    widths = np.array([10, 20, 30, 100, 200, 300])
    languages = ["zh"] * 3 + ["en"] * 3
    assert lengths_of(widths, languages) == ["short", "middle", "long"] * 2
    assert lengths_of(np.array([5, 5, 5]), ["zh"] * 3) == ["short"] * 3


def columns_of(n: int, sources: int = 1) -> dict[str, list[str]]:
    return {
        "language": ["zh" if place % 2 else "en" for place in range(n)],
        "source": [f"s{place % sources}" for place in range(n)],
        "length": ["short" if place % 3 else "long" for place in range(n)],
    }


@pytest.mark.parametrize(
    ("sources", "n", "division"),
    [
        (5, 30, ("language", "source", "length")),
        (5, 12, ("language", "source")),
        (60, 4, ("language", "length")),
        (60, 2, ("language",)),
        (60, 1, ()),
    ],
)
def test_strata_are_no_more_than_rows(sources: int, n: int, division: tuple[str, ...]) -> None:
    texts = [f"text {place}" for place in range(60)]
    places, strata, divided_by = drawn_from(columns_of(60, sources), texts, n, 0)
    assert divided_by == division
    assert len(places) == len(set(places.tolist())) == n == sum(one.drawn for one in strata)
    assert all(one.drawn >= 1 for one in strata)


def test_the_draw_is_of_the_texts_and_the_seed_alone() -> None:
    rows = [
        {"id": f"d{place}", "text": f"第{place}号茶馆在第{place}条街上，供应绿茶、白茶和乌龙茶。"}
        for place in range(200)
    ]
    first = {row["passage"] for row in draw(rows, 20).rows}
    again = {row["passage"] for row in draw(rows[::-1], 20).rows}
    renamed = {row["passage"] for row in draw([{**row, "id": f"x{row['id']}"} for row in rows], 20).rows}
    assert first == again == renamed
    assert first != {row["passage"] for row in draw(rows, 20, seed=1).rows}


def test_every_passage_of_a_stratum_has_the_same_chance() -> None:
    texts = [f"passage number {place}" for place in range(40)]
    columns = {name: ["x"] * 40 for name in ("language", "source", "length")}
    counts = np.zeros(40)
    for seed in range(1000):
        places, _, _ = drawn_from(columns, texts, 10, seed)
        counts[places] += 1
    # 250 expected; six standard deviations of the binomial.
    assert np.abs(counts - 250).max() < 6 * np.sqrt(1000 * 0.25 * 0.75)
