"""Everything with the keyboard alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.browser.conftest import Open


def row_in_focus(reader) -> str | None:
    found = reader.page.evaluate("document.activeElement.closest('.body [role=row]')?.ariaRowIndex ?? null")
    return None if found is None else str(found)


def test_tab_reaches_search_heads_and_rows(visit: Open, one_run: Path):
    reader = visit(one_run)
    reached = []
    for _ in range(80):
        reader.press("Tab")
        reached.append(
            reader.page.evaluate(
                "document.activeElement.closest('[role=columnheader], .body [role=row]')?.getAttribute('role')"
                " ?? document.activeElement.type ?? document.activeElement.tagName"
            )
        )
        if reached[-1] == "row":
            break
    assert reached.index("search") < reached.index("columnheader") < reached.index("row")
    assert reached.count("columnheader") == 1


def test_tab_leaves_the_rows(visit: Open, one_run: Path):
    reader = visit(one_run)
    reader.grid.locator(".body [role=row]").first.focus()
    reader.press("Tab")
    assert row_in_focus(reader) is None


def test_arrows_pages_and_ends_move(visit: Open, one_run: Path):
    reader = visit(one_run)
    reader.grid.locator(".body [role=row]").first.focus()
    reader.press("ArrowDown", "ArrowDown", "ArrowUp")
    assert row_in_focus(reader) == "3"
    reader.press("End")
    assert row_in_focus(reader) == "49"
    assert "q47" in reader.focused
    reader.press("PageUp")
    assert 20 < int(row_in_focus(reader) or 0) < 49
    reader.press("Home")
    assert row_in_focus(reader) == "2"
    reader.press("PageDown", "PageDown", "PageDown", "PageDown", "PageDown")
    assert row_in_focus(reader) == "49"


def test_the_row_in_focus_is_in_sight_and_space_opens_it_where_the_page_stands(visit: Open, one_run: Path):
    reader = visit(one_run)
    reader.grid.locator(".body [role=row]").first.focus()
    for _ in range(30):
        reader.press("ArrowDown")
        # Both at one moment: the page above may still move them.
        edges = "grid => [grid, document.activeElement].map(one => one.getBoundingClientRect())"
        grid, row = reader.grid.evaluate(edges)
        assert grid["top"] < row["top"] < row["bottom"] <= grid["bottom"]
    prevented = "addEventListener('keydown', (event) => { document.title = event.defaultPrevented })"
    reader.page.evaluate(prevented)
    reader.press(" ")
    assert reader.sample.get_by_role("heading").first.inner_text().endswith("q30")
    assert reader.page.title() == "true"


def test_the_row_in_focus_stays_when_it_is_scrolled_away(visit: Open, large: Path):
    reader = visit(large)
    reader.grid.locator(".body [role=row]").first.focus()
    reader.press("ArrowDown")
    reader.grid.evaluate("grid => { grid.scrollTop = 200000 }")
    reader.until("document.querySelectorAll('.body [role=row]')[1].ariaRowIndex > 1000")
    assert row_in_focus(reader) == "3"
    assert reader.grid.locator(".body [role=row]").first.get_attribute("aria-rowindex") == "3"
    reader.press("ArrowDown")
    assert row_in_focus(reader) == "4"
    assert reader.grid.evaluate("grid => grid.scrollTop") < 200


def test_heads_are_sorted_from_the_keyboard(visit: Open, one_run: Path):
    reader = visit(one_run)
    assert reader.place("topic") == len(reader.heads) - 1
    reader.grid.locator(".body [role=row]").first.focus()
    reader.press("ArrowUp", "End")
    assert reader.focused == reader.heads[-1]
    reader.press("ArrowLeft", "ArrowLeft", "Home", "ArrowRight", "End", "Enter")
    assert reader.head("topic").get_attribute("aria-sort") == "ascending"
    assert reader.column("topic") == sorted(reader.column("topic"), key=lambda text: (text[0].isalpha(), text))
    reader.press("ArrowDown")
    assert row_in_focus(reader) == "2"


def test_a_sample_is_opened_leafed_through_and_closed(visit: Open, one_run: Path):
    reader = visit(one_run)
    reader.grid.locator(".body [role=row]").first.focus()
    reader.press("ArrowDown", "Enter")
    assert reader.sample.get_by_role("heading", level=3).inner_text() == "Sample q1"
    assert reader.focused == "Sample q1"
    reader.press("j", "j")
    assert reader.focused == "Sample q3"
    reader.press("k")
    assert reader.focused == "Sample q2"
    assert reader.sample.get_by_text("3 of 48").is_visible()
    reader.press("Escape")
    assert not reader.sample.is_visible()
    assert row_in_focus(reader) == "4"
    reader.press("j")
    assert not reader.sample.is_visible()


def test_a_closed_sample_leaves_its_row_in_sight(visit: Open, one_run: Path):
    reader = visit(one_run, "#sample=q4", screen={"width": 1280, "height": 400})
    reader.page.evaluate("scrollTo(0, document.body.scrollHeight)")
    reader.press("Escape")
    assert row_in_focus(reader) == "6"
    top, bottom = reader.page.evaluate(
        "(({ top, bottom }) => [top, innerHeight - bottom])(document.activeElement.getBoundingClientRect())"
    )
    assert min(top, bottom) >= 0


def test_leafing_stops_at_the_ends(visit: Open, one_run: Path):
    reader = visit(one_run, "#sample=q0")
    reader.press("k")
    assert reader.focused == "Sample q0"
    reader.follow("q47")
    reader.press("j")
    assert reader.focused == "Sample q47"


def test_heads_stop_at_the_ends(visit: Open, one_run: Path):
    reader = visit(one_run)
    reader.head("Id").locator("button").focus()
    reader.press("ArrowLeft")
    assert reader.focused == "Id"
    reader.press("End", "ArrowRight")
    assert reader.focused == reader.heads[-1]
    assert reader.grid.locator(".head [tabindex='0']").all_text_contents() == [reader.heads[-1]]


def test_one_row_takes_the_tab_key(visit: Open, one_run: Path):
    reader = visit(one_run)
    reader.grid.locator(".body [role=row]").first.focus()
    for key, row in (("ArrowDown", "3"), ("End", "49"), ("Home", "2")):
        reader.press(key)
        stops = reader.grid.locator(".body [tabindex='0']").evaluate_all("rows => rows.map(row => row.ariaRowIndex)")
        assert stops == [row]


def test_the_row_in_focus_is_in_the_window_where_the_table_is_not(visit: Open, one_run: Path):
    reader = visit(one_run, screen={"width": 1280, "height": 400})
    reader.page.evaluate("scrollBy(0, document.querySelector('[role=grid]').getBoundingClientRect().top - 340)")
    reader.head("Id").locator("button").evaluate("head => head.focus({ preventScroll: true })")
    for key in ("ArrowDown", "End", "Home"):
        reader.press(key)
        assert row_in_focus(reader) == ("49" if key == "End" else "2")
        box = "(({ top, bottom }) => [top, innerHeight - bottom])(document.activeElement.getBoundingClientRect())"
        assert min(reader.page.evaluate(box)) >= 0, key


def test_moving_to_another_row_keeps_the_columns_in_sight(visit: Open, one_run: Path):
    reader = visit(one_run)
    for name in ("token-f1", "mrr", "topic"):
        reader.place(name)
    reader.grid.locator(".body [role=row]").first.focus()
    reader.grid.evaluate("grid => { grid.scrollLeft = 200 }")
    reader.press("ArrowDown", "PageDown", "End", "Home")
    assert reader.grid.evaluate("grid => grid.scrollLeft") == 200


@pytest.mark.parametrize("held", ["Control", "Alt", "Meta"])
def test_keys_held_with_others_belong_to_the_browser(visit: Open, one_run: Path, held: str):
    reader = visit(one_run, "#sample=q5")
    reader.page.evaluate("addEventListener('keydown', (event) => event.preventDefault())")
    reader.press(f"{held}+j", f"{held}+/", f"{held}+Escape")
    assert reader.focused == "Sample q5"
    reader.grid.locator(".body [role=row]").first.focus()
    reader.press(f"{held}+ArrowDown", f"{held}+Enter")
    assert row_in_focus(reader) == "2"
    assert reader.sample.get_by_role("heading", level=3).inner_text() == "Sample q5"


def test_escape_closes_from_a_control_but_empties_a_search_first(visit: Open, one_run: Path):
    reader = visit(one_run, "#sample=q5")
    reader.search("q")
    reader.press("Escape")
    assert reader.sample.is_visible()
    reader.search("")
    reader.press("Escape")
    assert not reader.sample.is_visible()
    reader.follow("q7")
    reader.page.get_by_label("Status").focus()
    reader.press("j")
    assert reader.sample.get_by_role("heading", level=3).inner_text() == "Sample q7"
    reader.press("Escape")
    assert not reader.sample.is_visible()


def test_slash_is_not_written_into_the_search_that_it_goes_to(visit: Open, one_run: Path):
    reader = visit(one_run)
    reader.press("/")
    assert reader.page.evaluate("document.activeElement.type") == "search"
    assert reader.page.get_by_role("searchbox").input_value() == ""


def test_slash_goes_to_the_search_where_letters_are_letters(visit: Open, one_run: Path):
    reader = visit(one_run, "#sample=q5")
    reader.press("/")
    reader.page.keyboard.type("jk/")
    assert reader.page.get_by_role("searchbox").input_value() == "jk/"
    assert reader.sample.get_by_role("heading", level=3).inner_text() == "Sample q5"


def test_sentences_are_reached_and_tell_what_supports_them(visit: Open, one_run: Path):
    reader = visit(one_run, "#sample=q0")
    for _ in range(20):
        reader.press("Tab")
        if reader.page.evaluate("document.activeElement.classList.contains('sentence')"):
            break
    assert reader.page.evaluate("document.activeElement.getAttribute('aria-pressed')") == "true"
    assert "Best match, similarity" in reader.sample.locator(".counterpart").inner_text()


def test_the_keys_are_told(visit: Open, one_run: Path):
    told = visit(one_run).page.locator("#samples .help").inner_text()
    for key in ("↑", "↓", "Page Up", "Home", "Enter", "Esc", " j ", " k ", "/"):
        assert key in told
