"""Comparisons with little or nothing to compare: a clear answer, and never a warning (warnings are errors here)."""

from __future__ import annotations

import numpy as np
import pytest

import ragauge
from tests.repeats import others_long

from .runs import given, rows, scored

TESTS = ["randomisation", "bootstrap", "wilcoxon", "mcnemar", "t"]
INTERVALS = ["percentile", "bca"]


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("interval", INTERVALS)
@pytest.mark.parametrize("n", others_long([2, 40, 1, 5], 2))
def test_identical_runs(test: str, interval: str, n: int) -> None:
    run = scored(rows(n, 1))
    found = ragauge.compare(run, run, test=test, interval=interval, by="language", trials=200, resamples=50)
    for one in found.table:
        assert (one.outcome, one.difference, one.p, one.corrected, one.effect) == ("equal", 0.0, 1.0, 1.0, 0.0) or (
            one.scored == 1 and one.outcome == "equal"
        )
        if one.units < 10:
            assert np.isnan([one.low, one.high]).all()
        else:
            assert (one.low, one.high) == (0.0, 0.0)
    assert found.worst() == []
    assert str(found)


@pytest.mark.parametrize("test", TESTS)
def test_one_sample(test: str) -> None:
    one = ragauge.compare(given([0.2]), given([0.9]), test=test).table[0]
    assert one.outcome in ("unclear", "nothing")
    assert np.isnan([one.low, one.high, one.effect, one.error, one.detectable]).all()
    assert one.difference == pytest.approx(0.7)
    assert np.isnan(one.p) == (test in ("bootstrap", "t"))


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("interval", INTERVALS)
def test_nothing_counts(test: str, interval: str) -> None:
    runs = given([None, 0.5]), given([0.5, None])
    one = ragauge.compare(*runs, test=test, interval=interval).table[0]
    assert (one.outcome, one.scored, one.total) == ("nothing", 0, 2)
    assert np.isnan([one.base, one.candidate, one.difference, one.low, one.p, one.corrected]).all()
    assert one.excluded == {"missing in base": 1, "missing in candidate": 1}
    assert "–" in str(ragauge.compare(*runs))
    assert ragauge.compare(*runs).to_dict()["differences"][0]["p"] is None


@pytest.mark.parametrize("interval", INTERVALS)
def test_every_sample_changes_by_the_same(interval: str) -> None:
    one = ragauge.compare(given([0.25] * 20), given([0.75] * 20), interval=interval).table[0]
    assert (one.low, one.high, one.outcome) == (0.5, 0.5, "better")
    rounded = ragauge.compare(given([0.631] * 30), given([0.5] * 30), interval=interval).table[0]
    assert (rounded.error, rounded.outcome) == (0.0, "worse")
    assert np.isnan([rounded.effect, rounded.detectable]).all()


def test_ties_but_for_one() -> None:
    one = ragauge.compare(given([0.5] * 20), given([0.5] * 19 + [1.0])).table[0]
    assert (one.p, one.wins, one.ties, one.losses, one.outcome) == (1.0, 1, 19, 0, "unclear")


def test_groups_of_one_and_clusters_of_all() -> None:
    base, candidate = scored(rows(6, 1)), scored(rows(6, 2))
    for one in ragauge.compare(base, candidate, by="id").table:
        assert one.group is None or (one.total == 1 and one.outcome in ("unclear", "equal"))
    same = [[{**row, "document": "d"} for row in rows(6, seed)] for seed in (1, 2)]
    runs = scored(same[0]), scored(same[1])
    one = ragauge.compare(*runs, cluster="document").table[0]
    assert (one.units, one.p, one.outcome) == (1, 1.0, "unclear")
    assert np.isnan(one.low)
    one = ragauge.compare(*runs, cluster="document", test="bootstrap").table[0]
    assert np.isnan([one.p, one.low]).all()


def test_a_run_that_failed_altogether() -> None:
    failed = scored([{**row, "failure": "down"} for row in rows(5, 2)])
    one = ragauge.compare(scored([{**row, "failure": None} for row in rows(5, 1)]), failed)["bleu"]
    assert (one.outcome, one.excluded) == ("nothing", {"failed in candidate": 5})
