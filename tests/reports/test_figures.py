"""What figures show is what was computed."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ragauge
from ragauge.display.numbers import interval, number
from ragauge.reports.charts.canvas import span, text_width, ticks
from ragauge.reports.charts.distributions import bubbles
from ragauge.reports.runs import Page, load_runs
from ragauge.reports.sections.distributions import correlations
from ragauge.reports.sections.scores import cutoff_curves, cutoffs
from ragauge.reports.texts import Texts, message
from ragauge.results.result import Result
from ragauge.results.score import shown_name
from tests.reports.reading import Element, read
from tests.reports.runs import make_result, rows


@pytest.fixture(scope="module")
def result() -> Result:
    return make_result(rows(60, seed=2))


@pytest.fixture(scope="module")
def page(result: Result, tmp_path_factory: pytest.TempPathFactory) -> Element:
    return read(ragauge.report(result, tmp_path_factory.mktemp("page") / "report.html"))


def counted(said: str) -> int:
    """Return the number of samples in the title of a bar or a circle."""
    return int(said.rsplit(": ", 1)[1].split(maxsplit=1)[0])


def test_a_score_and_its_interval_lie_on_the_line_from_0_to_1(page: Element, result: Result) -> None:
    figures = [one for one in page.one("section", id="scores").all("svg") if one.all("line", class_="interval")]
    bars = {figure.one("title").attributes["data-metric"] or "": figure for figure in figures}
    assert set(bars) == set(map(shown_name, result.metrics))
    for name in set(bars) - {"latency (column)"}:
        [line, *ends], score = bars[name].all("line", class_="track"), result[name]
        start, stop = (float(line.attributes[end] or 0) for end in ("x1", "x2"))
        assert [end.attributes["x1"] for end in ends] == [line.attributes["x1"], line.attributes["x2"]]
        drawn_at = [float(bars[name].one("circle").attributes["cx"] or 0)]
        drawn_at += [float(bars[name].one("line", class_="interval").attributes[end] or 0) for end in ("x1", "x2")]
        wanted = [start + (stop - start) * value for value in (score.value, score.low, score.high)]
        assert drawn_at == pytest.approx(wanted, abs=0.02)
        assert bars[name].one("title").attributes["data-interval"] == interval(score.low, score.high)


def test_bars_count_the_samples(page: Element, result: Result) -> None:
    figures = page.one("section", id="distributions").all("figure")
    assert [figure.one("figcaption").line for figure in figures] == list(map(shown_name, result.metrics))
    for name, figure in zip(result.metrics, figures, strict=True):
        counts = [counted(bar.line) for bar in figure.all("rect", class_="bar")]
        assert sum(counts) == result[name].scored
        scores = result.scores(name)
        known = scores[~np.isnan(scores)]
        ends = (0.0, 1.0) if "latency" not in name else span([float(known.min()), float(known.max())])
        assert counts == [count for count in np.histogram(known, 20, ends)[0].tolist() if count]


def test_bars_are_as_high_as_their_counts(page: Element) -> None:
    for figure in page.one("section", id="distributions").all("figure"):
        bars = figure.all("rect", class_="bar")
        counts = [counted(bar.line) for bar in bars]
        heights = [float(bar.attributes["height"] or 0) for bar in bars]
        highest = max(heights)
        assert heights == pytest.approx([max(1, highest * count / max(counts)) for count in counts], abs=0.02)


def test_curves_go_through_the_scores_that_were_asked_for(result: Result) -> None:
    families = {one.metric: one for one in cutoffs(Page.of(load_runs(result), Texts()))}
    assert set(families) == {"ndcg", "recall", "mrr"}
    for family, asked in (("ndcg", (1, 3, 5)), ("recall", (5,))):
        found = families[family]
        assert found.cutoffs == [1, 2, 3, 5]
        for k in asked:
            assert found.by_run[0][k].value == result[f"{family}@{k}"].value
    again = ragauge.evaluate(rows(60, seed=2), ["mrr@1", "mrr@2", "mrr@3", "mrr@5"], resamples=0)
    assert [score.value for score in families["mrr"].by_run[0].values()] == [score.value for score in again.table]


def test_curves_of_passages_without_ids(tmp_path: Path) -> None:
    hidden = {"retrieved", "retrieved_scores", "relevance"}
    samples = [{name: value for name, value in row.items() if name not in hidden} for row in rows(20)]
    result = make_result(samples, ["hit-rate", "precision@2"])
    found = {one.metric: one for one in cutoffs(Page.of(load_runs(result), Texts()))}
    assert set(found) == {"hit-rate", "precision"}
    assert found["precision"].by_run[0][2].value == result["precision@2"].value
    assert found["hit-rate"].by_run[0][found["hit-rate"].cutoffs[-1]].value == result["hit-rate"].value


def test_correlations_are_those_of_scipy(result: Result, stats: Any) -> None:
    scores = [result.scores(name) for name in result.metrics]
    scores[2] = np.where(np.arange(60) % 7 == 0, np.nan, scores[2])
    found = correlations(scores)
    for i, j in combinations(range(len(scores)), 2):
        both = ~(np.isnan(scores[i]) | np.isnan(scores[j]))
        wanted = stats.spearmanr(scores[i][both], scores[j][both]).statistic
        assert found[i, j] == pytest.approx(wanted, abs=1e-12)
        assert found[j, i] == found[i, j]


def test_circles_hold_all_samples_that_have_both_scores(page: Element, result: Result) -> None:
    figures = page.one("section", id="relations").all("figure")
    assert len(figures) == 6
    for figure in figures:
        title = figure.all("title")[0].line
        total = int(title.rsplit("over ", 1)[1].removesuffix(" samples"))
        counts = [counted(circle.line) for circle in figure.all("circle")]
        assert sum(counts) == total == result["mrr"].scored


def test_groups_have_the_scores_of_the_run(page: Element, result: Result) -> None:
    table = page.one("section", id="groups").all("tbody")[0]
    shown = {(row.one("th").line, *[cell.line for cell in row.all("td")][:2]) for row in table.all("tr")}
    wanted = {
        (label, shown_name(name), number(score.value, score.low, score.high))
        for name in result.metrics
        for label, score in result.groups(name, "language").items()
    }
    assert shown == wanted


def test_the_differences_stand_in_the_forest(tmp_path: Path) -> None:
    runs = [make_result(rows(40, seed=seed, skill=skill)) for seed, skill in ((1, 0.3), (2, 0.9))]
    page = read(ragauge.report(runs, tmp_path / "report.html"))
    figures = page.one("section", id="changes").all("figure", class_="plain")
    comparison = ragauge.compare(*runs)
    forest, latency, more = (figure.all("circle", class_="mark") for figure in figures)
    marks = [*forest, *more]
    by_kind = sorted(comparison.table, key=lambda one: not one.primary)
    bounded = [one for one in by_kind if "latency" not in one.metric]
    assert len(forest) == sum(one.primary for one in bounded)
    assert [mark.has(class_=one.outcome) for mark, one in zip(marks, bounded, strict=True)] == [True] * len(bounded)
    places = [float(mark.attributes["cx"] or 0) for mark in marks]
    for some in (slice(len(forest)), slice(len(forest), None)):
        differences = [one.difference for one in bounded[some]]
        slope, middle = np.polyfit(differences, places[some], 1)
        assert places[some] == pytest.approx([middle + slope * one for one in differences], abs=0.02)
    assert len(latency) == 1


def test_names_of_metrics_are_cut_to_the_room_beside_the_axis() -> None:
    middle = np.array([0.5])
    names = ("across:" * 20, "up:" * 40)
    figure = read(
        str(bubbles(Texts(), (middle, middle), ((0.0, 1.0), (0.0, 1.0)), names, message("page.distributions")))
    )
    width = float(figure.one("svg").attributes["width"] or 0)
    for label in figure.all("text", class_="label"):
        shown = str(label.children[0])
        assert shown.endswith("…")
        assert 0.75 * width < text_width(shown) < 0.9 * width


@pytest.mark.parametrize("ends", [(0.0, 1.0), (-3.7, 12.0), (0.0, 1e-13), (1e13, 9e13), (-0.001, 0.0004)])
def test_axes_have_few_round_numbers_within_their_ends(ends: tuple[float, float]) -> None:
    low, high = span(ends)
    found = ticks(low, high)
    assert 3 <= len(found) <= 12
    assert low - 1e-9 * abs(high) <= found[0] <= found[-1] <= high + 1e-9 * abs(high)
    assert low <= ends[0] <= ends[1] <= high


def test_a_curve_holds_the_interval_that_the_scorecard_has(tmp_path: Path) -> None:
    result = make_result(rows(30), ["ndcg@2,10", "precision@3:ties=input"])
    scores = cutoffs(Page.of(load_runs(result), Texts()))
    page = read(ragauge.report(result, tmp_path / "report.html"))
    figures, tables = (page.one("section", id="cutoffs").all(name) for name in ("figure", "table"))
    assert [len(figure.all("svg")) for figure in figures] == [1, 1]
    assert [table.one("caption").line for table in tables] == ["ndcg", "precision:ties=input"]
    assert [one.cutoffs for one in scores] == [[1, 2, 3, 5, 10]] * 2
    by_metric = cutoff_curves(load_runs(result)[0])
    for (name, curve), (metric, k) in zip(by_metric.items(), (("ndcg", 10), ("precision", 3)), strict=True):
        assert name.startswith(metric)
        score = next(score for score in result.table if score.metric.startswith(f"{metric}@{k}"))
        assert (curve[k].value, curve[k].low, curve[k].high) == (score.value, score.low, score.high)


@pytest.mark.parametrize(
    ("low", "high", "numbers"),
    [(0, 11, [0, 5, 10]), (0, 10, [0, 2, 4, 6, 8, 10]), (-1, 1, [-1, -0.5, 0, 0.5, 1]), (0.2, 0.31, [0.2, 0.25, 0.3])],
)
def test_an_axis_has_about_five_numbers(low: float, high: float, numbers: list[float]) -> None:
    assert ticks(low, high) == numbers
