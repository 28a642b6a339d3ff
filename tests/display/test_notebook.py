"""Results in a real notebook: executed by a kernel, as Jupyter does."""

from __future__ import annotations

import re
from collections.abc import Mapping
from doctest import DocTestParser
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import ragauge

TEA_HOUSE = Path(__file__).parents[2] / "corpora" / "tea-house.jsonl"
SOURCES = [
    f"import ragauge\nold = ragauge.evaluate({str(TEA_HOUSE)!r}, ['mrr', 'bleu'], by='language', resamples=50)\nold",
    """rows = [row for batch in old.data.batches() for row in batch.table().to_pylist()]
new = ragauge.evaluate([{**row, 'answer': row['references'][0]} for row in rows], ['mrr', 'bleu'], resamples=0)
ragauge.compare(old, new, trials=100, resamples=50)""",
]


class Page(HTMLParser):
    """What stands in HTML: elements, and the text of cells."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.cells: list[str] = []
        self.open: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, _attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.open.append(tag)
        if tag in ("td", "th"):
            self.cells.append("")

    def handle_endtag(self, tag: str) -> None:
        while self.open and self.open.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        if "td" in self.open or "th" in self.open:
            self.cells[-1] += data


def executed(sources: list[str], folder: Path) -> list[Mapping[str, str]]:
    """Run cells in a kernel; return what each of them shows, by kind."""
    nbclient = pytest.importorskip("nbclient", reason="pip install nbclient ipykernel")
    pytest.importorskip("ipykernel", reason="pip install nbclient ipykernel")
    nbformat = pytest.importorskip("nbformat")
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in sources])
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    nbformat.write(notebook, folder / "executed.ipynb")
    return [cell.outputs[-1].data for cell in notebook.cells]


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning", "ignore::RuntimeWarning")
def test_a_notebook_shows_results_and_comparisons(tmp_path: Path) -> None:
    result, comparison = executed(SOURCES, tmp_path)
    for shown in (result, comparison):
        assert set(shown) == {"text/plain", "text/html", "text/markdown"}
        assert shown["text/html"].count("<style>") == 1
        assert "<svg" in shown["text/html"]
    page = Page(result["text/html"])
    assert {"mrr", "bleu", "0.61", "zh"} <= set(page.cells)
    page = Page(comparison["text/html"])
    assert {"metric", "▲ better", "= equal", "+0.48"} <= set(page.cells)


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning", "ignore::RuntimeWarning")
def test_the_recipe_of_the_cookbook_runs_in_a_notebook(tmp_path: Path) -> None:
    page = TEA_HOUSE.parents[1] / "docs" / "cookbook" / "notebook.md"
    examples = DocTestParser().get_examples(page.read_text(encoding="utf-8"))
    result, comparison = executed(["".join(one.source for one in examples) + "result", "comparison"], tmp_path)
    assert {"groundedness", "4/4"} <= set(Page(result["text/html"]).cells)
    assert {"groundedness", "difference"} <= set(Page(comparison["text/html"]).cells)


def scored(groups: int, **changes: Any) -> ragauge.Result:
    rows = [{"id": f"q{row}", "x": row / groups, "y": row, "g": f"group {row}", **changes} for row in range(groups)]
    return ragauge.evaluate(rows, ["column:name=x,low=0,high=1", "column:name=y"], by="g", resamples=10)


def test_at_most_a_hundred_rows_are_shown_and_the_rest_is_counted() -> None:
    html = scored(80)._repr_html_()
    assert Page(html).tags.count("tr") == 1 + 2 + 1 + 100
    assert "60 of 160 rows are not shown" in html
    assert "not shown" not in scored(40)._repr_html_()


def test_a_bar_stands_where_there_is_a_range() -> None:
    html = scored(3)._repr_html_()
    assert html.count("<svg") == 1 + 3
    assert re.search(r'aria-label="0\.33, \[.*\] on 0 to 1"', html)


@pytest.mark.parametrize("evil", ["<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "</style><b>", "&lt;"])
def test_what_data_hold_stays_text(evil: str) -> None:
    result = ragauge.evaluate([{"id": str(row), "x": row, "g": evil} for row in range(3)], "column:name=x", by="g")
    other = ragauge.evaluate([{"id": str(row), "x": 1, "g": evil} for row in range(3)], "column:name=x", by="g")
    comparison = ragauge.compare(result, other, by="g", trials=10, resamples=10)
    for html in (result._repr_html_(), comparison._repr_html_()):
        page = Page(html)
        assert not {"script", "img", "b"} & set(page.tags)
        assert page.tags.count("style") == 1
        assert evil in page.cells


def test_one_score_is_shown_as_a_table_with_its_signature() -> None:
    result = scored(3)
    score = result["column:name=x,low=0,high=1"]
    page = Page(score._repr_html_())
    assert {score.title, "3/3"} <= set(page.cells)
    assert score.signature in score._repr_html_()
    assert score.signature in " ".join(str(score).split())
    assert "| metric | value | interval | scored |" in re.sub(" +", " ", score._repr_markdown_())
    group = next(iter(result.groups("column:name=y", "g").values()))
    assert "group 0" in Page(group._repr_html_()).cells
    assert repr(score).startswith("Score(metric=")


def test_the_style_touches_nothing_else() -> None:
    style = re.search(r"<style>(.*?)</style>", scored(2)._repr_html_(), re.DOTALL)
    assert style
    selectors = [
        one.strip() for rule in style[1].split("}") for one in rule.partition("{")[0].split(",") if one.strip()
    ]
    assert selectors
    assert all(selector.startswith(".ragauge") for selector in selectors)


def test_markdown_has_the_same_numbers() -> None:
    result = ragauge.evaluate(TEA_HOUSE, "mrr", resamples=50)
    markdown = result._repr_markdown_()
    assert markdown.startswith("18 samples from ")
    assert "| mrr | 0.61 |" in markdown


def test_a_comparison_is_read_at_the_prompt() -> None:
    result = ragauge.evaluate(TEA_HOUSE, "mrr", resamples=50)
    comparison = ragauge.compare(result, result, trials=10, resamples=10)
    assert repr(comparison) == str(comparison)
    assert "= equal" in repr(comparison)
