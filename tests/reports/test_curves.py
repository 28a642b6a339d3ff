"""Where the marks, lines and bands of the curves by cutoff stand, on paper: worked out here a second time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import log2, nan

import numpy as np
import pytest

from ragauge.display.numbers import number
from ragauge.reports.charts.canvas import legend
from ragauge.reports.charts.intervals import Curve, curves
from ragauge.reports.texts import Texts
from ragauge.results.score import Score
from tests.reports.reading import Element, read
from tests.reports.runs import make_result, rows

Point = tuple[float, float]

# The plot is 300 by 220 pixels, with room for numbers on the left and for cutoffs below.
LEFT, RIGHT, TOP, BOTTOM = 42.0, 286.0, 14.0, 180.0


def curve(seed: int) -> Curve:
    result = make_result(rows(30, seed=seed), ["ndcg@1,2,5"], by=[])
    return {int(name.partition("@")[2]): result[name] for name in result.metrics}


def at(k: int, value: float) -> Point:
    return LEFT + (RIGHT - LEFT) * log2(k) / log2(5), BOTTOM - (BOTTOM - TOP) * value


def drawn(*found: Curve) -> Element:
    names = [f"run {place}" for place in range(len(found))]
    return read(str(curves(Texts(), "ndcg", names, dict(enumerate(found))))).one("svg")


def points(path: Element) -> list[Point]:
    pairs = (pair.split(" ") for pair in (path.attributes["d"] or "").strip("MZ").split("L"))
    return [(float(x), float(y)) for x, y in pairs]


def near(found: Sequence[Sequence[float]], wanted: Sequence[Point]) -> bool:
    assert len(found) == len(wanted)
    return all(one == pytest.approx(other, abs=0.011) for one, other in zip(found, wanted, strict=True))


def test_a_curve_goes_through_its_scores_and_its_band_through_the_ends_of_the_intervals() -> None:
    found = [curve(1), curve(2)]
    figure = drawn(*found)
    for run, scores in enumerate(found):
        line, band = (figure.all("path", class_=name)[run] for name in ("curve", "band"))
        assert line.has(class_=f"run-{run}")
        assert band.has(class_=f"run-{run}")
        assert near(points(line), [at(k, score.value) for k, score in scores.items()])
        upper = [at(k, score.high) for k, score in scores.items()]
        lower = [at(k, score.low) for k, score in reversed(list(scores.items()))]
        assert near(points(band), [*upper, *lower])
        assert str(band.attributes["d"]).endswith("Z")


def test_each_score_has_the_mark_of_its_run_with_the_number() -> None:
    found = [curve(1), curve(2)]
    figure = drawn(*found)
    circles = figure.all("circle", class_="run-0")
    centres = [(float(one.attributes["cx"] or 0), float(one.attributes["cy"] or 0)) for one in circles]
    assert near(centres, [at(k, score.value) for k, score in found[0].items()])
    moved = [one.attributes["transform"] or "" for one in figure.all("path", class_="mark")]
    assert all(one.has(class_="run-1") for one in figure.all("path", class_="mark"))
    others = [tuple(map(float, one.removeprefix("translate(").removesuffix(")").split())) for one in moved]
    assert near(others, [at(k, score.value) for k, score in found[1].items()])
    said = [title.line for mark in figure.all("circle") for title in mark.all("title")]
    assert said == [f"run 0, k = {k}: {number(score.value, score.low, score.high)}" for k, score in found[0].items()]
    points_said = [
        ", ".join(f"k = {k} {number(score.value, score.low, score.high)}" for k, score in scores.items())
        for scores in found
    ]
    assert figure.one("desc").text == f"run 0: {points_said[0]}; run 1: {points_said[1]}"


def test_the_axes_name_the_cutoffs_and_the_scores() -> None:
    figure = drawn(curve(1))
    texts = figure.all("text")
    found = [(text.line, text.attributes["text-anchor"]) for text in texts]
    assert found == [*((number, "end") for number in ("0", "0.5", "1")), *((k, "middle") for k in "125"), ("k", "end")]
    places = [(float(text.attributes["x"] or 0), float(text.attributes["y"] or 0)) for text in texts]
    beside = [(LEFT - 6, at(1, value)[1] + 4) for value in (0.0, 0.5, 1.0)]
    assert near(places, [*beside, *((at(k, 0)[0], BOTTOM + 14) for k in (1, 2, 5)), (RIGHT, 212.0)])
    grid = [[float(one.attributes[end] or 0) for end in ("x1", "y1", "x2", "y2")] for one in figure.all("line")]
    across = [[LEFT, at(1, value)[1], RIGHT, at(1, value)[1]] for value in (0.0, 0.5, 1.0)]
    up = [[at(k, 0)[0], TOP, at(k, 0)[0], BOTTOM] for k in (1, 2, 5)]
    assert np.allclose(grid, [*across, *up], rtol=0, atol=0.011)


def test_a_curve_of_one_score_is_a_mark_and_one_without_intervals_has_no_band() -> None:
    whole = curve(1)
    bare = {k: _without_interval(score) for k, score in whole.items()}
    figure = drawn(bare)
    assert len(figure.all("path", class_="curve")) == 1
    assert figure.all("path", class_="band") == []
    for first in (True, False):
        half = {k: score if (k == 2) == first else _without_interval(score) for k, score in whole.items()}
        assert len(drawn(half).all("path", class_="band")) == (not first)
    alone = drawn({2: whole[2]})
    assert alone.all("path") == []
    assert [circle.attributes["cx"] for circle in alone.all("circle")] == [str(int(RIGHT))]
    lost = drawn({**whole, 2: replace(whole[2], value=nan)})
    assert near(points(lost.one("path", class_="curve")), [at(k, whole[k].value) for k in (1, 5)])


def _without_interval(score: Score) -> Score:
    return replace(score, low=nan, high=nan)


@pytest.mark.parametrize(("names", "lines"), [(1, 0), (2, 1), (12, 1), (13, 2), (40, 4)])
def test_a_legend_names_the_runs_in_as_many_lines_as_they_need(names: int, lines: int) -> None:
    named = [f"run {place:02}" for place in range(names)]
    made = str(legend(Texts(), named))
    if not lines:
        assert made == ""
        return
    figure = read(made).one("svg")
    found = [
        (text.line, float(text.attributes["x"] or 0), float(text.attributes["y"] or 0)) for text in figure.all("text")
    ]
    assert [name for name, _, _ in found] == named
    assert sorted({y for _, _, y in found}) == [14.0 + 20 * line for line in range(lines)]
    assert float(figure.attributes["height"] or 0) == 14 + 20 * (lines - 1) + 8
    assert {x for _, x, y in found if x == 19.0} == {19.0}
    assert float(figure.attributes["width"] or 0) <= 1000
