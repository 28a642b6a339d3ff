"""The answers of all runs side by side: questions by runs, with the support of sentences, scores, and two filters."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.browser.conftest import FEW, FEW_SCORED, Open, written
from tests.browser.payloads import PAYLOADS
from tests.browser.test_access import contrasts_in_dark_colours, findings, only_samples
from tests.browser.test_hostile import LOW, hostile, policy_off, unharmed, watched
from tests.reports.runs import FACTS, make_run

__all__ = ["hostile", "policy_off", "watched"]
PHONE, DESK = {"width": 390, "height": 844}, {"width": 1280, "height": 800}
CELLS = "#samples .body .output"


@pytest.fixture(scope="session")
def three(chromium: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report of three runs of the same samples, in each of the eight languages, of which two failed in the last."""
    folder = tmp_path_factory.mktemp("three")
    runs = [
        make_run(
            folder / name,
            count=FEW,
            languages=tuple(FACTS),
            seed=seed,
            failures=2 if seed == 2 else 0,
            **FEW_SCORED,
        )
        for seed, name in enumerate(("old", "middle", "new"))
    ]
    return written(tmp_path_factory, runs)


def test_a_click_shows_the_answers_of_all_runs_and_another_the_list(visit: Open, three: Path):
    reader = visit(three)
    listed = reader.heads
    switch = reader.page.get_by_role("button", name="Answers side by side")
    switch.click()
    assert reader.heads == ["Question", "old Base", "middle ranks first", "new"]
    assert reader.page.url.endswith("#view=answers&sort=data")
    assert switch.get_attribute("aria-pressed") == "true"
    switch.click()
    assert reader.heads == listed
    assert "view" not in reader.page.url


def test_cells_have_the_answer_the_support_of_its_sentences_and_the_score(visit: Open, three: Path):
    reader = visit(three, "#view=answers&metric=groundedness")
    cell = reader.page.locator(CELLS).first
    sentences = cell.locator(".sentence")
    said = "The lantern is kept in room"
    assert said in cell.inner_text()
    assert sentences.count() == 2
    # The marks are those of the opened sample.
    marks = [one.get_attribute("class") for one in sentences.all()]
    reader.open("q0")
    opened = reader.sample.locator(".run[data-run='0'] .sentence")
    assert [one.get_attribute("class") for one in opened.all()] == marks
    scores = reader.block("Scores").locator("tr").filter(has_text="groundedness").locator("td").first.inner_text()
    assert cell.locator(".chip > :first-child").inner_text() in scores
    assert reader.page.locator("#samples .by").first.inner_text().startswith("Scores: groundedness")


def test_only_what_differs_or_is_worse_is_listed(visit: Open, three: Path):
    reader = visit(three, "#view=answers&metric=token-f1")
    read = """() => [...document.querySelectorAll("#samples .body .row")].map((row) => ({
      id: row.querySelector(".id").textContent,
      answers: [...row.querySelectorAll(".output .lines")].map(
        (one) => one.textContent.replace(/[✓✗]|not supported|supported/g, "")),
      worse: row.querySelectorAll(".output .chip .worse").length > 0,
      failed: row.querySelectorAll(".output .lines.failed").length > 0,
    }))"""
    every = reader.page.evaluate(read)
    assert len(every) == FEW
    differing = [one["id"] for one in every if len(set(one["answers"])) > 1]
    worse = [one["id"] for one in every if one["worse"] or one["failed"]]
    assert 0 < len(worse) < len(differing) < FEW
    assert any(one["failed"] for one in every)
    for name, expected in (("only differing", differing), ("only regressions", worse)):
        reader.choose("Answers", name)
        assert [one["id"] for one in reader.page.evaluate(read)] == expected
    link = reader.page.url.partition("#")[2]
    assert "only=regressions" in link
    again = visit(three, f"#{link}", in_order=False)
    assert [one["id"] for one in again.page.evaluate(read)] == worse


def test_a_heading_puts_the_worst_of_its_run_first_and_a_cell_opens_its_run(visit: Open, three: Path):
    reader = visit(three, "#view=answers&metric=token-f1")
    reader.sort("middle ranks first")
    chips = reader.page.locator("#samples .body .row .output:nth-child(2) .chip > :first-child").all_inner_texts()
    scores = [float(text) for text in chips if text[0].isdigit()]
    assert scores == sorted(scores)
    assert scores[0] < scores[-1]
    reader.page.locator(CELLS).nth(1).click()
    assert reader.sample.locator(".answers h5").all_inner_texts() == ["old", "middle"]


def test_one_run_has_no_second_view(visit: Open, few: Path):
    reader = visit(few, "#view=answers&only=differing")
    assert reader.page.get_by_role("button", name="Answers side by side").count() == 0
    assert reader.page.get_by_label("Answers", exact=True).count() == 0
    assert reader.count == f"{FEW} of {FEW} samples"


