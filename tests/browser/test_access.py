"""axe-core finds nothing serious, whatever is shown."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tests.browser.conftest import Open


@pytest.fixture(scope="session")
def axe() -> str:
    """The source of axe-core."""
    found = find_spec("axe_playwright_python")
    if found is None or found.origin is None:
        pytest.skip("no axe-core: pip install axe-playwright-python")
    return (Path(found.origin).parent / "axe.min.js").read_text(encoding="utf-8")


def findings(reader, axe: str) -> list[str]:
    reader.page.evaluate(axe)
    found = reader.page.evaluate("axe.run(document, { resultTypes: ['violations'] })")
    assert len(found["passes"]) > 15
    return serious(found)


def findings_in_dark_colours(reader) -> list[str]:
    """Return which texts lack contrast in the dark colours of a page that `findings` has seen: all else is the same."""
    light = reader.colour("body", "color")
    reader.page.emulate_media(color_scheme="dark")
    assert reader.colour("body", "color") != light
    return serious(reader.page.evaluate("axe.run(document, { runOnly: ['color-contrast'] })"))


def serious(found: Any) -> list[str]:
    return [
        f"{rule['impact']} {rule['id']}: {node['target']} {node['failureSummary']}"
        for rule in found["violations"]
        if rule["impact"] in ("serious", "critical", "moderate")
        for node in rule["nodes"]
    ]


@pytest.mark.parametrize("fragment", ["", "#sample=q2", "#sample=q13"])
def test_one_run(visit: Open, one_run: Path, axe: str, fragment: str):
    reader = visit(one_run, fragment, color_scheme="light")
    assert findings(reader, axe) == []
    assert findings_in_dark_colours(reader) == []


@pytest.mark.parametrize("fragment", ["", "#sample=q9"])
def test_two_runs(visit: Open, compared: Path, axe: str, fragment: str):
    reader = visit(compared, fragment, color_scheme="light")
    assert findings(reader, axe) == []
    assert findings_in_dark_colours(reader) == []


def test_chosen_sentence_unfolded_evidence_and_a_failure(visit: Open, one_run: Path, axe: str):
    reader = visit(one_run, "#sample=q0")
    reader.sample.locator(".sentence").first.click()
    reader.sample.locator("summary").first.click()
    assert findings(reader, axe) == []
    reader.choose("Status", "something failed")
    reader.grid.locator(".body [role=row]").first.click()
    assert findings(reader, axe) == []


def test_nothing_found_and_all_filters_in_use(visit: Open, compared: Path, axe: str):
    reader = visit(compared)
    reader.choose("Metric", "mrr")
    reader.search("no such text")
    assert findings(reader, axe) == []


def test_in_chinese_and_on_a_small_screen(visit: Open, chinese: Path, axe: str):
    reader = visit(chinese, "#sample=q5", viewport={"width": 360, "height": 700})
    assert findings(reader, axe) == []


def test_what_is_wrong_would_be_found(visit: Open, one_run: Path, axe: str):
    reader = visit(one_run)
    reader.page.evaluate("document.querySelector('[type=search]').labels[0].remove()")
    reader.page.evaluate("document.querySelector('.head .row').removeAttribute('role')")
    found = findings(reader, axe)
    assert any(" label:" in finding for finding in found)
    assert any("aria-required" in finding for finding in found)
