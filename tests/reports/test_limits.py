"""What the page leaves out where there is much of it: all up to a limit, and beyond it the rest is counted."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ragauge
from ragauge.reports.charts.intervals import interval_bar
from ragauge.reports.payload import numbers
from ragauge.reports.runs import Page, load_runs, select
from ragauge.reports.sections.changes import changes
from ragauge.reports.sections.distributions import relations
from ragauge.reports.sections.scores import cutoff_curves, groupings
from ragauge.reports.sections.weakest import weakest
from ragauge.reports.texts import Texts
from tests.reports.reading import Element, read

TONE = "column:name=tone"


def toned(count: int, **columns: Any) -> list[dict[str, Any]]:
    """Return samples with a number each; a column is made of the sample's number."""
    return [{"id": f"q{i}", "tone": i % 7, **{name: made(i) for name, made in columns.items()}} for i in range(count)]


def page_of(*runs: Any) -> Page:
    return Page.of(load_runs(runs), Texts())


@pytest.mark.parametrize(("count", "bounded"), [(10_000, True), (10_001, False)])
def test_curves_have_intervals_up_to_10_000_samples(count: int, bounded: bool) -> None:
    samples = [{"id": str(i), "retrieved": ["a", "b"], "relevance": {"ab"[i % 2]: 1}} for i in range(count)]
    curve = cutoff_curves(load_runs(ragauge.evaluate(samples, "mrr@2", resamples=20))[0])["mrr"]
    assert [np.isfinite(score.low) for score in curve.values()] == [bounded, bounded]


@pytest.mark.parametrize(("retrieved", "cutoffs"), [(1, []), (2, [1, 2]), (9, [1, 2, 3, 5]), (10, [1, 2, 3, 5, 10])])
def test_curves_go_as_far_as_the_longest_ranking(retrieved: int, cutoffs: list[int]) -> None:
    ids = [f"d{i}" for i in range(retrieved)]
    samples = [
        {"id": "q", "retrieved": ids, "relevance": {"d0": 1}},
        {"id": "r", "retrieved": [], "relevance": {"a": 1}},
    ]
    curves = cutoff_curves(load_runs(ragauge.evaluate(samples, "mrr"))[0])
    assert list(curves.get("mrr", ())) == cutoffs


@pytest.mark.parametrize(("groups", "tested"), [(20, True), (21, False)])
def test_changes_are_tested_in_up_to_20_groups(groups: int, tested: bool) -> None:
    runs = [ragauge.evaluate(toned(63, g=lambda i: i % groups), TONE, by="g", resamples=0) for _ in range(2)]
    found = changes(page_of(*runs))
    assert found is not None
    assert list(found.untested) == ([] if tested else ["g"])
    assert list(found.candidates[0].groups) == (["g"] if tested else [])


@pytest.mark.parametrize(("groups", "tested"), [((20, 21), True), ((21, 20), False)])
def test_groups_are_counted_as_the_baseline_has_them(groups: tuple[int, int], tested: bool) -> None:
    samples = (toned(84, g=lambda i, most=most: i % most) for most in groups)
    found = changes(page_of(*(ragauge.evaluate(rows, TONE, by="g", resamples=0) for rows in samples)))
    assert found is not None
    assert list(found.untested) == ([] if tested else ["g"])


@pytest.mark.parametrize(("count", "tested"), [(5_000, True), (5_001, False)])
def test_changes_are_tested_in_groups_of_up_to_5_000_samples(count: int, tested: bool) -> None:
    runs = [ragauge.evaluate(toned(count, g=lambda i: i % 2), TONE, by="g", resamples=0) for _ in range(2)]
    found = changes(page_of(*runs))
    assert found is not None
    assert list(found.untested) == ([] if tested else ["g"])


@pytest.mark.parametrize(("count", "undrawn", "unlisted"), [(24, 0, 0), (25, 1, 0), (200, 176, 0), (203, 179, 3)])
def test_24_groups_are_drawn_and_200_listed(count: int, undrawn: int, unlisted: int) -> None:
    # The last group is the largest, so it is drawn.
    samples = toned(count + 2, g=lambda i: min(i, count - 1))
    [found] = groupings(page_of(ragauge.evaluate(samples, TONE, by="g", resamples=0)))
    assert (found.count, found.undrawn, found.unlisted) == (count, undrawn, unlisted)
    assert len(found.lines) == count - unlisted
    drawn = read(str(found.figures["tone (column)"])).all("text", **{"text-anchor": "end"})
    names = [text.children[0] for text in drawn if not text.has(class_="tick")]
    assert len(names) == count - undrawn
    assert str(count - 1) in names


@pytest.mark.parametrize(("metrics", "left_out"), [(14, 0), (16, 2)])
def test_14_metrics_are_correlated_and_three_pairs_drawn(metrics: int, left_out: int) -> None:
    random = np.random.default_rng(3)
    samples = [{f"m{k}": float(random.random()) for k in range(metrics)} for _ in range(12)]
    found = relations(page_of(ragauge.evaluate(samples, [f"column:name=m{k}" for k in range(metrics)], resamples=0)))
    assert found is not None
    assert found.left_out == left_out
    assert len(found.within) == 3
    assert len(read(str(found.matrix)).all("rect")) == 14 * 13 // 2


