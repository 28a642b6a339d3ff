"""Under every option, what a comparison says holds together: values, differences, intervals, p-values and outcomes."""

from __future__ import annotations

from functools import cache
from math import isclose
from typing import Any

import numpy as np
import pytest

import ragauge
from ragauge import Comparison
from ragauge.errors import UsageError
from ragauge.inference.tests import CORRECTIONS
from ragauge.results.result import Result

from .runs import given, rows, scored

FEW: dict[str, Any] = {"trials": 200, "resamples": 60}
PAIRS = [
    ("old", "new"),
    ("old", "fewer"),
    ("old", "old"),
    ("clustered", "new"),
    ("marks", "other marks"),
    ("equal", "marks"),
    ("one", "one"),
]
OPTIONS: list[dict[str, Any]] = [
    {},
    {"test": "bootstrap"},
    {"test": "wilcoxon"},
    {"test": "mcnemar"},
    {"test": "t", "interval": "bca"},
    {"correction": "bh"},
    {"correction": "none", "level": 0.8},
    {"by": "language"},
    {"cluster": "document", "seed": 3},
    {"metrics": ["bleu", "column:name=quality"], "by": ["language", "document"], "on": "question", "alpha": 0.5},
]
# Pairs whose runs hold scores alone: no column to group, cluster or pair by.
BARE = ("marks", "equal", "one")


@cache
def runs() -> dict[str, Result]:
    """Return runs by name: two on the same samples, one on fewer, one of clusters, and some with few scores."""
    texts = [{**row, "latency": None if i == 5 else row["latency"]} for i, row in enumerate(rows(24, 1))]
    return {
        "old": scored(texts),
        "new": scored(rows(24, 2, skill=0.8)),
        "fewer": scored(rows(24, 3, skill=0.3)[:15]),
        "renamed": scored([{**row, "id": f"other {row['id']}"} for row in rows(24, 2)]),
        "clustered": scored(rows(24, 4), cluster="document"),
        "quality": scored(rows(24, 5), "column:name=quality"),
        "marks": given([1.0, 0.0, 1.0, None, 1.0, 0.0]),
        "other marks": given([0.0, 0.0, 1.0, 1.0, 0.0, 0.0]),
        "equal": given([0.5] * 6),
        "one": given([0.5]),
    }


CASES = [
    (pair, options)
    for pair in PAIRS
    for options in OPTIONS
    if pair[0] not in BARE or not {"by", "cluster", "on"} & options.keys()
]


def compared(pair: tuple[str, str], options: dict[str, Any]) -> Comparison:
    base, candidate = (runs()[name] for name in pair)
    return ragauge.compare(base, candidate, **FEW, **options)


@pytest.mark.parametrize(("pair", "options"), CASES, ids=str)
def test_numbers_of_a_difference_hold_together(pair: tuple[str, str], options: dict[str, Any]) -> None:
    found = compared(pair, options)
    alpha = options.get("alpha", 0.05)
    for one in found.to_dict()["differences"]:
        assert one["scored"] + sum(one["excluded"].values()) == one["total"]
        if not one["scored"]:
            assert one["difference"] is one["low"] is one["p"] is None
            continue
        assert one["difference"] == pytest.approx(one["candidate"] - one["base"], abs=1e-12)
        if one["low"] is not None:
            assert one["low"] <= one["high"]
            decided = outcome(one, options.get("alpha", 0.05)) in ("better", "worse")
            if options.get("level", 0.95) == 1 - options.get("alpha", 0.05):
                assert (one["low"] < 0 < one["high"]) <= (not decided) <= (one["low"] <= 0 <= one["high"])
            assert one["low"] - 1e-9 <= one["difference"] <= one["high"] + 1e-9
        assert one["p"] is None or 0 <= one["p"] <= one["corrected"] + 1e-12 <= 1 + 1e-12
        # Samples of a pooled metric such as BLEU move too, so each of them won, lost or stayed.
        assert one["wins"] + one["ties"] + one["losses"] == one["scored"]
        assert one["outcome"] == outcome(one, alpha)


