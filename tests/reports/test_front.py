"""Runs by quality and by cost, and those that no other run beats in both."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import ragauge
from ragauge.reports.charts.front import are_known, front, on_front
from ragauge.reports.texts import Texts
from tests.reports.reading import read
from tests.reports.runs import rows
from tests.reports.test_viewer import dated, fetch, serving


@pytest.mark.parametrize("seed", range(5))
def test_the_front_is_what_no_other_point_beats(seed: int) -> None:
    drawn = np.random.default_rng(seed).integers(0, 6, (12, 2)).astype(float)
    points = [(float(cost), float(quality)) for cost, quality in drawn]
    found = on_front(points)
    for place, (cost, quality) in enumerate(points):
        beaten = any((one <= cost and other > quality) or (one < cost and other >= quality) for one, other in points)
        assert (place in found) != beaten
    assert [points[place] for place in found] == sorted(points[place] for place in found)


def saved(folder: Path, *, latency: bool) -> None:
    """Save three runs: the second is better and as fast, the third worse and slower."""
    metrics = ["token-f1", *(["column:name=latency,direction=lower"] if latency else [])]
    for day, (name, skill, seconds) in enumerate((("первый", 0.5, 1.0), ("二", 0.9, 1.0), ("third", 0.1, 2.0)), 1):
        data = [{**row, "latency": seconds} for row in rows(24, skill=skill, failures=0)]
        ragauge.evaluate(data, metrics).save(folder / name)
        dated(folder / name, f"2026-03-0{day}T10:00:00+00:00")


@pytest.mark.parametrize("latency", [True, False])
def test_the_list_shows_the_front_where_runs_have_a_cost(tmp_path: Path, latency: bool) -> None:
    saved(tmp_path, latency=latency)
    with serving(tmp_path) as server:
        sections = read(fetch(server, "/?language=en")[1]).all("section", id="front")
    assert len(sections) == int(latency)
    for section in sections:
        assert section.one("h2").line == "token-f1 by latency (column)"
        assert section.one("p").line.endswith(": 二")
        marks = section.one("svg").all("title")
        assert [mark.line.partition(":")[0] for mark in marks[1:]] == ["первый", "二", "third"]


def test_a_figure_describes_each_run_and_scores_without_a_value_are_told() -> None:
    results = [
        ragauge.evaluate(
            [{"x": 1.0 + place, "y": place}], ["column:name=x,direction=lower", "column:name=y"], resamples=0
        )
        for place in range(3)
    ]
    costs, qualities = ([result[place] for result in results] for place in results[0].metrics)
    svg = read(str(front(Texts("en", ("texts-page.json", "texts-viewer.json")), ["a", "b", "c"], costs, qualities)))
    assert [part.partition(":")[0] for part in svg.one("desc").line.split("; ")] == ["a", "b", "c"]
    assert len(svg.all("line", class_="diagonal")) == 2
    empty = ragauge.evaluate([{"y": None, "x": 1.0}], ["column:name=x", "column:name=y"], resamples=0)
    x, y = (empty[name] for name in empty.metrics)
    assert (are_known(x, x), are_known(x, y)) == (True, False)
