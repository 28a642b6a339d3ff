"""A click on a figure lists the samples that it stands for: as many as it says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.browser.conftest import Open
from tests.reports.test_figures import counted

CLICK = """element => {
  for (const fold of document.querySelectorAll("details")) fold.open = true;
  element.dispatchEvent(new MouseEvent("click", { bubbles: true }));
}"""


def listed(reader: Any) -> int:
    return int(reader.count.split()[0].replace(",", ""))


@pytest.mark.parametrize(
    ("report", "selector"),
    [
        ("one_run", "#distributions rect.bar"),
        ("compared", "#distributions rect.bar"),
        ("one_run", "#relations circle.bubble"),
        ("compared", "#changes circle.bubble"),
    ],
)
def test_bars_and_points_list_as_many_samples_as_they_say(
    visit: Open, request: pytest.FixtureRequest, report: str, selector: str
):
    reader = visit(request.getfixturevalue(report))
    marks = reader.page.locator(selector)
    assert marks.count() > 5
    for mark in marks.all()[:: max(1, marks.count() // 12)]:
        said = counted(str(mark.locator("title").text_content()))
        mark.evaluate(CLICK)
        assert listed(reader) == said
        assert reader.page.locator("#samples .picks li").count() == (1 if "rect" in selector else 2)
    assert reader.page.evaluate("document.getElementById('samples').getBoundingClientRect().top < 60")


def test_a_row_of_a_group_lists_its_samples(visit: Open, one_run: Path):
    reader = visit(one_run)
    for mark in reader.page.locator("#groups rect.row").all()[:6]:
        mark.evaluate(CLICK)
        assert listed(reader) in (6, 12)
        assert reader.page.get_by_role("button", name="Reset filters").is_visible()


def test_a_difference_lists_those_that_changed_most(visit: Open, compared: Path):
    reader = visit(compared, in_order=False)
    reader.page.locator("#changes .for-wide circle.mark").nth(3).evaluate(CLICK)
    name = reader.heads[3]
    assert name != "ndcg@1"
    cells = [cell for cell in reader.column(f"Δ change in {name}") if cell != "–"]
    sizes = [abs(float(cell.split()[1])) for cell in cells]
    assert sizes == sorted(sizes, reverse=True)


def test_a_link_to_a_group_lists_it(visit: Open, one_run: Path):
    reader = visit(one_run, in_order=False)
    link = reader.page.locator("#weakest td:nth-child(3) a").first
    name = link.inner_text()
    link.click()
    reader.until("!document.querySelector('.count').textContent.startsWith('48')")
    assert listed(reader) in (6, 12)
    assert name in str(
        reader.page.locator("#samples .filters").evaluate(
            "form => [...form.querySelectorAll('select')].map(one => one.selectedOptions[0].textContent).join(' ')"
        )
    )
