"""How many questions it takes, by command and call."""

from __future__ import annotations

import json
from math import comb
from pathlib import Path

import numpy as np
import pytest

import ragauge
from ragauge.comparison.sample_sizes import audit, power
from ragauge.errors import OptionError, UsageError
from ragauge.inference.tests import needed
from tests.cli.running import here

from .runs import given


def test_power_of_one_run_is_that_of_two_independent_ones() -> None:
    values = np.random.default_rng(1).random(80)
    [one] = power(given(values.tolist()), difference=0.05).metrics
    error = np.sqrt(2 * values.var(ddof=1) / 80)
    assert one.samples == 80
    assert one.needed == needed(0.05, float(error), 80)
    assert 0 < one.detectable < 1


def test_that_many_samples_show_the_difference() -> None:
    """In 80 of 100 tests of two systems that differ by .1."""
    random = np.random.default_rng(2)
    [one] = power(given((random.random(400) < 0.5).astype(float).tolist()), difference=0.1).metrics
    left, right = ((random.random((2_000, int(one.needed))) < share).mean(axis=1) for share in (0.45, 0.55))
    error = np.sqrt((left * (1 - left) + right * (1 - right)) / one.needed)
    assert ((right - left) / error > 1.96).mean() == pytest.approx(0.8, abs=0.04)


def test_two_runs_that_are_alike_need_fewer() -> None:
    values = np.random.default_rng(3).random(60)
    other = np.clip(values + np.random.default_rng(4).normal(0, 0.05, 60), 0, 1)
    runs = given(values.tolist()), given(other.tolist())
    paired = power(*runs, difference=0.05)
    assert paired.paired
    assert paired.metrics[0].needed == ragauge.compare(*runs)["column:name=x"].samples_for(0.05)
    assert paired.metrics[0].needed < power(runs[0], difference=0.05).metrics[0].needed


def test_samples_of_a_cluster_are_no_samples_of_their_own() -> None:
    """Ten equal answers to each question take ten times as many samples as one."""
    values = np.random.default_rng(5).random(40)
    rows = [{"id": f"{i}-{k}", "x": v, "document": f"d{i}"} for i, v in enumerate(values) for k in range(10)]
    run = ragauge.evaluate(rows, "column:name=x", cluster="document", resamples=0)
    clustered, [one] = power(run, difference=0.05), power(given(values.tolist()), difference=0.05).metrics
    [ten] = clustered.metrics
    assert ten.needed == pytest.approx(10 * one.needed, rel=0.01)
    assert ten.detectable == pytest.approx(one.detectable)
    assert [note.code for note in clustered.notes] == ["RG-NOTE-311"]
    other = [{**row, "x": min(row["x"] + 0.01 * (i % 7), 1)} for i, row in enumerate(rows)]
    paired = power(run, ragauge.evaluate(other, "column:name=x", cluster="document", resamples=0), difference=0.05)
    assert paired.cluster == "document"


@pytest.mark.parametrize(("value", "claim"), [(1.0, 0.7), (0.8, 0.7), (0.3, 0.5), (0.9, 0.0)])
def test_enough_is_the_number_from_which_on_the_test_rejects_the_claim(value: float, claim: float) -> None:
    found = audit(n=10, value=value, claim=claim)
    assert found.enough is not None
    tested = [audit(n=n, value=value, claim=claim).differs for n in range(1, max(11, 3 * found.enough))]
    assert all(tested[found.enough - 1 :])
    assert found.enough == 1 or not tested[found.enough - 2]
    assert found.differs == tested[9]


@pytest.mark.parametrize(
    ("n", "value", "claim", "p"), [(1, 0.0, 0.8, 0.2), (10, 0.4, 0.7, 0.0755965123), (5, 0.8, 0.98, 0.0960792032)]
)
def test_what_comes_in_more_than_a_twentieth_of_cases_is_not_beyond_chance(
    n: int, value: float, claim: float, p: float
) -> None:
    """Wilson's interval of few questions excludes these claims: it is short of its level there."""
    found = audit(n=n, value=value, claim=claim)
    assert found.p == pytest.approx(p, abs=1e-9)
    assert not found.differs
    assert not found.low <= claim <= found.high
    assert "does not tell the two apart" in str(found)


