"""A Chinese page has the commands, figures and links of its English page, or says where it differs."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path

import pytest
from docs.generator import metric
from docs.generator.language import Language, chinese
from docs.generator.metric_list import entries_with_a_page

from tests.docs.blocks import DOCS, Block, blocks, in_chinese, name, outside, site_pages

# Pages of metrics are generated from the same docstrings: a test below looks at their texts; their examples are others.
CHINESE = [
    page for page in site_pages() if in_chinese(page) and (page.parent.name != "metrics" or page.stem == "index")
]
# Their texts are data, in the language of the page.
_DATA = ("text", "json", "csv")
_OTHER_FIGURES = "<!-- other figures: "
_FIGURE = re.compile(r"\d*[.,]?\d+(?:[.,]\d+)*")
_CODE_OR_ADDRESS = re.compile(r"\]\([^)]*\)|`[^`]*`|\{[^}]*\}")
_LINK = re.compile(r"\]\(([^):#]+\.md)")


def english_page(page: Path) -> Path:
    return DOCS / page.relative_to(DOCS / "zh")


def code(block: Block) -> object:
    """Return what a reader would type: commands without their comments; an example that runs may have other texts."""
    if block.language == "sh":
        return [re.sub(r" +#.*", "", command).strip() for command in block.commands()]
    return None if block.language in _DATA or ">>> " in block.body else block.body


def differences(english: Path, chinese: Path) -> Iterator[str]:
    """Yield each place where the Chinese page has another block than the English one, and does not say why."""
    for theirs, ours in zip_longest(blocks(english), blocks(chinese)):
        if theirs is None or ours is None or ours.language != theirs.language:
            yield f"{chinese.name}:{ours and ours.line}: is not the block at {english.name}:{theirs and theirs.line}"
            return
        if "differs" not in ours.marks and (code(ours), ours.marks) != (code(theirs), theirs.marks):
            yield f"{chinese.name}:{ours.line}: not as {english.name}:{theirs.line}, and no <!-- differs: WHY -->"


def figures(text: str) -> Counter[str]:
    """Return the numbers in a text, without code and addresses."""
    return Counter(_FIGURE.findall(_CODE_OR_ADDRESS.sub("", text)))


def links(page: Path) -> set[Path]:
    """Return the pages that a page links to."""
    return {(page.parent / link).resolve() for link in _LINK.findall(outside(page))}


@pytest.mark.parametrize("page", CHINESE, ids=name)
def test_a_chinese_page_has_the_commands_of_its_english_page(page: Path) -> None:
    assert list(differences(english_page(page), page)) == []


@pytest.mark.parametrize("page", CHINESE, ids=name)
def test_a_chinese_page_has_the_sections_of_its_english_page(page: Path) -> None:
    english, chinese = (len(re.findall(r"^## ", outside(one), re.MULTILINE)) for one in (english_page(page), page))
    assert chinese >= english, "a section of the English page is not in Chinese"


@pytest.mark.parametrize("page", CHINESE, ids=name)
def test_a_chinese_page_has_the_figures_of_its_english_page(page: Path) -> None:
    if _OTHER_FIGURES not in page.read_text(encoding="utf-8"):
        assert figures(outside(english_page(page))) - figures(outside(page)) == Counter()


@pytest.mark.parametrize("page", CHINESE, ids=name)
def test_a_chinese_page_leads_where_its_english_page_does(page: Path) -> None:
    ours = links(page)
    english = {link for link in links(english_page(page)) if not in_chinese(link)}
    assert english - {english_page(link) if in_chinese(link) else link for link in ours} == set()
    not_taken = {link for link in ours - {english_page(page)} if (DOCS / "zh" / link.relative_to(DOCS)).exists()}
    assert not_taken == set(), "there are Chinese pages of these"


def test_texts_of_metrics_have_the_figures_and_names_of_the_english_ones() -> None:
    """Each text is one of today's; what it says of options and numbers is there in Chinese too."""
    asked: set[str] = set()

    class Asking(Language):
        def say(self, text: str, **values: object) -> str:
            asked.add(text)
            return super().say(text, **values)

    for entry in entries_with_a_page():
        metric.page(entry, Asking())
    texts = json.loads((DOCS / "generator" / "chinese.json").read_text(encoding="utf-8"))
    assert sorted(texts.keys() - asked) == [], "the English is another now: docs/generator/chinese.json"
    other = [
        english for english, said in texts.items() if figures(english) - figures(said) or names(english) - names(said)
    ]
    assert other == []


def names(text: str) -> Counter[str]:
    """Return what a text has as code."""
    return Counter(re.findall(r"`[^`]+`", text))


def test_a_chinese_example_brings_what_it_takes_from_the_english_one() -> None:
    two = ">>> four = 4\n>>> def two(x):\n...     return x * four\n"
    english = f"Two.\n\n```python\n>>> from math import sqrt\n{two}>>> two(4)\n16\n\n```\n"
    example = f"{english}\n### 中文\n\n两个。\n\n```python\n>>> 数 = 3\n>>> two(数)\n12\n\n```\n"
    assert chinese().worked(example) == f"两个。\n\n```python\n{two}>>> 数 = 3\n>>> two(数)\n12\n\n```"
    assert Language().worked(example) == english.strip()


@pytest.mark.parametrize(
    ("page", "number"),
    [
        ("```sh\nls -l  # 列出\n```\n\n```text\n三个\n```\n", 0),
        ("```sh\nls\n```\n\n```text\n三个\n```\n", 1),
        ("<!-- differs: a shorter list -->\n```sh\nls\n```\n\n```text\n三个\n```\n", 0),
        ("<!-- exit: 2 -->\n```sh\nls -l\n```\n\n```text\n三个\n```\n", 1),
        ("```sh\nls -l\n```\n", 1),
        ("```text\n三个\n```\n", 1),
    ],
)
def test_what_is_a_difference(page: str, number: int, tmp_path: Path) -> None:
    (tmp_path / "page.md").write_text("```sh\nls -l  # list\n```\n\n```text\nthree\n```\n", encoding="utf-8")
    (tmp_path / "zh.md").write_text(page, encoding="utf-8")
    assert len(list(differences(tmp_path / "page.md", tmp_path / "zh.md"))) == number
