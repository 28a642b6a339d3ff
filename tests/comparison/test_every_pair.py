"""Each two of several runs, with p-values corrected over all pairs, and the runs that no test tells from the best."""

from __future__ import annotations

from itertools import combinations, permutations
from typing import Any

import numpy as np
import pytest

import ragauge
from ragauge.comparison import every_pair as module
from ragauge.comparison.compare import paired_runs
from ragauge.comparison.difference import Outcome
from ragauge.comparison.every_pair import (
    EveryPair,
    best_of,
    every_pair,
    in_order,
    pairs_of,
    primary_names,
    standing,
    stands,
)
from ragauge.inference.tests import holm
from ragauge.results.result import Result
from tests.reports.runs import make_result, rows

NAMES = ("mrr", "token-f1", "column:name=latency,direction=lower")


@pytest.fixture(scope="module")
def runs() -> list[Result]:
    skills = (0.3, 0.5, 0.9, 0.85)
    return [make_result(rows(40, seed=seed, skill=skill), NAMES, by=()) for seed, skill in enumerate(skills)]


@pytest.fixture(scope="module")
def pairs(runs: list[Result]) -> EveryPair:
    return every_pair(runs, [[name] * len(runs) for name in NAMES])


def test_p_values_are_those_of_compare_corrected_by_holm_over_all_pairs(runs: list[Result], pairs: EveryPair) -> None:
    alone = {
        (base, candidate, place): ragauge.compare(runs[base], runs[candidate])[name]
        for base, candidate in combinations(range(4), 2)
        for place, name in enumerate(NAMES)
    }
    assert pairs.tests == len(alone) == 18
    # What an answer costs is a family of its own.
    p_values = np.array([one.p for one in alone.values()])
    prices = np.array([NAMES[place].startswith("column:name=latency") for _, _, place in alone])
    corrected = np.empty(len(alone))
    for family in (prices, ~prices):
        corrected[family] = holm(p_values[family])
    for (places, one), p in zip(alone.items(), corrected, strict=True):
        found = pairs.of(*places)
        assert found is not None
        assert (found.difference, found.alone_low, found.alone_high, found.p) == (
            one.difference,
            one.alone_low,
            one.alone_high,
            one.p,
        )
        assert found.low <= one.low
        assert found.corrected == p
        assert (found.outcome in ("better", "worse")) == (p <= 0.05)


def test_a_pair_is_the_same_from_both_sides(pairs: EveryPair) -> None:
    for base, candidate in permutations(range(4), 2):
        there, back = pairs.of(base, candidate, 0), pairs.of(candidate, base, 0)
        assert there is not None
        assert back is not None
        assert (there.difference, there.low, there.wins) == (-back.difference, -back.high, back.losses)
        assert {there.outcome, back.outcome} in ({"better", "worse"}, {"unclear"}, {"equal"})


