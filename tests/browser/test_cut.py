"""A page without room for all passages says what is missing of them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ragauge.reports import room
from tests.browser.conftest import Open, written
from tests.reports.test_room import LESS, run

__all__ = ["run"]

PHONE = {"width": 390, "height": 844}


@pytest.fixture
def cut(chromium, run, tmp_path_factory, monkeypatch) -> Path:
    monkeypatch.setattr(room, "BYTES", written(tmp_path_factory, run).stat().st_size - LESS)
    return written(tmp_path_factory, run)


@pytest.mark.parametrize("screen", [None, PHONE])
def test_cut_passages_say_so_and_show_what_an_answer_rests_on(visit: Open, cut: Path, screen):
    reader = visit(cut, **({"screen": screen} if screen else {}))
    assert "--limit" in reader.page.locator("#samples > .note").last.inner_text()
    reader.grid.locator(".body [role=row]").nth(5).click()
    notes = reader.block("Retrieved contexts, in rank order").locator(".cut").all_inner_texts()
    assert len(notes) in (3, 4)
    assert all(re.match(r"[\d,]+ of [\d,]+ characters are here", note) for note in notes)
    reader.sample.locator(".sentence").first.click()
    assert reader.sample.locator(".contexts mark").count() == 1
    assert reader.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
