"""Where the list, the opened sample and the figures stand: side by side, or one over the other on a phone."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.browser.conftest import Open
from tests.browser.test_access import contrasts_in_dark_colours, findings, only_samples
from tests.cli.running import here

PHONE = {"width": 390, "height": 844}
LAPTOP = {"width": 1280, "height": 800}

# Labels of which a part is cut off, without an ellipsis or a scroll bar.
CUT = """() => [...document.querySelectorAll("#samples :is(label, h3, h4, h5, summary, button, th), .card .name")]
  .filter((one) => one.checkVisibility() && !one.closest(".grid, .unseen") && one.scrollWidth > one.clientWidth + 1)
  .filter((one) => getComputedStyle(one).clipPath === "none" && getComputedStyle(one).overflowX !== "visible")
  .map((one) => one.textContent)"""


SCROLLED = "[...document.querySelectorAll('#samples .scroll')].every((one) => one.scrollWidth <= one.clientWidth)"


def test_the_worst_are_first_in_one_run(visit: Open, one_run: Path):
    reader = visit(one_run, in_order=False)
    scores = [float(cell) for cell in reader.column("rouge-l") if cell != "✗ failed"]
    assert scores == sorted(scores)
    assert reader.page.locator("#samples-order option:checked").inner_text() == "worst first"


def test_the_page_of_the_demo_is_short_before_it_is_unfolded(
    visit: Open, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    assert here(capsys, "demo", "-o", tmp_path / "demo").code == 0
    reader = visit(tmp_path / "demo" / "report.html", screen=LAPTOP)
    height = "document.documentElement.scrollHeight"
    assert reader.page.evaluate(height) <= 3500
    shown = reader.page.locator("#summary").inner_text()
    assert all(words in shown for words in ("Better at a price", "Worse on 5 samples", "recall@5", "Worst samples"))
    assert reader.page.locator("#changes tbody").first.inner_text().count("▲ better") == 3, "primary metrics are shown"
    reader.page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert reader.page.evaluate(height) > 6000


def test_those_that_changed_most_are_first_in_two(visit: Open, compared: Path):
    reader = visit(compared, in_order=False)
    changes = [float(cell.split()[1]) for cell in reader.column("Δ change in rouge-l") if cell != "–"]
    assert changes == sorted(changes, key=lambda change: (-abs(change), change)), "of one size the worse come first"
    assert changes[0] != 0


def test_question_answer_and_score_stay_when_the_table_is_scrolled(visit: Open, one_run: Path):
    reader = visit(one_run, screen=LAPTOP)
    kept = ("Id", "Question", "Answer", "rouge-l")
    for name in ("mrr", "token-f1", "ndcg@1"):
        reader.place(name)
    before = [reader.head(name).bounding_box() for name in kept]
    reader.grid.evaluate("grid => { grid.scrollLeft = 400; grid.scrollTop = 500 }")
    assert [reader.head(name).bounding_box() for name in kept] == before
    assert reader.grid.evaluate("grid => grid.scrollLeft") > 100


@pytest.mark.parametrize("report", ["one_run", "compared", "chinese"])
def test_the_opened_sample_is_beside_the_list(visit: Open, request: pytest.FixtureRequest, report: str):
    reader = visit(request.getfixturevalue(report), screen=LAPTOP)
    reader.open("q5")
    grid, sample = reader.grid.bounding_box(), reader.sample.bounding_box()
    assert sample["x"] >= grid["x"] + grid["width"]
    assert abs(sample["y"] - grid["y"]) < 2
    assert sample["y"] + sample["height"] <= LAPTOP["height"] + 1
    row = reader.grid.locator("[aria-selected=true]")
    for part in (".question", ".answer", ".score.kept"):
        assert row.locator(part).is_visible(), part
    assert reader.page.evaluate(SCROLLED)
    assert reader.page.evaluate("document.documentElement.scrollWidth") == LAPTOP["width"]
    assert reader.page.evaluate(CUT) == []


@pytest.mark.parametrize("report", ["compared", "chinese"])
def test_it_is_a_sheet_on_a_phone(visit: Open, request: pytest.FixtureRequest, report: str):
    reader = visit(request.getfixturevalue(report), screen=PHONE)
    row = reader.grid.locator(".body [role=row]").first
    assert [row.locator(part).is_visible() for part in (".question", ".answer", ".score.kept")] == [True] * 3
    assert reader.page.evaluate(CUT) == []
    row.click()
    box = reader.sample.bounding_box()
    assert (box["x"], box["width"]) == (0, PHONE["width"])
    assert box["y"] + box["height"] == PHONE["height"]
    assert reader.page.locator("dialog:modal").count() == 1
    assert reader.page.evaluate("document.querySelector('#samples .content').scrollWidth <= innerWidth")
    assert reader.page.evaluate(CUT) == []
    assert reader.page.evaluate(SCROLLED)
    first = reader.sample.locator("h3").inner_text()
    reader.press("j")
    assert reader.sample.locator("h3").inner_text() != first
    reader.press("Escape")
    assert not reader.sample.is_visible()
    assert reader.page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]


def test_a_turned_phone_shows_the_sample_beside_the_list(visit: Open, one_run: Path):
    reader = visit(one_run, "#sample=q5", screen=PHONE)
    reader.page.set_viewport_size({"width": 1000, "height": 500})
    reader.until("document.querySelector('dialog:modal') === null")
    assert reader.sample.is_visible()
    reader.page.set_viewport_size(PHONE)
    reader.until("document.querySelector('dialog:modal') !== null")
    assert reader.sample.locator("h3").inner_text() == "Sample q5"


def test_the_comparison_fits_a_phone(visit: Open, compared: Path):
    reader = visit(compared, screen=PHONE)
    for figure in reader.page.locator("#changes figure.for-narrow").all():
        assert figure.evaluate("figure => figure.scrollWidth <= figure.clientWidth")
    assert reader.page.locator("#changes figure.for-narrow svg").first.is_visible()
    assert not reader.page.locator("#changes figure.for-wide").first.is_visible()


def test_columns_are_chosen(visit: Open, one_run: Path):
    reader = visit(one_run)
    reader.page.locator("#samples .chooser summary").click()
    boxes = reader.page.locator("#samples .chooser")
    assert not boxes.get_by_label("latency", exact=True).is_checked()
    for name in ("mrr", "topic"):
        boxes.get_by_label(name, exact=True).uncheck()
    boxes.get_by_label("latency", exact=True).check()
    assert not {"mrr", "topic"} & set(reader.heads)
    assert reader.heads[-1] == "latency"
    boxes.get_by_label("mrr", exact=True).press("Escape")
    assert not boxes.locator(".list").is_visible()
    assert reader.heads[:4] == ["Id", "Question", "Answer", "rouge-l"]


def test_a_phone_has_chosen_columns_beside_its_rows(visit: Open, compared: Path):
    reader = visit(compared, screen=PHONE)
    others = reader.grid.locator(".body .row").first.locator(".others .cell")
    assert others.count() == 0
    reader.page.locator("#samples .chooser summary").click()
    reader.page.locator(".chooser").get_by_label("topic", exact=True).check()
    reader.page.locator(".chooser summary").press("Escape")
    assert others.all_inner_texts() == ["furniture"]
    assert reader.page.evaluate("document.documentElement.scrollWidth") == 390
    assert reader.grid.evaluate("grid => grid.querySelector('.pinned').clientWidth - grid.clientWidth") == 0
    others.last.scroll_into_view_if_needed()
    box = others.last.bounding_box()
    assert 0 <= box["x"] <= box["x"] + box["width"] <= 390


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_is_wrong_with_a_sheet_a_menu_and_picks(visit: Open, few_compared: Path, axe: str, scheme: str):
    reader = visit(few_compared, "#within=[0,1]%200%20mrr&within=[0,1]%201%20mrr", screen=LAPTOP)
    reader.page.emulate_media(color_scheme=scheme)
    only_samples(reader)
    reader.page.locator("#samples .chooser summary").click()
    assert findings(reader, axe, "#samples") == []
    reader.page.set_viewport_size(PHONE)
    reader.press("Escape")
    reader.grid.locator(".body [role=row]").first.click()
    assert findings(reader, axe, "#samples") == []


def test_names_of_metrics_are_whole_in_the_heads_of_the_list(visit: Open, compared: Path):
    reader = visit(compared, screen=LAPTOP, in_order=False)
    heads = reader.page.locator("#samples .grid .head button")
    assert heads.count() > 4
    cut = "(all) => all.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.textContent)"
    assert [name for name in heads.evaluate_all(cut) if len(name) <= 20] == []


@pytest.mark.parametrize(("report", "name"), [("few_compared", "Contents"), ("few_chinese", "目录")])
def test_the_contents_unfold_on_a_phone(visit: Open, request: pytest.FixtureRequest, axe: str, report: str, name: str):
    reader = visit(request.getfixturevalue(report), screen=PHONE)
    button = reader.page.get_by_role("button", name=name, exact=True)
    reader.page.set_default_timeout(5000)
    links = reader.page.locator("nav a")
    focused = "document.activeElement.id"
    assert not links.first.is_visible()
    button.focus()
    reader.press("Enter")
    assert button.get_attribute("aria-expanded") == "true"
    assert all(link.is_visible() for link in links.all())
    box = reader.page.locator("nav ul").bounding_box()
    assert (box["x"], box["width"]) == (0, PHONE["width"])
    assert box["y"] + box["height"] <= PHONE["height"]
    assert findings(reader, axe, "header, nav, footer") == []
    assert contrasts_in_dark_colours(reader, "nav") == []
    reader.press("Tab", "Escape")
    assert not links.first.is_visible()
    assert reader.page.evaluate(focused) == "contents"
    button.click()
    reader.page.locator("nav a[href='#reproduce']").click()
    assert not links.first.is_visible()
    assert button.get_attribute("aria-expanded") == "false"
    reader.until("document.querySelector('#reproduce details').open", 5)
    reader.press("Tab")
    assert reader.page.evaluate("document.activeElement.closest('#reproduce') !== null")
    button.click()
    reader.page.locator("h1").dispatch_event("click")
    assert not links.first.is_visible()
    button.click()
    reader.press("Shift+Tab")
    assert not links.first.is_visible()


def test_the_contents_stand_beside_a_wide_page(visit: Open, few_compared: Path):
    reader = visit(few_compared, screen=LAPTOP)
    assert not reader.page.locator("#contents").is_visible()
    assert all(link.is_visible() for link in reader.page.locator("nav a").all())
