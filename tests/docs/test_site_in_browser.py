"""A real Chromium opens the site from disk: it asks for nothing but files of the site, and no script complains."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from docs.generator.site import ARCHIVE

pytest.importorskip("zensical", reason="no zensical: pip install '.[docs]'")

SHOWN = ["index.html", "metrics/ndcg.html", "metrics/index.html", "reference/command-line.html", "worked-rag.html"]


@pytest.mark.parametrize("name", SHOWN)
def test_opens_from_disk_asks_nobody_and_fits_a_narrow_screen(page: Any, site: Path, name: str) -> None:
    asked: list[str] = []
    complaints: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto((site / name).as_uri(), wait_until="networkidle")
    assert page.locator("h1").inner_text()
    assert asked
    assert [url for url in asked if not url.startswith((site.as_uri(), "data:", "blob:"))] == []
    assert complaints == []
    page.set_viewport_size({"width": 390, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("index.html", "bpref"),
        ("index.html", "茶馆"),
        ("zh/index.html", "门禁"),
        ("zh/start.html", "段落"),
        ("zh/start.html", "大模型评判"),
    ],
)
def test_search_finds_from_disk(page: Any, site: Path, name: str, wanted: str) -> None:
    """Chinese words are found within a sentence, which has no spaces."""
    page.goto((site / name).as_uri(), wait_until="networkidle")
    page.keyboard.press("Control+k")
    box = page.get_by_role("combobox")
    box.wait_for()
    page.keyboard.insert_text(wanted)
    page.locator("a:visible").filter(has_text=wanted).nth(2).wait_for()
    assert box.input_value() == wanted


@pytest.mark.parametrize(("name", "words"), [("index.html", "Better at a price"), ("zh/index.html", "更好，但有代价")])
def test_the_home_page_holds_the_live_report_and_an_install_line_with_its_own_address(
    page: Any, site: Path, name: str, words: str
) -> None:
    page.goto((site / name).as_uri(), wait_until="networkidle")
    command = page.locator("pre code").first.inner_text()
    assert command.startswith(f"pip install {(site / ARCHIVE).as_uri()} && ")
    page.locator("iframe.live").scroll_into_view_if_needed()
    report = page.frame_locator("iframe.live")
    report.get_by_text(words).first.wait_for()