@pytest.mark.costly
def test_chance_is_found_in_a_twentieth_of_cases_at_most() -> None:
    """Whatever the share and the number: of all counts, those that are said to be beyond chance have 5 % together."""
    for claim in (0.02, 0.3, 0.5, 0.8, 0.97):
        for n in (1, 2, 5, 10, 23, 40):
            beyond = [k for k in range(n + 1) if audit(n=n, value=k / n, claim=claim).differs]
            assert sum(comb(n, k) * claim**k * (1 - claim) ** (n - k) for k in beyond) <= 0.05


def test_where_there_are_too_many_to_test_each_the_normal_test_says_how_many() -> None:
    """It differs from the exact one by less than 1 %."""
    about = audit(n=10, value=0.72, claim=0.7).enough
    assert about is not None
    assert about > 2_000
    assert not audit(n=round(0.985 * about), value=0.72, claim=0.7).differs
    assert audit(n=round(1.015 * about), value=0.72, claim=0.7).differs


def test_equal_numbers_and_wrong_ones() -> None:
    assert audit(n=10, value=0.5, claim=0.5).enough is None
    for wrong in ({"n": 0}, {"value": 1.2}, {"claim": -0.1}, {"level": 1.0}):
        with pytest.raises(OptionError):
            audit(**{"n": 10, "value": 0.5, "claim": 0.7} | wrong)
    with pytest.raises(OptionError):
        power(given([0.1, 0.2]), difference=0)


def test_commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    given(np.linspace(0, 1, 40).tolist()).save("new")
    shown = json.loads(here(capsys, "power", "new", "--difference", "0.1", "--output-format", "json").out)
    assert shown["metrics"][0]["samples"] == 40
    assert "samples for 0.1" in here(capsys, "power", "new", "--difference", "0.1").out
    words = " ".join(here(capsys, "audit", "--n", "10", "--value", "1", "--claim", ".7").out.split())
    assert "on 10 questions says: 95 % interval [0.72, 1.00]" in words
    assert "exact test of 0.700: p .0388: the difference is beyond chance" in words
    assert "it takes 10 questions with such a value" in words
    within = here(capsys, "audit", "--n", "10", "--value", "0.8", "--claim", ".7", "--output-format", "json")
    assert json.loads(within.out)["differs"] is False


def test_what_is_not_known_has_a_reason() -> None:
    rows = [{"answer": one, "references": ["好"]} for one in "好坏"]
    equal, two = (power(ragauge.evaluate(some, "exact-match")) for some in (rows[:1] * 5, rows))
    assert np.isnan([equal.metrics[0].needed, two.metrics[0].detectable]).all()
    assert "all scores are equal" in str(equal)
    assert "too few to show any difference" in str(two)
    assert not power(given([0.0, 1.0] * 50)).notes


@pytest.mark.parametrize(
    ("n", "value"), [(13, 0.77), (3, 0.3333), (3, 1 / 3), (10, 1.0), (7, 0.0), (200, 0.5), (6, 0.2)]
)
def test_a_share_of_the_questions_has_no_note(n: int, value: float) -> None:
    assert not audit(n=n, value=value, claim=0.5).notes


@pytest.mark.parametrize(
    ("n", "value", "near"), [(10, 0.77, "0.70 or 0.80"), (3, 0.5, "0.33 or 0.67"), (1, 0.999, "0.000 or 1.000")]
)
def test_what_no_count_of_the_questions_gives_is_noted(n: int, value: float, near: str) -> None:
    [note] = audit(n=n, value=value, claim=0.5).notes
    assert near in note


def test_a_difference_beyond_the_range_is_refused() -> None:
    with pytest.raises(UsageError, match="difference=2 is beyond exact-match, whose scores are from 0 to 1"):
        power(ragauge.evaluate([{"answer": "a", "references": ["a"]}] * 2, "exact-match"), difference=2)