@pytest.mark.parametrize(("values", "there"), [((1, 2, 4), True), ((1, 2, None), False), ((3, 3, 3), False)])
def test_metrics_that_vary_over_three_samples_are_correlated(values: Sequence[int | None], there: bool) -> None:
    samples = [{"a": value, "b": float(place)} for place, value in enumerate(values)]
    found = relations(page_of(ragauge.evaluate(samples, ["column:name=a", "column:name=b"], resamples=0)))
    assert (found is not None) == there


def test_a_pair_of_metrics_without_three_samples_in_common_has_no_correlation() -> None:
    samples = [{"a": i if i < 5 else None, "b": i * i % 7 if i >= 3 else None, "c": -i} for i in range(9)]
    found = relations(page_of(ragauge.evaluate(samples, [f"column:name={name}" for name in "abc"], resamples=0)))
    assert found is not None
    figure = read(str(found.matrix))
    [dash] = figure.all("text", class_="muted")
    assert dash.text == "–"
    numbers = [text.text for text in figure.all("text") if text.attributes["text-anchor"] == "middle"]
    assert numbers == ["–", "-1.00", "+0.71"]
    assert len(figure.all("rect")) == 2


def test_three_samples_to_open_are_named_worst_first() -> None:
    samples = [{"id": f"q{i}", "tone": tone} for i, tone in enumerate([5, 1, 4, 0, 2, 3])]
    page = page_of(ragauge.evaluate(samples, TONE, resamples=0))
    [row] = weakest(page, select(page, 100))
    assert list(row.samples) == ["q3", "q1", "q4"]


@pytest.mark.parametrize(("languages", "more"), [(11, ""), (12, " · …")])
def test_12_languages_and_three_reasons_are_named_most_frequent_first(
    tmp_path: Path, languages: int, more: str
) -> None:
    samples = [
        {"tone": 1, "language": f"x{i}", "failure": f"reason {i}"} for i in range(languages) for _ in range(i + 2)
    ]
    result = ragauge.evaluate([*samples, {"tone": 1}], TONE, resamples=0)
    said = read(ragauge.report(result, tmp_path / "report.html")).one("section", id="evaluated").line
    assert " · ".join([f"x{i} {i + 2}" for i in reversed(range(languages))]) + (more or " · – 1") + " Failed" in said
    total = sum(range(2, languages + 2))
    last = languages - 1
    reasons = "".join(f"{last - k + 2} × reason {last - k}" for k in range(3))
    assert f"the system did not answer {total} of {total + 1} samples{reasons} Scored" in said


def test_numbers_keep_nine_digits() -> None:
    given = [2 / 3, 200 / 3, 123456789.4, 123456789012.6, 1.5, 1e-13, 1.23456789012e-13, 1.23456789012e-14, 0.0, -0.0]
    kept = [0.666666667, 66.6666667, 123456789.0, 123456789013.0, 1.5, 1e-13, 1.23456789e-13, 1.23456789012e-14, 0, 0]
    found = numbers(np.array([*given, np.nan, np.inf, -np.inf]))
    assert found == [*kept, None, None, None]
    assert [np.copysign(1, value) for value in found[8:10] if value is not None] == [1, 1]


def lines(figure: Element, name: str) -> list[tuple[float, ...]]:
    """Return x1, y1, x2, y2 of the lines of a class."""
    return [
        tuple(float(line.attributes[end] or 0) for end in ("x1", "y1", "x2", "y2"))
        for line in figure.all("line", class_=name)
    ]


def test_a_bar_of_a_score_stands_in_its_middle_with_an_end_on_each_side() -> None:
    given = [
        {"answer": "a", "references": ["a" if i % 3 else "b"], "failure": None if i else "late"} for i in range(30)
    ]
    score = ragauge.evaluate(given, "exact-match")["exact-match"]
    svg = read(str(interval_bar(Texts(), score, (0.0, 1.0), 0))).one("svg")
    width, height = (float(svg.attributes[side] or 0) for side in ("width", "height"))
    [track, left, right] = lines(svg, "track")
    assert track == (6, height / 2, width - 6, height / 2)
    assert [left, right] == [(x, height / 2 - 3, x, height / 2 + 3) for x in (6, width - 6)]
    at = lambda value: 6 + (width - 12) * value  # noqa: E731 - the axis
    assert score.bounds is not None
    [bounds], [interval] = lines(svg, "bounds"), lines(svg, "interval")
    assert bounds == pytest.approx((at(score.bounds[0]), height / 2, at(score.bounds[1]), height / 2), abs=0.02)
    assert interval == pytest.approx((at(score.low), height / 2, at(score.high), height / 2), abs=0.02)
