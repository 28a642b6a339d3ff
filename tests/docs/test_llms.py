"""``llms.txt``: the form of the convention, and the pages of the menu."""

from __future__ import annotations

import re

from docs.generator import llms
from docs.generator.writing import DOCS

from tests.docs.blocks import ROOT

MENU = """\
site_name: tea
site_description: "Measure tea."
nav:
  - Start:
      - index.md
  - 中文:
      - zh/index.md
  - Metrics:
      - Of leaves:
          - metrics/leaf.md
"""
PAGES = {
    "index.md": "<!-- Written by hand. -->\n\n# Tea\n\n![A cup](cup.png)\n\n**How good is it?** [Very](very.md).\n",
    "zh/index.md": "# 茶\n\n茶有多好？很好。\n",
    "metrics/leaf.md": "# leaf\n\n| a | b |\n|---|---|\n\nA leaf, [as it\nis](x.md): v1.2 of it. More.\n",
}


def test_the_menu_becomes_sections_with_what_may_be_skipped_at_the_end() -> None:
    made = llms.text(MENU, PAGES.__getitem__)
    assert re.sub(r"\n\nCoding agents.*", "", made) == (
        "# tea\n\n> Measure tea.\n\n## Start\n\n- [Tea](index.md): How good is it?\n\n"
        "## Metrics\n\n- [leaf](metrics/leaf.md): A leaf, as it is: v1.2 of it.\n\n"
        "## Optional\n\n- [茶](zh/index.md): 茶有多好？\n"
    )


def test_the_file_has_every_page_once_with_a_sentence() -> None:
    text = (DOCS / "llms.txt").read_text(encoding="utf-8")
    menu = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    title, summary, *_ = text.split("\n\n")
    assert title == "# ragauge"
    assert summary.startswith("> Measure RAG systems and generated text: ")
    lines = [line for line in text.splitlines() if line.startswith("- ")]
    found = [re.fullmatch(r"- \[[^\]]+\]\(([\w/-]+)\.md\): \S.*[.?!:。？！：]", line) for line in lines]
    assert [line for line, one in zip(lines, found, strict=True) if one is None] == []
    pages = [entry.page.removesuffix(".md") for entry in llms.entries(menu)]
    assert sorted(one[1] for one in found if one) == sorted(pages)
    assert [path for path in re.findall(r"\]\(([^)]+)\)", text) if not (DOCS / path).is_file()] == []
    assert text.count("\n## ") == text.count("\n## Optional") + len(
        {entry.section for entry in llms.entries(menu)} - {"Extend", "Contribute", "中文"}
    )
