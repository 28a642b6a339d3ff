"""axe-core finds nothing serious, whatever is shown."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.browser.conftest import Open


def findings(reader, axe: str, within: str = "body", coloured: str | None = None) -> list[str]:
    """Return what is wrong within a part of the page, and which texts within ``coloured`` lack contrast.

    Contrast takes two thirds of the time, so no element is looked at twice in the same colours.
    """
    reader.page.evaluate(axe)
    apart = "{ 'color-contrast': { enabled: false } }" if coloured else "{}"
    options = f"{{ resultTypes: ['violations'], rules: {apart} }}"
    found = reader.page.evaluate(f"where => axe.run(where, {options})", within)
    assert len(found["passes"]) > 15
    assert coloured or any(rule["id"] == "color-contrast" for rule in found["passes"])
    return serious(found) + (contrasts(reader, coloured) if coloured else [])


def only_samples(reader) -> None:
    """Take the other sections from the page: they look the same however the samples are shown."""
    taken = reader.page.evaluate(
        "[...document.querySelectorAll('main > section:not(#samples)')].map(section => section.remove()).length"
    )
    assert taken > 5


def contrasts(reader, coloured: str) -> list[str]:
    found = reader.page.evaluate("where => axe.run(where, { runOnly: ['color-contrast'] })", coloured)
    assert found["passes"]
    return serious(found)


def contrasts_in_dark_colours(reader, coloured: str = "body") -> list[str]:
    """Return which texts lack contrast in the dark colours of a page that `findings` has seen: all else is the same."""
    light = reader.colour("body", "color")
    reader.page.emulate_media(color_scheme="dark")
    assert reader.colour("body", "color") != light
    return contrasts(reader, coloured)


def serious(found: Any) -> list[str]:
    return [
        f"{rule['impact']} {rule['id']}: {node['target']} {node['failureSummary']}"
        for rule in found["violations"]
        if rule["impact"] in ("serious", "critical", "moderate")
        for node in rule["nodes"]
    ]


@pytest.mark.parametrize("report", ["few", "few_compared"])
def test_whole_pages(visit: Open, request: pytest.FixtureRequest, axe: str, report: str):
    reader = visit(request.getfixturevalue(report))
    assert findings(reader, axe) == []
    assert contrasts_in_dark_colours(reader) == []


# Beside the opened sample, only its row looks other than in the whole pages.
OPENED = "article, .row[aria-selected=true]"


@pytest.mark.parametrize(("report", "name"), [("few", "q2"), ("few", "q13"), ("few_compared", "q9")])
def test_opened_samples(visit: Open, request: pytest.FixtureRequest, axe: str, report: str, name: str):
    reader = visit(request.getfixturevalue(report), f"#sample={name}")
    assert reader.page.locator(OPENED).count() == 2
    only_samples(reader)
    assert findings(reader, axe, "#samples", OPENED) == []
    assert contrasts_in_dark_colours(reader, OPENED) == []


def test_chosen_sentence_unfolded_evidence_and_a_failure(visit: Open, few: Path, axe: str):
    reader = visit(few, "#sample=q0")
    only_samples(reader)
    reader.sample.locator(".sentence").first.click()
    reader.sample.locator("summary").first.click()
    assert findings(reader, axe, "#samples", OPENED) == []
    reader.choose("Status", "something failed")
    reader.grid.locator(".body [role=row]").first.click()
    assert findings(reader, axe, "#samples") == []


def test_nothing_found_and_all_filters_in_use(visit: Open, few_compared: Path, axe: str):
    reader = visit(few_compared)
    only_samples(reader)
    reader.choose("Metric", "mrr")
    reader.search("no such text")
    assert findings(reader, axe, "#samples") == []


def test_in_chinese_and_on_a_small_screen(visit: Open, few_chinese: Path, axe: str):
    reader = visit(few_chinese, "#sample=q5", screen={"width": 360, "height": 700})
    assert findings(reader, axe) == []


def test_what_is_wrong_would_be_found(visit: Open, few: Path, axe: str):
    reader = visit(few, "#sample=q2")
    only_samples(reader)
    reader.page.evaluate("document.querySelector('[type=search]').labels[0].remove()")
    reader.page.evaluate("document.querySelector('.head .row').removeAttribute('role')")
    reader.page.evaluate("document.querySelector('article h4').style.color = 'rgb(128 128 128 / 0.4)'")
    found = findings(reader, axe, "#samples", "article h4")
    assert any(" label:" in finding for finding in found)
    assert any("aria-required" in finding for finding in found)
    assert any(" color-contrast:" in finding for finding in found)
