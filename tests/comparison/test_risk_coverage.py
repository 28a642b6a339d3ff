"""Risk-coverage curves: by hand, with ties as in a random order, drawn, and what is refused."""

from __future__ import annotations

import json
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ragauge
from ragauge.errors import ColumnError, UsageError
from tests.cli.running import here


def rows(answers: list[str], sure: list[Any]) -> list[dict[str, Any]]:
    return [{"answer": a, "references": ["茶"], "确信度": s} for a, s in zip(answers, sure, strict=True)]


def curve_of(answers: list[str], sure: list[Any]) -> ragauge.RiskCoverage:
    result = ragauge.evaluate(rows(answers, sure), "exact-match", resamples=0)
    return ragauge.risk_coverage(result, confidence="确信度")


def test_by_hand() -> None:
    curve = curve_of(["茶", "酒", "茶", "水"], [0.9, 0.8, 0.7, 0.1])
    np.testing.assert_allclose(curve.risk, [0, 1 / 2, 1 / 3, 1 / 2])
    assert curve.area == pytest.approx((1 / 2 + 1 / 3 + 1 / 2) / 4)
    assert curve.best == pytest.approx((1 / 3 + 1 / 2) / 4)
    assert (curve.whole, curve.at(0.5), curve.left_out) == (0.5, 0.5, 0)
    assert curve.at(0.51) == pytest.approx(1 / 3)


def test_ties_are_the_mean_over_all_orders() -> None:
    answers, sure = ["茶", "酒", "茶", "水", "酒"], [0.9, 0.5, 0.5, 0.5, 0.1]
    found = []
    for order in permutations((1, 2, 3)):
        broken = list(sure)
        for place, one in enumerate(order):
            broken[one] = 0.5 - place / 100
        found.append(curve_of(answers, broken).risk)
    np.testing.assert_allclose(curve_of(answers, sure).risk, np.mean(found, axis=0), atol=1e-15)
    backwards = curve_of(answers[::-1], sure[::-1])
    np.testing.assert_array_equal(backwards.risk, curve_of(answers, sure).risk)


def test_it_is_drawn_saved_runs_too_and_what_lacks_is_said(tmp_path: Path) -> None:
    answers = ["茶", "酒"] * 20
    result = ragauge.evaluate(rows(answers, [*np.linspace(1, 0, 39), None]), "exact-match", resamples=0)
    result.save(tmp_path / "run")
    shown = str(ragauge.risk_coverage(tmp_path / "run", "exact-match", "确信度"))
    assert "39 answers: area under the risk-coverage curve" in shown
    assert "1 answer without a score or a confidence" in shown
    assert sum("●" in line for line in shown.splitlines()) == 10
    assert ragauge.risk_coverage(result, confidence="确信度").to_dict()["coverage"][-1] == 1.0


def test_the_command_shows_one_curve_or_a_row_for_each_metric(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = tmp_path / "data.jsonl"
    data.write_text(
        "".join(f"{json.dumps(one)}\n" for one in rows(["茶", "酒", "茶", "水"], [0.9, 0.8, 0.7, 0.1])), "utf-8"
    )
    called = ("validate", str(data), "--confidence", "确信度", "-m", "exact-match", "-m", "length-ratio")
    one = here(capsys, *called)
    assert one.code == 0
    assert "exact-match by 确信度, 4 answers: area under the risk-coverage curve 0.3333" in one.out
    several = here(capsys, *called, "-m", "token-f1")
    lines = [line.split() for line in several.out.splitlines()[3:]]
    assert [line[:4] for line in lines] == [
        [name, "0.3333", "0.5000", "0.2083"] for name in ("exact-match", "token-f1")
    ]
    assert lines[0][4:] == ["0.5000", "0.5000", "0.5000", "0.0000"]
    assert len(here(capsys, *called, "-m", "token-f1", "-v").out.splitlines()) > 2 * len(one.out.splitlines()) - 2
    found = here(capsys, *called, "--output-format", "json").json["curves"]
    assert [(each["metric"], len(each["risk"])) for each in found] == [("exact-match", 4)]
    assert here(capsys, "validate", str(data), "--confidence", "确信度", "-m", "length-ratio").code == 2
    refused = here(capsys, *called, "--human", "确信度")
    assert (refused.code, "without labels. Leave out --human and --labels" in refused.err) == (2, True)


def test_errors() -> None:
    result = ragauge.evaluate(rows(["茶", "酒"], ["sure", "unsure"]), ["exact-match", "length-ratio"], resamples=0)
    with pytest.raises(ColumnError, match="no column 'confidence' of confidence"):
        ragauge.risk_coverage(result)
    with pytest.raises(UsageError, match="确信度 must have numbers"):
        ragauge.risk_coverage(result, confidence="确信度")
    with pytest.raises(UsageError, match="length-ratio has no range of 0 to 1"):
        ragauge.risk_coverage(result, "length-ratio", "确信度")
    empty = ragauge.evaluate([{"answer": "茶", "references": ["茶"], "c": None, "d": 1.0}], "exact-match", resamples=0)
    with pytest.raises((UsageError, ColumnError)):
        ragauge.risk_coverage(empty, confidence="c")
