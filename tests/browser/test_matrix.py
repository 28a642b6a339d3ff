"""Runs by metrics in a browser: the base that a reader chooses, small screens, both languages, hostile names."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import Any

import pytest

import ragauge
from ragauge.core.spec import quoted
from tests.browser.conftest import Open
from tests.browser.payloads import PAYLOADS
from tests.browser.test_access import contrasts_in_dark_colours, findings
from tests.browser.test_hostile import policy_off, unharmed, watched
from tests.reports.runs import make_run, rows
from tests.reports.test_history import TAGS

__all__ = ["policy_off", "watched"]
METRICS = ("mrr", "token-f1", "column:name=latency,direction=lower")
PHONE, DESK = {"width": 390, "height": 844}, {"width": 1280, "height": 800}


@pytest.fixture(scope="session")
def six(chromium: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report of six runs, whose names are in many scripts."""
    folder = tmp_path_factory.mktemp("six")
    runs = [
        make_run(folder / name, seed=seed, skill=0.3 + seed / 10, metrics=METRICS, by=[])
        for seed, name in enumerate(TAGS[:6])
    ]
    return ragauge.report(runs, folder / "report.html")


@pytest.fixture(scope="session")
def hostile_runs(chromium: Any, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Reports of three runs each; every payload is the name of a run in one of them, and of a metric."""
    folder = tmp_path_factory.mktemp("hostile")
    reports, texts = [], iter(PAYLOADS)
    for place in range(0, len(PAYLOADS), 8):
        names = list(islice(texts, 8))
        made = rows(6)
        given = [{**row, **{name: float(number + len(name)) for name in names}} for number, row in enumerate(made)]
        metrics = [f"column:name={quoted(name)}" for name in names]
        result = ragauge.evaluate(given, metrics, resamples=0)
        reports.append(ragauge.report([result] * len(names), folder / f"{place}.html", names=names))
    return reports


@pytest.mark.parametrize("screen", [DESK, PHONE], ids=["desk", "phone"])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_nothing_overflows_the_page_and_no_label_is_clipped(visit: Open, six: Path, screen: Any, language: str):
    reader = visit(six, screen=screen)
    reader.page.locator("#interface-language").select_option(language)
    assert reader.page.evaluate("document.documentElement.scrollWidth") == screen["width"]
    clipped = reader.page.evaluate(
        "[...document.querySelectorAll('#runs :is(td, th, select)')]"
        ".filter(one => one.scrollWidth > one.clientWidth + 1)"
        ".map(one => one.textContent)"
    )
    assert clipped == []


def test_the_names_of_metrics_stay_while_the_runs_scroll(visit: Open, six: Path):
    reader = visit(six, screen=PHONE)
    places = (
        "[...document.querySelectorAll('#runs tbody tr:first-child > *')].map(one => one.getBoundingClientRect().left)"
    )
    before = reader.page.evaluate(places)
    reader.page.evaluate("document.querySelector('.matrix').scrollLeft = 300")
    after = reader.page.evaluate(places)
    assert after[0] == before[0]
    assert after[1] == before[1] - 300


def test_the_reader_chooses_the_base_without_a_request(visit: Open, six: Path):
    reader = visit(six)
    shown = (
        "[...document.querySelectorAll('#runs .change')]"
        ".filter(one => one.checkVisibility()).map(one => one.dataset.base)"
    )
    assert set(reader.page.evaluate(shown)) == {"0"}
    select = reader.page.get_by_label("Difference from", exact=True)
    assert select.locator("option").all_text_contents() == TAGS[:6]
    select.select_option("3")
    bases = reader.page.evaluate(shown)
    assert set(bases) == {"3"}
    assert len(bases) == 5 * len(METRICS)
    link = reader.page.evaluate("location.hash")
    assert "base=" in link
    again = visit(six, link, in_order=False)
    assert set(again.page.evaluate(shown)) == {"3"}
    assert again.page.evaluate("location.hash") == link
    cells = reader.page.locator("#runs tbody tr").first.locator("td")
    assert cells.nth(3).locator(".change:visible").count() == 0
    assert cells.nth(0).locator(".change:visible").count() == 1


def test_nothing_serious_is_found_in_light_and_dark_colours(visit: Open, six: Path, axe: str):
    reader = visit(six)
    assert findings(reader, axe, "#runs") == []
    assert contrasts_in_dark_colours(reader, "#runs") == []


def test_the_section_follows_the_language(visit: Open, six: Path):
    reader = visit(six)
    reader.page.locator("#interface-language").select_option("zh")
    assert reader.page.locator("#runs h2").inner_text() == "各次运行与各指标"
    assert "最好" in reader.page.locator("#runs table").inner_text()
    assert "better" not in reader.page.locator("#runs table").inner_text()


@pytest.mark.usefixtures("policy_off")
def test_hostile_names_run_nothing(visit: Open, hostile_runs: list[Path]):
    seen: list[str] = []
    for path in hostile_runs:
        reader = visit(path)
        select = reader.page.locator("#base")
        seen += select.locator("option").evaluate_all("all => all.map(one => one.textContent)")
        for option in range(select.locator("option").count()):
            select.select_option(index=option)
        unharmed(reader)
    assert len(seen) == len(PAYLOADS)
