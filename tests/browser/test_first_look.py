"""From the first screen to a sample, and on a phone."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.browser.conftest import Open


def test_one_click_opens_one_of_the_worst_samples(visit: Open, compared: Path):
    reader = visit(compared)
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


@pytest.mark.parametrize("fragment", ["", "#sample=q7"])
def test_the_page_is_no_wider_than_a_phone(visit: Open, compared: Path, fragment: str):
    reader = visit(compared, fragment, screen={"width": 390, "height": 844})
    if fragment:
        reader.page.locator("#samples .sample h3").wait_for()
    assert reader.page.evaluate("document.documentElement.scrollWidth") == 390
