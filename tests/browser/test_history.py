"""Metrics over past runs, in a browser: for every eye, hand, language and direction of text."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import ragauge
from tests.browser.conftest import Open
from tests.browser.test_access import contrasts_in_dark_colours, findings
from tests.comparison.test_history import save
from tests.reports.test_history import TAGS


@pytest.fixture(scope="session")
def past(chromium: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report of a run, with the eight runs before it, whose tags are in many scripts."""
    folder = tmp_path_factory.mktemp("past")
    for place, (tag, first) in enumerate(zip(TAGS, (5, 30, 31, 6, 7, 7, 8, 8), strict=True)):
        save(folder / "runs", f"{place}", first, day=place + 1, tag=tag, metrics="mrr", samples=30)
    return ragauge.report(folder / "runs" / "7", folder / "report.html", history=folder / "runs")


def test_nothing_serious_is_found_in_light_and_dark_colours(visit: Open, past: Path, axe: str):
    reader = visit(past)
    reader.page.evaluate("document.querySelectorAll('#history details').forEach(one => { one.open = true })")
    assert findings(reader, axe, "#history") == []
    assert contrasts_in_dark_colours(reader, "#history") == []


def test_the_figure_is_reached_and_opened_by_keys(visit: Open, past: Path):
    reader = visit(past)
    reader.page.locator("nav a[href='#history']").focus()
    reader.press("Enter", "Tab", "Tab")
    assert reader.page.evaluate("document.activeElement.matches('#history figure')")
    reader.press("Tab", "Enter")
    assert reader.page.locator("#history details table").is_visible()
    assert reader.page.evaluate("document.activeElement.matches('#history summary')")


def test_a_screen_reader_is_told_what_the_figure_shows(visit: Open, past: Path):
    reader = visit(past)
    figure = reader.page.locator("#history svg").first
    assert figure.get_attribute("role") == "img"
    assert figure.locator("> title").text_content() == "mrr over 8 runs, with intervals"
    told = figure.locator("> desc").text_content()
    assert [tag in told for tag in TAGS] == [True] * len(TAGS)


def test_the_language_of_the_section_follows_that_of_the_page(visit: Open, past: Path):
    reader = visit(past)
    reader.page.locator("#interface-language").select_option("zh")
    assert reader.page.locator("#history h2").inner_text() == "历次运行"
    assert reader.page.locator("#history svg > title").first.text_content() == "mrr 在 8 次运行中的得分及其区间"


@pytest.mark.parametrize("width", [360, 1280])
def test_names_stand_apart_and_within_the_figure(visit: Open, past: Path, width: int):
    """Right-to-left names are centred on their run as all others are; on a phone the figure scrolls, not the page."""
    reader = visit(past, screen={"width": width, "height": 800})
    assert reader.page.evaluate("document.documentElement.scrollWidth") == width
    boxes = reader.page.locator("#history svg").first.evaluate(
        "svg => [svg, ...[...svg.querySelectorAll('text.tick[text-anchor=middle]')].filter((_, i) => i % 2 === 0)]"
        ".map(one => { const box = one.getBoundingClientRect(); return [box.left, box.right] })"
    )
    (left, right), *names = boxes
    assert len(names) == 8
    assert all(left <= name[0] and name[1] <= right for name in names)
    assert all(before[1] < after[0] for before, after in pairwise(names))
    middles = [(name[0] + name[1]) / 2 for name in names]
    apart = [after - before for before, after in pairwise(middles)]
    assert max(apart) - min(apart) < 3
