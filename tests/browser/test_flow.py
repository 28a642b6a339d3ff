"""What became of each answer: the first screen shows it, and a click or a key lists the samples of a band."""

from __future__ import annotations

from pathlib import Path

import pytest

import ragauge
from tests.browser.conftest import Open
from tests.browser.test_causes import ANSWERS, scored

RIGHT = "It opens at nine."


@pytest.fixture
def report(chromium: object, tmp_path: Path) -> Path:
    runs = [scored(RIGHT, RIGHT, RIGHT, ANSWERS[1]), scored(RIGHT, "Oolong.", "I do not know.", RIGHT)]
    return ragauge.report(runs, tmp_path / "report.html")


def test_a_band_and_its_line_list_its_samples(visit: Open, report: Path) -> None:
    reader = visit(report)
    lines = reader.page.locator(".flow li")
    bands = ["right → wrong 1", "right → declined 1", "declined → right 1", "right → right 1"]
    assert lines.all_inner_texts() == bands
    lines.nth(0).get_by_role("link").focus()
    reader.page.keyboard.press("Enter")
    reader.until("location.hash.startsWith('#flow=right%20wrong')")
    assert reader.ids == ["q1"]
    assert reader.page.locator(".picks li").inner_text().startswith("right → wrong")
    for place, listed in enumerate((["q0"], ["q1"], ["q2"], ["q3"])):
        reader.page.locator(".flow .stream").nth(place).dispatch_event("click")
        assert reader.ids == listed
    reader.page.locator(".picks button").click()
    assert "flow=" not in reader.page.url
    reader = visit(report, "#flow=right%20declined&lang=zh")
    assert reader.page.locator("#samples .count").inner_text() == "4 个样本中的 1 个"
    assert reader.page.locator(".picks li").inner_text().startswith("正确 → 拒答")


def test_labels_do_not_meet_and_a_phone_has_the_lines_alone(visit: Open, report: Path) -> None:
    reader = visit(report)
    found = [one.bounding_box() for one in reader.page.locator(".flow svg text").all()]
    boxes = [box for box in found if box is not None]
    assert len(boxes) == 7
    for place, one in enumerate(boxes):
        for other in boxes[place + 1 :]:
            apart = one["x"] + one["width"] <= other["x"] or other["x"] + other["width"] <= one["x"]
            assert apart or one["y"] + one["height"] <= other["y"] + 1 or other["y"] + other["height"] <= one["y"] + 1
    reader = visit(report, screen={"width": 390, "height": 844})
    assert reader.page.evaluate("document.documentElement.scrollWidth") == 390
    assert not reader.page.locator(".flow svg").is_visible()
    assert reader.page.locator(".flow a").first.is_visible()


@pytest.mark.parametrize("address", ["#flow=right", "#flow=right%20left", "#flow=right%20right%20right"])
def test_an_unknown_flow_is_left_out(visit: Open, report: Path, address: str) -> None:
    assert len(visit(report, address).ids) == 4


def test_one_band_has_its_line_and_no_figure(visit: Open, tmp_path: Path) -> None:
    runs = [scored(RIGHT, RIGHT), scored(RIGHT, RIGHT)]
    reader = visit(ragauge.report(runs, tmp_path / "report.html"))
    assert reader.page.locator(".flow li").all_inner_texts() == ["right → right 2"]
    assert reader.page.locator(".flow svg").count() == 0
