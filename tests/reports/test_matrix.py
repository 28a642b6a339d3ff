"""Three and more runs by metrics."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import ragauge
from ragauge.comparison.every_pair import best_of, every_pair
from ragauge.display.numbers import interval, number, signed
from ragauge.inference import resampling
from ragauge.reports.sections import changes
from tests.reports.reading import Element, read
from tests.reports.runs import make_run

NAMES = ["yesterday", "重排序", "إعادة الترتيب", "переранжирование"]
METRICS = ("mrr", "token-f1", "column:name=latency,direction=lower")


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("runs")
    skills = (0.3, 0.5, 0.9, 0.85)
    return [
        make_run(folder / name, seed=seed, skill=skills[seed], metrics=METRICS, by=[])
        for seed, name in enumerate(NAMES)
    ]


@pytest.fixture(scope="module")
def page(runs: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Element:
    return read(ragauge.report(runs, tmp_path_factory.mktemp("page") / "report.html"))


def cells(page: Element) -> list[list[Element]]:
    rows = page.one("section", id="runs").one("tbody").all("tr")
    return [[cell for cell in row.children if isinstance(cell, Element)] for row in rows]


def test_values_intervals_and_the_best(page: Element, runs: list[Path]) -> None:
    results = [ragauge.load(run) for run in runs]
    pairs = every_pair(results, [[name] * 4 for name in results[0].metrics])
    for place, (name, (_, *of_runs)) in enumerate(zip(results[0].metrics, cells(page), strict=True)):
        scores = [result[name] for result in results]
        best = best_of([score.value for score in scores], scores[0].direction)
        tied = pairs.like_the_best(best[0], place, range(4))
        for run, (cell, score) in enumerate(zip(of_runs, scores, strict=True)):
            word = " best" if run in best else " ≈ best" if run in tied else ""
            assert cell.one("div", class_="value").line == number(score.value, score.low, score.high) + word
            assert interval(score.low, score.high) in cell.line
            for one in cell.all("div", class_="change"):
                base = int(one.attributes["data-base"] or 0)
                difference = pairs.of(base, run, place)
                assert difference is not None
                assert base != run
                assert f"{signed(*difference.shown)} {difference.outcome}" in one.line
                assert ("hidden" in one.attributes) == (base != 0)
            assert len(cell.all("div", class_="change")) == 3


def test_a_difference_has_one_outcome_on_the_page(page: Element) -> None:
    first = page.one("section", id="changes").all("div", class_="candidate")[0]
    place = NAMES.index(first.all("h3")[0].line.partition(" against ")[0]) + 1
    bodies = first.all("tbody")
    rows_of_both = [row for body in bodies for row in body.all("tr")]
    lines = [[cell.line for cell in row.children if isinstance(cell, Element)] for row in rows_of_both]
    shown = {
        line[0].removesuffix(" ↓ lower is better"): next(word for word in line if word[:1] in "▲▼≈=") for line in lines
    }
    in_matrix = {
        row[0].one("div").line.removesuffix(" ↓ lower is better"): row[place].all("div", class_="change")[0].line
        for row in cells(page)
    }
    assert set(shown) == set(in_matrix)
    for metric, word in shown.items():
        assert in_matrix[metric].startswith(word[0])
        assert word.split()[1] in in_matrix[metric]


def test_no_line_joins_runs_which_may_be_any_systems(page: Element) -> None:
    for row in cells(page):
        figure = row[0].one("svg")
        told = figure.one("desc").line
        assert [told.index(name) for name in NAMES] == sorted(told.index(name) for name in NAMES)
        assert len(figure.all("circle")) == len(NAMES)
        assert not figure.all("path")


def test_two_runs_have_no_matrix(runs: list[Path], tmp_path: Path) -> None:
    assert not read(ragauge.report(runs[:2], tmp_path / "report.html")).all("section", id="runs")


def test_of_many_runs_each_is_compared_with_the_first(
    runs: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(changes, "MOST_PAIRED", 3)
    section = read(ragauge.report(runs, tmp_path / "report.html")).one("section", id="runs")
    assert len(section.one("select").all("option")) == 1
    assert "≈ best" not in section.one("table").line
    assert {one.attributes["data-base"] for one in section.all("div", class_="change")} == {"0"}


def test_runs_of_other_questions_are_shown_and_the_reason_told(runs: list[Path], tmp_path: Path) -> None:
    result = ragauge.load(runs[0])
    other = [{"id": f"q{place}", "relevance": {"z": 1}, "retrieved": ["z"]} for place in range(12)]
    foreign = ragauge.evaluate(other, "mrr", resamples=0)
    section = read(ragauge.report([result, foreign, runs[1]], tmp_path / "report.html", names=["a", "b", "c"])).one(
        "section", id="runs"
    )
    assert len(section.one("ul", class_="notes").all("li")) == 2
    assert "a, b:" in section.line


def test_all_pairs_of_a_report_share_the_draws(
    runs: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each run is summed once for all pairs that it is in: by the weights of replicates, and by swaps."""
    drawn: list[object] = []
    original = resampling.drawn_sums

    def counted(*given: Any) -> Any:
        drawn.append(given)
        return original(*given)

    monkeypatch.setattr(resampling, "drawn_sums", counted)
    ragauge.report(runs, tmp_path / "four.html")
    assert len(drawn) == 2
