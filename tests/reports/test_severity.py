"""Failures stand out by their effect: beyond 5 % or more than by chance; a metric that mostly failed has no value."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import ragauge
from tests.reports.reading import Element, read


def run(failed: int, count: int = 400, quality: float = 0.5) -> ragauge.Result:
    rows: list[dict[str, Any]] = [
        {"id": str(place), "quality": quality + place % 5 / 50, "failure": "time out" if place < failed else None}
        for place in range(count)
    ]
    return ragauge.evaluate(rows, "quality=column:name=quality,low=0,high=1", resamples=0)


def summary(runs: Any, folder: Path, **options: Any) -> Element:
    return read(ragauge.report(runs, folder / "page.html", force=True, **options)).one("section", id="summary")


@pytest.mark.parametrize(
    ("failed", "count", "stands_out"), [(1, 40, False), (3, 40, True), (5, 400, False), (7, 400, True)]
)
def test_failures_stand_out_beyond_chance_or_the_limit(
    tmp_path: Path, failed: int, count: int, stands_out: bool
) -> None:
    last = summary([run(0, count), run(failed, count)], tmp_path).all("p", class_="finding")[-1]
    assert last.attributes["class"] == ("finding worse" if stands_out else "finding")
    sign = "▼ " if stands_out else ""
    assert last.line == f"{sign}run 2 did not answer {failed} of {count} samples (run 1: 0)."


@pytest.mark.parametrize(("failed", "stands_out"), [(2, False), (3, True)])
def test_failures_of_one_run_stand_out_beyond_the_limit(tmp_path: Path, failed: int, stands_out: bool) -> None:
    first = summary(run(failed, 40), tmp_path).all("p", class_="finding")[0]
    assert first.attributes["class"] == ("finding worse" if stands_out else "finding")


def judged(failing: int) -> ragauge.Result:
    """Return a run of 40 samples whose judge replied to all but the first ones."""

    def verdict(sample: Any) -> float:
        if int(sample.answer) < failing:
            raise TimeoutError("no reply in 30 s")
        return 1.0

    rows = [{"id": str(place), "answer": str(place)} for place in range(40)]
    return ragauge.evaluate(rows, [verdict], resamples=0)


@pytest.mark.parametrize(("failing", "stands_out", "usable"), [(2, False, True), (20, True, True), (36, True, False)])
def test_failed_calls_stand_out_with_their_reason_and_a_value_of_few_is_not_usable(
    tmp_path: Path, failing: int, stands_out: bool, usable: bool
) -> None:
    part = summary(judged(failing), tmp_path)
    line = part.one("p", class_="failures")
    sign = "▼ " if stands_out else ""
    assert line.line == f"{sign}verdict failed on {failing} samples; {failing} × TimeoutError: no reply in 30 s"
    assert line.attributes["class"] == ("failures worse" if stands_out else "failures")
    card = part.one("li", class_="card")
    assert card.attributes["class"] == ("card" if usable else "card unusable")
    assert ("not usable: 36 of 40 failed" in card.line) != usable


def test_a_change_of_a_few_scores_is_no_change_of_a_card(tmp_path: Path) -> None:
    card = summary([judged(0), judged(36)], tmp_path, language="zh").one("li", class_="card")
    assert card.attributes["class"] == "card unusable"
    assert "不可用：40 个中有 36 个失败" in card.line
    assert "变差" not in card.line


def test_cards_show_the_run_of_the_first_sentence_and_the_table_has_its_order(tmp_path: Path) -> None:
    runs = [run(0), run(0, quality=0.4), run(0, quality=0.7), run(20, quality=0.7), run(0, quality=0.4)]
    part = summary(runs, tmp_path, names=["base", "worse", "best", "fails", "last"])
    first, second = (one.line for one in part.all("p", class_="finding")[:2])
    assert first == "best is better than base, worse, last under quality; not told apart from fails"
    assert second.startswith("▲ Ship (best): better under quality")
    table = part.one("table", class_="run-lines")
    assert [head.line for head in table.one("tbody").all("th")] == [
        "base Base",
        "▲ best Ship",
        "▼ worse Do not ship",
        "▼ last Do not ship",
        "▼ fails Do not ship",
    ]
    assert "Values of best, and changes from base: + is better." in part.line
    page = read(ragauge.report(runs, tmp_path / "all.html", names=["base", "worse", "best", "fails", "last"]))
    assert page.one("h1").line == "base → best (ranks first of 4 candidates)"
    assert page.one("section", id="changes").all("h3")[0].line == "best against base"
    heads = page.one("section", id="runs").one("thead").all("th")[1:]
    notes = {head.one("bdi").line: [one.line for one in head.all("div", class_="small")] for head in heads}
    assert notes == {"base": ["Base"], "worse": [], "best": ["ranks first"], "fails": [], "last": []}
    assert "0.7400" in part.one("li", class_="card").line


def test_samples_are_counted_as_worse_where_the_change_shows_as_in_their_list(tmp_path: Path) -> None:
    falls = [0.1] * 3 + [0.0004] * 5 + [0.0] * 12
    rows = [[{"id": str(place), "v": 0.5 - k * fall} for place, fall in enumerate(falls)] for k in range(2)]
    part = summary([ragauge.evaluate(some, "v=column:name=v,low=0,high=1") for some in rows], tmp_path)
    assert "Samples that got worse: v 3" in part.line