def test_what_is_known_is_not_computed_again(
    runs: list[Result], pairs: EveryPair, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = [(run, one) for run in (1, 2, 3) for one in ragauge.compare(runs[0], runs[run]).table]
    compared: list[int] = []

    def counted(base: Result, *rest: Any) -> Any:
        compared.append(runs.index(base))
        return paired_runs(base, *rest)

    monkeypatch.setattr(module, "paired_runs", counted)
    again = every_pair(runs, [[name] * len(runs) for name in NAMES], known)
    assert compared == [1, 1, 2]
    assert differences_of(again) == differences_of(pairs)


@pytest.mark.parametrize("most", [0, 100, 10**9])
def test_how_many_pairs_are_tested_at_once_changes_nothing(
    runs: list[Result], pairs: EveryPair, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor do samples in another order, or some that a run lacks: each pair is as if it were alone."""
    monkeypatch.setattr(module, "_MOST_CELLS", most)
    again = every_pair(runs, [[name] * len(runs) for name in NAMES])
    assert differences_of(again) == differences_of(pairs)
    shuffled = make_result(rows(40, seed=3, skill=0.85)[::-1], NAMES, by=())
    fewer = make_result(rows(40, seed=2, skill=0.9)[:31], NAMES, by=())
    mixed = [runs[0], runs[1], fewer, shuffled]
    found = every_pair(mixed, [[name] * 4 for name in NAMES])
    for base, candidate in combinations(range(4), 2):
        alone = ragauge.compare(mixed[base], mixed[candidate])
        for place, name in enumerate(NAMES):
            one = found.of(base, candidate, place)
            assert one is not None
            assert (one.p, one.alone_low, one.alone_high, one.scored) == (
                alone[name].p, alone[name].alone_low, alone[name].alone_high, alone[name].scored,
            )  # fmt: skip


def differences_of(pairs: EveryPair) -> dict[tuple[int, int, int], dict[str, Any]]:
    """Return what was computed; the candidate's name says only who asked."""
    return {key: {**one.to_dict(), "run": ""} for key, one in sorted(pairs.differences.items())}


def test_runs_of_other_questions_are_problems_and_no_tests(runs: list[Result]) -> None:
    other = make_result([{**row, "references": ["other"], "relevance": {"x": 1}} for row in rows(40)], NAMES, by=())
    pairs = every_pair([runs[0], other, runs[1]], [[name] * 3 for name in NAMES])
    assert sorted(pairs.problems) == [(0, 1), (1, 2)]
    assert "different questions or references" in pairs.problems[0, 1]
    assert pairs.of(0, 1, 0) is None
    assert pairs.of(2, 0, 0) is not None
    assert pairs.tests == 3


def test_a_metric_that_a_run_lacks_is_compared_in_the_others(runs: list[Result]) -> None:
    without = make_result(rows(40, seed=7), ("mrr",), by=())
    pairs = every_pair([runs[0], without, runs[1]], [["mrr"] * 3, ["token-f1", None, "token-f1"]])
    assert pairs.of(0, 1, 1) is None
    assert pairs.of(0, 2, 1) is not None
    assert not pairs.problems


def test_the_best_and_what_cannot_be_told_from_it(pairs: EveryPair) -> None:
    best = best_of([0.3, 0.5, 0.9, 0.85], "higher")
    assert best == [2]
    assert pairs.like_the_best(2, 0, range(4)) == [
        run for run in (0, 1, 3) if (one := pairs.of(2, run, 0)) is not None and one.outcome == "unclear"
    ]
    assert 0 not in pairs.like_the_best(2, 0, range(4))
    assert best_of([float("nan")], "higher") == []


def test_a_sentence_of_more_than_three_clauses_names_no_metrics() -> None:
    outcomes: list[tuple[Outcome, Outcome]] = [
        ("better", "worse"),
        ("worse", "better"),
        ("better", "unclear"),
        ("unclear", "worse"),
        ("better", "better"),
        ("equal", "unclear"),
        ("nothing", "nothing"),
    ]
    against: dict[str, dict[str, Outcome]] = {
        f"v{place}": {"mrr": one, "rouge-l": other} for place, (one, other) in enumerate(outcomes)
    }
    assert str(stands("best", against)) == (
        "best is better than v4 under both primary metrics; better than v2 under some primary metrics, and worse under "
        "none; worse than v3 under some primary metrics, and better under none; better than v0, v1 under some primary "
        "metrics, and worse under others; not told apart from v5; not compared with v6"
    )
    few = {name: against[name] for name in ("v2", "v4", "v5")}
    assert str(stands("best", few)) == (
        "best is better than v2 under mrr; better than v4 under both primary metrics; not told apart from v5"
    )


def seconds(better: float, slower: float) -> Result:
    draw = np.random.default_rng(7)
    made = [
        {"id": str(place), "good": draw.random() + better, "rank": draw.random(), "latency": 2 + draw.random() + slower}
        for place in range(80)
    ]
    return ragauge.evaluate(made, ["good=column:name=good", "rank=column:name=rank", NAMES[-1]], resamples=0)


@pytest.mark.parametrize(
    ("slower", "first", "said"),
    [
        (0.2, 1, "; latency within the 20 % over v1 that are tolerated"),
        (
            0.9,
            0,
            "v3 scores better, but has more than the 20 % that are tolerated: latency 0.900 s [0.900, 0.900] higher",
        ),
    ],
)
def test_a_run_of_better_answers_comes_first_where_its_price_is_tolerated(slower: float, first: int, said: str) -> None:
    runs = [seconds(0, 0), seconds(0.1, 0), seconds(0.3, slower)]
    compared = ragauge.compare(*runs, trials=200, resamples=200)
    pairs, places = pairs_of(compared), range(len(primary_names(compared)))
    assert in_order(compared, pairs, places)[0] == first
    assert said in standing(compared, pairs, ["v1", "v2", "v3"], places)


def test_what_is_worse_by_its_price_alone_is_said_to_be() -> None:
    dear: dict[str, Outcome] = {"mrr": "better", "chrf": "unclear", "latency": "worse"}
    cheap: dict[str, Outcome] = {"mrr": "worse", "chrf": "worse", "latency": "better"}
    mixed: dict[str, Outcome] = {"mrr": "better", "chrf": "worse", "latency": "worse"}
    against = {"v1": dear, "v2": cheap, "v3": mixed}
    assert stands("v4", against, frozenset({"latency"})) == (
        "v4 is better than v1 under some primary metrics, and worse under latency; worse than v2 under some primary "
        "metrics, and better under latency; better than v3 under some primary metrics, and worse under others"
    )
