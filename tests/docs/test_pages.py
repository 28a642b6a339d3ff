"""Generated pages are as the code says, every metric says all that a page needs, and the menu has every page."""

from __future__ import annotations

import inspect
import re

import pytest
from docs.generator.docstrings import docstring_of
from docs.generator.metric import WORKED
from docs.generator.metric_list import entries_with_a_page
from docs.generator.writing import DOCS, changelog, generated

from tests.docs.blocks import ROOT, site_pages

METRICS = entries_with_a_page()
each_metric = pytest.mark.parametrize("name", [entry.name for entry in METRICS])


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    """The generated pages; not made while tests are collected, because it takes a second."""
    return generated()


def test_pages_are_as_the_code_says(pages: dict[str, str]) -> None:
    paths = {page: DOCS / page for page in pages}
    assert [page for page, path in paths.items() if not path.exists()] == [], "run python -m docs.generator"
    other = [page for page, path in paths.items() if path.read_text(encoding="utf-8") != pages[page]]
    assert other == [], "run python -m docs.generator, and look at what changed"


def test_the_changelog_is_a_page_whose_links_lead_to_pages() -> None:
    [(page, text)] = changelog().items()
    assert (DOCS / page).exists()
    links = re.findall(r"\]\((?!https?:)([^)#]+)", text)
    assert links
    assert [link for link in links if not (DOCS / link).exists()] == []


def test_no_page_is_left_over(pages: dict[str, str]) -> None:
    there = {
        str(path.relative_to(DOCS))
        for folder in ("metrics", "reference", "zh/metrics")
        for path in (DOCS / folder).rglob("*.md")
    }
    assert there == {page for page in pages if page.endswith(".md")}


@each_metric
def test_metric_says_what_a_page_needs(name: str) -> None:
    said = docstring_of(next(entry.cls for entry in METRICS if entry.name == name))
    assert said.summary.endswith(".")
    assert said.formula
    for label in ("Unit and range", "undefined", "Not for", "Source"):
        assert said.labelled.get(label), f"{name} has no {label!r} in its docstring"


@each_metric
def test_every_option_is_explained(name: str, pages: dict[str, str]) -> None:
    cls = next(entry.cls for entry in METRICS if entry.name == name)
    options = re.findall(r"^\| `(\w+)` \|.*\|  \|$", pages[f"metrics/{name}.md"], re.MULTILINE)
    assert options == [], f"explain these options under Args: in the docstring in {inspect.getfile(cls)}"


@each_metric
def test_worked_example_is_in_two_languages(name: str) -> None:
    path = WORKED / f"{name}.md"
    assert path.exists(), f"run python -m tests.new metric {name}, and fill in docs/worked/{name}.md"
    english, _, chinese = path.read_text(encoding="utf-8").partition("\n### 中文\n")
    assert re.search(r"[\u4e00-\u9fff]{4}", chinese)
    for part in (english, chinese):
        assert ">>> " in part


def test_menu_has_every_page_once() -> None:
    menu = re.findall(r"^ +- (\S+\.md)$", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"), re.MULTILINE)
    pages = {str(page.relative_to(DOCS)) for page in site_pages()}
    assert sorted(pages - set(menu)) == [], "add a line '- PAGE' to nav in mkdocs.yml"
    assert sorted(menu) == sorted(pages)


@pytest.mark.parametrize("home", ["index.md", "zh/index.md"])
def test_figures_of_the_home_page_are_those_of_the_pages_that_it_names(home: str) -> None:
    """Each row says how it is measured again, and its figures are on the page that it leads to."""
    text = (DOCS / home).read_text(encoding="utf-8")
    rows = re.findall(r"^\| (.*\*\*.*) \| `python (benchmarks/\w+\.py)` \|$", text, re.MULTILINE)
    assert len(rows) == 3
    why_not = text.partition("<!-- why not -->")[2]
    for said, benchmark in rows:
        assert (ROOT / benchmark).exists()
        [page] = re.findall(r"\]\(([^)#]*)", said)
        there = (DOCS / home).parent.joinpath(page).read_text(encoding="utf-8") if page else why_not
        figures = re.findall(r"\d+(?:\.\d+)?", " ".join(re.findall(r"\*\*(.+?)\*\*", said)))
        assert figures
        assert [figure for figure in figures if figure not in there] == []
