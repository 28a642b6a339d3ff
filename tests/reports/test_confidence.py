"""The curves of confidence in a report: where they go, which runs and metrics have one, and when there are none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import ragauge
from ragauge.results.result import Result
from tests.reports.reading import Element, read

LEFT, RIGHT, TOP, BOTTOM = 42.0, 286.0, 14.0, 180.0


def result(confidences: list[Any], name: str = "confidence") -> Result:
    """Answers of which the first half is right, under a metric without a range and two with one."""
    rows = [
        {"id": f"q{place}", "answer": "茶" if place < len(confidences) / 2 else "酒", "references": ["茶"], name: sure}
        for place, sure in enumerate(confidences)
    ]
    return ragauge.evaluate(rows, ["length-ratio", "exact-match", "mer"], resamples=0)


def page(folder: Path, *results: Result) -> Element:
    names = ["one", "other"][: len(results)]
    return read(ragauge.report(results, folder / "report.html", names=names, force=True))


def points(figure: Element, run: int) -> list[tuple[float, float]]:
    path = figure.all("path", class_="curve")[run].attributes["d"] or ""
    return [(float(x), float(y)) for x, y in (pair.split(" ") for pair in path.strip("M").split("L"))]


def test_a_curve_goes_from_the_surest_answers_to_the_risk_of_all(tmp_path: Path) -> None:
    right_is_sure, wrong_is_sure = [0.9] * 10 + [0.1] * 10, [0.1] * 10 + [0.9] * 10
    section = page(tmp_path, result(right_is_sure), result(wrong_is_sure)).one("section", id="confidence")
    figures = section.all("figure")
    assert [one.one("figcaption").line for one in figures] == ["exact-match", "mer"]
    for figure in figures:
        good, bad = points(figure, 0), points(figure, 1)
        assert good[-1] == bad[-1] == pytest.approx((RIGHT, (TOP + BOTTOM) / 2))
        half = len(good) // 2 - 1
        assert good[half] == pytest.approx(((LEFT + RIGHT) / 2, BOTTOM))
        assert bad[half] == pytest.approx(((LEFT + RIGHT) / 2, TOP))
        said = figure.one("desc").text
        assert said == "one: 100 % 0.5000, 50 % 0.0000, 20 % 0.0000; other: 100 % 0.5000, 50 % 1.0000, 20 % 1.0000"
    curve = ragauge.risk_coverage(result(right_is_sure), "exact-match")
    assert f"area {curve.area:.4f}; 0.5000 if the confidence says nothing, at best {curve.best:.4f}" in figures[0].text


def test_only_runs_with_a_column_of_numbers_have_one(tmp_path: Path) -> None:
    sure = result([0.9, 0.8, 0.2, 0.1])
    both = page(tmp_path, sure, result(["high", "high", "low", "low"])).one("section", id="confidence")
    assert len(both.all("figure")[0].all("path", class_="curve")) == 1
    for other in (result(["high", "low"]), result([None, None]), result([0.9, 0.1], "sureness")):
        assert page(tmp_path, other).all("section", id="confidence") == []
