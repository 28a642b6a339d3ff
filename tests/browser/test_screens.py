"""Pages of every size on every screen: nothing overflows, no label is cut, and the first score is in sight."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import ragauge
from tests.browser.conftest import Open
from tests.browser.test_access import contrasts_in_dark_colours, findings, only_samples
from tests.browser.test_large import measured
from tests.reports.runs import FACTS, rows

DESK, PHONE = {"width": 1280, "height": 800}, {"width": 390, "height": 844}
METRICS = ("mrr", "token-f1", "column:name=latency,direction=lower")
SCORED: dict[str, Any] = {"resamples": 20, "by": ["language"]}
RUNS, SAMPLES, MANY = 6, 5_000, 100_000
PAGES = ("few", "few_compared", "six_of_thousands", "hundred_thousand")

# Labels of which a part is out of sight. Cells of the list, figures and names of samples end in an ellipsis.
CUT = """() => [...document.querySelectorAll(
  "h1, h2, h3, nav a, th, label, summary, select, button, .card *, .finding, #summary li")]
  .filter((one) => one.checkVisibility() && !one.closest(".grid, .unseen, svg") && one.clientWidth)
  .filter((one) => getComputedStyle(one).display !== "inline" && getComputedStyle(one).clipPath === "none")
  .filter((one) => one.scrollWidth > one.clientWidth + 1)
  .map((one) => one.textContent)"""


@pytest.fixture(scope="session")
def six_of_thousands(chromium: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report of six runs of 5,000 samples each."""
    names = [f"run {number} of the nightly tests" for number in range(RUNS)]
    scored = [
        ragauge.evaluate(rows(SAMPLES, tuple(FACTS), seed=run, skill=0.4 + run / 20), METRICS, **SCORED)
        for run in range(RUNS)
    ]
    return ragauge.report(scored, tmp_path_factory.mktemp("six") / "report.html", names=names)


@pytest.fixture(scope="session")
def hundred_thousand(chromium: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report that lists 100,000 samples."""
    samples = [
        {
            "id": f"s{i}",
            "question": f"问题 {i}",
            "answer": f"room {i % 97}",
            "references": ["room 5"],
            "kind": str(i % 3),
        }
        for i in range(MANY)
    ]
    result = ragauge.evaluate(samples, ["exact-match", "token-f1"], resamples=0, by=["kind"])
    return ragauge.report(result, tmp_path_factory.mktemp("many") / "report.html", limit=MANY)


@pytest.mark.parametrize("screen", [DESK, PHONE], ids=["desk", "phone"])
@pytest.mark.parametrize("name", PAGES)
def test_nothing_overflows_and_no_label_is_cut(
    visit: Open, request: pytest.FixtureRequest, name: str, screen: dict[str, int]
):
    reader = visit(request.getfixturevalue(name), screen=screen, in_order=False)
    for language in ("en", "zh"):
        reader.page.locator("#interface-language").select_option(language)
        for scheme in ("light", "dark"):
            reader.page.emulate_media(color_scheme=scheme)
            assert reader.page.evaluate("document.documentElement.scrollWidth") == screen["width"], (language, scheme)
            assert reader.page.evaluate(CUT) == [], (language, scheme)
            box = reader.page.locator(".card .value").first.bounding_box()
            assert box["y"] + box["height"] <= screen["height"], (language, scheme)


@pytest.mark.parametrize("name", PAGES)
def test_folded_sections_fit_a_phone(visit: Open, request: pytest.FixtureRequest, name: str):
    reader = visit(request.getfixturevalue(name), screen=PHONE)
    opened = reader.page.evaluate(
        "[...document.querySelectorAll('details.fold')].map((one) => { one.open = true; return one.checkVisibility() })"
    )
    assert len(opened) >= 2
    assert all(opened)
    assert reader.page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
    assert reader.page.evaluate(CUT) == []


@pytest.mark.parametrize("screen", [DESK, PHONE], ids=["desk", "phone"])
def test_an_arabic_sample_fits_beside_the_list_or_over_it(visit: Open, few_compared: Path, screen: dict[str, int]):
    reader = visit(few_compared, "#sample=q5", screen=screen)
    assert reader.sample.locator("[dir=rtl], [lang=ar]").count()
    assert reader.page.evaluate("document.documentElement.scrollWidth") == screen["width"]
    assert reader.page.evaluate(CUT) == []
    box = reader.sample.bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= screen["width"]


def test_columns_are_chosen_beside_an_opened_sample_too(visit: Open, few_compared: Path):
    reader = visit(few_compared, screen=DESK)
    reader.open("q5")
    reader.until("document.querySelector('.grid.narrow') !== null")
    assert reader.grid.locator(".head .others .cell").count() == 0
    reader.page.locator("#samples .chooser summary").click()
    reader.page.locator(".chooser").get_by_label("topic", exact=True).check()
    assert reader.grid.locator(".head .others .cell").all_inner_texts() == ["topic"]


def test_a_link_opens_its_section_and_no_other(visit: Open, few_compared: Path):
    reader = visit(few_compared, screen=DESK)
    opened = "[...document.querySelectorAll('details.fold[open]')].map((one) => one.parentElement.id)"
    assert reader.page.evaluate(opened) == []
    reader.page.locator("nav a[href='#scores']").click()
    reader.until(f"{opened}.length > 0")
    assert reader.page.evaluate(opened) == ["scores"]
    assert reader.page.locator("#scores table").first.is_visible()


def test_nothing_serious_is_wrong_with_the_largest_pages(visit: Open, six_of_thousands: Path, axe: str):
    reader = visit(six_of_thousands, screen=PHONE)
    only_samples(reader)
    assert findings(reader, axe, "#samples") == []
    assert contrasts_in_dark_colours(reader, "#samples .tools") == []


def test_the_answers_of_six_runs_are_scrolled_fluently(visit: Open, six_of_thousands: Path):
    reader = visit(six_of_thousands, "#view=answers&only=regressions")
    assert len(reader.page.locator("#samples .body .row").all()) < 60
    reader.choose("Answers", "only differing")
    for name in ("samples-filter", "samples-open"):
        _, took = measured(reader, name)
        assert took < 5
    frames = reader.page.evaluate("""async () => {
      const grid = document.querySelector("#samples .grid");
      const took = [];
      for (let step = 1; step <= 40; step += 1) {
        const start = performance.now();
        grid.scrollTop = step * 4000;
        await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
        took.push(performance.now() - start);
      }
      return took.sort((one, other) => one - other);
    }""")
    assert frames[len(frames) // 2] < 500
    assert reader.page.locator("#samples .body .row").count() < 60
    assert len(reader.path.read_bytes()) <= RUNS * 3_000_000
