"""From the first screen to a sample, and on a phone."""

from __future__ import annotations

from pathlib import Path

import pytest

import ragauge
from tests.browser.conftest import Open
from tests.reports.test_severity import run

DESK, PHONE = {"width": 1280, "height": 800}, {"width": 390, "height": 844}


def test_one_click_opens_one_of_the_worst_samples(visit: Open, compared: Path):
    reader = visit(compared)
    reader.page.locator("#weakest summary").click()
    link = reader.page.locator("#weakest td:last-child a").nth(1)
    name = link.inner_text()
    link.click()
    reader.page.locator("#samples .sample h3").get_by_text(name, exact=True).wait_for()
    assert reader.page.evaluate("document.querySelector('#samples .sample').getBoundingClientRect().top < innerHeight")


def test_one_click_lists_the_samples_that_got_worse_under_a_metric(visit: Open, compared: Path):
    reader = visit(compared)
    links = reader.page.locator("#summary a[href$='test=fell']")
    assert links.count() > 0
    for link in links.all():
        samples = link.evaluate("link => parseInt(link.nextSibling.data)")
        link.click()
        reader.until("location.hash.endsWith('&sort=fell')", 10)
        assert reader.count.startswith(f"{samples} of "), link.inner_text()


def test_back_shows_the_page_as_it_was_before_a_link(visit: Open, compared: Path):
    reader = visit(compared, in_order=False)
    count = reader.count
    for link, shown in (
        ("#summary .worst a", "#samples .sample h3"),
        ("#summary a[href$='test=fell']", "#samples .grid"),
    ):
        reader.page.locator(link).first.click()
        reader.page.locator(shown).wait_for()
        reader.until("location.hash !== ''")
        reader.page.go_back()
        reader.until("location.hash === ''")
        reader.until("document.querySelector('#samples.opened') === null")
        assert reader.count == count


def test_a_link_leads_to_its_sample_as_often_as_it_is_clicked(visit: Open, compared: Path):
    reader = visit(compared, in_order=False)
    link = reader.page.locator("#summary .worst a").first
    for _ in range(2):
        link.click()
        reader.until("document.querySelector('#samples .sample h3')?.getBoundingClientRect().top < innerHeight / 2")
        assert reader.page.evaluate("document.querySelector('#samples .pane').getBoundingClientRect().top") >= 0
        reader.page.evaluate("scrollTo({ top: 0, behavior: 'instant' })")


@pytest.mark.parametrize("fragment", ["", "#sample=q7"])
def test_the_page_is_no_wider_than_a_phone(visit: Open, compared: Path, fragment: str):
    reader = visit(compared, fragment, screen={"width": 390, "height": 844})
    if fragment:
        reader.page.locator("#samples .sample h3").wait_for()
    assert reader.page.evaluate("document.documentElement.scrollWidth") == 390


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_phone_shows_all_columns_of_many_runs_and_their_cards_are_of_the_first_sentence(
    visit: Open, tmp_path: Path, language: str
):
    runs = [run(0), run(120, quality=0.4), run(0, quality=0.7), run(8)]
    names = ["base", "a system with a long name", "best", "last"]
    page = ragauge.report(runs, tmp_path / "many.html", names=names, language=language)
    reader = visit(page, screen={"width": 390, "height": 844})
    table = reader.page.locator(".run-lines")
    assert table.locator("th, td").last.is_visible()
    assert table.evaluate("table => table.parentElement.scrollWidth - table.parentElement.clientWidth") == 0
    assert "best" in reader.page.locator("#summary .finding").first.inner_text()
    assert "best" in reader.page.locator("#summary .of-shown-run > .small").first.inner_text()
    if language == "en":
        assert table.locator("a.worse").all_inner_texts() == ["▼ 8", "▼ 120"]


@pytest.mark.parametrize("screen", [DESK, PHONE], ids=["desk", "phone"])
def test_two_clicks_lead_from_a_metric_that_got_worse_in_one_of_many_runs_to_a_sample(
    visit: Open, tmp_path: Path, screen: dict[str, int]
):
    runs = [run(0, quality=0.7), run(0, quality=0.4), run(0, quality=0.7)]
    page = ragauge.report(runs, tmp_path / "many.html", names=["base", "worse", "alike"])
    reader = visit(page, screen=screen)
    link = reader.page.locator(".run-lines td a.small").first
    assert link.is_visible()
    box = link.bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= screen["width"]
    assert box["y"] + box["height"] <= screen["height"]
    link.click()
    reader.until("location.hash.includes('test=fell')")
    assert "run=worse" in reader.page.url
    assert int(reader.count.split()[0]) > 0
    reader.grid.locator(".body [role=row]").first.click()
    reader.sample.get_by_role("heading").first.wait_for()
    assert reader.sample.locator(".answers h5").all_inner_texts() in (["base", "worse"], [])
