"""Simultaneous intervals: they hold together, and never say another thing than the test."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ragauge
from ragauge.comparison.comparison import Comparison
from ragauge.comparison.difference import Difference
from tests.repeats import others_long


def run(**columns: Any) -> ragauge.Result:
    rows = [dict(zip(columns, map(float, values), strict=True)) for values in zip(*columns.values(), strict=True)]
    metrics = [f"{name}=column:name={name},low=0,high=1" for name in columns]
    return ragauge.evaluate([{"id": str(place), **row} for place, row in enumerate(rows)], metrics, resamples=0)


def compared(count: int, shifts: dict[str, float], seed: int = 0, **options: Any) -> Comparison:
    """Compare scores from 0 to 1 with themselves, each metric shifted, and with noise."""
    draw = np.random.default_rng(seed)
    base = {name: draw.uniform(0.4, 0.6, count) for name in shifts}
    moved = {name: base[name] + by + draw.uniform(-0.3, 0.3, count) for name, by in shifts.items()}
    return ragauge.compare(run(**base), run(**moved), **{"trials": 2000, "resamples": 500, **options})


SHIFTS = {"a": 0.0, "b": 0.04, "c": 0.09}


def test_intervals_of_several_metrics_are_those_of_a_higher_level() -> None:
    together = compared(120, SHIFTS, resamples=20_000, alpha=0.01)
    each = compared(120, SHIFTS, resamples=20_000, level=1 - 0.05 / 3, correction="none", alpha=0.01)
    alone = compared(120, SHIFTS, resamples=20_000, correction="none", alpha=0.01)
    for name in SHIFTS:
        assert (together[name].low, together[name].high) == pytest.approx((each[name].low, each[name].high), abs=0.004)
        assert (together[name].alone_low, together[name].alone_high) == (alone[name].low, alone[name].high)
        assert together[name].low < alone[name].low < alone[name].high < together[name].high


def test_the_other_metrics_are_a_family_of_their_own() -> None:
    shown = compared(120, SHIFTS | {"d": 0.0}, primary="a", alpha=0.01)
    assert (shown["a"].low, shown["a"].high) == (shown["a"].alone_low, shown["a"].alone_high)
    assert shown["d"].low < shown["d"].alone_low


def test_a_false_discovery_rate_widens_less_the_more_is_found() -> None:
    def factor(one: Difference) -> float:
        return (one.difference - one.low) / (one.difference - one.alone_low)

    few, all_found = ({"a": 0.0, "b": 0.0, "c": 0.2}, {"a": 0.2, "b": 0.2, "c": 0.2})
    assert factor(compared(120, few, correction="bh")["c"]) == pytest.approx(2.42 / 1.98, abs=0.01)
    assert factor(compared(120, all_found, correction="bh")["c"]) == 1
    assert factor(compared(120, all_found)["c"]) == pytest.approx(2.42 / 1.98, abs=0.01)


@pytest.mark.parametrize("interval", others_long(["percentile", "bca"]))
@pytest.mark.parametrize("correction", ["holm", "bonferroni", "bh", "none"])
def test_an_interval_never_says_another_thing_than_the_test(correction: str, interval: str) -> None:
    seen: set[str] = set()
    for seed in range(40):
        shown = compared(30, SHIFTS, seed, correction=correction, interval=interval)
        for one in shown.table:
            seen.add(one.outcome)
            if one.outcome in ("better", "worse"):
                assert one.low >= 0 if one.difference > 0 else one.high <= 0
            else:
                assert one.low <= 0 <= one.high
    assert {"better", "unclear"} <= seen
    assert ("leaning better" in seen) == (correction != "none")


@pytest.mark.costly
def test_where_holm_finds_more_than_bonferroni_the_interval_ends_at_0() -> None:
    found = [
        one
        for seed in range(60)
        for one in compared(30, {"a": 0.3, "b": 0.075}, seed).table
        if one.outcome == "better" and one.low == 0
    ]
    assert found
    assert all(0.01 < one.corrected <= 0.05 and one.alone_low > 0 for one in found)


def test_at_another_level_than_that_of_the_test_no_end_is_moved() -> None:
    shown = compared(120, {"a": 0.01}, level=0.5)
    assert 0 < shown["a"].low == shown["a"].alone_low
    assert shown["a"].outcome == "unclear"


def test_no_difference_is_beyond_the_range() -> None:
    bounded = ragauge.compare(run(a=[0.0] * 6, b=[0.0] * 6), run(a=[0.0] * 3 + [1.0] * 3, b=[0.0] * 5 + [1.0]))
    assert (bounded["a"].width, bounded["a"].high) == (1, 1)
    assert bounded["b"].high <= 1
