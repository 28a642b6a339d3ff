"""Pairs of claims and evidence as flat arrays, held against loops over lists."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragauge.core.ragged import Ragged
from ragauge.grounding.support.pairs import Best, ClaimPairs, Distinct, blocks

SIZES = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=5)


def pairs_of(sizes: list[tuple[int, int]], left_out: Any = None) -> ClaimPairs:
    claims, evidence = (np.cumsum([0, *side]) for side in (zip(*sizes, strict=True) if sizes else ((), ())))
    return ClaimPairs(claims, evidence, np.zeros(len(sizes), dtype=bool) if left_out is None else np.array(left_out))


def looped(pairs: ClaimPairs) -> list[tuple[int, int]]:
    """Return each claim of a sample with each segment of its evidence."""
    rows = range(len(pairs.left_out))
    return [
        (claim, segment)
        for row in rows
        if not pairs.left_out[row]
        for claim in range(*pairs.claims[row : row + 2].tolist())
        for segment in range(*pairs.evidence[row : row + 2].tolist())
    ]


@given(SIZES, st.data())
def test_parts_are_the_pairs_of_each_sample(sizes: list[tuple[int, int]], data: st.DataObject) -> None:
    left_out = data.draw(st.lists(st.booleans(), min_size=len(sizes), max_size=len(sizes)))
    pairs = pairs_of(sizes, np.array(left_out, dtype=bool))
    claims = int(pairs.claims[-1])
    first = data.draw(st.integers(0, claims))
    last = data.draw(st.integers(first, claims))
    claim, segment = pairs.part(first, last)
    expected = [(one, other) for one, other in looped(pairs) if first <= one < last]
    assert list(zip(claim.tolist(), segment.tolist(), strict=True)) == expected


@given(SIZES, st.data())
def test_the_best_of_each_side(sizes: list[tuple[int, int]], data: st.DataObject) -> None:
    pairs = pairs_of(sizes)
    listed = looped(pairs)
    some = st.sampled_from([0.0, 0.25, 0.5, np.nan])
    values = data.draw(st.lists(some, min_size=len(listed), max_size=len(listed)))
    degrees, n = np.array(values, dtype=np.float64), (int(pairs.claims[-1]), int(pairs.evidence[-1]))
    for side, found in enumerate((pairs.by_claim(0, n[0], degrees), pairs.by_segment(0, n[0], degrees))):
        for number in range(n[side]):
            own = [(pair[1 - side], value) for pair, value in zip(listed, values, strict=True) if pair[side] == number]
            known = [one for one in own if not np.isnan(one[1])]
            place, value = max(known, key=lambda one: one[1], default=(-1, 0.0))
            assert (found.place[number], found.value[number]) == (place, value)
            assert found.failed[number] == (len(known) < len(own))


@given(st.lists(st.integers(0, 9), max_size=12), st.integers(1, 12))
def test_blocks_are_runs_of_about_one_size(sizes: list[int], most: int) -> None:
    found = [*blocks(np.array(sizes, dtype=np.int64), most)]
    assert [place for first, last in found for place in range(first, last)] == [*range(len(sizes))]
    for first, last in found:
        assert sum(sizes[first:last]) < 2 * most or last == first + 1


def test_distinct_segments_keep_the_order_in_which_they_occur() -> None:
    texts = Ragged.of([["b", "a", "b"], [], ["a", "a"]], object)
    distinct = Distinct.of_texts(texts)
    assert distinct.of.tolist() == [0, 1, 0, 2, 2]
    assert texts.values[distinct.first].tolist() == ["b", "a", "a"]
    assert distinct.lengths.tolist() == [2, 0, 1]
    assert Distinct.all_of(texts.offsets).of.tolist() == [*range(5)]


def test_samples_of_too_many_steps_are_left_out() -> None:
    one, other = Distinct.all_of(np.array([0, 2, 3])), Distinct.all_of(np.array([0, 3, 4]))
    assert ClaimPairs.up_to(6, one, other).left_out.tolist() == [False, False]
    assert ClaimPairs.up_to(5, one, other).left_out.tolist() == [True, False]
    assert ClaimPairs.up_to(6, one, other, np.array([0, 1, 5])).left_out.tolist() == [True, False]
    assert ClaimPairs.up_to(7, one, other, np.array([0, 1, 7])).left_out.tolist() == [False, True]


def test_blocks_of_claims_have_all_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    from ragauge.grounding.support import pairs as module

    monkeypatch.setattr(module, "BLOCK", 2)
    pairs = pairs_of([(2, 3), (0, 2), (3, 1)])
    parts = [pairs.part(*block) for block in pairs.blocks()]
    assert len(parts) > 2
    assert np.concatenate([claim for claim, _ in parts]).tolist() == [claim for claim, _ in looped(pairs)]
    assert all(before[1] == after[0] for before, after in pairwise(pairs.blocks()))


def best(*rows: tuple[int, float, bool]) -> Best:
    place, value, failed = zip(*rows, strict=True)
    return Best(np.array(place), np.array(value), np.array(failed))


def test_the_better_of_two_and_what_reaches_a_threshold() -> None:
    one = best((0, 0.5, False), (-1, 0.0, False), (2, 0.25, True))
    other = best((1, 0.5, False), (3, 0.0, True), (4, 0.75, False))
    both = one.or_better(other)
    assert both.place.tolist() == [0, 3, 4]
    assert both.failed.tolist() == [False, True, True]
    assert both.reaches(0.5).tolist() == [True, False, True]
    assert both.unknown(0.5).tolist() == [False, True, False]
    assert one.reaches(0.0).tolist() == [True, False, True]
    assert Best.joined([one, other]).place.tolist() == [0, -1, 2, 1, 3, 4]
