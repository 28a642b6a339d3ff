"""The address of the page holds what is shown, and a link shows the same again."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import unquote

import ragauge
from tests.browser.conftest import Open
from tests.reports.runs import make_result, rows

PHONE = {"width": 390, "height": 844}


def address(reader) -> str:
    return unquote(reader.page.url.partition("#")[2])


def texts(reader) -> list[str]:
    return list(reader.grid.locator(".body [role=row]").all_text_contents())


def test_it_names_the_opened_sample(visit: Open, one_run: Path):
    reader = visit(one_run, in_order=False)
    assert "#" not in reader.page.url
    reader.follow("q4")
    assert address(reader) == "sample=q4"
    reader.press("j")
    assert address(reader).startswith("sample=q")
    assert address(reader) != "sample=q4"
    reader.press("Escape")
    assert "#" not in reader.page.url


def test_search_filters_order_sample_columns_and_language_come_back(visit: Open, one_run: Path):
    reader = visit(one_run, in_order=False)
    reader.choose("topic", "music")
    reader.choose("Language", "ar")
    reader.choose("Status", "all scored")
    reader.choose("Metric", "token-f1")
    reader.choose("comparison", "at least")
    reader.page.get_by_label("threshold").fill("0.25")
    reader.search("الفانوس")
    reader.choose("Order", "best first")
    reader.page.locator("#samples .chooser summary").click()
    reader.page.locator("#samples .chooser").get_by_label("recall@5").uncheck()
    reader.press("Escape")
    reader.open(reader.ids[0])
    reader.page.locator("#interface-language").select_option("zh")
    assert "recall@5" not in reader.heads
    titles = reader.page.locator("#summary .card bdi[title]").evaluate_all("all => all.map(one => one.title)")
    assert titles
    assert all(re.search("[\u4e00-\u9fff]", title) for title in titles)
    shown = texts(reader), reader.heads, reader.count, reader.sample.inner_text()
    link = reader.page.url
    reader = visit(one_run, "#" + link.partition("#")[2], in_order=False)
    assert (texts(reader), reader.heads, reader.count, reader.sample.inner_text()) == shown
    assert reader.page.url == link
    assert reader.page.get_by_role("searchbox").input_value() == "الفانوس"
    assert reader.page.locator("#samples-order").input_value() == "best"


def test_an_order_by_a_column_comes_back(visit: Open, one_run: Path):
    reader = visit(one_run, in_order=False)
    reader.sort("Question")
    reader.sort("Question")
    assert address(reader) == "sort=down question"
    order = reader.ids
    reader = visit(one_run, "#sort=down%20question", in_order=False)
    assert reader.ids == order
    assert reader.head("Question").get_attribute("aria-sort") == "descending"


def test_a_run_comes_back(visit: Open, tmp_path: Path):
    runs = [make_result(rows(12, ("en",), seed=seed, failures=0), ("mrr", "token-f1")) for seed in range(3)]
    report = ragauge.report(runs, tmp_path / "report.html", names=("a", "b & c", "d"))
    reader = visit(report, in_order=False)
    reader.page.get_by_label("Compared with the first run").select_option("d")
    assert address(reader) == "run=d"
    shown = reader.column("mrr")
    reader = visit(report, "#" + reader.page.url.partition("#")[2], in_order=False)
    assert reader.column("mrr") == shown
    assert reader.page.locator("#samples-run").input_value() == "2"


def test_a_link_to_a_sample_alone_leaves_the_filters(visit: Open, one_run: Path):
    reader = visit(one_run)
    reader.choose("topic", "music")
    reader.follow("q5")
    assert reader.count == "12 of 48 samples"
    assert address(reader) == "sample=q5&in.topic=music&sort=data"


def test_what_is_not_there_is_left_out(visit: Open, one_run: Path):
    unknown = (
        "#sample=none&metric=none&status=none&in.topic=none&in.none=1&within=[0,1]%209%20mrr&sort=up%20none&column=-"
    )
    reader = visit(one_run, unknown, in_order=False)
    assert reader.count == "0 of 48 samples"
    assert reader.page.locator("#samples .picks li").all_inner_texts() == ["topic: none ×"]
    assert reader.heads == ["Id", "Question", "Answer", "rouge-l"]
    reader.page.get_by_role("button", name="Remove this filter").click()
    assert reader.count == "48 of 48 samples"


def test_a_link_to_a_sample_that_is_not_there_says_so(visit: Open, one_run: Path):
    reader = visit(one_run, "#sample=<b>nobody</b>", in_order=False)
    said = reader.page.locator("#samples > [role=alert].note")
    assert "Sample <b>nobody</b> is not on this page" in said.inner_text()
    reader.follow("q3")
    assert said.count() == 0


def test_a_section_does_not_take_the_filters_from_the_address(visit: Open, one_run: Path):
    reader = visit(one_run, in_order=False)
    reader.search("الفانوس")
    reader.choose("topic", "music")
    shown = texts(reader), reader.count
    assert reader.count != "48 of 48 samples"
    kept = address(reader)
    reader.page.locator("nav a[href='#distributions']").click()
    reader.until("location.hash.startsWith('#distributions&')", 5)
    assert address(reader) == f"distributions&{kept}"
    assert (texts(reader), reader.count) == shown
    reader.page.reload()
    reader.ready()
    assert (texts(reader), reader.count) == shown
    reader.until("document.querySelector('#distributions details').open", 5)
    reader.until("Math.abs(document.querySelector('#distributions').getBoundingClientRect().top) < 60", 5)
    reader.choose("Status", "all scored")
    assert address(reader).startswith("search=")
    reader.page.go_back()
    reader.until("!location.hash.includes('status')", 5)
    assert (texts(reader), reader.count) == shown


def test_a_section_alone_is_the_whole_address_of_a_page_as_it_opened(visit: Open, one_run: Path):
    reader = visit(one_run, in_order=False)
    reader.page.locator("nav a[href='#distributions']").click()
    reader.until("document.querySelector('#distributions details').open", 5)
    assert address(reader) == "distributions"
    reader.follow("q4")
    reader.page.go_back()
    reader.until("location.hash === '#distributions'", 5)
    reader.until("document.querySelector('dialog[open]') === null", 5)


def test_back_on_a_phone_closes_the_sample_and_stays_on_the_page(visit: Open, one_run: Path):
    reader = visit(one_run, "#search=e", screen=PHONE, in_order=False)
    shown = reader.count
    for close in (reader.page.go_back, lambda: reader.press("Escape")):
        reader.open(reader.ids[2])
        assert reader.sample.is_visible()
        reader.press("j", "j", "k")
        assert address(reader).startswith("sample=")
        place = reader.page.evaluate("scrollY")
        close()
        reader.until("location.hash === '#search=e'", 5)
        assert not reader.sample.is_visible()
        assert reader.count == shown
        assert abs(reader.page.evaluate("scrollY") - place) < 400


def test_a_sheet_that_a_link_opened_is_closed_by_back_and_by_its_button(visit: Open, one_run: Path):
    reader = visit(one_run, screen=PHONE, in_order=False)
    for close in (reader.page.go_back, lambda: reader.press("Escape")):
        reader.follow("q4")
        assert reader.sample.is_visible()
        close()
        reader.until("location.hash === ''", 5)
        assert not reader.sample.is_visible()


def test_an_address_that_was_just_given_is_not_overwritten(visit: Open, one_run: Path):
    reader = visit(one_run, in_order=False)
    reader.follow("q4")
    # The order changes before the browser says that the address did.
    reader.page.evaluate("""() => {
      location.hash = "#sample=q5";
      document.querySelector("#samples [role=columnheader] button").click();
    }""")
    reader.until("document.querySelector('article h3').textContent === 'Sample q5'", 5)
    assert address(reader).startswith("sample=q5")
    reader.press("Escape")
    assert address(reader).startswith("sort=")
