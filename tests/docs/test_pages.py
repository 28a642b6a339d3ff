"""Generated pages are as the code says, every metric says all that a page needs, and the menu has every page."""

from __future__ import annotations

import inspect
import re
from typing import get_origin

import pytest
from docs.generator import public_objects
from docs.generator.docstrings import docstring_of
from docs.generator.metric import WORKED
from docs.generator.metric_list import entries_with_a_page
from docs.generator.writing import DOCS, changelog, generated

import ragauge
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


def test_each_public_object_has_a_page_with_types(pages: dict[str, str]) -> None:
    public = {name: of for name in ragauge.__all__ if callable(of := getattr(ragauge, name)) and not get_origin(of)}
    named = {name: of for name, of in public.items() if not (inspect.isclass(of) and issubclass(of, Exception))}
    assert {f"reference/{public_objects.path(name)}" for name in named} <= pages.keys()
    for name in public_objects.functions():
        page = pages[f"reference/{public_objects.path(name)}"]
        rows = re.findall(r"^\| `(\w+)` \| (.*?) \|", page.partition("| raises")[0], re.MULTILINE)
        parameters = inspect.signature(named[name]).parameters
        assert [argument for argument, kind in rows if not kind] == [], name
        assert not rows or {argument for argument, _ in rows} == parameters.keys(), name
        assert "->" in page, name


def test_two_pages_differ_by_more_than_case(pages: dict[str, str]) -> None:
    """Some file systems take ``gate.md`` for ``Gate.md``."""
    assert len({page.lower() for page in pages}) == len(pages)


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