@pytest.mark.parametrize("screen", [DESK, PHONE], ids=["desk", "phone"])
def test_three_lines_a_cell_on_every_screen_and_the_question_stays(visit: Open, three: Path, screen: dict[str, int]):
    reader = visit(three, "#view=answers", screen=screen)
    page = reader.page
    assert page.evaluate("document.documentElement.scrollWidth") == screen["width"]
    inside = """() => [...document.querySelectorAll("#samples .body .row")].every((row) =>
      [...row.querySelectorAll(".lines, .chip")].every((one) => {
        const [box, edge] = [one.getBoundingClientRect(), row.getBoundingClientRect()];
        return box.height <= 3 * 1.4 * 16 && box.top >= edge.top && box.bottom <= edge.bottom;
      }))"""
    assert page.evaluate(inside)
    left = "Math.round(one.getBoundingClientRect().left)"
    places = f"""() => ['.asked', '.output'].map((name) => document.querySelector(`#samples .body ${{name}}`))
      .map((one) => {left})"""
    asked, output = page.evaluate(places)
    page.evaluate("document.querySelector('#samples .grid').scrollLeft = 120")
    moved = page.evaluate("document.querySelector('#samples .grid').scrollLeft")
    assert (moved > 0) == (screen is PHONE)
    assert page.evaluate(places) == [asked, output - moved]
    heads = f"""() => ['.head', '.body'].map((part) =>
      [...document.querySelectorAll(`#samples ${{part}} .row:first-child .output`)].map((one) => {left}))"""
    top, below = page.evaluate(heads)
    assert top == below
    page.evaluate("document.querySelector('#samples .grid').scrollTop = 300")
    box = "one => document.querySelector(one).getBoundingClientRect().top"
    assert abs(page.evaluate(box, "#samples .grid .head") - page.evaluate(box, "#samples .grid")) < 3


@pytest.fixture(scope="session")
def six(chromium: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report of six runs of the same samples."""
    folder = tmp_path_factory.mktemp("six")
    runs = [
        make_run(folder / f"run {seed}", count=FEW, languages=tuple(FACTS), seed=seed, **FEW_SCORED)
        for seed in range(6)
    ]
    return written(tmp_path_factory, runs)


def test_six_runs_fit_a_desk_and_are_all_reached_on_a_phone(visit: Open, six: Path):
    reader = visit(six, "#view=answers", screen=DESK)
    grid = "document.querySelector('#samples .grid')"
    assert reader.page.evaluate(f"{grid}.scrollWidth - {grid}.clientWidth") == 0
    inside = """() => [...document.querySelectorAll("#samples .body .output")].every((cell) => {
      const [line, chip, box] = [".lines", ".chip", null].map(
        (part) => (part ? cell.querySelector(part) : cell).getBoundingClientRect());
      return chip.bottom <= line.top + 1 && line.bottom <= box.bottom && line.height <= 3 * 1.4 * 16;
    })"""
    assert reader.page.evaluate(inside)
    marks = {0: " Base", 1: " ranks first"}
    assert reader.heads[1:] == [f"run {seed}{marks.get(seed, '')}" for seed in range(6)]
    reader = visit(six, "#view=answers", screen=PHONE)
    reader.page.evaluate(f"{grid}.scrollLeft = 10_000")
    last = reader.page.locator("#samples .body .row").first.locator(".output").last
    box, edge = last.bounding_box(), reader.grid.bounding_box()
    assert edge["x"] <= box["x"] < box["x"] + box["width"] <= edge["x"] + edge["width"] + 1


@pytest.mark.parametrize("screen", [DESK, PHONE], ids=["desk", "phone"])
def test_nothing_serious_is_found_in_light_and_dark_colours(visit: Open, three: Path, axe: str, screen: dict[str, int]):
    reader = visit(three, "#view=answers", screen=screen)
    only_samples(reader)
    assert findings(reader, axe, "#samples") == []
    assert contrasts_in_dark_colours(reader, "#samples") == []


def test_keys_move_open_and_scroll(visit: Open, three: Path):
    reader = visit(three, "#view=answers", screen=PHONE)
    reader.grid.locator(".body [role=row]").first.focus()
    reader.press("ArrowRight", "ArrowRight")
    reader.until("document.querySelector('#samples .grid').scrollLeft > 0")
    reader.press("ArrowDown", "Enter")
    assert reader.sample.get_by_role("heading").first.inner_text() == "Sample q1"


def test_arabic_runs_from_the_right(visit: Open, three: Path):
    reader = visit(three, "#view=answers&language=ar")
    cell = reader.page.locator(f"{CELLS} .lines").first
    assert cell.evaluate("one => [getComputedStyle(one).direction, one.lang]") == ["rtl", "ar"]


@pytest.mark.usefixtures("policy_off")
def test_hostile_answers_run_nothing(visit: Open, hostile: Path):
    reader = visit(hostile, "#view=answers", screen=LOW)
    seen = reader.page.evaluate("""async () => {
      const grid = document.querySelector("#samples .grid");
      const seen = new Set();
      for (let top = 0; top < grid.scrollHeight; top += 150) {
        grid.scrollTop = top;
        await new Promise((done) => requestAnimationFrame(() => setTimeout(done, 20)));
        for (const one of grid.querySelectorAll(".body .id")) seen.add(one.textContent);
      }
      return [...seen];
    }""")
    assert set(seen) == set(PAYLOADS)
    unharmed(reader)