def outcome(one: dict[str, Any], alpha: float) -> str:
    """Return what the p-values, the interval and the direction make of a difference."""
    if one["wins"] == one["losses"] == 0:
        return "equal"
    way = "better" if (one["difference"] > 0) == (one["direction"] == "higher") else "worse"
    if one["corrected"] is not None and one["corrected"] < alpha:
        return way
    apart = one["alone_low"] is not None and not one["alone_low"] <= 0 <= one["alone_high"]
    return f"leaning {way}" if apart and one["p"] < alpha else "unclear"


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_the_runs_changed_round_change_the_sign_alone(options: dict[str, Any]) -> None:
    one, other = (compared(pair, options).to_dict()["differences"] for pair in (("old", "new"), ("new", "old")))
    by_name = {(row["metric"], str(row["group"])): row for row in other}
    for row in one:
        turned = by_name[row["metric"], str(row["group"])]
        assert turned["difference"] == pytest.approx(-row["difference"], abs=1e-12)
        assert (turned["wins"], turned["losses"]) == (row["losses"], row["wins"])
        if options.get("test") != "bootstrap" and row["p"] is not None:
            assert turned["p"] == pytest.approx(row["p"], abs=1e-9)


@pytest.mark.parametrize("correction", CORRECTIONS)
def test_the_metrics_are_one_family_of_tests_their_prices_and_their_groups_others(correction: str) -> None:
    found = compared(("old", "new"), {"by": "language", "correction": correction}).to_dict()["differences"]
    families: dict[tuple[bool, bool], list[dict[str, Any]]] = {}
    for one in found:
        families.setdefault((one["group"] is None, "latency" in one["metric"]), []).append(one)
    assert len(families) == 4
    for family in families.values():
        expected = CORRECTIONS[correction](np.array([one["p"] for one in family]))
        assert [one["corrected"] for one in family] == pytest.approx(expected.tolist(), rel=1e-12)


def test_other_levels_nest() -> None:
    wide, narrow = (compared(("old", "new"), {"level": level}).to_dict()["differences"] for level in (0.95, 0.5))
    for one, other in zip(wide, narrow, strict=True):
        assert one["low"] < other["low"] < other["high"] < one["high"]


def test_runs_without_a_sample_in_common_are_not_compared() -> None:
    with pytest.raises(UsageError, match="no sample in common"):
        compared(("old", "renamed"), {})


def test_metrics_of_other_options_are_compared_only_where_both_runs_have_them() -> None:
    with pytest.raises(UsageError, match="computed differently"):
        compared(("old", "quality"), {"metrics": ["column:name=latency"]})


LIMITS = [
    (kind, metric, limit)
    for kind in ("min", "max_drop")
    for metric in ("bleu", "column:name=quality")
    for limit in (0.0, 0.1, 0.5, 1.0)
] + [("max", "column:name=latency,direction=lower", limit) for limit in (0.0, 1.0, 2.0)]


@pytest.mark.parametrize(("kind", "metric", "limit"), LIMITS)
@pytest.mark.parametrize(("name", "baseline"), [("old", "new"), ("new", "old"), ("fewer", "new")])
def test_a_rule_passes_where_the_value_meets_its_limit(
    kind: str, metric: str, limit: float, name: str, baseline: str
) -> None:
    rules: dict[str, Any] = {kind: {metric: limit}, "min_coverage": 0}
    gate = ragauge.gate(runs()[name], runs()[baseline], **rules)
    [check] = gate.to_dict()["checks"]
    value = check["value"]
    if kind == "max_drop":
        difference = compared((baseline, name), {"metrics": metric}).to_dict()["differences"][0]["difference"]
        assert isclose(value, -difference, abs_tol=1e-12)
    else:
        assert value == runs()[name][metric].value
    assert gate.passed == check["passed"] == (value >= limit if kind == "min" else value <= limit)
